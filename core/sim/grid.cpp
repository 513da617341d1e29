#include "core/sim/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace fdlab {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kBytesPerUs = 1e3;  // 1 GB/s
constexpr double kSameTime = 1e-9;   // us
constexpr double kSameDemand = 1e-12;

struct Event {
  double when;
  std::int32_t block;

  /// Earliest first; at one moment by block.
  friend bool operator>(const Event& a, const Event& b) {
    return a.when != b.when ? a.when > b.when : a.block > b.block;
  }
};

/// What is foreseen, the earliest first.
class Events {
 public:
  bool is_empty() const { return heap_.empty(); }
  double next() const { return heap_.empty() ? kNever : heap_.top().when; }
  bool is_due(double now) const { return next() <= now + kSameTime; }
  void push(double when, std::int32_t block) { heap_.push({when, block}); }
  std::int32_t take() {
    const std::int32_t block = heap_.top().block;
    heap_.pop();
    return block;
  }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> heap_;
};

/// Slots of all SMs: blocks that can be resident at a time.
std::size_t num_slots(const GridModel& model, const Gpu& gpu) {
  return static_cast<std::size_t>(gpu.sms * occupancy_of(model.block, gpu).blocks_per_sm);
}

/// The memory as this grid's blocks see it. Those that read a byte together all wait for memory, but share its bandwidth, up to
/// what L2 hands on.
MemoryModel memory_of(const GridModel& model, const Gpu& gpu) {
  MemoryModel memory = gpu.memory;
  memory.dram.ceiling_gb_s *= model.memory_share;
  const double shared_gb_s = memory.dram.ceiling_gb_s * model.readers_per_byte;
  memory.dram.ceiling_gb_s =
      std::max(memory.dram.ceiling_gb_s, std::min(shared_gb_s, memory.l2.ceiling_gb_s));
  memory.dram.latency_us += model.round_us;
  memory.l2.latency_us += model.round_us;
  return memory;
}

class Grid {
 public:
  Grid(const Gpu& gpu, const GridModel& model, const std::vector<BlockWork>& work)
      : gpu_(gpu),
        model_(model),
        memory_(memory_of(model, gpu)),
        throughput_(memory_, model.l2_share),
        crowded_bytes_(memory_.ceiling_gb_s(model.l2_share) * memory_.loaded(0, model.l2_share).us *
                       kBytesPerUs),
        work_(work),
        resident_(static_cast<std::size_t>(gpu.sms), 0),
        reading_(resident_) {
    const Occupancy fit = occupancy_of(model.block, gpu);
    run_.blocks_per_sm = fit.blocks_per_sm;
    run_.occupancy_limit = fit.limit;
    run_.sm_busy_us.assign(resident_.size(), 0);
    busy_since_.assign(resident_.size(), 0);
    run_.blocks.reserve(work.size());
    run_.steps.reserve(2 * (work.size() + num_slots(model, gpu)));
    for (const BlockWork& w : work)
      run_.blocks.push_back({w.sequence, w.head, w.split, 0, 0, 0, 0, 0, 0, w.bytes});

    const double port_gb_s = gpu.l2_bytes_per_clock * gpu.clock_mhz * 1e-3;
    math_is_narrower_ = model.math_gb_s < port_gb_s;
    sm_gb_s_ = std::min(port_gb_s, model.math_gb_s);
    set_demands();
    if (model.merge.mergers > 0)
      unread_.assign(work.size() / static_cast<std::size_t>(model.merge.splits), model.merge.splits);
  }

  KernelRun run() {
    place_first_wave();
    for (double next_us = next_event_us(); next_us < kNever; next_us = next_event_us()) {
      advance_to(next_us);
      while (!reads_.is_empty() && (reads_.next() - clock_) * latency_us_ <= kSameTime) end_read();
      // A block may start and leave at once, so that its slot's next block is due now too.
      do {
        while (starts_.is_due(now_us_)) start(starts_.take());
        while (loads_.is_due(now_us_)) begin_read(loads_.take());
        while (ends_.is_due(now_us_)) end(ends_.take());
      } while (loads_.is_due(now_us_));
      share_bandwidth();
      note_step();
    }
    run_.span_us = now_us_;
    return std::move(run_);
  }

