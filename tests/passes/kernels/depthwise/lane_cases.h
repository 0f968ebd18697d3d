// Makes convolutions to test the kernels of depthwise and grouped convolutions
// with (passes/kernels/depthwise/lane_conv.h), and compares their outputs.
#ifndef TESTS_PASSES_KERNELS_DEPTHWISE_LANE_CASES_H_
#define TESTS_PASSES_KERNELS_DEPTHWISE_LANE_CASES_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"
#include "tests/passes/kernels/exact_bytes.h"

namespace ns::kernels {

struct LaneCase {
  ConvShape shape;
  int64_t batch = 1;
  Dims size = {1, 1, 1};  // of an input image
  SaturationMode mode = SaturationMode::kExact;
  OutputType type = OutputType::kU8;
  int32_t activation_zero_point = 0;
  int32_t largest_activation = 255;
  bool has_weight_zero_points = false;
  bool one_scale = false;
  bool quantized_bias = false;
  bool odd_floats = false;  // scales that overflow, biases that are not finite

  std::string Describe() const;
};

// Returns a 2d convolution of images of `size` x `size`, with `channels` inputs
// and outputs, a kernel of `kernel` x `kernel` and padding (kernel - 1) / 2.
LaneCase SquareCase(int64_t channels, int64_t groups, int64_t kernel,
                    int64_t stride, int64_t size);

// Returns a 2d or 3d convolution of random sizes and options, with `groups`
// groups of `channels_of_group` inputs and outputs each.
LaneCase RandomCase(int64_t groups, int64_t channels_of_group,
                    std::mt19937& random);

// What a convolution is called with. `out` has the bytes of the outputs, whose
// type is that of the case.
struct LaneRun {
  const LaneCase& lane_case;
  const int8_t* weights;
  const uint8_t* input;
  const OutputPlan& plan;
  void* out;
};
using LaneFunction = std::function<void(const LaneRun& run)>;

// Expects that `function` gives the bits of `reference` in all instruction
// sets of this machine, for random weights and inputs. A nan equals any other.
void ExpectSameOutputs(const LaneCase& lane_case, const LaneFunction& function,
                       const LaneFunction& reference, std::mt19937& random);

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_DEPTHWISE_LANE_CASES_H_
