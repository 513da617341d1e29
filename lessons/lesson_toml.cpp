#include "lessons/lesson_toml.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/io/strict_json.h"
#include "core/io/toml.h"

namespace fdlab {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "fdlab-lesson";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostTiles = 1'000'000;

/// One table being read. Its lists and tables are taken out first; what is left is read field by field.
class Table {
 public:
  Table(json table, std::string where, std::optional<Fault>& fault)
      : where_(std::move(where)),
        fault_(fault),
        lists_(std::move(table)),
        fields_(take_fields(), where_, fault) {}

  StrictObject& fields() { return fields_; }
  void refuse(const std::string& sentence) { fields_.refuse(sentence); }
  void finish() {
    fields_.finish();
    if (!lists_.empty()) refuse(fmt::format("expected no field '{}', found it", lists_.begin().key()));
  }

  json take_list(const char* field) {
    json list = take(field, json::array());
    if (list.is_array()) return list;
    refuse(fmt::format("expected '{}' to be a list", field));
    return json::array();
  }
  std::optional<json> take_table(const char* field) {
    json table = take(field, nullptr);
    if (table.is_object()) return table;
    if (!table.is_null()) refuse(fmt::format("expected '{}' to be a table", field));
    return std::nullopt;
  }
  Table inner(json table, const std::string& where) {
    if (!table.is_object()) refuse(fmt::format("expected {} to be a table", where));
    return {table.is_object() ? std::move(table) : json::object(), where_ + ": " + where, fault_};
  }
  std::string text_of(const json& value, const char* field) {
    if (value.is_string() && !value.get<std::string>().empty()) return value.get<std::string>();
    refuse(fmt::format("expected '{}' to hold texts", field));
    return "0";
  }

 private:
  json take(const char* field, json otherwise) {
    if (!lists_.contains(field)) return otherwise;
    json value = std::move(lists_[field]);
    lists_.erase(field);
    return value;
  }
  /// Moves everything that is neither list nor table out of lists_.
  json take_fields() {
    json fields = json::object();
    for (auto item = lists_.begin(); item != lists_.end();) {
      if (item->is_structured()) {
        ++item;
        continue;
      }
      fields[item.key()] = *item;
      item = lists_.erase(item);
    }
    return fields;
  }

