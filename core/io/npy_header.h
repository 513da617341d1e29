// The header of a .npy file (versions 1, 2 and 3): a magic string, a length, and a Python dictionary with exactly
// the keys descr, fortran_order and shape, in any order. Nothing in it is ever evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/io/result.h"

namespace fdlab {

struct NpyHeader {
  std::string descr;                ///< number type as NumPy writes it, e.g. "<f4"
  bool fortran_order = false;       ///< first axis fastest
  std::vector<std::int64_t> shape;  ///< extents ≥ 0; empty: a scalar
  std::size_t data_offset = 0;      ///< bytes before the data
};

/// `name` is what the sentence calls the file.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> file, const std::string& name);

}  // namespace fdlab
