// From three tensors to one decode problem: which axis is what, and whether the three fit together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/io/tensor.h"
#include "core/problem/problem.h"

namespace fdlab {

/// Order of the middle axes of k and v. q and o always have heads before rows.
enum class Layout : std::uint8_t {
  bhnd,  ///< (batch, kv_heads, kv_len, dim)
  bnhd,  ///< (batch, kv_len, kv_heads, dim)
};
const char* name_of(Layout layout);
std::optional<Layout> layout_from_name(const std::string& name);

struct ProblemOptions {
  std::optional<Layout> layout;           ///< required where k's shape could be read either way
  std::optional<double> scale;            ///< else 1/sqrt(head_dim)
  std::vector<std::int64_t> kv_lens;      ///< one per sequence; empty: all use every slot
  std::optional<DType> kv_dtype;          ///< bf16 or e4m3: what raw integer files hold
  std::optional<DType> k_dtype, v_dtype;  ///< the same for one of the two, of any type; wins over kv_dtype
  double k_scale = 1, v_scale = 1;
  ScoreRules rules;        ///< a single sink stands for every query head
  std::string alibi_path;  ///< .npy (q_heads): the slopes; empty: none
  std::string sink_path;   ///< .npy (q_heads): the sinks; empty: rules.sinks
};

/// A problem and the tensors it looks into.
struct LoadedProblem {
  Tensor q, k, v;
  Layout layout = Layout::bhnd;
  DecodeProblem problem;
  std::vector<std::int64_t> o_shape;    ///< (batch, q_heads, q_len, v_head_dim) without the axes that q lacks
  std::vector<std::int64_t> lse_shape;  ///< (batch, q_heads, q_len) likewise
  std::vector<std::string> notes;       ///< what a person should know about how the files were read
};

/// q (q_heads, head_dim), (batch, q_heads, head_dim) or (batch, q_heads, q_len, head_dim);
/// k (kv_heads, kv_len, head_dim) or (batch, kv_heads, kv_len, head_dim), v likewise with its own v_head_dim.
Result<LoadedProblem> assemble_problem(Tensor q, Tensor k, Tensor v, const ProblemOptions& options);

/// The same from three files.
Result<LoadedProblem> load_problem(const std::string& q_path, const std::string& k_path,
                                   const std::string& v_path, const ProblemOptions& options);

}  // namespace fdlab
