#include "lessons/lesson_text.h"

#include <fmt/format.h>

#include <optional>

namespace fdlab {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// "id | Title" in two.
std::pair<std::string, std::string> split_heading(std::string_view heading) {
  const std::size_t bar = heading.find('|');
  if (bar == std::string_view::npos) return {std::string(trimmed(heading)), ""};
  return {std::string(trimmed(heading.substr(0, bar))), std::string(trimmed(heading.substr(bar + 1)))};
}

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  void line(std::string_view line) {
    ++number_;
    if (line.starts_with("### ")) open_part(line.substr(4));
    else if (line.starts_with("## ")) open_section(line.substr(3));
    else if (line.starts_with("# ")) set_title(line.substr(2));
    else add(line);
  }
  Result<LessonText> take() {
    if (text_.title.empty()) refuse("expected a title, \"# Title\", found none");
    if (fault_) return *fault_;
    for (TextSection& section : text_.sections) {
      section.markdown = trimmed(section.markdown);
      for (TextPart& part : section.parts) part.markdown = trimmed(part.markdown);
    }
    return std::move(text_);
  }

 private:
  void refuse(const std::string& sentence) {
    if (!fault_) fault_ = Fault{fmt::format("{}, line {}: {}", name_, number_, sentence)};
  }
  void set_title(std::string_view title) {
    if (!text_.title.empty() || !text_.sections.empty())
      refuse("expected one title, at the top, found another");
    text_.title = trimmed(title);
  }
  void open_section(std::string_view heading) {
    auto [id, title] = split_heading(heading);
    if (id.empty() || title.empty())
      refuse(fmt::format("expected \"## id | Title\", found \"## {}\"", heading));
    text_.sections.push_back({id, title, "", {}});
  }
  void open_part(std::string_view heading) {
    auto [id, part_name] = split_heading(heading);
    if (text_.sections.empty()) return refuse("expected a stop, \"## id | Title\", before this part");
    text_.sections.back().parts.push_back({id, part_name, ""});
  }
  void add(std::string_view line) {
    if (trimmed(line).empty() && text_.sections.empty()) return;
    if (text_.sections.empty()) return refuse("expected a stop, \"## id | Title\", before any text");
    TextSection& section = text_.sections.back();
    std::string& markdown = section.parts.empty() ? section.markdown : section.parts.back().markdown;
    markdown.append(line).append("\n");
  }

  const std::string& name_;
  LessonText text_;
  std::size_t number_ = 0;
  std::optional<Fault> fault_;
};

}  // namespace

Result<LessonText> parse_lesson_text(std::string_view text, const std::string& name) {
  Reader reader(name);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take();
}

}  // namespace fdlab
