// Whether CUDA can be used here, and if not, why. The one place of the terminal that asks how it was built.
#pragma once

#include <string>

namespace fdlab::cli {

struct CudaState {
  bool available = false;
  std::string text;  ///< the device in words, or the reason there is none
};

CudaState cuda_state();

}  // namespace fdlab::cli
