// Which ops a qconfig can be applied to, and how the ops treat it.
#ifndef PASSES_QUANTIZATION_KERNEL_SUPPORT_H_
#define PASSES_QUANTIZATION_KERNEL_SUPPORT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig.h"

namespace ns {

// OK when an op of `family` (op_table.h) can run as `qconfig` says:
//  * static activations: the family has int8 ops, or its ops take any dtype;
//  * dynamic activations: the family has dynamic ops;
//  * half precision, or nothing: always;
//  * float activations and quantized weights: the family's ops pack weights;
//  * per channel: its kernels take such weights, as those of transposed
//    convolutions do not.
//
// Otherwise an invalid-argument error that names the candidate and `op`.
absl::Status CheckKernel(const QConfig& qconfig, absl::string_view op,
                         absl::string_view family);

// True for families of which quantized ops hold quantized weights: linear,
// convolutions, embeddings and recurrent layers, and not norms.
bool QuantizesWeight(absl::string_view family);

// True for families whose int8 op gives its output the scale and zero point of
// its input (QuantizedRange::Kind::kOfInput): pools, clamps, and what else
// stays within the range of its input, as a sum does not.
bool KeepsQParams(absl::string_view family);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_KERNEL_SUPPORT_H_