 private:
  /// Bytes in flight over f, of a block on each SM. A roomy SM waits less where there are queues.
  void set_demands() {
    const auto w = static_cast<double>(model_.bytes_in_flight);
    const double roomy = 1 - model_.crowding * share_in_queues(w);
    demand_.resize(resident_.size());
    for (std::size_t place = 0; place < demand_.size(); ++place) {
      const auto i = static_cast<std::int64_t>(place);
      demand_[static_cast<std::size_t>(gpu_.launch_order[place])] =
          w / (memory_.latency_factor(w, i) * (gpu_.is_roomy(i) ? roomy : 1));
    }
  }

  /// Of the memory's latency when all slots read, the share that is no trip but queueing.
  double share_in_queues(double bytes_in_flight) const {
    const auto blocks = static_cast<double>(std::min(work_.size(), num_slots(model_, gpu_)));
    const double sms = std::min(blocks, static_cast<double>(gpu_.sms));
    const double gb_s =
        std::min(memory_.throughput_gb_s(blocks * bytes_in_flight, model_.l2_share), sms * sm_gb_s_);
    return 1 - memory_.loaded(0, model_.l2_share).us / memory_.loaded(gb_s, model_.l2_share).us;
  }

  /// Slot after slot round the launch order: a second block goes to an SM only when every SM has one.
  void place_first_wave() {
    for (std::int32_t slot = 0; slot < run_.blocks_per_sm; ++slot)
      for (const std::int32_t sm : gpu_.launch_order) {
        if (next_block_ == work_.size()) return;
        const double when_us = static_cast<double>(next_block_) * gpu_.block_launch_us;
        starts_.push(when_us, take_slot(sm, slot));
      }
  }

  std::int32_t take_slot(std::int32_t sm, std::int32_t slot) {
    run_.blocks[next_block_].sm = sm;
    run_.blocks[next_block_].slot = slot;
    return static_cast<std::int32_t>(next_block_++);
  }

  /// Of the first wave.
  void start(std::int32_t block) {
    ScheduledBlock& b = at(block);
    b.start_us = now_us_;
    if (resident_[sm_of(b)]++ == 0) {
      busy_since_[sm_of(b)] = now_us_;
      ++busy_sms_;
    }
    ++num_resident_;
    loads_.push(now_us_ + model_.start_us, block);
  }

  void begin_read(std::int32_t block) {
    ScheduledBlock& b = at(block);
    b.read_us = now_us_;
    if (b.bytes == 0) return leave(block);
    const std::size_t sm = sm_of(b);
    reads_.push(clock_ + static_cast<double>(b.bytes) / demand_[sm], block);
    if (reading_[sm]++ == 0) ++reading_sms_;
    total_demand_ += demand_[sm];
  }

  void end_read() {
    const std::int32_t block = reads_.take();
    const std::size_t sm = sm_of(at(block));
    if (--reading_[sm] == 0) --reading_sms_;
    total_demand_ = reads_.is_empty() ? 0 : total_demand_ - demand_[sm];
    leave(block);
  }

  void leave(std::int32_t block) {
    at(block).read_end_us = now_us_;
    if (!merges(block)) free_slot(block);
    if (unread_.empty()) return;
    const std::int64_t unit = block / model_.merge.splits, end = (unit + 1) * model_.merge.splits;
    if (--unread_[static_cast<std::size_t>(unit)] > 0) return;
    for (std::int64_t merger = end - model_.merge.mergers; merger < end; ++merger)
      ends_.push(now_us_ + model_.end_us + merge_us(), static_cast<std::int32_t>(merger));
  }

  bool merges(std::int32_t block) const {
    return block % model_.merge.splits >= model_.merge.splits - model_.merge.mergers;
  }
  double merge_us() const {
    return model_.merge.us + model_.merge.trips * memory_.loaded(gb_s_, model_.l2_share).us;
  }

  /// After its end_us. A waiting block takes the slot in the same moment, so that the SM's blocks stay as many: that is foreseen here.
  void free_slot(std::int32_t block) {
    ScheduledBlock& b = at(block);
    b.end_us = now_us_ + model_.end_us;
    if (next_block_ == work_.size()) return ends_.push(b.end_us, block);
    follow(b, b.end_us);
  }
  void follow(const ScheduledBlock& b, double when_us) {
    const std::int32_t next = take_slot(b.sm, b.slot);
    at(next).start_us = when_us;
    loads_.push(when_us + model_.start_us, next);
  }

