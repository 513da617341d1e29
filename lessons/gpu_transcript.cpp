#include "lessons/gpu_transcript.h"

#include <fmt/format.h>

#include "lessons/number_text.h"

namespace fdlab {
namespace {

constexpr std::int64_t kWorthSaying = 8;  // idle SMs, if more than one in so many

class GpuTeller {
 public:
  GpuTeller(const GpuScene& scene, std::int64_t step, Language language)
      : scene_(scene), call_us_(scene.clock.time_us(step)), language_(language) {}

  std::string tell() const {
    if (call_us_ == 0)
      return say("The call is made. A will launch {0} blocks, B {1}, on {2} SMs.",
                 "调用刚发出：A 将启动 {0} 个 block，B 将启动 {1} 个，共 {2} 个 SM。",
                 count_text(scene_.a.blocks()), count_text(scene_.b.blocks()), count_text(scene_.gpu.sms));
    return say("At {0} µs {1}; {2}.", "{0} µs：{1}；{2}。", fixed_text(call_us_, 1), grid("A", scene_.a),
               grid("B", scene_.b));
  }

 private:
  template <class... Values>
  std::string say(const char* en, const char* zh, const Values&... values) const {
    return fmt::vformat(language_ == Language::en ? en : zh, fmt::make_format_args(values...));
  }

  std::string grid(const char* name, const GpuGrid& grid) const {
    const LaunchMoment moment = moment_of(grid.schedule, call_us_);
    switch (moment.phase) {
      case LaunchPhase::launching: return say("{0} is being launched", "{0} 正在启动", name);
      case LaunchPhase::reading: return reading(name, grid, moment);
      case LaunchPhase::merging:
        return say("{0} has read everything and merges its splits", "{0} 已读完，正在合并各 split", name);
      case LaunchPhase::done: break;
    }
    return say("{0} is done, after {1} µs", "{0} 已完成，用时 {1} µs", name,
               fixed_text(grid.schedule.time_us, 1));
  }

  std::string reading(const char* name, const GpuGrid& grid, const LaunchMoment& moment) const {
    const std::int64_t idle = scene_.gpu.sms - moment.busy_sms;
    const bool none_waits = moment.finished_blocks + moment.resident_blocks == grid.blocks();
    std::string text =
        say("{0} reads {1} GB/s with {2} of {3} SMs", "{0} 用 {3} 个 SM 中的 {2} 个读，共 {1} GB/s", name,
            fixed_text(moment.gb_s, 0), moment.busy_sms, scene_.gpu.sms);
    if (none_waits && kWorthSaying * idle > scene_.gpu.sms)
      text += say(", {0} without a block", "，{0} 个没有 block", idle);
    return text;
  }

  const GpuScene& scene_;
  const double call_us_;
  const Language language_;
};

}  // namespace

std::string gpu_transcript(const GpuScene& scene, std::int64_t step, Language language) {
  return GpuTeller(scene, step, language).tell();
}

}  // namespace fdlab
