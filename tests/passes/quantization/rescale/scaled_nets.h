// Small float models whose channels have given ranges, for tests of passes that
// scale them.
#ifndef TESTS_PASSES_QUANTIZATION_RESCALE_SCALED_NETS_H_
#define TESTS_PASSES_QUANTIZATION_RESCALE_SCALED_NETS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "tests/testing/modules.h"

namespace ns {

// A frozen model whose forward(self, x: Tensor) has `body` as its lines, with
// these tensors as self.<name>.
ModelGraph NetOf(const std::vector<std::string>& body,
                 const Attributes& attributes);

// `count` factors from 1 to 2^octaves, evenly apart as logarithms, in an order
// that follows from `seed`.
at::Tensor SpreadFactors(int64_t count, double octaves, uint64_t seed);

// `tensor` with slice c of dimension `dim` multiplied by factors[c].
at::Tensor ScaledAlong(const at::Tensor& tensor, int64_t dim,
                       const at::Tensor& factors);

// Normal values; the same for the same seed.
at::Tensor Normal(at::IntArrayRef sizes, uint64_t seed);

// The output of a copy of `model`.
at::Tensor OutputOf(const ModelGraph& model, const at::Tensor& x);

// Fails the test unless both models compute the same on `x`, up to rounding.
void ExpectSameOutputs(const ModelGraph& before, const ModelGraph& after,
                       const at::Tensor& x);

// The SQNR in dB of the output that `model` has on `x` once it is quantized by
// `mapping`, calibrated on `x`, against that of the model itself.
double SqnrQuantized(const ModelGraph& model, const QConfigMapping& mapping,
                     const at::Tensor& x);

// The argument `name` of call number `index` of `op`, a constant tensor.
at::Tensor ConstantOfCall(const ModelGraph& model, const std::string& op,
                          size_t index, const std::string& name);

}  // namespace ns

#endif  // TESTS_PASSES_QUANTIZATION_RESCALE_SCALED_NETS_H_
