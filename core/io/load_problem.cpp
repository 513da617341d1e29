#include "core/io/load_problem.h"

#include <fmt/format.h>

#include <cmath>

#include "core/io/counted.h"
#include "core/io/npy.h"
#include "core/io/printable.h"

namespace fdlab {
namespace {

Fault refuse(const Tensor& tensor, const std::string& sentence) {
  return {fmt::format("{}: {}", printable(tensor.name), sentence)};
}

std::string shape_of(const Tensor& tensor) { return printable(text_of(tensor.shape), 80); }

/// k or v: with a batch axis in front, and the middle axes in the order of the layout.
struct KvAxes {
  std::int64_t batch, heads, tokens, dim;
};

KvAxes axes_of(const Tensor& kv, Layout layout) {
  const auto axis_from_end = [&](std::size_t i) { return kv.shape[kv.shape.size() - i]; };
  const std::int64_t batch = kv.rank() == 4 ? kv.shape[0] : 1;
  if (layout == Layout::bhnd) return {batch, axis_from_end(3), axis_from_end(2), axis_from_end(1)};
  return {batch, axis_from_end(2), axis_from_end(3), axis_from_end(1)};
}

TensorView view_of(const Tensor& kv, const KvAxes& axes, Layout layout) {
  TensorView view{kv.data.get(), kv.type, c_order_strides(axes.heads, axes.tokens, axes.dim)};
  if (layout == Layout::bnhd) {
    view.stride[1] = axes.dim;
    view.stride[2] = axes.heads * axes.dim;
  }
  return view;
}

std::optional<Fault> check_ranks(const Tensor& q, const Tensor& k, const Tensor& v) {
  if (q.rank() < 2 || q.rank() > 4)
    return refuse(q, fmt::format("expected q of rank 2, 3 or 4, found rank {}: {}", q.rank(), shape_of(q)));
  if (k.rank() < 3 || k.rank() > 4)
    return refuse(k, fmt::format("expected k of rank 3 or 4, found rank {}: {}", k.rank(), shape_of(k)));
  if (v.rank() != k.rank())
    return refuse(
        v, fmt::format("expected v of k's rank {}, found rank {}: {}", k.rank(), v.rank(), shape_of(v)));
  return std::nullopt;
}

std::optional<Fault> check_fit(const Tensor& q, const Tensor& k, const Tensor& v, const DecodeProblem& p,
                               const KvAxes& k_axes) {
  if (q.shape.back() != k.shape.back())
    return refuse(k, fmt::format("expected k of q's head_dim {}, found {}: q is {}, k is {}", q.shape.back(),
                                 k.shape.back(), shape_of(q), shape_of(k)));
  if (k_axes.batch != p.batch)
    return refuse(k, fmt::format("expected k for {} as in q, found {}: q is {}, k is {}",
                                 counted(p.batch, "sequence"), k_axes.batch, shape_of(q), shape_of(k)));
  for (std::size_t axis = 0; axis + 1 < v.shape.size(); ++axis)
    if (v.shape[axis] != k.shape[axis])
      return refuse(v, fmt::format("expected v like k but for the last axis, found {} beside {}", shape_of(v),
                                   shape_of(k)));
  return std::nullopt;
}

bool divides(std::int64_t kv_heads, std::int64_t q_heads) { return kv_heads > 0 && q_heads % kv_heads == 0; }

/// The layout that was asked for. Without a flag it is bhnd, unless both readings of k have the same shape.
Result<Layout> choose_layout(const Tensor& k, std::int64_t q_heads, std::optional<Layout> asked) {
  const std::int64_t heads_first = axes_of(k, Layout::bhnd).heads,
                     keys_first = axes_of(k, Layout::bnhd).heads;
  if (!asked && heads_first == keys_first && heads_first > 1 && divides(heads_first, q_heads))
    return refuse(k,
                  fmt::format("expected --layout bhnd or bnhd, since {} can be read either way, found none",
                              shape_of(k)));
  const Layout layout = asked.value_or(Layout::bhnd);
  const std::int64_t heads = axes_of(k, layout).heads;
  if (divides(heads, q_heads)) return layout;
  const Layout other = layout == Layout::bhnd ? Layout::bnhd : Layout::bhnd;
  const bool other_fits = divides(axes_of(k, other).heads, q_heads);
  return refuse(k,
                fmt::format("expected a number of KV heads that divides the {}, found {} in {} read as {}{}",
                            counted(q_heads, "query head"), heads, shape_of(k), name_of(layout),
                            other_fits ? fmt::format("; --layout {} would fit", name_of(other)) : ""));
}

/// What a person should know where no flag said how to read k, and its shape allows both readings.
std::optional<std::string> note_on_layout(const Tensor& k, std::int64_t q_heads,
                                          std::optional<Layout> asked) {
  const std::int64_t heads_first = axes_of(k, Layout::bhnd).heads,
                     keys_first = axes_of(k, Layout::bnhd).heads;
  if (asked || heads_first == keys_first || !divides(keys_first, q_heads)) return std::nullopt;
  return fmt::format("{}: {} was read as bhnd: {}, kv_len {}; --layout bnhd would read {} and {}",
                     printable(k.name), shape_of(k), counted(heads_first, "KV head"), keys_first, keys_first,
                     heads_first);
}

/// Query axes of the problem, from a q of rank 2, 3 or 4.
void set_query(const Tensor& q, DecodeProblem& p) {
  p.batch = q.rank() >= 3 ? q.shape[0] : 1;
  p.q_heads = q.shape[q.rank() >= 3 ? 1 : 0];
  p.q_len = q.rank() == 4 ? q.shape[2] : 1;
  p.head_dim = q.shape.back();
  p.q = {q.data.get(), q.type, c_order_strides(p.q_heads, p.q_len, p.head_dim)};
}

/// One number per query head, from a file of rank 1.
std::optional<Fault> read_per_head(const std::string& path, std::vector<double>& values) {
  if (path.empty()) return std::nullopt;
  const Result<Tensor> tensor = read_npy(path);
  if (!tensor) return tensor.fault();
  if (tensor->rank() != 1 || tensor->num_elements() == 0)
    return refuse(*tensor, fmt::format("expected one number per query head, found {}", shape_of(*tensor)));
  for (std::int64_t i = 0; i < tensor->num_elements(); ++i) values.push_back(tensor->element(i));
  return std::nullopt;
}

/// What the caller says a file holds, and the option that says it.
struct Declared {
  std::optional<DType> type;
  const char* option;
};

Result<Tensor> read_kv(const std::string& path, const Declared& declared) {
  Result<Tensor> tensor = read_npy(path, declared.type, declared.option);
  if (tensor && declared.type && tensor->type != *declared.type)
    return refuse(*tensor, fmt::format("expected {} as {} says, found {}", name_of(*declared.type),
                                       declared.option, name_of(tensor->type)));
  return tensor;
}

}  // namespace

const char* name_of(Layout layout) { return layout == Layout::bhnd ? "bhnd" : "bnhd"; }
std::optional<Layout> layout_from_name(const std::string& name) {
  if (name == "bhnd") return Layout::bhnd;
  if (name == "bnhd") return Layout::bnhd;
  return std::nullopt;
}

Result<LoadedProblem> assemble_problem(Tensor q, Tensor k, Tensor v, const ProblemOptions& options) {
  if (const auto fault = check_ranks(q, k, v)) return *fault;
  DecodeProblem p;
  set_query(q, p);
  if (p.q_heads < 1) return refuse(q, fmt::format("expected at least one query head, found {}", shape_of(q)));
  if (p.head_dim < 1)
    return refuse(q, fmt::format("expected a head_dim of at least 1, found {}", shape_of(q)));

  const Result<Layout> layout = choose_layout(k, p.q_heads, options.layout);
  if (!layout) return layout.fault();
  const KvAxes k_axes = axes_of(k, *layout), v_axes = axes_of(v, *layout);
  if (const auto fault = check_fit(q, k, v, p, k_axes)) return *fault;
  p.kv_heads = k_axes.heads;
  p.kv_len = k_axes.tokens;
  p.v_head_dim = v_axes.dim;
  p.k = view_of(k, k_axes, *layout);
  p.v = view_of(v, v_axes, *layout);
  p.scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(p.head_dim)));
  p.k_scale = options.k_scale;
  p.v_scale = options.v_scale;
  p.kv_lens = options.kv_lens;
  p.rules = options.rules;
  if (p.rules.sinks.size() == 1) p.rules.sinks.resize(static_cast<std::size_t>(p.q_heads), p.rules.sinks[0]);
  if (const auto fault = find_fault(p)) return Fault{*fault};

  LoadedProblem loaded;
  loaded.layout = *layout;
  loaded.lse_shape.assign(q.shape.begin(), q.shape.end() - 1);
  loaded.o_shape = loaded.lse_shape;
  loaded.o_shape.push_back(p.v_head_dim);
  for (const Tensor* tensor : {&q, &k, &v})
    if (!tensor->note.empty()) loaded.notes.push_back(tensor->note);
  if (const auto note = note_on_layout(k, p.q_heads, options.layout)) loaded.notes.push_back(*note);
  loaded.problem = std::move(p);
  loaded.q = std::move(q);
  loaded.k = std::move(k);
  loaded.v = std::move(v);
  return loaded;
}

Result<LoadedProblem> load_problem(const std::string& q_path, const std::string& k_path,
                                   const std::string& v_path, const ProblemOptions& options) {
  const Declared both{options.kv_dtype, "--kv-dtype"};
  Result<Tensor> q = read_npy(q_path, both.type);
  if (!q) return q.fault();
  Result<Tensor> k = read_kv(k_path, options.k_dtype ? Declared{options.k_dtype, "--k-dtype"} : both);
  if (!k) return k.fault();
  Result<Tensor> v = read_kv(v_path, options.v_dtype ? Declared{options.v_dtype, "--v-dtype"} : both);
  if (!v) return v.fault();
  ProblemOptions complete = options;
  if (const auto fault = read_per_head(options.alibi_path, complete.rules.alibi_slopes)) return *fault;
  if (const auto fault = read_per_head(options.sink_path, complete.rules.sinks)) return *fault;
  return assemble_problem(std::move(*q), std::move(*k), std::move(*v), complete);
}

}  // namespace fdlab
