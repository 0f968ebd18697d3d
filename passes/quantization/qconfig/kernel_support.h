// Tells which ops a qconfig can be applied to, and how the ops treat it.
#ifndef PASSES_QUANTIZATION_QCONFIG_KERNEL_SUPPORT_H_
#define PASSES_QUANTIZATION_QCONFIG_KERNEL_SUPPORT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// Returns OK when an op of `family` (op_table.h) can run as `qconfig` says:
//  * static activations: the family has int8 ops, or its ops take any dtype;
//    embeddings do not count, since their input is indices;
//  * dynamic activations: the family has dynamic ops;
//  * activations in half precision, and no quantization at all: always;
//  * float activations and quantized weights: the family's ops pack weights;
//  * weights with a scale for each channel: in addition, the family's kernels
//    take them; those of transposed convolutions do not.
//
// Otherwise it returns an invalid-argument error that names `qconfig` and `op`;
// `op` is for this message only.
absl::Status CheckKernel(const QConfig& qconfig, absl::string_view op,
                         absl::string_view family);

// Returns OK when int8 ops take activations of the dtype that `qconfig`, which
// is static, quantizes them to: quint8 or qint8. The error is invalid-argument.
absl::Status CheckActivationDtype(const QConfig& qconfig);

// True for families whose quantized ops hold quantized weights: linear layers,
// convolutions, embeddings and recurrent layers, but not norms.
bool QuantizesWeight(absl::string_view family);

// True for families whose int8 op gives its output the scale and zero point of
// its input (QuantizedRange::Kind::kOfInput): pools, clamps, and others whose
// output stays in the range of the input. A sum does not.
bool KeepsQParams(absl::string_view family);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_KERNEL_SUPPORT_H_
