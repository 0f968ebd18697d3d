// Convolutions of all kinds, for tests.
#ifndef TESTS_PASSES_KERNELS_CONV_RANDOM_CONV_H_
#define TESTS_PASSES_KERNELS_CONV_RANDOM_CONV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/saturation_mode.h"
#include "tests/passes/kernels/exact_bytes.h"

namespace ns::kernels {

// All that a call of Conv depends on.
struct ConvCase {
  ConvShape shape;
  int64_t batch = 1;
  Dims size = {1, 1, 1};
  SaturationMode mode = SaturationMode::kExact;
  std::vector<int8_t> weights;
  ExactBytes input{0, 0};
  // Of `spec`, which points here.
  std::vector<float> weight_scales;
  std::vector<int32_t> weight_zero_points;
  std::vector<float> bias;
  std::vector<int32_t> quantized_bias;
  OutputSpec spec;
  // By how many bytes the outputs are moved in memory, to test alignments.
  int64_t out_offset = 0;

  int64_t Outputs() const;
  OutputPlan Plan() const;
  std::string Describe() const;
};

// Of 1 to 3 dimensions, strided, dilated, padded, grouped, transposed, with
// long kernels of few channels, inputs smaller than the kernel and empty
// batches; the same for the same seed.
std::unique_ptr<ConvCase> RandomConv(uint64_t seed);

// The outputs of the reference.
ExactBytes ReferenceOutputs(const ConvCase& conv);

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_CONV_RANDOM_CONV_H_
