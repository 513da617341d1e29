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

/// Events that come to pass in the order in which they were foreseen, because all lie equally far ahead. A ring, with room for as
/// many as there can be at a time.
class Timers {
 public:
  explicit Timers(std::size_t most) : ring_(most + 1) {}

  void push(double when_us, std::int32_t block) {
    ring_[end_] = {when_us, block};
    end_ = after(end_);
  }
  double next_us() const { return begin_ == end_ ? kNever : ring_[begin_].when; }
  bool is_due(double now_us) const { return next_us() <= now_us + kSameTime; }
  std::int32_t take() {
    const std::int32_t block = ring_[begin_].block;
    begin_ = after(begin_);
    return block;
  }

 private:
  std::size_t after(std::size_t at) const { return at + 1 == ring_.size() ? 0 : at + 1; }

  std::vector<Event> ring_;
  std::size_t begin_ = 0, end_ = 0;
};

/// Slots of all SMs: blocks that can be resident at a time.
std::size_t num_slots(const GridModel& model, const Gpu& gpu) {
  return static_cast<std::size_t>(gpu.sms * occupancy_of(model.block, gpu).blocks_per_sm);
}

/// The memory as this grid's blocks see it. Those that read a byte together all wait for memory, but share its bandwidth, up to
/// what L2 hands on.
MemoryModel memory_of(const GridModel& model, const Gpu& gpu) {
  MemoryModel memory = gpu.memory;
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
        work_(work),
        starts_(num_slots(model, gpu)),
        first_loads_(num_slots(model, gpu)),
        ends_(num_slots(model, gpu)),
        resident_(static_cast<std::size_t>(gpu.sms), 0),
        reading_(resident_) {
    const Occupancy fit = occupancy_of(model.block, gpu);
    run_.blocks_per_sm = fit.blocks_per_sm;
    run_.occupancy_limit = fit.limit;
    run_.sm_busy_us.assign(resident_.size(), 0);
    busy_since_.assign(resident_.size(), 0);
    run_.blocks.reserve(work.size());
    run_.steps.reserve(work.size());
    for (const BlockWork& w : work)
      run_.blocks.push_back({w.sequence, w.head, w.split, 0, 0, 0, 0, 0, 0, w.bytes});

    const double w = static_cast<double>(model.bytes_in_flight);
    demand_.resize(resident_.size());
    for (std::size_t place = 0; place < demand_.size(); ++place)
      demand_[static_cast<std::size_t>(gpu.launch_order[place])] =
          w / memory_.latency_factor(w, static_cast<std::int64_t>(place));
    const double port_gb_s = gpu.l2_bytes_per_clock * gpu.clock_mhz * 1e-3;
    math_is_narrower_ = model.math_gb_s < port_gb_s;
    sm_gb_s_ = std::min(port_gb_s, model.math_gb_s);
  }

  KernelRun run() {
    place_first_wave();
    for (double next_us = next_event_us(); next_us < kNever; next_us = next_event_us()) {
      advance_to(next_us);
      while (!reads_.empty() && (reads_.top().when - clock_) * latency_us_ <= kSameTime) end_read();
      // A block may start and leave at once, so that its slot's next block is due now too.
      while (ends_.is_due(now_us_) || starts_.is_due(now_us_) || first_loads_.is_due(now_us_)) {
        while (ends_.is_due(now_us_)) end(ends_.take());
        while (starts_.is_due(now_us_)) start(starts_.take());
        while (first_loads_.is_due(now_us_)) begin_read(first_loads_.take());
      }
      share_bandwidth();
      note_step();
    }
    run_.span_us = now_us_;
    return std::move(run_);
  }

 private:
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

  void start(std::int32_t block) {
    ScheduledBlock& b = at(block);
    b.start_us = now_us_;
    if (resident_[sm_of(b)]++ == 0) {
      busy_since_[sm_of(b)] = now_us_;
      ++busy_sms_;
    }
    ++num_resident_;
    first_loads_.push(now_us_ + model_.start_us, block);
  }

  void begin_read(std::int32_t block) {
    ScheduledBlock& b = at(block);
    b.read_us = now_us_;
    if (b.bytes == 0) return leave(block);
    const std::size_t sm = sm_of(b);
    reads_.push({clock_ + static_cast<double>(b.bytes) / demand_[sm], block});
    if (reading_[sm]++ == 0) ++reading_sms_;
    total_demand_ += demand_[sm];
  }

  void end_read() {
    const std::int32_t block = reads_.top().block;
    reads_.pop();
    const std::size_t sm = sm_of(at(block));
    if (--reading_[sm] == 0) --reading_sms_;
    total_demand_ = reads_.empty() ? 0 : total_demand_ - demand_[sm];
    leave(block);
  }

  void leave(std::int32_t block) {
    at(block).read_end_us = now_us_;
    ends_.push(now_us_ + model_.end_us, block);
  }

  void end(std::int32_t block) {
    const ScheduledBlock ended = at(block);
    at(block).end_us = now_us_;
    const std::size_t sm = sm_of(ended);
    --num_resident_;
    if (--resident_[sm] == 0) {
      run_.sm_busy_us[sm] += now_us_ - busy_since_[sm];
      --busy_sms_;
    }
    if (next_block_ < work_.size()) start(take_slot(ended.sm, ended.slot));
    else draining_ = true;
  }

  double next_event_us() const {
    const double read_end_us =
        reads_.empty() ? kNever : now_us_ + std::max(0.0, reads_.top().when - clock_) * latency_us_;
    return std::min({read_end_us, starts_.next_us(), first_loads_.next_us(), ends_.next_us()});
  }

  void advance_to(double time_us) {
    const double elapsed = std::max(0.0, time_us - now_us_);
    (draining_ ? run_.tail_us : *charged_) += elapsed;
    if (!reads_.empty()) clock_ += elapsed / latency_us_;
    now_us_ += elapsed;
  }

  /// Every block reads w / (f · L). Where SMs are held back by their port or their arithmetic, L is the time an SM needs
  /// for what its blocks have in flight.
  void share_bandwidth() {
    if (std::abs(total_demand_ - shared_demand_) <= kSameDemand * total_demand_ &&
        reading_sms_ == shared_by_sms_)
      return;
    shared_demand_ = total_demand_;
    shared_by_sms_ = reading_sms_;
    gb_s_ = 0;
    if (reads_.empty()) return;
    memory_gb_s_ = memory_.throughput_gb_s(total_demand_, model_.l2_share, memory_gb_s_);
    const double memory_us = total_demand_ / (memory_gb_s_ * kBytesPerUs);
    const double sm_us = total_demand_ / reading_sms_ / (sm_gb_s_ * kBytesPerUs);
    latency_us_ = std::max(memory_us, sm_us);
    gb_s_ = total_demand_ / (latency_us_ * kBytesPerUs);
    charged_ = &account(sm_us > memory_us);
  }

  /// What holds the blocks back now: the coming interval is charged to it.
  double& account(bool sm_is_slower) {
    if (sm_is_slower && math_is_narrower_) return run_.arithmetic_us;
    const double unhindered_gb_s = total_demand_ / (memory_.loaded(0, model_.l2_share).us * kBytesPerUs);
    return unhindered_gb_s > memory_.ceiling_gb_s(model_.l2_share) ? run_.bandwidth_us : run_.latency_us;
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
  const std::vector<BlockWork>& work_;
  KernelRun run_;

  Timers starts_, first_loads_, ends_;
  // Blocks that read. All speed up and slow down together, so their order of ending never changes: it is kept on a clock
  // that ticks once per L, on which a block takes bytes · f / w.
  std::priority_queue<Event, std::vector<Event>, std::greater<>> reads_;
  double clock_ = 0;

  std::vector<std::int32_t> resident_, reading_;  // blocks of each SM
  std::vector<double> demand_, busy_since_;       // per SM: w / f of a block; when it last became busy
  std::size_t next_block_ = 0;
  std::int32_t busy_sms_ = 0, reading_sms_ = 0, shared_by_sms_ = 0, num_resident_ = 0;
  bool draining_ = false, math_is_narrower_ = false;

  double now_us_ = 0, sm_gb_s_ = 0;
  double total_demand_ = 0, shared_demand_ = 0;
  double memory_gb_s_ = 0, gb_s_ = 0, latency_us_ = 1;
  double* charged_ = &run_.latency_us;
};

}  // namespace

KernelRun run_grid(const Gpu& gpu, const GridModel& model, const std::vector<BlockWork>& work) {
  return Grid(gpu, model, work).run();
}

}  // namespace fdlab
