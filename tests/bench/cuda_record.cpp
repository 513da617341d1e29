// Records a list of shapes: each line of standard input is `file rung splits batch q_heads kv_heads kv_len [kv_lens …]`; writes
// DIR/file.json.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "cuda/recorder.h"

int main(int argc, char** argv) {
  using namespace fdlab;
  if (argc != 2) {
    std::fprintf(stderr, "expected one folder to write to, found %d arguments\n", argc - 1);
    return 2;
  }
  const DeviceInfo device = find_device();
  if (!device.available) {
    std::fprintf(stderr, "%s\n", device.reason.c_str());
    return 3;
  }
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name;
    RecordRequest request;
    DecodeShape& s = request.shape;
    words >> name >> request.rung >> request.num_splits >> s.batch >> s.q_heads >> s.kv_heads >> s.kv_len;
    for (std::int64_t len = 0; words >> len;) s.kv_lens.push_back(len);
    const Result<Recording> recording = record_on_device(request, device);
    if (!recording) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), recording.fault().sentence.c_str());
      return 2;
    }
    std::ofstream(std::string(argv[1]) + "/" + name + ".json") << to_json(*recording) << '\n';
    std::printf("%-28s %-10s splits %3lld  call %9.2f us  span %9.2f us  %zu blocks\n", name.c_str(),
                recording->kernel.c_str(), static_cast<long long>(recording->num_splits), recording->time_us,
                static_cast<double>(recording->span_ns()) / 1000, recording->blocks.size());
  }
}
