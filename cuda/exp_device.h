// The exp policy of the GPU: base 2, one instruction each way (relative error about 2^-22, subnormals flushed).
#pragma once

#include "core/math/exp_base.h"

namespace fdlab {

struct DeviceBase2 : Base2 {
  __device__ static float exp(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};

}  // namespace fdlab
