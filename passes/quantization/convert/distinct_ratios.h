// Keeps the quantized layers of a model apart for LibTorch 1's oneDNN.
#ifndef PASSES_QUANTIZATION_CONVERT_DISTINCT_RATIOS_H_
#define PASSES_QUANTIZATION_CONVERT_DISTINCT_RATIOS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "passes/runtime/observers/values/qparams.h"

namespace ns {

// A linear layer or convolution that runs in int8.
struct RatioLayer {
  // The quantized weight.
  at::Tensor weight;
  // Keys of the qparams of the input and of the output.
  int64_t input = 0;
  int64_t output = 0;
};

// LibTorch 1.13's oneDNN takes a layer for another one of the same shapes when
// their ratios
//
//   scale of the input * scales of the weight / scale of the output
//
// are the same floats, although their zero points differ, and computes wrongly
// (passes/runtime/onednn_faults.h). Changes scales in `qparams`, by a few units
// in the last place of a float, until no two layers with weights of the same
// shape have the same ratios and other zero points. The scale of the later
// layer's output is changed where that helps, and else that of its input;
// qparams with a key in `fixed` stay. Returns whether it changed any.
bool MakeRatiosDistinct(const std::vector<RatioLayer>& layers,
                        const std::vector<int64_t>& fixed,
                        std::map<int64_t, QParams>& qparams);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_DISTINCT_RATIOS_H_