  std::string where_;
  std::optional<Fault>& fault_;
  json lists_;
  StrictObject fields_;
};

// Expressions are parsed here, so that a lesson that loads has none that cannot be read.

Expression read_expression(Table& table, const std::string& source) {
  Result<Expression> expression = Expression::parse(source);
  if (expression) return std::move(*expression);
  table.refuse(expression.fault().sentence);
  return *Expression::parse("0");
}

Binding read_binding(Table& table, const char* field) {
  Result<Binding> binding = Binding::parse(table.fields().text(field));
  if (binding) return std::move(*binding);
  table.refuse(binding.fault().sentence);
  return *Binding::parse("0");
}

template <class Value, class FromName>
Value read_name(Table& table, const char* field, FromName from_name, const char* expected) {
  const std::string name = table.fields().text(field);
  if (const auto value = from_name(name)) return *value;
  table.refuse(fmt::format("expected '{}' to be {}, found '{}'", field, expected, name));
  return Value{};
}

SceneSpec read_trace_scene(Table table) {
  SceneSpec scene;
  StrictObject& fields = table.fields();
  scene.data = fields.text("data");
  if (scene.data.find_first_of("/\\.") != std::string::npos)
    table.refuse(
        fmt::format("expected 'data' to be the name of a folder under lessons/data, found '{}'", scene.data));
  scene.layer = fields.integer("layer", 0, 1000);
  scene.q_head = fields.integer("q_head", 0, 1000);
  scene.tile_size = fields.integer("tile_size", 1, kMostTiles);
  if (fields.has("streams")) scene.num_streams = fields.integer("streams", 1, kMostTiles);
  scene.deal = read_name<Deal>(table, "deal", deal_from_name, "round-robin, contiguous or balanced");
  scene.merge =
      read_name<MergeOrder>(table, "merge", merge_order_from_name, "sequential, tree, two-step or flat");
  scene.method =
      read_name<Method>(table, "method", method_from_name,
                        "standard, online, online-unnormalised, mlo, mlo-unnormalised or lse");
  table.finish();
  return scene;
}

/// The fields that are there change `scene`; all are optional.
GpuSceneSpec read_gpu_scene(Table table, GpuSceneSpec scene) {
  StrictObject& fields = table.fields();
  const auto number = [&](const char* field, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
    return fields.has(field) ? fields.integer(field, least, most) : otherwise;
  };
  if (fields.has("gpu")) scene.gpu = fields.text("gpu");
  if (fields.has("kernel")) scene.kernel = fields.text("kernel");
  scene.batch = number("batch", 1, kMostBatch, scene.batch);
  scene.kv_heads = number("kv_heads", 1, kMostKvHeads, scene.kv_heads);
  scene.group = number("group", 1, kMostGroup, scene.group);
  scene.kv_len = number("kv_len", kLeastKvLen, kMostKvLen, scene.kv_len);
  scene.head_dim = number("head_dim", 1, 512, scene.head_dim);
  scene.a_splits = number("a_splits", 1, kMostShownSplits, scene.a_splits);
  if (fields.has("lengths")) {
    const std::string lengths = fields.text("lengths");
    scene.is_ragged = lengths == "ragged";
    if (!scene.is_ragged && lengths != "uniform")
      table.refuse(fmt::format("expected 'lengths' to be uniform or ragged, found '{}'", lengths));
  }
  if (fields.has("splits")) scene.splits = fields.integer("splits", 1, kMostShownSplits);
  if (fields.has("a_batch")) scene.a_batch = fields.integer("a_batch", 1, kMostBatch);
  table.finish();
  return scene;
}

std::variant<SceneSpec, GpuSceneSpec> read_scene(Table table) {
  const std::string kind = table.fields().has("kind") ? table.fields().text("kind") : "trace";
  if (kind == "gpu") return read_gpu_scene(std::move(table), {});
  if (kind != "trace") table.refuse(fmt::format("expected 'kind' to be trace or gpu, found '{}'", kind));
  return read_trace_scene(std::move(table));
}

WrongRule read_rule(Table table) {
  WrongRule rule{table.fields().text("id"), read_binding(table, "answer"), {}, {}};
  table.finish();
  return rule;
}

void read_range(Table& table, Gate& gate) {
  const json range = table.take_list("range");
  const bool is_fine =
      range.size() == 2 && range[0].is_number() && range[1].is_number() && range[0] < range[1];
  if (!is_fine) return table.refuse("expected 'range' to be two numbers, the lower one first");
  gate.low = range[0];
  gate.high = range[1];
}

Gate read_gate(Table table) {
  Gate gate{read_binding(table, "answer"),
            table.fields().positive_number("tolerance"),
            0,
            1,
            read_expression(table, table.fields().text("reveal")),
            {},
            {},
            {},
            {},
            {}};
  read_range(table, gate);
  std::size_t number = 0;
  for (const json& rule : table.take_list("rules"))
    gate.rules.push_back(read_rule(table.inner(rule, fmt::format("rule {}", ++number))));
  table.finish();
  return gate;
}

Stop read_stop(Table table, const GpuSceneSpec* gpu) {
  Stop stop{
      table.fields().text("id"), read_expression(table, table.fields().text("step")), {}, {}, {}, {}, {}, {}};
  if (gpu) stop.gpu = *gpu;
  if (gpu)
    if (const auto scene = table.take_table("scene"))
      stop.gpu = read_gpu_scene(table.inner(*scene, "scene"), *gpu);
  for (const json& source : table.take_list("highlight"))
    stop.highlight.push_back(read_expression(table, table.text_of(source, "highlight")));
  const json terms = table.take_table("terms").value_or(json::object());
  for (const auto& [id, source] : terms.items())
    stop.terms.push_back({id, read_expression(table, table.text_of(source, "terms"))});
  if (const auto gate = table.take_table("gate")) stop.gate = read_gate(table.inner(*gate, "gate"));
  table.finish();
  return stop;
}

void read_format(Table& table) {
  if (const std::string format = table.fields().text("format"); format != kFormat)
    table.refuse(fmt::format("expected format '{}', found '{}'", kFormat, format));
  if (const std::int64_t version = table.fields().integer("version", 1, 1'000'000); version != kVersion)
    table.refuse(fmt::format("expected version {}, found {}: this program is older than the lesson", kVersion,
                             version));
}

}  // namespace

Result<Lesson> parse_lesson_toml(std::string_view text, const std::string& name) {
  Result<json> root = parse_toml(text, name);
  if (!root) return root.fault();
  std::optional<Fault> fault;
  Table table(std::move(*root), name, fault);
  Lesson lesson;
  read_format(table);
  lesson.scene = read_scene(table.inner(table.take_table("scene").value_or(json::object()), "scene"));
  const GpuSceneSpec* gpu = std::get_if<GpuSceneSpec>(&lesson.scene);
  for (const json& stop : table.take_list("stop"))
    lesson.stops.push_back(
        read_stop(table.inner(stop, fmt::format("stop {}", lesson.stops.size() + 1)), gpu));
  if (lesson.stops.empty()) table.refuse("expected at least one [[stop]], found none");
  table.finish();
  if (fault) return *fault;
  return lesson;
}

}  // namespace fdlab
