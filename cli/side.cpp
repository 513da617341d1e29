#include "cli/side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "core/io/npy.h"

namespace fdlab::cli {

SidePaths side_paths(const std::string& file_or_folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path(file_or_folder);
  if (!fs::is_directory(path, error)) return {file_or_folder, ""};
  const fs::path lse = path / "lse.npy";
  return {path / "o.npy", fs::exists(lse, error) ? lse.string() : ""};
}

Result<Side> read_side(const SidePaths& paths) {
  Side side;
  for (const auto& [path, to] : {std::pair{&paths.o_path, &side.o}, {&paths.lse_path, &side.lse}}) {
    if (path->empty()) continue;
    Result<Tensor> tensor = read_npy(*path);
    if (!tensor) return tensor.fault();
    *to = std::move(*tensor);
  }
  return side;
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(tensor.num_elements()));
  for (std::int64_t i = 0; i < tensor.num_elements(); ++i) values.push_back(tensor.element(i));
  return values;
}

Place place_of(const std::vector<std::int64_t>& shape, std::int64_t index, bool has_components) {
  Place place;
  const std::size_t row_axes = shape.size() - (has_components && !shape.empty() ? 1 : 0);
  if (row_axes < 1 || row_axes > 3) {
    place.component = index;
    return place;
  }
  if (has_components) {
    place.component = index % shape.back();
    index /= shape.back();
  }
  if (row_axes == 3) {
    place.row = index % shape[2];
    index /= shape[2];
  }
  if (row_axes >= 2) {
    place.sequence = index / shape[1];
    index %= shape[1];
  }
  place.q_head = index;
  return place;
}

std::string text_of(const Place& place) {
  std::vector<std::string> parts;
  if (place.sequence) parts.push_back(fmt::format("sequence {}", *place.sequence));
  if (place.q_head) parts.push_back(fmt::format("query head {}", *place.q_head));
  if (place.row) parts.push_back(fmt::format("row {}", *place.row));
  if (place.component) parts.push_back(fmt::format("component {}", *place.component));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace fdlab::cli
