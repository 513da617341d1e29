#include "core/sim/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "core/io/large_pages.h"
#include "core/sim/placement.h"
#include "core/sim/reads.h"

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
  const double shared_gb_s = memory.dram.ceiling_gb_s * static_cast<double>(model.readers);
  memory.dram.ceiling_gb_s =
      std::max(memory.dram.ceiling_gb_s, std::min(shared_gb_s, memory.l2.ceiling_gb_s));
  memory.dram.latency_us += model.round_us;
  memory.l2.latency_us += model.round_us;
  return memory;
}

/// Of the memory's latency when all slots read, the share that is no trip but queueing.
double share_in_queues(const Gpu& gpu, const GridModel& model, const MemoryModel& memory, double sm_gb_s,
                       std::size_t most_blocks) {
  const auto blocks = static_cast<double>(std::min(most_blocks, num_slots(model, gpu)));
  const double sms = std::min(blocks, static_cast<double>(gpu.sms));
  const double demand_bytes = blocks * static_cast<double>(model.bytes_in_flight);
  const double gb_s = std::min(memory.throughput_gb_s(demand_bytes, model.l2_share), sms * sm_gb_s);
  return 1 - memory.loaded(0, model.l2_share).us / memory.loaded(gb_s, model.l2_share).us;
}

/// f of every slot. A roomy SM waits less where there are queues. Blocks that take turns don't keep pace with their neighbours.
std::vector<double> latency_factors(const Gpu& gpu, const GridModel& model, const MemoryModel& memory,
                                    double roomy) {
  const std::int64_t slots = occupancy_of(model.block, gpu).blocks_per_sm;
  std::vector<double> factors(num_slots(model, gpu));
  for (std::int64_t place = 0; place < gpu.sms; ++place) {
    const std::int64_t sm = gpu.launch_order[static_cast<std::size_t>(place)];
    for (std::int64_t slot = 0; slot < slots; ++slot)
      factors[static_cast<std::size_t>(sm * slots + slot)] =
          memory.latency_factor(static_cast<double>(model.bytes_in_flight),
                                model.reads_ahead ? place : place + slot * gpu.sms) *
          (gpu.is_roomy(place) ? roomy : 1);
  }
  return factors;
}

class Grid {
 public:
  Grid(const Gpu& gpu, const GridModel& model, const std::vector<BlockWork>& work)
      : gpu_(gpu),
        model_(model),
        memory_(memory_of(model, gpu)),
        throughput_(memory_, model.l2_share),
        idle_latency_us_(memory_.loaded(0, model.l2_share).us),
        crowded_bytes_(memory_.ceiling_gb_s(model.l2_share) * idle_latency_us_ * kBytesPerUs),
        work_(work),
        sm_gb_s_(std::min(port_gb_s(), model.reads_ahead ? model.math_gb_s : kNever)),
        reads_(readers(), static_cast<std::int64_t>(work.size())),
        resident_(static_cast<std::size_t>(gpu.sms), 0) {
    const Occupancy fit = occupancy_of(model.block, gpu);
    run_.blocks_per_sm = fit.blocks_per_sm;
    run_.occupancy_limit = fit.limit;
    run_.sm_busy_us.assign(resident_.size(), 0);
    busy_since_.assign(resident_.size(), 0);
    run_.first_load_us = model.start_us;
    run_.cold_us = model.cold_us;
    reserve_large(run_.blocks, work.size());
    reserve_large(run_.steps, 2 * (work.size() + num_slots(model, gpu)));
    for (const BlockWork& w : work)
      run_.blocks.push_back({w.sequence, w.head, w.split, 0, 0, 0, 0, 0, w.bytes});
    if (model.merge.mergers > 0)
      unread_.assign(work.size() / static_cast<std::size_t>(model.splits), model.splits);
  }

  KernelRun run() {
    place_first_wave();
    for (double next_us = next_event_us(); next_us < kNever; next_us = next_event_us()) {
      advance_to(next_us);
      while (!reads_.is_empty() && (reads_.next_end() - clock_) * latency_us_ <= kSameTime)
        leave(reads_.take(clock_));
      // A block may start and leave at once, so that its slot's next block is due now too.
      do {
        while (starts_.is_due(now_us_)) start(starts_.take());
        while (loads_.is_due(now_us_)) begin_read(loads_.take());
        while (ends_.is_due(now_us_)) end(ends_.take());
      } while (loads_.is_due(now_us_));
      reads_.settle(clock_);
      share_bandwidth();
      note_step();
    }
    run_.span_us = now_us_;
    return std::move(run_);
  }

 private:
  double port_gb_s() const { return gpu_.l2_bytes_per_clock * gpu_.clock_mhz * 1e-3; }

  Readers readers() const {
    Readers r;
    r.bytes_in_flight = static_cast<double>(model_.bytes_in_flight);
    if (!model_.reads_ahead)
      r.compute = r.bytes_in_flight / (model_.math_gb_s * kBytesPerUs) / idle_latency_us_;
    r.crossing = gpu_.crossing_us / idle_latency_us_;
    r.team = model_.readers;
    r.splits = model_.splits;
    r.slots = static_cast<std::int32_t>(occupancy_of(model_.block, gpu_).blocks_per_sm);
    const double queueing = share_in_queues(gpu_, model_, memory_, sm_gb_s_, work_.size());
    r.factor = latency_factors(gpu_, model_, memory_, 1 - model_.crowding * queueing);
    if (model_.readers > 1) r.on_second_half = gpu_.on_second_half;
    return r;
  }

