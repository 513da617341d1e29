// What another project needs to call FlashDecoding: one key of value 7 decodes to 7, on the CPU and on a GPU if there is one.
#include "cpu/executor.h"
#if OUTSIDE_HAS_CUDA
#include "cuda/run.h"
#endif

int main() {
  const float q = 1, k = 2, v = 7;
  fdlab::DecodeProblem problem;
  problem.kv_len = problem.head_dim = problem.v_head_dim = 1;
  problem.scale = 1;
  problem.q = {.data = &q, .stride = {1, 1, 1, 1}};
  problem.k = {.data = &k, .stride = {1, 1, 1, 1}};
  problem.v = {.data = &v, .stride = {1, 1, 1, 1}};
  bool right = decode_by_plan(problem, fdlab::Method::lse, {.kv_len = 1}).o[0] == 7;
#if OUTSIDE_HAS_CUDA
  const fdlab::DeviceInfo device = fdlab::find_device();
  if (device.available) right = right && fdlab::run_on_device(problem, device.limits)->o[0] == 7;
#endif
  return right ? 0 : 1;
}
