// Holds what was measured of an ns kernel for one layer or operator, beside
// other libraries: the peers.
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
  // How many times as fast the ns kernel is.
  double ratio = 0;
};

struct Row {
  // The table that the row is in (tools/bench/kernels/sections.h).
  std::string section;
  // Of a layer, KindName; of other operators, their section.
  std::string kind;
  std::string name;
  int threads = 1;
  // Whether each call found its weights cold: after EmptyCaches (roofline.h).
  bool cold = false;
  // How many such layers a model has.
  int64_t count = 1;
  // OutputRows of a layer: M of the matrix product; 0 of other operators.
  int64_t rows = 0;
  double seconds = 0;  // of a call of the ns kernel
  // A layer's operations, or an operator's bytes read and written, in a second.
  double rate = 0;
  // The share of what the machine can do, 1 for all of it. `of_peak` is that of
  // the peak of vector arithmetic, of layers alone; `of_roofline` that of the
  // roofline or, for other operators, of the speed of memcpy or memset.
  std::optional<double> of_peak;
  std::optional<double> of_roofline;
  // By Peer; absent where the library does not have the layer.
  std::array<std::optional<PeerTime>, kPeers> peers;
  // The kernel that oneDNN chose.
  std::string choice;
  // How outputs of the ns kernel and of peers differ, or why LibTorch refused
  // the layer; empty for neither.
  std::string mismatch;
};

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ROW_H_
