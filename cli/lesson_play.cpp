#include "cli/lesson_play.h"

#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <string>

#include "cli/lesson_text_layout.h"
#include "lessons/gate.h"
#include "lessons/number_text.h"
#include "lessons/plain_text.h"
#include "lessons/transcript.h"

namespace fdlab::cli {
namespace {

class Player {
 public:
  Player(const Lesson& lesson, const LessonScene& scene, const PlayOptions& options)
      : lesson_(lesson), scene_(scene), options_(options) {}

  std::optional<Fault> play() {
    print_head();
    for (std::size_t i = 0; i < lesson_.stops.size() && !has_left_; ++i) {
      if (const auto fault = play(lesson_.stops[i], i)) return fault;
      const bool waits = options_.is_interactive && i + 1 < lesson_.stops.size();
      if (waits && !has_left_) read_line(say("Enter: next stop, q: leave", "回车：下一站，q：离开"));
    }
    return std::nullopt;
  }

 private:
  const char* say(const char* en, const char* zh) const {
    return options_.language == Language::en ? en : zh;
  }

  void print(std::string_view text, std::string_view indent = "") const {
    fmt::print("{}\n", wrapped(text, options_.columns, indent));
  }
  void print_head() const {
    const std::string title = fmt::format("{}  {}", lesson_.number, lesson_.title[options_.language]);
    scene_.gpu() ? print_gpu(*scene_.gpu()) : print_trace(*scene_.traced());
  }
  void print_trace(const TracedScene& traced) const {
    const SceneSpec& spec = traced.spec;
    print(fmt::format(
        fmt::runtime(say("{}, layer {}, query head {} of {}; {} keys, tiles of {}, {} merge",
                         "{}，第 {} 层，query 头 {}（共 {} 个）；{} 个 key，tile 大小 {}，合并方式 {}")),
        spec.data, spec.layer, spec.q_head, traced.problem().q_heads, traced.plan.kv_len,
        traced.plan.tile_size, name_of(spec.merge)));
  }
  void print_gpu(const GpuScenes& scenes) const {
    const GpuScene& scene = scenes.first;
    print(fmt::format(fmt::runtime(say("{}, {} SMs, kernel {}; batch {}, {} KV heads, {} keys",
                                       "{}，{} 个 SM，kernel {}；batch {}，{} 个 KV 头，{} 个 key")),
                      scene.gpu.name, scene.gpu.sms, scene.kernel.name, scene.spec.batch, scene.spec.kv_heads,
                      count_text(scene.spec.kv_len)));
  }

  std::optional<Fault> play(const Stop& stop, std::size_t i) {
    const Result<std::int64_t> step = step_of(stop.step, scene_.scope(stop, 0));
    if (!step) return step.fault();
    fmt::print("\n");
    print(fmt::format(fmt::runtime(say("Stop {} of {}: {}", "第 {} 站，共 {} 站：{}")), i + 1,
                      lesson_.stops.size(), stop.title[options_.language]));
    print_step(scene_.scope(stop, *step));
    if (const auto fault = print_markdown(stop.prose[options_.language], scene_.scope(stop, *step)))
      return fault;
    if (const GpuScene* gpu = scene_.scope(stop, *step).gpu) print_source(*gpu);
    return stop.gate ? ask(*stop.gate, stop) : std::nullopt;
  }
  /// Where measured figures come from; the window has a badge for it.
  void print_source(const GpuScene& scene) const {
    if (const auto& source = scene.b.measured ? scene.b.measured : scene.a.measured)
      print(fmt::format(fmt::runtime(say("(measured: {})", "（实测：{}）")), source->badge()), "  ");
  }
  void print_step(const ExpressionScope& scope) const {
    print(fmt::format(fmt::runtime(say("[{} / {}] {}", "[{} / {}] {}")), scope.step, scope.last_step(),
                      transcript(scope, options_.language)));
  }
  std::optional<Fault> print_markdown(const std::string& markdown, const ExpressionScope& scope) const {
    const auto blocks = plain_text(markdown, scope, options_.language);
    if (!blocks) return blocks.fault();
    for (const PlainBlock& block : *blocks) print_block(block);
    return std::nullopt;
  }
  void print_block(const PlainBlock& block) const {
    switch (block.kind) {
      case ProseBlock::Kind::formula:
        return fmt::print("\n{}\n", wrapped(block.text, options_.columns, "      "));
      case ProseBlock::Kind::code: return fmt::print("\n      {}\n", block.text);
      case ProseBlock::Kind::list_item: {
        const std::string mark = block.ordinal > 0 ? fmt::format("{}. ", block.ordinal) : "- ";
        return fmt::print("{}\n", wrapped(mark + block.text, options_.columns, "  "));
      }
      case ProseBlock::Kind::paragraph: break;
    }
    fmt::print("\n");
    print(block.text, "  ");
  }

  // Predict first. Without a person at the keyboard the answer follows at once.

  std::optional<Fault> ask(const Gate& gate, const Stop& stop) {
    const Result<GateAnswers> answers = answers_of(gate, scene_.scope(stop, 0), options_.language);
    if (!answers) return answers.fault();
    const Result<std::int64_t> reveal = step_of(gate.reveal, scene_.scope(stop, 0));
    if (!reveal) return reveal.fault();
    const ExpressionScope scope = scene_.scope(stop, *reveal);
    if (const auto fault = print_markdown(gate.ask[options_.language], scope)) return fault;
    GateVerdict verdict{GateVerdict::Kind::right, 0};
    if (options_.is_interactive) verdict = predict(gate, *answers);
    if (has_left_) return std::nullopt;
    fmt::print("\n");
    print(say("Engine: ", "引擎：") + answers->right.text, "  ");
    if (const auto fault = print_markdown(reply_to(gate, verdict, options_.language), scope)) return fault;
    print_step(scope);
    return std::nullopt;
  }
  /// Asks until there is a number; an empty line shows the answer.
  GateVerdict predict(const Gate& gate, const GateAnswers& answers) {
    for (;;) {
      const std::string line =
          read_line(say("Your number (Enter: show it, q: leave)", "你的数（回车：直接看，q：离开）"));
      if (line.empty() || has_left_) return {GateVerdict::Kind::right, 0};
      double number = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
      if (error == std::errc{} && end == line.data() + line.size()) return judge(gate, answers, number);
      print(say("Expected a number alone, such as 0.25", "应输入一个数，例如 0.25"), "  ");
    }
  }
  std::string read_line(const char* prompt) {
    fmt::print("\n  {}: ", prompt);
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line) || line == "q") has_left_ = true;
    return line;
  }

  const Lesson& lesson_;
  const LessonScene& scene_;
  const PlayOptions& options_;
  bool has_left_ = false;
};

}  // namespace

std::optional<Fault> play_lesson(const Lesson& lesson, const LessonScene& scene, const PlayOptions& options) {
  return Player(lesson, scene, options).play();
}

}  // namespace fdlab::cli
