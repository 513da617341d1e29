#include "viz/picture.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image_write.h>
#pragma GCC diagnostic pop

#include "core/io/staged_file.h"

namespace fdlab {

std::optional<Fault> write_png(const std::string& path, const Picture& picture) {
  std::vector<std::byte> file;
  const auto append = [](void* context, void* data, int size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    auto& out = *static_cast<std::vector<std::byte>*>(context);
    out.insert(out.end(), bytes, bytes + size);
  };
  stbi_write_png_to_func(append, &file, picture.width, picture.height, 4, picture.rgba.data(),
                         picture.width * 4);
  auto staged = StagedFile::write(path, {file});
  if (!staged) return staged.fault();
  return staged->commit();
}

}  // namespace fdlab
