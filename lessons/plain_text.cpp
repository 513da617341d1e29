#include "lessons/plain_text.h"

#include "lessons/formula.h"

namespace fdlab {
namespace {

Result<std::string> bound_text(const std::string& source, const ExpressionScope& scope, Language language) {
  const Result<Binding> binding = Binding::parse(source);
  if (!binding) return binding.fault();
  const auto bound = binding->evaluate(scope, language);
  if (!bound) return bound.fault();
  return bound->text;
}

Result<std::string> run_text(const ProseRun& run, const ExpressionScope& scope, Language language) {
  switch (run.kind) {
    case ProseRun::Kind::number: return bound_text(run.text, scope, language);
    case ProseRun::Kind::formula: return formula_text(run.text);
    case ProseRun::Kind::text:
    case ProseRun::Kind::code: break;
  }
  return run.text;
}

}  // namespace

Result<std::vector<PlainBlock>> plain_text(std::string_view markdown, const ExpressionScope& scope,
                                           Language language) {
  std::vector<PlainBlock> blocks;
  for (const ProseBlock& block : parse_prose(markdown).blocks) {
    PlainBlock& plain = blocks.emplace_back(PlainBlock{block.kind, block.ordinal, ""});
    for (const ProseRun& run : block.runs) {
      const Result<std::string> text = run_text(run, scope, language);
      if (!text) return text.fault();
      plain.text += *text;
    }
  }
  return blocks;
}

}  // namespace fdlab
