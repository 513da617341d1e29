#include "lessons/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lessons/check_rules.h"
#include "lessons/formula.h"
#include "lessons/prose.h"

namespace fdlab {
namespace {

bool is_slug(const std::string& id) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !id.empty() && std::all_of(id.begin(), id.end(), fits);
}

void check_id(const std::string& id, std::set<std::string>& seen, const std::string& where,
              Findings& findings) {
  if (!is_slug(id))
    findings.add("id", where, fmt::format("expected an id of a–z, 0–9 and -, found \"{}\"", id));
  if (!seen.insert(id).second) findings.add("id", where, fmt::format("the id \"{}\" is used twice", id));
}

/// Bindings and formulas of a text, each once.
std::set<std::string> bound_parts(const std::string& markdown) {
  std::set<std::string> parts;
  for (const ProseBlock& block : parse_prose(markdown).blocks)
    for (const ProseRun& run : block.runs) {
      if (run.kind == ProseRun::Kind::number) parts.insert("{" + run.text + "}");
      if (run.kind == ProseRun::Kind::formula) parts.insert("$" + run.text + "$");
    }
  return parts;
}

/// Both languages say the same numbers and formulas; only their words and order are their own.
void check_pair(const Bilingual& text, const std::string& where, Findings& findings) {
  const std::set<std::string> en = bound_parts(text.en), zh = bound_parts(text.zh);
  std::vector<std::string> one_sided;
  std::set_symmetric_difference(en.begin(), en.end(), zh.begin(), zh.end(), std::back_inserter(one_sided));
  for (const std::string& part : one_sided)
    findings.add("one-language", where,
                 fmt::format("{} stands in {} only", part, en.contains(part) ? "en.md" : "zh.md"));
}

std::vector<LessonWords> words_of(const Stop& stop, Language language) {
  using Kind = LessonWords::Kind;
  std::vector<LessonWords> words;
  const auto add = [&](Kind kind, const std::string& part, const std::string& markdown, bool is_at_reveal) {
    const std::string where =
        fmt::format("{}{} ({})", stop.id, part.empty() ? "" : ", " + part, name_of(language));
    words.push_back({kind, language, where, markdown, &stop, is_at_reveal});
  };
  add(Kind::title, "title", stop.title[language], false);
  add(Kind::prose, "", stop.prose[language], false);
  if (!stop.gate) return words;
  const Gate& gate = *stop.gate;
  add(Kind::question, "ask", gate.ask[language], true);
  add(Kind::name, "right", gate.right_name[language], true);
  add(Kind::reply, "right", gate.right[language], true);
  add(Kind::reply, "other", gate.other[language], true);
  for (const WrongRule& rule : gate.rules) {
    add(Kind::name, rule.id, rule.name[language], true);
    add(Kind::reply, rule.id, rule.reply[language], true);
  }
  return words;
}

}  // namespace

void Findings::add(const char* rule, const std::string& where, const std::string& sentence) {
  Finding finding{rule, where + ": " + sentence};
  const auto is_same = [&](const Finding& other) {
    return other.rule == finding.rule && other.sentence == finding.sentence;
  };
  if (std::none_of(found_.begin(), found_.end(), is_same)) found_.push_back(std::move(finding));
}

std::vector<LessonWords> words_of(const Lesson& lesson) {
  std::vector<LessonWords> all;
  for (const Language language : kLanguages) {
    all.push_back({LessonWords::Kind::title, language, fmt::format("title ({})", name_of(language)),
                   lesson.title[language], nullptr, false});
    for (const Stop& stop : lesson.stops) {
      std::vector<LessonWords> words = words_of(stop, language);
      std::move(words.begin(), words.end(), std::back_inserter(all));
    }
  }
  return all;
}

void check_structure(const Lesson& lesson, Findings& findings) {
  std::set<std::string> stop_ids;
  for (const Stop& stop : lesson.stops) {
    check_id(stop.id, stop_ids, stop.id, findings);
    check_pair(stop.prose, stop.id, findings);
    if (!stop.gate) continue;
    std::set<std::string> part_ids{"ask", "right", "other"};
    check_pair(stop.gate->ask, stop.id + ", ask", findings);
    check_pair(stop.gate->right, stop.id + ", right", findings);
    check_pair(stop.gate->other, stop.id + ", other", findings);
    for (const WrongRule& rule : stop.gate->rules) {
      check_id(rule.id, part_ids, stop.id, findings);
      check_pair(rule.reply, stop.id + ", " + rule.id, findings);
    }
  }
}

namespace {

/// Everything again for each further head: a reader may follow any.
std::optional<Fault> check_other_heads(const Lesson& lesson, const TracedScene& traced, Findings& findings) {
  for (std::int64_t head = 0; head < traced.problem().q_heads; ++head) {
    SceneSpec spec = traced.spec;
    spec.q_head = head;
    if (head == traced.spec.q_head) continue;
    Result<TracedScene> other = trace_scene(spec, traced.data);
    if (!other) return other.fault();
    const LessonScene scene(std::move(*other));
    check_numbers(lesson, scene, findings);
    check_gates(lesson, scene, false, findings);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> check_lesson(const std::filesystem::path& lesson_folder,
                                  const std::filesystem::path& lessons_folder) {
  const Result<Lesson> lesson = load_lesson(lesson_folder);
  if (!lesson) return {{"load", lesson.fault().sentence}};
  const Result<LessonScene> scene = make_scene(*lesson, lessons_folder);
  if (!scene) return {{"scene", scene.fault().sentence}};

  Findings findings;
  check_structure(*lesson, findings);
  check_words(*lesson, *scene, findings);
  check_formulas(*lesson, findings);
  check_numbers(*lesson, *scene, findings);
  check_gates(*lesson, *scene, true, findings);
  if (const TracedScene* traced = scene->traced())
    if (const auto fault = check_other_heads(*lesson, *traced, findings)) return {{"scene", fault->sentence}};
  return findings.take();
}

}  // namespace fdlab
