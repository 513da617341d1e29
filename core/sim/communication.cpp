#include "core/sim/communication.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>
#include <stdexcept>

#include "core/io/printable.h"
#include "core/io/strict_json.h"
#include "core/io/toml.h"
#include "core/sim/data.h"

namespace fdlab {
namespace {

constexpr std::array kPayloadNames{"m, l, o", "LSE, o", "K, V"};
constexpr std::array kPatternNames{"chain", "tree", "all-gather", "all-reduce", "ring"};
constexpr std::int64_t kMostDevices = 65536;

/// ⌈log2 p⌉: levels of a tree over p devices.
std::int64_t levels(std::int64_t devices) { return std::bit_width(static_cast<std::uint64_t>(devices - 1)); }

std::int64_t message_bytes(const DecodeShape& shape, std::int64_t devices, Payload payload) {
  if (payload == Payload::kv) return (shape.kv_bytes() + devices - 1) / devices;
  return shape.batch * shape.q_heads * shape.q_len * numbers_per_row(shape, payload) * 4;
}

struct Traffic {
  std::int64_t rounds, messages;
};

Traffic traffic_of(Pattern pattern, std::int64_t p) {
  switch (pattern) {
    case Pattern::chain: return {p - 1, p - 1};
    case Pattern::tree: return {levels(p), p - 1};
    case Pattern::all_gather:
    case Pattern::ring: return {p - 1, p * (p - 1)};
    case Pattern::all_reduce: return {2 * levels(p), 2 * (p - 1)};
  }
  return {};
}

}  // namespace

const char* name_of(Payload payload) { return kPayloadNames[static_cast<std::size_t>(payload)]; }
const char* name_of(Pattern pattern) { return kPatternNames[static_cast<std::size_t>(pattern)]; }

std::vector<Link> builtin_links() {
  const auto parsed = parse_toml(sim_data_text("links.toml"), "links.toml");
  if (!parsed) throw std::logic_error(parsed.fault().sentence);
  const nlohmann::json& table = *parsed;
  std::vector<Link> links;
  std::optional<Fault> fault;
  for (const auto& [name, value] : table.items()) {
    StrictObject link(value, "links.toml: " + name, fault);
    links.push_back(
        {name, link.text("source"), link.positive_number("gb_s"), link.positive_number("latency_us")});
    link.finish();
  }
  if (fault) throw std::logic_error(fault->sentence);
  return links;
}

Result<Link> find_link(const std::string& name) {
  std::string names;
  for (const Link& link : builtin_links()) {
    if (link.name == name) return link;
    names += (names.empty() ? "" : ", ") + link.name;
  }
  return Fault{fmt::format("expected a link ({}), found '{}'", names, printable(name, 80))};
}

std::int64_t numbers_per_row(const DecodeShape& shape, Payload payload) {
  switch (payload) {
    case Payload::mlo: return shape.v_head_dim + 2;
    case Payload::lse: return shape.v_head_dim + 1;
    case Payload::kv: return 0;
  }
  return 0;
}

Exchange exchange(const DecodeShape& shape, std::int64_t devices, const Link& link, Pattern pattern,
                  Payload payload) {
  const Traffic traffic = traffic_of(pattern, devices);
  Exchange e{pattern, payload};
  e.rounds = traffic.rounds;
  e.message_bytes = message_bytes(shape, devices, payload);
  e.total_bytes = traffic.messages * e.message_bytes;
  e.time_us = static_cast<double>(e.rounds) *
              (link.latency_us + static_cast<double>(e.message_bytes) / (link.gb_s * 1e3));
  return e;
}

Result<std::vector<Exchange>> all_exchanges(const DecodeShape& shape, std::int64_t devices,
                                            const Link& link) {
  if (const auto fault = find_fault(shape)) return Fault{*fault};
  if (devices < 2 || devices > kMostDevices)
    return Fault{fmt::format("expected 2 to {} devices, found {}", kMostDevices, devices)};
  std::vector<Exchange> all;
  for (const Pattern pattern : {Pattern::chain, Pattern::tree, Pattern::all_gather, Pattern::all_reduce})
    for (const Payload payload : {Payload::mlo, Payload::lse})
      all.push_back(exchange(shape, devices, link, pattern, payload));
  all.push_back(exchange(shape, devices, link, Pattern::ring, Payload::kv));
  return all;
}

}  // namespace fdlab
