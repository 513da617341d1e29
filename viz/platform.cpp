#include "viz/platform.h"

#include <GL/gl.h>

#include <algorithm>

namespace fdlab {

Picture Platform::read_pixels() const {
  const Vec2 pixels = size();
  Picture picture{static_cast<int>(pixels.x), static_cast<int>(pixels.y), {}};
  const std::size_t row = static_cast<std::size_t>(picture.width) * 4;
  picture.rgba.resize(row * static_cast<std::size_t>(picture.height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE, picture.rgba.data());
  const std::size_t rows = static_cast<std::size_t>(picture.height);  // GL's first row is the lowest
  for (std::size_t y = 0; y < rows / 2; ++y)
    std::swap_ranges(picture.rgba.begin() + static_cast<std::ptrdiff_t>(y * row),
                     picture.rgba.begin() + static_cast<std::ptrdiff_t>((y + 1) * row),
                     picture.rgba.begin() + static_cast<std::ptrdiff_t>((rows - 1 - y) * row));
  for (std::size_t i = 3; i < picture.rgba.size(); i += 4) picture.rgba[i] = 255;
  return picture;
}

}  // namespace fdlab
