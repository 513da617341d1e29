#include "core/io/npy.h"

#include <fmt/format.h>

#include <cstring>

#include "core/io/mapped_file.h"
#include "core/io/npy_header.h"
#include "core/io/printable.h"

namespace fdlab {
namespace {

struct StoredType {
  DType type;
  std::string note;
};

Result<StoredType> stored_type(const std::string& descr, std::optional<DType> raw_as, const char* option) {
  if (descr == "<f2") return StoredType{DType::f16, ""};
  if (descr == "<f4") return StoredType{DType::f32, ""};
  if (descr == "<f8") return StoredType{DType::f64, ""};
  if (descr == "|V2" || descr == "<V2") return StoredType{DType::bf16, "two-byte void data was read as bf16"};
  if (descr == "<u2") {
    if (raw_as == DType::bf16) return StoredType{DType::bf16, ""};
    return Fault{
        fmt::format("expected a number type, found <u2, which is read as bf16 only with {} bf16", option)};
  }
  if (descr == "|u1" || descr == "|V1" || descr == "<f1") {
    if (raw_as == DType::e4m3) return StoredType{DType::e4m3, ""};
    return Fault{fmt::format("expected a number type, found {}, which is read as e4m3 only with {} e4m3",
                             descr, option)};
  }
  return Fault{fmt::format("expected <f2, <f4, <f8 or bf16 (|V2), found '{}'", printable(descr, 24))};
}

/// Elements of `size` bytes in Fortran order, copied into C order.
std::shared_ptr<const std::byte> to_c_order(const std::byte* source, const std::vector<std::int64_t>& shape,
                                            std::int64_t count, std::size_t size) {
  const std::shared_ptr<std::byte[]> target(new std::byte[static_cast<std::size_t>(count) * size]);
  std::vector<std::int64_t> index(shape.size(), 0), stride(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];

  std::int64_t from = 0;
  for (std::int64_t to = 0; to < count; ++to) {
    std::memcpy(target.get() + static_cast<std::size_t>(to) * size,
                source + static_cast<std::size_t>(from) * size, size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {  // the last axis turns fastest
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return {target, target.get()};
}

/// The data as the file holds it, or a copy where the number type could not be read in that place.
std::shared_ptr<const std::byte> aligned(const MappedFile& file, std::size_t offset, std::size_t bytes,
                                         std::size_t alignment) {
  if (offset % alignment == 0) return {file.data, file.data.get() + offset};
  const std::shared_ptr<std::byte[]> copy(new std::byte[bytes]);
  std::memcpy(copy.get(), file.data.get() + offset, bytes);
  return {copy, copy.get()};
}

const char* descr_of(DType type) {
  switch (type) {
    case DType::f64: return "<f8";
    case DType::f32: return "<f4";
    case DType::f16: return "<f2";
    case DType::bf16: return "<V2";
    case DType::e4m3: return "|V1";
  }
  return "";
}

/// Magic, version 1.0, length and dictionary, padded so that the data begins at a multiple of 64 bytes.
std::string npy_header(const Tensor& tensor) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       descr_of(tensor.type), text_of(tensor.shape));
  constexpr std::size_t kBefore = 10, kAlign = 64;
  const std::size_t unpadded = kBefore + dictionary.size() + 1;
  dictionary.append((kAlign - unpadded % kAlign) % kAlign, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace

Result<Tensor> read_npy(const std::string& path, std::optional<DType> raw_as, const char* option) {
  const Result<MappedFile> file = map_file(path);
  if (!file) return file.fault();
  const Result<NpyHeader> header = parse_npy_header(file->bytes(), path);
  if (!header) return header.fault();
  const auto refuse = [&](const std::string& sentence) {
    return Fault{fmt::format("{}: {}", printable(path), sentence)};
  };

  const Result<StoredType> stored = stored_type(header->descr, raw_as, option);
  if (!stored) return refuse(stored.fault().sentence);
  const auto bytes = size_in_bytes(header->shape, stored->type);
  if (!bytes)
    return refuse(fmt::format("expected a shape of fewer than 2^63 bytes, found {}",
                              printable(text_of(header->shape), 80)));
  const std::size_t found = file->size - header->data_offset;
  if (found != static_cast<std::size_t>(*bytes))
    return refuse(fmt::format("expected {} bytes of data for {} {}, found {}", *bytes,
                              printable(text_of(header->shape), 80), name_of(stored->type), found));

  Tensor tensor{path, header->shape, stored->type, nullptr, ""};
  const std::size_t element = size_in_bytes(stored->type);
  tensor.data = header->fortran_order ? to_c_order(file->data.get() + header->data_offset, tensor.shape,
                                                   tensor.num_elements(), element)
                                      : aligned(*file, header->data_offset, found, element);
  if (!stored->note.empty()) tensor.note = fmt::format("{}: {}", printable(path), stored->note);
  return tensor;
}

Result<StagedFile> stage_npy(const std::string& path, const Tensor& tensor) {
  const std::string header = npy_header(tensor);
  const std::size_t bytes = static_cast<std::size_t>(tensor.num_elements()) * size_in_bytes(tensor.type);
  return StagedFile::write(path, {std::as_bytes(std::span(header)), {tensor.data.get(), bytes}});
}

}  // namespace fdlab
