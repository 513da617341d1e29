// fdlab lesson: list, play, tell, check, and the formulas an author has to render.
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/checks.h"
#include "cli/commands.h"
#include "core/io/counted.h"
#include "cli/exit_code.h"
#include "cli/lesson_play.h"
#include "cli/lesson_text_layout.h"
#include "lessons/check.h"
#include "lessons/formula.h"
#include "lessons/resources.h"
#include "lessons/transcript.h"

namespace fdlab::cli {
namespace {

struct LessonOptions {
  std::string name, language, step;
  std::int64_t head = -1;  ///< −1: the lesson's own
};

/// English, unless asked or the environment speaks Chinese.
Language language_of(const LessonOptions& options) {
  if (const auto language = language_from_name(options.language)) return *language;
  const char* environment = std::getenv("LANG");
  return environment && std::string_view(environment).starts_with("zh") ? Language::zh : Language::en;
}

struct OpenLesson {
  Lesson lesson;
  LessonScene scene;
};

Result<OpenLesson> open_lesson(const std::filesystem::path& folder, const LessonOptions& options) {
  Result<Lesson> lesson = load_lesson_named(folder, options.name);
  if (!lesson) return lesson.fault();
  Result<LessonScene> scene =
      make_scene(*lesson, folder, options.head >= 0 ? std::optional(options.head) : std::nullopt);
  if (!scene) return scene.fault();
  return OpenLesson{std::move(*lesson), std::move(*scene)};
}

/// Finds the lessons, then does the work; every fault of the work is bad input.
template <class Work>
int with_lessons(Work work) {
  const Result<std::filesystem::path> folder = find_lessons_folder();
  if (!folder) return fail(kNotHere, folder.fault().sentence);
  return work(*folder);
}

int list(const LessonOptions& options) {
  return with_lessons([&](const std::filesystem::path& folder) {
    for (const std::filesystem::path& path : find_lessons(folder)) {
      const Result<Lesson> lesson = load_lesson(path);
      if (!lesson) return fail(kBadInput, lesson.fault().sentence);
      fmt::print("{}  {:<20}  {}\n", lesson->number, lesson->name, lesson->title[language_of(options)]);
    }
    return kDone;
  });
}

int play(const LessonOptions& options) {
  return with_lessons([&](const std::filesystem::path& folder) {
    const Result<OpenLesson> open = open_lesson(folder, options);
    if (!open) return fail(kBadInput, open.fault().sentence);
    const bool has_person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    const PlayOptions play{language_of(options), text_columns(), has_person};
    if (const auto fault = play_lesson(open->lesson, open->scene, play))
      return fail(kBadInput, fault->sentence);
    return kDone;
  });
}

/// --step takes a number or a place such as "at_merge(4)".
int tell(const LessonOptions& options) {
  return with_lessons([&](const std::filesystem::path& folder) {
    const Result<OpenLesson> open = open_lesson(folder, options);
    if (!open) return fail(kBadInput, open.fault().sentence);
    const Result<Expression> place = Expression::parse(options.step);
    if (!place) return fail(kBadInput, "--step: " + place.fault().sentence);
    const Result<std::int64_t> step = step_of(*place, open->scene.scope(0));
    if (!step) return fail(kBadInput, "--step: " + step.fault().sentence);
    fmt::print("{}\n", transcript(open->scene.scope(*step), language_of(options)));
    return kDone;
  });
}

/// Whether a lesson's folder, 01-one-real-decode, answers to that, to one-real-decode or to 1.
bool is_called(const std::filesystem::path& lesson, const std::string& name) {
  const std::string folder = lesson.filename().string();
  const std::size_t dash = folder.find('-');
  return name == folder || name == folder.substr(dash + 1) ||
         name == std::to_string(std::atoi(folder.substr(0, dash).c_str()));
}

/// Prints what a reader of one lesson would stumble over.
int check_one(const std::filesystem::path& lesson, const std::filesystem::path& folder) {
  const std::string name = lesson.filename().string();
  const std::vector<Finding> findings = check_lesson(lesson, folder);
  for (const Finding& finding : findings) fmt::print("{}: {}: {}\n", name, finding.rule, finding.sentence);
  fmt::print("{}: {}\n", name,
             findings.empty() ? "nothing to point at" : counted(std::ssize(findings), "finding"));
  return findings.empty() ? kDone : kDiffers;
}

/// A lesson by name, or each of them. A folder that is no lesson yet is a finding.
int check(const LessonOptions& options) {
  return with_lessons([&](const std::filesystem::path& folder) {
    int exit_code = kDone;
    bool has_matched = false;
    for (const std::filesystem::path& lesson : find_lessons(folder)) {
      if (!options.name.empty() && !is_called(lesson, options.name)) continue;
      has_matched = true;
      exit_code = std::max(exit_code, check_one(lesson, folder));
    }
    if (has_matched) return exit_code;
    return fail(kBadInput,
                fmt::format("expected a lesson to check, found none{} in {}",
                            options.name.empty() ? "" : " called \"" + options.name + "\"", folder.string()));
  });
}

/// What lessons/formulas/render.mjs reads.
int formulas(const LessonOptions& options) {
  return with_lessons([&](const std::filesystem::path& folder) {
    const Result<Lesson> lesson = load_lesson_named(folder, options.name);
    if (!lesson) return fail(kBadInput, lesson.fault().sentence);
    nlohmann::json list = nlohmann::json::array();
    for (const FormulaSource& formula : formulas_of(*lesson))
      list.push_back({{"tex", formula.tex}, {"display", formula.is_display}, {"file", svg_name(formula)}});
    fmt::print("{}\n", list.dump(1));
    return kDone;
  });
}

}  // namespace

void add_lesson(CLI::App& app, int& exit_code) {
  CLI::App* lesson = app.add_subcommand("lesson", "list, play, tell and check the lessons");
  const auto options = std::make_shared<LessonOptions>();

  const auto add = [&](const char* name, const char* help, int (*work)(const LessonOptions&)) {
    CLI::App* command = lesson->add_subcommand(name, help);
    command->callback([options, work, &exit_code] { exit_code = work(*options); });
    return command;
  };
  const auto add_name = [&](CLI::App* command) {
    return command->add_option("name", options->name, "which lesson");
  };
  const auto add_language = [&](CLI::App* command) {
    command->add_option("--lang", options->language, "en or zh")
        ->check(one_of({"en", "zh"}))
        ->type_name("en|zh");
  };
  const auto add_head = [&](CLI::App* command) {
    command->add_option("--head", options->head, "query head to follow instead of the lesson's own")
        ->check(whole_number(0, 1 << 20))
        ->type_name("N");
  };

  add_language(add("list", "the lessons, by number", list));
  CLI::App* play_command = add("play", "walk through a lesson in the terminal", play);
  CLI::App* tell_command = add("tell", "say one step in words", tell);
  for (CLI::App* command : {play_command, tell_command}) {
    add_name(command)->required();
    add_language(command);
    add_head(command);
  }
  tell_command->add_option("--step", options->step, "a step number, or a place such as \"at_merge(4)\"")
      ->required();
  add_name(add("check", "look for what a reader would stumble over; without a name in every lesson", check));
  add_name(add("formulas", "list a lesson's formulas for the renderer, as JSON", formulas))->required();
  need_subcommand(*lesson);
}

}  // namespace fdlab::cli
