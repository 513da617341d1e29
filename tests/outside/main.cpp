// What another project needs to call FlashDecoding: one key of value 7 decodes to 7.
#include "cpu/executor.h"

int main() {
  const float q = 1, k = 2, v = 7;
  fdlab::DecodeProblem problem;
  problem.kv_len = problem.head_dim = problem.v_head_dim = 1;
  problem.scale = 1;
  problem.q = {.data = &q, .stride = {1, 1, 1, 1}};
  problem.k = {.data = &k, .stride = {1, 1, 1, 1}};
  problem.v = {.data = &v, .stride = {1, 1, 1, 1}};
  return decode_by_plan(problem, fdlab::Method::lse, {.kv_len = 1}).o[0] == 7 ? 0 : 1;
}
