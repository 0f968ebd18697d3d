// Quantizes layers that need no calibration: dynamic and weight-only ones.
#ifndef PASSES_QUANTIZATION_DYNAMIC_QUANTIZE_DYNAMIC_H_
#define PASSES_QUANTIZATION_DYNAMIC_QUANTIZE_DYNAMIC_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Replaces the layers of a frozen graph for which `mapping` chooses a qconfig
// without observed activations (reference: torch.ao.quantization
// .quantize_dynamic, whose outputs it gives to the bit where no batch norm is
// folded):
//
//   %y = aten::linear(%x, %weight, %bias)
//   %r = aten::relu(%y)
// becomes
//   %r = quantized::linear_relu_dynamic(%x, %packed, %reduce_range)
//
// What becomes of a layer follows from its qconfig (ModeOf in qconfig.h):
//
//   activation  weight
//   dynamic     integers  linear          quantized::linear_dynamic,
//                                         linear_relu_dynamic
//                         lstm, gru       aten::quantized_lstm, quantized_gru
//                         lstm, gru, rnn quantized::quantized_lstm_cell_dynamic
//                         cells           and the like
//   float       integers  embedding       quantized::embedding_byte, _4bit
//                         embedding_bag   quantized::embedding_bag_byte, _4bit
//                         others          float ops, of weights that are
//                                         quantized and dequantized
//   any but     half      all but norms   float ops, of weights that are
//   static                                rounded to half precision and back
//
// Dynamic ops quantize their input to quint8 by the range of each tensor, to 7
// bits where `reduce_range` is set, as PyTorch does everywhere; cells always do
// so. No engine of LibTorch here multiplies in half precision, and
// activations stay in float with it. A mean of embeddings and a padding row are
// sums with weights (passes/rewrite/bag_weights.h); PyTorch 1.13 makes plain
// sums of them. Where weights are rounded (rounded_weights.h), or a linear is
// quantized dynamically, a batch norm behind the layer is folded into it first;
// the output of a linear is taken to have two dimensions.
//
// Calls of one layer share a packed object, but for calls with and without a
// relu: LibTorch's onednn would compute the relu for both or for none.
//
// Layers with a static qconfig are left to insert-observers. A layer stays in
// float, with a remark, when its qconfig has no op for it (a dynamic
// convolution, an embedding without float zero points), its parameters are not
// constant, it has a proj_size, or its call asks for what the kernel cannot do
// (the maximum of a bag; ranks that the graph tells and the kernel refuses). A
// recurrent layer without biases gets some of zeros.
//
// LibTorch's kernels fail when the model runs, as they do in PyTorch, for
// values that are not finite, where a linear gets a vector, and where an
// embedding gets indices of another rank than 1 and 2, which often only a run
// tells (Options::refused). An embedding without any index crashes them.
//
// Error: a mapping that is not valid.
class QuantizeDynamic final : public Pass {
 public:
  struct Options {
    QConfigMapping mapping;
    // Layers that stay in float (keep_list.h).
    std::vector<std::string> keep = {};
    // Whether activations get 7 bits where the qconfig says nothing of it, too
    // (ObserverConfig::reduce_range).
    bool reduce_range = true;
    // Further layers that stay in float, unless only their weights are rounded:
    // FloatSubgraph::name, and why, as their op would fail when it runs.
    std::map<std::string, std::string> refused = {};
    // Where not null, gets an entry for each layer that was replaced, or that
    // was to be and stayed in float.
    QuantizationReport* report = nullptr;
  };
  explicit QuantizeDynamic(Options options) : options_(std::move(options)) {}

  absl::string_view name() const override { return "quantize-dynamic"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

 private:
  Options options_;
};

// Returns the mapping of PyTorch's quantize_dynamic, for both of its integer
// dtypes at once: DefaultDynamicQConfig for linear layers, LSTMs, GRUs and
// cells, FloatQParamsWeightOnlyQConfig for embeddings and bags of them.
QConfigMapping DefaultDynamicMapping();

}  // namespace ns

#endif  // PASSES_QUANTIZATION_DYNAMIC_QUANTIZE_DYNAMIC_H_
