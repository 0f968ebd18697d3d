// Peers compute what we compute: otherwise times would compare nothing.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "tools/bench/kernels/layer.h"
#include "tools/bench/kernels/onednn_peer.h"
#include "tools/bench/kernels/ours.h"
#include "tools/bench/kernels/problem.h"
#include "tools/bench/kernels/torch_peer.h"

namespace ns::bench {
namespace {

std::vector<Layer> Layers() {
  std::vector<Layer> layers = {
      Linear(1, 16, 32),
      Linear(5, 24, 40),
      Conv2d(2, 3, 1, 8, 16, 7),
      Conv2d(1, 3, 2, 16, 8, 9),
      Conv2d(1, 1, 2, 16, 32, 6),
      Conv2d(2, 7, 2, 3, 16, 20),
      Conv1d(3, 40, 25, 1, 1, 21),
      Conv2d(1, 3, 1, 32, 32, 6, 32),
      Conv2d(1, 3, 1, 32, 32, 6, 8),
  };
  const size_t count = layers.size();
  for (size_t i = 0; i < count; ++i) {
    layers.push_back(layers[i]);
    layers.back().relu = false;
  }
  return layers;
}

void ExpectAgree(const Problem& problem, const Implementation& ours,
                 const Implementation& peer) {
  ours.run();
  peer.run();
  EXPECT_EQ(
      CompareCodes(ours.output(), peer.output(), OutputBytes(problem.layer)),
      "")
      << problem.layer.name << (problem.layer.relu ? ", relu, " : ", ")
      << peer.name << " " << peer.choice;
}

TEST(PeersTest, AllWaysOfOneDnnAgreeWithOurs) {
  for (const Layer& layer : Layers()) {
    const Problem problem(layer);
    const std::vector<Implementation> ways = OneDnnWays(problem);
    EXPECT_FALSE(ways.empty()) << layer.name;
    for (const Implementation& way : ways) {
      ExpectAgree(problem, Ours(problem), way);
    }
  }
}

TEST(PeersTest, BothEnginesOfLibTorchAgreeWithOurs) {
  for (const Layer& layer : Layers()) {
    const Problem problem(layer);
    for (const at::QEngine engine : {at::kONEDNN, at::kQNNPACK}) {
      ExpectAgree(problem, Ours(problem), TorchLayer(problem, engine, "torch"));
    }
  }
}

TEST(PeersTest, OutputsUseTheRangeOfCodes) {
  for (const Layer& layer : Layers()) {
    const Problem problem(layer);
    const Implementation ours = Ours(problem);
    ours.run();
    int64_t inside = 0;
    for (int64_t i = 0; i < OutputBytes(layer); ++i) {
      const int code = ours.output()[i];
      inside += code > problem.output_zero_point && code < 255 ? 1 : 0;
    }
    EXPECT_GT(inside * 4, OutputBytes(layer)) << layer.name;
  }
}

TEST(ProblemTest, CodesOneStepApartAgree) {
  const uint8_t a[] = {0, 10, 255};
  const uint8_t near[] = {1, 9, 254};
  const uint8_t far[] = {1, 12, 253};
  EXPECT_EQ(CompareCodes(a, near, 3), "");
  EXPECT_EQ(CompareCodes(a, far, 3),
            "2 of 3 codes differ by more than 1, first at 1: 10 and 12");
}

}  // namespace
}  // namespace ns::bench
