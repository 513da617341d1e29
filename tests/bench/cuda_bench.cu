// Check, then time: reads jobs (one a line, key=value) from standard input, prints a line for each, and a JSON line to
// --json FILE. Keys: b hq hkv n d qlen type rung splits warps stages merge ready overlap.
// rung=0 is launch_decode; overlap=0 launches it after the kernel before has ended.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "cuda/bench_reference.h"
#include "cuda/bench_timing.h"
#include "cuda/decode.h"
#include "cuda/ladder.h"

using namespace fdlab;

namespace {

struct Job {
  int b = 1, hq = 32, hkv = 8, n = 4096, d = 128, qlen = 1, rung = 0, check = 1, overlap = 1;
  std::string type = "bf16";
  PlanOptions options;
};

DType type_from_name(const std::string& name) {
  for (const DType t : {DType::f32, DType::f16, DType::bf16, DType::e4m3})
    if (name == name_of(t)) return t;
  throw std::runtime_error("expected a type of f32, f16, bf16 or e4m3, found " + name);
}

Job read_job(const std::string& line) {
  Job job;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    const std::map<std::string, int*> numbers{{"b", &job.b},
                                              {"hq", &job.hq},
                                              {"hkv", &job.hkv},
                                              {"n", &job.n},
                                              {"d", &job.d},
                                              {"qlen", &job.qlen},
                                              {"check", &job.check},
                                              {"rung", &job.rung},
                                              {"overlap", &job.overlap},
                                              {"splits", &job.options.num_splits},
                                              {"warps", &job.options.warps},
                                              {"stages", &job.options.stages}};
    if (numbers.count(key)) *numbers.at(key) = std::atoi(value.c_str());
    else if (key == "type") job.type = value;
    else if (key == "ready") job.options.kv_is_ready = value == "1";
    else if (key == "merge" && value == "cluster") job.options.merge = SplitMerge::cluster;
    else if (key == "merge" && value == "last-arriver") job.options.merge = SplitMerge::last_arriver;
    else if (value != "auto") throw std::runtime_error("unknown key in job: " + word);
  }
  return job;
}

/// One pool of random numbers serves every job of a type; a set is a place in it.
class Pool {
 public:
  void* at(DType type, std::size_t bytes, cudaStream_t stream) {
    if (bytes > buffer_.size()) {
      buffer_ = DeviceBuffer();
      buffer_ = DeviceBuffer(bytes);
      filled_ = DType::f64;
    }
    if (filled_ != type)
      bench::fill_random(buffer_.data(), type,
                         static_cast<std::int64_t>(buffer_.size() / size_in_bytes(type)), 1, stream);
    filled_ = type;
    return buffer_.data();
  }

 private:
  DeviceBuffer buffer_;
  DType filled_ = DType::f64;
};

