// A step of a GPU scene in words: what both launches are doing, how fast they read, and which SMs have nothing to do.
#pragma once

#include <cstdint>
#include <string>

#include "lessons/gpu_scene.h"
#include "lessons/language.h"

namespace fdlab {

std::string gpu_transcript(const GpuScene& scene, std::int64_t step, Language language);

}  // namespace fdlab