  /// Of a block that merges, or that none follows.
  void end(std::int32_t block) {
    ScheduledBlock& b = at(block);
    b.end_us = now_us_;
    if (next_block_ < work_.size()) return follow(b, now_us_);
    draining_ = true;
    --num_resident_;
    const std::size_t sm = sm_of(b);
    if (--resident_[sm] > 0) return;
    run_.sm_busy_us[sm] = now_us_ - busy_since_[sm];
    --busy_sms_;
  }

  double next_event_us() const {
    const double read_end_us =
        reads_.is_empty() ? kNever : now_us_ + std::max(0.0, reads_.next() - clock_) * latency_us_;
    return std::min({read_end_us, starts_.next(), loads_.next(), ends_.next()});
  }

  void advance_to(double time_us) {
    const double elapsed = std::max(0.0, time_us - now_us_);
    (draining_ ? run_.tail_us : *charged_) += elapsed;
    if (!reads_.is_empty()) clock_ += elapsed / latency_us_;
    now_us_ += elapsed;
  }

  /// Every block reads w / (f · L), and all together no more than their SMs' ports and arithmetic keep up with.
  void share_bandwidth() {
    if (std::abs(total_demand_ - shared_demand_) <= kSameDemand * total_demand_ &&
        reading_sms_ == shared_by_sms_)
      return;
    shared_demand_ = total_demand_;
    shared_by_sms_ = reading_sms_;
    gb_s_ = 0;
    if (reads_.is_empty()) return;
    const double memory_gb_s = throughput_.gb_s(total_demand_), sms_gb_s = sm_gb_s_ * reading_sms_;
    gb_s_ = std::min(memory_gb_s, sms_gb_s);
    latency_us_ = total_demand_ / (gb_s_ * kBytesPerUs);
    charged_ = &account(sms_gb_s < memory_gb_s);
  }

  /// What holds the blocks back now: the coming interval is charged to it.
  double& account(bool sm_is_slower) {
    if (sm_is_slower && math_is_narrower_) return run_.arithmetic_us;
    return total_demand_ > crowded_bytes_ ? run_.bandwidth_us : run_.latency_us;
  }

  void note_step() {
    std::vector<BandwidthStep>& steps = run_.steps;
    if (!steps.empty() && steps.back().start_us >= now_us_ - kSameTime) steps.pop_back();
    if (!steps.empty() && steps.back().gb_s == gb_s_ && steps.back().busy_sms == busy_sms_ &&
        steps.back().resident_blocks == num_resident_)
      return;
    steps.push_back({now_us_, gb_s_, busy_sms_, num_resident_});
  }

  ScheduledBlock& at(std::int32_t block) { return run_.blocks[static_cast<std::size_t>(block)]; }
  static std::size_t sm_of(const ScheduledBlock& b) { return static_cast<std::size_t>(b.sm); }

  const Gpu& gpu_;
  const GridModel& model_;
  const MemoryModel memory_;
  ThroughputCurve throughput_;
  const double crowded_bytes_;  // in flight, that unloaded memory would serve at its ceiling
  const std::vector<BlockWork>& work_;
  KernelRun run_;

  Events starts_;  // of the first wave
  Events loads_;   // a block's first
  Events ends_;    // of blocks that merge, or that none follows
  // Blocks that read. All speed up and slow down together, so their order of ending never changes: it is kept on a clock
  // that ticks once per L, on which a block takes bytes · f / w.
  Events reads_;
  double clock_ = 0;

  std::vector<std::int32_t> resident_, reading_;  // blocks of each SM
  std::vector<std::int64_t> unread_;         // blocks of each head that read still, where they are merged
  std::vector<double> demand_, busy_since_;  // per SM: w / f of a block; when it last became busy
  std::size_t next_block_ = 0;
  std::int32_t busy_sms_ = 0, reading_sms_ = 0, shared_by_sms_ = 0, num_resident_ = 0;
  bool draining_ = false, math_is_narrower_ = false;

  double now_us_ = 0, sm_gb_s_ = 0;
  double total_demand_ = 0, shared_demand_ = 0;
  double gb_s_ = 0, latency_us_ = 1;
  double* charged_ = &run_.latency_us;
};

}  // namespace

KernelRun run_grid(const Gpu& gpu, const GridModel& model, const std::vector<BlockWork>& work) {
  return Grid(gpu, model, work).run();
}

}  // namespace fdlab