class Bench {
 public:
  Bench(const DeviceInfo& device, std::ostream& json) : device_(device), json_(json) {
    FD_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Bench() { cudaStreamDestroy(stream_); }

  void run(const Job& job, const std::string& line) {
    const DType type = type_from_name(job.type);
    const std::size_t kv_bytes = 2 * size_in_bytes(type) * std::size_t(job.b) * job.hkv * job.n * job.d;
    const int sets =
        static_cast<int>(std::clamp<std::size_t>((1000000000 + kv_bytes - 1) / kv_bytes, 1, 384));
    char* kv = static_cast<char*>(
        pool_.at(type, std::max<std::size_t>(kv_bytes * sets, std::size_t{1200} << 20), stream_));

    DeviceProblem p;
    p.batch = job.b, p.q_heads = job.hq, p.kv_heads = job.hkv, p.q_len = job.qlen;
    p.kv_len = job.n, p.head_dim = p.v_head_dim = job.d;
    p.scale = static_cast<float>(1 / std::sqrt(job.d));
    const DType narrow = type == DType::e4m3 ? DType::bf16 : type;
    const std::size_t q_count = std::size_t(p.num_rows()) * job.d;
    const DeviceBuffer q(q_count * sets * 4), o(q_count * sets * 4), lse(std::size_t(p.num_rows()) * 4);
    bench::fill_random(q.data(), narrow, static_cast<std::int64_t>(q_count * sets), 7, stream_);
    p.o_type = narrow;
    p.lse_ln = lse.as<float>();
    const auto problem_of = [&](int set) {
      DeviceProblem of_set = p;
      const std::int64_t n = job.n, d = job.d;
      of_set.q = {q.as<char>() + set * q_count * size_in_bytes(narrow), narrow, p.q_heads * p.q_len * d,
                  p.q_len * d, d};
      of_set.k = {kv + set * kv_bytes, type, p.kv_heads * n * d, n * d, d};
      of_set.v = of_set.k;
      of_set.v.data = kv + set * kv_bytes + kv_bytes / 2;
      of_set.o = o.as<char>() + set * q_count * size_in_bytes(narrow);
      return of_set;
    };

    const PlanResult planned = make_plan(problem_of(0), device_.limits, job.options);
    if (!planned.plan) return refuse(line, planned.fault);
    CudaPlan plan = *planned.plan;
    if (!job.overlap) plan.overlaps = plan.kv_is_ready = false;
    const Workspace workspace = upload_plan(plan);
    LaunchDecode launch = launch_decode;
    if (job.rung > 0) {
      const Rung& rung = ladder()[std::size_t(job.rung - 1)];
      if (const auto refusal = rung.find_refusal(problem_of(0))) return refuse(line, *refusal);
      launch = rung.launch;
    }

    double error = 0, lse_error = 0;
    for (const int set : {0, sets - 1}) {
      const DeviceProblem of_set = problem_of(set);
      FD_CUDA(cudaMemsetAsync(of_set.o, 0xff, q_count * size_in_bytes(narrow), stream_));
      FD_CUDA(cudaMemsetAsync(lse.data(), 0xff, lse.size(), stream_));
      FD_CUDA(cudaMemsetAsync(workspace.partials.data(), 0xff, workspace.partials.size(), stream_));
      launch(of_set, plan, workspace, stream_);
      check(of_set, set, error, lse_error);
    }
    const bool right = !job.check || (error < 6e-3 && lse_error < 1e-3);
    const bench::Times times =
        right ? bench::time_calls(
                    sets, [&](int set, cudaStream_t s) { launch(problem_of(set), plan, workspace, s); },
                    stream_)
              : bench::Times{};
    const double terabytes = kv_bytes / 1e6 / times.back_to_back_us;
    std::printf(
        "%-46s %s us %9.2f after %9.2f  %.3f TB/s  err %.1e lse %.1e  splits %d warps %d stages %d %s%s%s\n",
        line.c_str(), right ? "ok" : "WRONG", times.back_to_back_us, times.after_ordinary_us, terabytes,
        error, lse_error, plan.rule.num_splits, plan.warps, plan.stages, name_of(plan.merge),
        plan.kv_is_ready ? " ready" : "", job.rung ? (" rung " + std::to_string(job.rung)).c_str() : "");
    std::fflush(stdout);
    json_ << "{\"job\": \"" << line << "\", \"right\": " << (right ? "true" : "false")
          << ", \"kv_bytes\": " << kv_bytes << ", \"back_to_back_us\": " << times.back_to_back_us
          << ", \"after_ordinary_us\": " << times.after_ordinary_us << ", \"relative_error\": " << error
          << ", \"num_splits\": " << plan.rule.num_splits << ", \"merge\": \"" << name_of(plan.merge)
          << "\", \"warps\": " << plan.warps << ", \"stages\": " << plan.stages << "}\n"
          << std::flush;
  }

 private:
  void refuse(const std::string& line, const std::string& reason) {
    std::printf("%-46s refused: %s\n", line.c_str(), reason.c_str());
  }

  /// The reference of a shape's set is computed once and kept while the shape stays.
  void check(const DeviceProblem& p, int set, double& error, double& lse_error) {
    const std::string key = std::to_string(p.batch) + " " + std::to_string(p.q_heads) + " " +
                            std::to_string(p.kv_heads) + " " + std::to_string(p.kv_len) + " " +
                            std::to_string(p.head_dim) + name_of(p.k.type) + std::to_string(p.q_len);
    if (key != reference_key_) references_.clear();
    reference_key_ = key;
    auto found = references_.find(set);
    if (found == references_.end()) {
      found = references_
                  .emplace(set, Reference{DeviceBuffer(std::size_t(p.num_rows()) * p.v_head_dim * 8),
                                          DeviceBuffer(std::size_t(p.num_rows()) * 8)})
                  .first;
      const DeviceBuffer scores(std::size_t(p.num_rows()) * p.kv_len * 8);
      bench::launch_reference(p, found->second.o.as<double>(), found->second.lse_ln.as<double>(),
                              scores.as<double>(), stream_);
      FD_CUDA(cudaStreamSynchronize(stream_));
    }
    const double of_set = bench::relative_error(p, found->second.o.as<double>(), stream_);
    if (!(of_set <= error)) error = of_set;
    const double lse = bench::lse_error(p, found->second.lse_ln.as<double>(), stream_);
    if (!(lse <= lse_error)) lse_error = lse;
  }

  struct Reference {
    DeviceBuffer o, lse_ln;
  };
  const DeviceInfo& device_;
  std::ostream& json_;
  cudaStream_t stream_;
  Pool pool_;
  std::map<int, Reference> references_;
  std::string reference_key_;
};

}  // namespace

int main(int argc, char** argv) {
  const DeviceInfo device = find_device();
  if (!device.available) {
    std::fprintf(stderr, "%s\n", device.reason.c_str());
    return 3;
  }
  std::ofstream json(argc > 2 ? argv[2] : "/dev/null");
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("%s, driver %d, CUDA %d, %s\n", device.name.c_str(), device.driver_version,
              device.runtime_version, date);
  json << "{\"device\": \"" << device.name << "\", \"driver\": " << device.driver_version << ", \"date\": \""
       << date << "\"}\n";
  try {
    Bench bench(device, json);
    for (std::string line; std::getline(std::cin, line);)
      if (!line.empty() && line[0] != '#') bench.run(read_job(line), line);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
