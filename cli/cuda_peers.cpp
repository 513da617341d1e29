#include "cli/cuda_peers.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/io/printable.h"
#include "lessons/resources.h"

namespace fdlab::cli {
namespace {

/// As bench/peers.py takes a shape and names it in its answer.
std::string job_of(const DecodeShape& s) {
  return fmt::format("b={} hq={} hkv={} n={} d={} type={}", s.batch, s.q_heads, s.kv_heads, s.kv_len,
                     s.head_dim, name_of(s.kv_dtype));
}

std::string quoted(const std::string& text) {
  std::string shell = "'";
  for (const char c : text) shell += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return shell + "'";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), size);
  pclose(pipe);
  return text;
}

void read_line(const std::string& line, const std::vector<DecodeShape>& shapes, Peers& peers) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) {
    peers.note += (peers.note.empty() ? "" : "; ") + printable(line, 200);
    return;
  }
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (json.value("job", "") == job_of(shapes[i]))
      peers.times.push_back({i, json.value("peer", ""), json.value("back_to_back_us", 0.0),
                             json.value("after_ordinary_us", 0.0)});
}

}  // namespace

Peers time_peers(const std::vector<DecodeShape>& shapes) {
  const auto folder = find_resource("bench", "tests/bench");
  if (!folder) return {{}, folder.fault().sentence};
  std::string jobs;
  for (const DecodeShape& shape : shapes) jobs += " " + quoted(job_of(shape));
  const std::string answer =
      output_of("printf '%s\\n'" + jobs + " | python3 " + quoted(*folder / "peers.py") + " 2>&1");
  Peers peers;
  for (std::size_t begin = 0; begin < answer.size();) {
    const std::size_t end = std::min(answer.find('\n', begin), answer.size());
    if (end > begin) read_line(answer.substr(begin, end - begin), shapes, peers);
    begin = end + 1;
  }
  if (peers.note.empty()) peers.note = "no peers: python3 did not answer";
  return peers;
}

}  // namespace fdlab::cli
