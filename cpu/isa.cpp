#include "cpu/isa.h"

#if FD_HAS_X86_KERNELS
#include <cpuid.h>
#endif

namespace fdlab {

/// The functions that each instruction set's copy of the kernels defines, and the entry that lists them.
#define FD_KERNELS_OF(isa)                                                                        \
  bool fold_streams_##isa(const DecodeProblem&, std::int64_t, StreamDeal&, int, float*);          \
  void blend_payloads_##isa(const Merged<NoStats, float>&, float*, const float*, std::int64_t);   \
  std::uint64_t read_streams_##isa(const std::byte*, const std::byte*, std::size_t, std::size_t); \
  static constexpr Isa k_##isa{#isa, fold_streams_##isa, blend_payloads_##isa, read_streams_##isa};

#if FD_HAS_X86_KERNELS
FD_KERNELS_OF(sse4)
FD_KERNELS_OF(avx2)
FD_KERNELS_OF(avx512)
#else
FD_KERNELS_OF(native)
#endif

namespace {

#if FD_HAS_X86_KERNELS
/// Clang 14's __builtin_cpu_supports does not know f16c.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

std::vector<Isa> find_isas() {
  std::vector<Isa> isas;
#if FD_HAS_X86_KERNELS
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && has_f16c();
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  if (avx512) isas.push_back(k_avx512);
  if (avx2) isas.push_back(k_avx2);
  if (sse4) isas.push_back(k_sse4);
#else
  isas.push_back(k_native);
#endif
  return isas;
}

}  // namespace

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = find_isas();
  return isas;
}

std::optional<Isa> isa_from_name(const std::string& name) {
  for (const Isa& isa : available_isas())
    if (name == isa.name) return isa;
  return std::nullopt;
}

}  // namespace fdlab
