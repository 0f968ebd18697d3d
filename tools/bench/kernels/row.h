// What was measured of one layer or operator.
#ifndef TOOLS_BENCH_KERNELS_ROW_H_
#define TOOLS_BENCH_KERNELS_ROW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ns::bench {

enum Peer { kOneDnn, kTorchOneDnn, kTorchQnnpack };
constexpr size_t kPeers = 3;

struct PeerTime {
  double seconds = 0;  // of a call
  // How many times as fast we are.
  double ratio = 0;
};

struct Row {
  std::string section;
  // Of a layer, KindName; of other operators, their section.
  std::string kind;
  std::string name;
  int threads = 1;
  bool cold = false;
  // How many of it a model has.
  int64_t count = 1;
  // M of a linear layer.
  int64_t rows = 0;
  double seconds = 0;  // of a call of ours
  // Operations, or bytes read and written, in a second: 1e9 is a GOPS or GB/s.
  double rate = 0;
  // Parts of what the machine can do, 1 for all of it: of the arithmetic on
  // vectors, and of the roofline, or of memcpy.
  std::optional<double> of_peak;
  std::optional<double> of_roofline;
  std::array<std::optional<PeerTime>, kPeers> peers;
  // The kernel that oneDNN chose.
  std::string choice;
  // How our answers and a peer's differ; empty when they do not.
  std::string mismatch;
};

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ROW_H_
