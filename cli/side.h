// One of the two outputs that `fdlab compare` holds against each other, read from its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/io/result.h"
#include "core/io/tensor.h"

namespace fdlab::cli {

/// Where an output lies. lse_path may be empty: not given.
struct SidePaths {
  std::string o_path, lse_path;
  bool given() const { return !o_path.empty() || !lse_path.empty(); }
};

/// What a name on the command line stands for: a .npy file is an o; a folder holds o.npy and, perhaps, lse.npy.
SidePaths side_paths(const std::string& file_or_folder);

struct Side {
  std::optional<Tensor> o, lse;
};

Result<Side> read_side(const SidePaths& paths);

/// All elements in C order.
std::vector<double> values_of(const Tensor& tensor);

/// Where an element of an output stands: o (q_heads, v_head_dim), (batch, q_heads, v_head_dim) or (batch, q_heads, q_len,
/// v_head_dim); an lse has no last axis.
struct Place {
  std::optional<std::int64_t> sequence, q_head, row, component;
};

/// Nothing but the component where the tensor has no such axes.
Place place_of(const std::vector<std::int64_t>& shape, std::int64_t index, bool has_components);

/// "sequence 1, query head 3, component 17"
std::string text_of(const Place& place);

}  // namespace fdlab::cli
