// Small float models that are quantized, for tests of quantize_model.h.
#ifndef TESTS_NS_QUANTIZATION_QUANTIZING_H_
#define TESTS_NS_QUANTIZATION_QUANTIZING_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "ns/quantization/model/quantize_model.h"

namespace ns {

// One batch for each tensor.
std::vector<Batch> BatchesOf(const std::vector<at::Tensor>& tensors);

// QuantizeModel(FloatModel(body), ...). Throws what it returns as an error.
QuantizedModel Quantize(const std::vector<std::string>& body,
                        const std::vector<at::Tensor>& batches,
                        const QuantizeOptions& options = {});

// Options whose mapping has `qconfig` for all.
QuantizeOptions Everywhere(const QConfig& qconfig);

// "add: it multiplies its second operand".
std::vector<std::string> StayedFloat(const QuantizedModel& quantized);

// What `model` returns, a tensor.
at::Tensor Output(ModelGraph& model, const at::Tensor& x);

// Fails the test when `model` has an op or an object of this library, so that a
// process without libns_ops.so cannot load it.
void ExpectNeedsLibTorchOnly(const ModelGraph& model);

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_QUANTIZING_H_
