#include "cpu/bench_peers.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>

#include <Eigen/Dense>

namespace fdlab {
namespace {

using Rows = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Row = Eigen::Map<const Eigen::VectorXf>;

const float* floats(const TensorView& tensor) { return static_cast<const float*>(tensor.data); }

/// Where a KV head begins in K; V has the same shape.
std::int64_t offset_of(const DecodeProblem& p, std::int64_t kv_head) {
  return kv_head * p.kv_len * p.head_dim;
}

void softmax(const DecodeProblem& p, float* scores) {
  Eigen::Map<Eigen::ArrayXf> row(scores, p.kv_len);
  row = ((row - row.maxCoeff()) * static_cast<float>(p.scale)).exp();
  row /= row.sum();
}

/// What anybody writes first: two matrix-vector products and a softmax per head, heads over threads.
std::vector<float> eigen_attention(const DecodeProblem& p) {
  std::vector<float> o(static_cast<std::size_t>(p.q_heads * p.head_dim));
#pragma omp parallel for schedule(static)
  for (std::int64_t h = 0; h < p.q_heads; ++h) {
    const std::int64_t head = offset_of(p, p.kv_head_of(h));
    const Rows k(floats(p.k) + head, p.kv_len, p.head_dim), v(floats(p.v) + head, p.kv_len, p.head_dim);
    Eigen::VectorXf scores = k * Row(floats(p.q) + h * p.head_dim, p.head_dim);
    softmax(p, scores.data());
    Eigen::Map<Eigen::VectorXf>(o.data() + h * p.head_dim, p.head_dim).noalias() = v.transpose() * scores;
  }
  return o;
}

// The C interface of BLAS.
enum Order { kRowMajor = 101 };
enum Transpose { kAsItIs = 111, kTransposed = 112 };
using Gemv = void (*)(Order, Transpose, int rows, int columns, float alpha, const float* a, int a_stride,
                      const float* x, int x_step, float beta, float* y, int y_step);
using Gemm = void (*)(Order, Transpose a_is, Transpose b_is, int rows, int columns, int inner, float alpha,
                      const float* a, int a_stride, const float* b, int b_stride, float beta, float* c,
                      int c_stride);

/// OpenBLAS, opened when it is wanted: linked, it would start its threads in every program of ours.
struct OpenBlas {
  Gemv gemv = nullptr;
  Gemm gemm = nullptr;
  void (*set_num_threads)(int) = nullptr;
  std::string note = "no OpenBLAS when this was built";

  OpenBlas() {
#ifdef FDLAB_OPENBLAS
    void* library = dlopen(FDLAB_OPENBLAS, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      note = fmt::format("no OpenBLAS: {}", dlerror());
      return;
    }
    gemv = reinterpret_cast<Gemv>(dlsym(library, "cblas_sgemv"));
    gemm = reinterpret_cast<Gemm>(dlsym(library, "cblas_sgemm"));
    set_num_threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
    note = works() ? fmt::format("OpenBLAS for {}", says(library, "openblas_get_corename"))
                   : "no OpenBLAS: " FDLAB_OPENBLAS " lacks its functions";
#endif
  }
  bool works() const { return gemv && gemm && set_num_threads; }

  static const char* says(void* library, const char* function) {
    const auto text = reinterpret_cast<const char* (*)()>(dlsym(library, function));
    return text ? text() : "an unknown processor";
  }
};

const OpenBlas& openblas() {
  static const OpenBlas library;
  return library;
}

/// One head per thread; OpenBLAS on one.
std::vector<float> gemv_attention(const DecodeProblem& p) {
  const OpenBlas& blas = openblas();
  const int keys = static_cast<int>(p.kv_len), dim = static_cast<int>(p.head_dim);
  std::vector<float> o(static_cast<std::size_t>(p.q_heads * dim));
  blas.set_num_threads(1);
#pragma omp parallel for schedule(static)
  for (std::int64_t h = 0; h < p.q_heads; ++h) {
    const std::int64_t head = offset_of(p, p.kv_head_of(h));
    std::vector<float> scores(static_cast<std::size_t>(keys));
    blas.gemv(kRowMajor, kAsItIs, keys, dim, 1, floats(p.k) + head, dim, floats(p.q) + h * dim, 1, 0,
              scores.data(), 1);
    softmax(p, scores.data());
    blas.gemv(kRowMajor, kTransposed, keys, dim, 1, floats(p.v) + head, dim, scores.data(), 1, 0,
              o.data() + h * dim, 1);
  }
  return o;
}

/// One KV head per thread; where there are too few of them, one after another with all of OpenBLAS's threads.
std::vector<float> gemm_attention(const DecodeProblem& p) {
  const OpenBlas& blas = openblas();
  const int keys = static_cast<int>(p.kv_len), dim = static_cast<int>(p.head_dim);
  const int group = static_cast<int>(p.q_heads / p.kv_heads);
  std::vector<float> o(static_cast<std::size_t>(p.q_heads * dim));
  const bool has_enough_heads = p.kv_heads >= omp_get_max_threads();
  blas.set_num_threads(has_enough_heads ? 1 : omp_get_max_threads());
#pragma omp parallel for schedule(static) if (has_enough_heads)
  for (std::int64_t g = 0; g < p.kv_heads; ++g) {
    std::vector<float> scores(static_cast<std::size_t>(group) * static_cast<std::size_t>(keys));
    blas.gemm(kRowMajor, kAsItIs, kTransposed, group, keys, dim, 1, floats(p.q) + g * group * dim, dim,
              floats(p.k) + offset_of(p, g), dim, 0, scores.data(), keys);
    for (std::int64_t h = 0; h < group; ++h) softmax(p, scores.data() + h * keys);
    blas.gemm(kRowMajor, kAsItIs, kAsItIs, group, dim, keys, 1, scores.data(), keys,
              floats(p.v) + offset_of(p, g), dim, 0, o.data() + g * group * dim, dim);
  }
  return o;
}

}  // namespace

std::vector<BenchPeer> bench_peers() {
  std::vector<BenchPeer> peers{{"eigen", eigen_attention}};
  if (!openblas().works()) return peers;
  peers.push_back({"openblas-gemv", gemv_attention});
  peers.push_back({"openblas-gemm", gemm_attention});
  return peers;
}

std::string bench_peers_note() {
  return fmt::format("Eigen {}.{}.{} with {}; {}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                     EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse(), openblas().note);
}

}  // namespace fdlab
