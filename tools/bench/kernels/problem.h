// The numbers a layer is timed on: the same for all contenders.
#ifndef TOOLS_BENCH_KERNELS_PROBLEM_H_
#define TOOLS_BENCH_KERNELS_PROBLEM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "passes/kernels/output_pipeline.h"
#include "tools/bench/kernels/layer.h"

namespace ns::bench {

// Random activations and weights, with parameters for which most outputs are
// within 0..255. Weights are symmetric, with a scale for each channel, as
// LibTorch's qconfigs make them.
struct Problem {
  explicit Problem(const Layer& layer);

  Layer layer;
  // Channels-last, dense.
  std::shared_ptr<uint8_t> input;
  // [out][in / groups][depth][height][width]. Within -63..63, so that no sum of
  // two products leaves 16 bits: processors without VNNI give the same answers.
  std::vector<int8_t> weights;
  std::vector<float> weight_scales;
  std::vector<int32_t> weight_zero_points;
  // In real values.
  std::vector<float> bias;
  float activation_scale;
  int32_t activation_zero_point;
  float output_scale;
  int32_t output_zero_point;

  // Of one channel, in real values: the activation's scale times the weight's.
  float SumScale(int64_t channel) const;
  kernels::OutputSpec Output() const;
};

// One implementation of a layer, weights packed. `run` computes the layer once.
struct Implementation {
  // "onednn", "torch onednn". Empty when it cannot do the layer.
  std::string name;
  std::function<void()> run;
  // The output of the last run: OutputBytes(layer) quantized values,
  // channels-last.
  std::function<const uint8_t*()> output;
  // What it says about itself: the kernel it chose.
  std::string choice;
};

// Compares `count` quantized values of `a` and `b`, pair by pair. Empty when no
// pair differs by more than 1; else how many do, and the first of them.
std::string CompareCodes(const uint8_t* a, const uint8_t* b, int64_t count);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_PROBLEM_H_
