// NumPy's .npy files. Reading maps C-order data and copies Fortran order; writing is whole or not at all.
#pragma once

#include <optional>
#include <string>

#include "core/io/result.h"
#include "core/io/staged_file.h"
#include "core/io/tensor.h"

namespace fdlab {

/// Number types: <f2, <f4, <f8; bf16 as |V2 or <V2 (with a note: NumPy's void type does not say bf16). Raw integers
/// carry no number type at all and are read only as `raw_as`, which `option` sets: <u2 as bf16, |u1, |V1 or <f1 as e4m3.
/// Everything else (big-endian, structures, objects …) is refused by name.
Result<Tensor> read_npy(const std::string& path, std::optional<DType> raw_as = std::nullopt,
                        const char* option = "--kv-dtype");

/// Version 1.0, C order; bf16 as <V2, e4m3 as |V1. The file appears in its place when it is committed.
Result<StagedFile> stage_npy(const std::string& path, const Tensor& tensor);

}  // namespace fdlab
