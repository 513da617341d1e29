// The parts of the checker. Each adds what it finds; `where` opens every sentence.
#pragma once

#include <string>
#include <vector>

#include "lessons/check.h"
#include "lessons/lesson_scene.h"

namespace fdlab {

class Findings {
 public:
  /// The same finding is kept once.
  void add(const char* rule, const std::string& where, const std::string& sentence);
  std::vector<Finding> take() { return std::move(found_); }

 private:
  std::vector<Finding> found_;
};

/// One piece of text a reader sees.
struct LessonWords {
  enum class Kind : std::uint8_t { title, prose, question, reply, name };
  Kind kind = Kind::prose;
  Language language = Language::en;
  std::string where;  ///< "merge (zh)", "share, plain-mean (en)"
  std::string markdown;
  const Stop* stop = nullptr;
  bool is_at_reveal = false;  ///< evaluated at the gate's reveal step, not at the stop's
};
std::vector<LessonWords> words_of(const Lesson& lesson);

void check_structure(const Lesson& lesson,
                     Findings& findings);  ///< ids, the same numbers and formulas in both languages
void check_words(const Lesson& lesson, const LessonScene& scene,
                 Findings& findings);  ///< digits, length, pitfalls, wording
void check_typography(const std::string& text, Language language, const std::string& where,
                      Findings& findings);
void check_glossary(const std::string& text, Language language, const std::string& where, Findings& findings);
void check_numbers(const Lesson& lesson, const LessonScene& scene,
                   Findings& findings);  ///< bindings, terms, highlights
void check_gates(const Lesson& lesson, const LessonScene& scene, bool is_default_head, Findings& findings);
void check_formulas(const Lesson& lesson, Findings& findings);  ///< rendered, current, readable in plain text

}  // namespace fdlab
