#include "lessons/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lessons/lesson_text.h"
#include "lessons/lesson_toml.h"
#include "lessons/text_file.h"

namespace fdlab {
namespace {

/// "01-one-real-decode" → 1 and "one-real-decode".
std::optional<std::pair<std::int64_t, std::string>> split_folder_name(const std::string& name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const auto at = static_cast<std::size_t>(end - name.data());
  if (error != std::errc{} || at >= name.size() - 1 || name[at] != '-' || number < 0) return std::nullopt;
  return std::pair{number, name.substr(at + 1)};
}

// Words: each language brings the same stops, in the same order, with the same parts.

class WordJoiner {
 public:
  WordJoiner(Lesson& lesson, Language language, std::string file)
      : lesson_(lesson), language_(language), file_(std::move(file)) {}

  std::optional<Fault> join(LessonText text) {
    lesson_.title[language_] = text.title;
    if (text.sections.size() != lesson_.stops.size())
      refuse(fmt::format("expected {} stops, as in lesson.toml, found {}", lesson_.stops.size(),
                         text.sections.size()));
    for (std::size_t i = 0; i < lesson_.stops.size() && !fault_; ++i)
      stop(lesson_.stops[i], text.sections[i], i);
    return fault_;
  }

 private:
  void refuse(const std::string& sentence) {
    if (!fault_) fault_ = Fault{fmt::format("{}: {}", file_, sentence)};
  }
  void stop(Stop& stop, const TextSection& section, std::size_t i) {
    if (section.id != stop.id)
      refuse(fmt::format("expected stop {} to be \"{}\", found \"{}\"", i + 1, stop.id, section.id));
    stop.title[language_] = section.title;
    stop.prose[language_] = section.markdown;
    if (stop.gate) gate(stop, section);
    else if (!section.parts.empty())
      refuse(fmt::format("stop \"{}\": expected no part \"{}\", since lesson.toml gives the stop no gate",
                         stop.id, section.parts[0].id));
  }
  void gate(Stop& stop, const TextSection& section) {
    Gate& gate = *stop.gate;
    const std::size_t known = 3 + gate.rules.size();
    gate.ask[language_] = part(stop, section, "ask").markdown;
    const TextPart right = part(stop, section, "right");
    gate.right_name[language_] = right.name;
    gate.right[language_] = right.markdown;
    gate.other[language_] = part(stop, section, "other").markdown;
    for (WrongRule& rule : gate.rules) {
      const TextPart words = part(stop, section, rule.id);
      rule.name[language_] = words.name;
      rule.reply[language_] = words.markdown;
    }
    if (section.parts.size() != known)
      refuse(fmt::format("stop \"{}\": expected {} parts (ask, right, other and one per rule), found {}",
                         stop.id, known, section.parts.size()));
  }
  TextPart part(const Stop& stop, const TextSection& section, std::string_view id) {
    const auto found = std::find_if(section.parts.begin(), section.parts.end(),
                                    [&](const TextPart& candidate) { return candidate.id == id; });
    if (found != section.parts.end()) return *found;
    refuse(fmt::format("stop \"{}\": expected a part \"### {}\", found none", stop.id, id));
    return {};
  }

  Lesson& lesson_;
  Language language_;
  std::string file_;
  std::optional<Fault> fault_;
};

std::optional<Fault> read_words(Lesson& lesson, Language language) {
  const std::filesystem::path path = lesson.folder / fmt::format("{}.md", name_of(language));
  const Result<std::string> file = read_text_file(path);
  if (!file) return file.fault();
  Result<LessonText> text = parse_lesson_text(*file, path.string());
  if (!text) return text.fault();
  return WordJoiner(lesson, language, path.string()).join(std::move(*text));
}

}  // namespace

Result<Lesson> load_lesson(const std::filesystem::path& folder) {
  const auto name = split_folder_name(folder.filename().string());
  if (!name)
    return Fault{fmt::format("{}: expected a folder named like 01-one-real-decode", folder.string())};
  const std::filesystem::path path = folder / "lesson.toml";
  const Result<std::string> file = read_text_file(path);
  if (!file) return file.fault();
  Result<Lesson> lesson = parse_lesson_toml(*file, path.string());
  if (!lesson) return lesson.fault();

  lesson->number = name->first;
  lesson->name = name->second;
  lesson->folder = folder;
  for (const Language language : kLanguages)
    if (const auto fault = read_words(*lesson, language)) return *fault;
  return lesson;
}

std::vector<std::filesystem::path> find_lessons(const std::filesystem::path& lessons_folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(lessons_folder, error))
    if (std::filesystem::exists(entry.path() / "lesson.toml", error) &&
        split_folder_name(entry.path().filename().string()))
      found.push_back(entry.path());
  const auto number = [](const std::filesystem::path& path) {
    return split_folder_name(path.filename().string())->first;
  };
  std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return found;
}

Result<Lesson> load_lesson_named(const std::filesystem::path& lessons_folder, const std::string& name) {
  std::string known;
  for (const std::filesystem::path& folder : find_lessons(lessons_folder)) {
    const std::string folder_name = folder.filename().string();
    const auto [number, short_name] = *split_folder_name(folder_name);
    if (name == folder_name || name == short_name || name == std::to_string(number))
      return load_lesson(folder);
    known += (known.empty() ? "" : ", ") + short_name;
  }
  return Fault{fmt::format("expected the name of a lesson ({}), found \"{}\"",
                           known.empty() ? "there are none" : known, name)};
}

}  // namespace fdlab
