#include "tools/bench/kernels/measure_layer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/kernels/isa.h"
#include "tools/bench/kernels/onednn_peer.h"
#include "tools/bench/kernels/ours.h"
#include "tools/bench/kernels/problem.h"
#include "tools/bench/kernels/roofline.h"
#include "tools/bench/kernels/torch_peer.h"

namespace ns::bench {
namespace {

// Finding out which way is oneDNN's fastest needs no more than this part of the
// time that a contender gets.
constexpr double kShortShare = 0.3;

// Limits among the contenders: their indices, and what they do in a call.
class Limits {
 public:
  Limits(const Layer& layer, bool cold, std::vector<Contender>& contenders)
      : operations_(Operations(layer)) {
    const kernels::Isa isa = kernels::ChosenIsa();
    vector_peak_ = AddPeak(VectorPeakOf(isa), contenders);
    peak_ = PeakOf(isa) == VectorPeakOf(isa) ? vector_peak_
                                             : AddPeak(PeakOf(isa), contenders);
    // With more rows, reading weights takes next to no time beside them.
    constexpr int64_t kFewRows = 64;
    if (OutputRows(layer) > kFewRows) {
      return;
    }
    const WeightReader reader(WeightBytes(layer), cold);
    passes_ = static_cast<double>(reader.passes());
    read_ = contenders.size();
    contenders.push_back({"read", reader.Plain()});
    contenders.push_back({"read ahead", reader.WithPrefetch()});
  }

  // Parts of the limits that `ours` reaches.
  std::optional<double> OfPeak(const std::vector<Timing>& timings,
                               const Timing& ours) const {
    return Part(vector_peak_, timings, ours);
  }
  std::optional<double> OfRoofline(const std::vector<Timing>& timings,
                                   const Timing& ours) const {
    std::optional<double> part = Part(peak_, timings, ours);
    if (part.has_value() && read_.has_value()) {
      const double read = std::max(SpeedRatio(timings[*read_], ours),
                                   SpeedRatio(timings[*read_ + 1], ours));
      part = std::max(*part, 1 / read / passes_);
    }
    return part;
  }

 private:
  struct Peak {
    size_t index;
    double operations;
  };

  // As many operations as the layer has: a loop of shorter calls would find
  // moments of quiet that a layer of long ones cannot.
  std::optional<Peak> AddPeak(const PeakLoop* loop,
                              std::vector<Contender>& contenders) const {
    if (loop == nullptr) {
      return std::nullopt;
    }
    PeakWork work = WorkOf(*loop, operations_);
    contenders.push_back({loop->name, std::move(work.run)});
    return Peak{contenders.size() - 1, work.operations};
  }

  std::optional<double> Part(const std::optional<Peak>& peak,
                             const std::vector<Timing>& timings,
                             const Timing& ours) const {
    if (!peak.has_value()) {
      return std::nullopt;
    }
    return SpeedRatio(ours, timings[peak->index]) * operations_ /
           peak->operations;
  }

  double operations_;
  std::optional<Peak> vector_peak_;
  std::optional<Peak> peak_;
  std::optional<size_t> read_;
  double passes_ = 1;
};

std::vector<std::optional<Implementation>> Peers(const Problem& problem,
                                                 double seconds,
                                                 std::string& mismatch) {
  const std::vector<Implementation> ways = OneDnnWays(problem);
  std::vector<std::optional<Implementation>> peers(kPeers);
  if (!ways.empty()) {
    peers[kOneDnn] = Fastest(ways, kShortShare * seconds);
  }
  const std::pair<Peer, at::QEngine> engines[] = {
      {kTorchOneDnn, at::kONEDNN}, {kTorchQnnpack, at::kQNNPACK}};
  for (const auto& [peer, engine] : engines) {
    try {
      peers[peer] = TorchLayer(
          problem, engine, peer == kTorchOneDnn ? "torch onednn" : "qnnpack");
    } catch (const c10::Error& error) {
      absl::StrAppend(&mismatch, mismatch.empty() ? "" : "; ",
                      error.what_without_backtrace());
    }
  }
  return peers;
}

// What differs between the answers, computed once by each.
std::string Compare(const Layer& layer, const Implementation& ours,
                    const std::vector<std::optional<Implementation>>& peers) {
  ours.run();
  std::string differences;
  for (const std::optional<Implementation>& peer : peers) {
    if (!peer.has_value()) {
      continue;
    }
    peer->run();
    const std::string difference =
        CompareCodes(ours.output(), peer->output(), OutputBytes(layer));
    if (!difference.empty()) {
      absl::StrAppend(&differences, differences.empty() ? "" : "; ", peer->name,
                      ": ", difference);
    }
  }
  return differences;
}

}  // namespace

Row MeasureLayer(const Layer& layer, const MeasureOptions& options) {
  const Problem problem(layer);
  const Implementation ours = Ours(problem);
  Row row;
  const std::vector<std::optional<Implementation>> peers =
      Peers(problem, options.seconds, row.mismatch);
  std::vector<Contender> contenders;
  const Limits limits(layer, options.cold, contenders);
  const size_t index = contenders.size();
  contenders.push_back({"ours", ours.run});
  std::vector<size_t> indices(kPeers);
  for (size_t peer = 0; peer < kPeers; ++peer) {
    indices[peer] = contenders.size();
    if (peers[peer].has_value()) {
      contenders.push_back({peers[peer]->name, peers[peer]->run});
    }
  }
  BlockOptions blocks;
  blocks.seconds = options.seconds;
  blocks.rounds = options.rounds;
  if (options.cold) {
    blocks.before_call = [&problem, bytes = InputBytes(layer)] {
      EmptyCaches();
      ReadMemory(problem.input.get(), bytes);
    };
  }
  const std::vector<Timing> timings = RunInBlocks(contenders, blocks);
  const std::string differences = Compare(layer, ours, peers);
  absl::StrAppend(&row.mismatch,
                  row.mismatch.empty() || differences.empty() ? "" : "; ",
                  differences);
  row.kind = KindName(KindOf(layer));
  row.name = layer.name;
  row.threads = at::get_num_threads();
  row.cold = options.cold;
  row.count = layer.count;
  row.rows = OutputRows(layer);
  row.seconds = timings[index].Seconds();
  row.rate = Operations(layer) / row.seconds;
  row.of_peak = limits.OfPeak(timings, timings[index]);
  row.of_roofline = limits.OfRoofline(timings, timings[index]);
  for (size_t peer = 0; peer < kPeers; ++peer) {
    if (peers[peer].has_value()) {
      const Timing& timing = timings[indices[peer]];
      row.peers[peer] = {timing.Seconds(), SpeedRatio(timings[index], timing)};
    }
  }
  if (peers[kOneDnn].has_value()) {
    row.choice = peers[kOneDnn]->choice;
  }
  return row;
}

}  // namespace ns::bench