  /// Slot after slot: a second block goes to an SM only when every SM has one.
  void place_first_wave() {
    for (std::int32_t slot = 0; slot < run_.blocks_per_sm; ++slot)
      for (const std::int32_t sm : places_of(gpu_, static_cast<std::int64_t>(work_.size() - next_block_))) {
        const double when_us = static_cast<double>(next_block_) * gpu_.block_launch_us;
        starts_.push(when_us, take_slot(sm, slot));
      }
  }

  std::int32_t take_slot(std::int32_t sm, std::int32_t slot) {
    run_.blocks[next_block_].sm = static_cast<std::int16_t>(sm);
    run_.blocks[next_block_].slot = static_cast<std::int16_t>(slot);
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
    loads_.push(now_us_ + model_.start_us + model_.cold_us, block);
  }

  void begin_read(std::int32_t block) {
    const ScheduledBlock& b = at(block);
    if (b.bytes == 0) return leave(block);
    reads_.begin(block, b.sm, b.slot, b.bytes, clock_);
  }

  void leave(std::int32_t block) {
    at(block).read_end_us = now_us_;
    if (!merges(block)) free_slot(block);
    if (unread_.empty()) return;
    const std::int64_t unit = block / model_.splits, end = (unit + 1) * model_.splits;
    if (--unread_[static_cast<std::size_t>(unit)] > 0) return;
    for (std::int64_t merger = end - model_.merge.mergers; merger < end; ++merger)
      ends_.push(now_us_ + model_.end_us + merge_us(), static_cast<std::int32_t>(merger));
  }

  bool merges(std::int32_t block) const {
    return block % model_.splits >= model_.splits - model_.merge.mergers;
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

  double next_event_us() {
    const double read_end_us =
        reads_.is_empty() ? kNever : now_us_ + std::max(0.0, reads_.next_end() - clock_) * latency_us_;
    return std::min({read_end_us, starts_.next(), loads_.next(), ends_.next()});
  }

  void advance_to(double time_us) {
    const double elapsed = std::max(0.0, time_us - now_us_);
    (draining_ ? run_.tail_us : *charged_) += elapsed;
    if (!reads_.is_empty()) clock_ += elapsed / latency_us_;
    now_us_ += elapsed;
  }

  /// Every block reads w / r a tick, and all together no more than their SMs' ports and arithmetic keep up with.
  void share_bandwidth() {
    const double demand = reads_.demand();
    if (std::abs(demand - shared_demand_) <= kSameDemand * demand && reads_.busy_sms() == shared_by_sms_)
      return;
    shared_demand_ = demand;
    shared_by_sms_ = reads_.busy_sms();
    gb_s_ = 0;
    if (reads_.is_empty()) return;
    const double memory_gb_s = throughput_.gb_s(demand), sms_gb_s = sm_gb_s_ * reads_.busy_sms();
    gb_s_ = std::min(memory_gb_s, sms_gb_s);
    latency_us_ = demand / (gb_s_ * kBytesPerUs);
    charged_ = &account(sms_gb_s < memory_gb_s);
  }

  /// What holds the blocks back now: the coming interval is charged to it.
  double& account(bool sm_is_slower) {
    const bool math_is_narrower = sm_gb_s_ < port_gb_s();
    if (sm_is_slower ? math_is_narrower : computes_more_than_waits()) return run_.arithmetic_us;
    return shared_demand_ > crowded_bytes_ ? run_.bandwidth_us : run_.latency_us;
  }
  /// Of blocks that don't read ahead: less than half of what they could have in flight is.
  bool computes_more_than_waits() const {
    return !model_.reads_ahead &&
           2 * shared_demand_ < reads_.count() * static_cast<double>(model_.bytes_in_flight);
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
  const double idle_latency_us_;  // L0
  const double crowded_bytes_;    // in flight, that unloaded memory would serve at its ceiling
  const std::vector<BlockWork>& work_;
  const double sm_gb_s_;  // of one SM's port, or of what its arithmetic keeps up with
  KernelRun run_;

  Events starts_;  // of the first wave
  Events loads_;   // a block's first
  Events ends_;    // of blocks that merge, or that none follows
  Reads reads_;
  double clock_ = 0;  // in ticks: one every L

  std::vector<std::int32_t> resident_;  // blocks of each SM
  std::vector<std::int64_t> unread_;    // blocks of each head that read still, where they are merged
  std::vector<double> busy_since_;      // per SM
  std::size_t next_block_ = 0;
  std::int32_t busy_sms_ = 0, shared_by_sms_ = 0, num_resident_ = 0;
  bool draining_ = false;

  double now_us_ = 0, shared_demand_ = 0;
  double gb_s_ = 0, latency_us_ = 1;
  double* charged_ = &run_.latency_us;
};

}  // namespace

KernelRun run_grid(const Gpu& gpu, const GridModel& model, const std::vector<BlockWork>& work) {
  return Grid(gpu, model, work).run();
}

}  // namespace fdlab
