#include "cli/shape_options.h"

#include <algorithm>
#include <limits>

#include "cli/cache_types.h"
#include "cli/checks.h"

namespace fdlab::cli {
namespace {

constexpr const char* kNames[] = {"--batch",   "--q-heads",  "--kv-heads",   "--q-len",   "--kv-len",
                                  "--kv-lens", "--head-dim", "--v-head-dim", "--kv-dtype"};
constexpr std::int64_t kAsKeys = 0;  // a v_head_dim that was not given

CLI::Validator count(std::int64_t least) {
  return whole_number(least, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

void add_shape_options(CLI::App& command, DecodeShape& s) {
  const auto number = [&](const char* name, std::int64_t& to, std::int64_t least, const char* help) {
    command.add_option(name, to, help)->capture_default_str()->check(count(least))->type_name("N");
  };
  number("--batch", s.batch, 1, "sequences");
  number("--q-heads", s.q_heads, 1, "query heads");
  number("--kv-heads", s.kv_heads, 1, "KV heads");
  number("--q-len", s.q_len, 1, "query rows a sequence");
  number("--kv-len", s.kv_len, 0, "keys a sequence");
  command.add_option("--kv-lens", s.kv_lens, "keys of each sequence: 600,1,257; sets --batch and --kv-len")
      ->delimiter(',')
      ->type_name("N,N,…")
      ->check(count(0));
  number("--head-dim", s.head_dim, 1, "components of a key, and of a value");
  s.v_head_dim = kAsKeys;
  command.add_option("--v-head-dim", s.v_head_dim, "components of a value, if other")
      ->check(count(1))
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--kv-dtype", [&s](const std::string& name) { s.kv_dtype = cache_type_named(name); },
          "number type of the cache (default bf16)")
      ->check(one_of(names_of_cache_types()))
      ->type_name("f32|f16|bf16|e4m3");
}

std::optional<Fault> complete_shape(DecodeShape& s) {
  if (s.v_head_dim == kAsKeys) s.v_head_dim = s.head_dim;
  if (!s.kv_lens.empty()) {
    s.batch = std::max(s.batch, static_cast<std::int64_t>(s.kv_lens.size()));
    s.kv_len = *std::max_element(s.kv_lens.begin(), s.kv_lens.end());
  }
  if (const auto fault = find_fault(s)) return Fault{*fault};
  return std::nullopt;
}

bool gives_shape(const CLI::App& command) {
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](const char* name) { return command.count(name) > 0; });
}

}  // namespace fdlab::cli
