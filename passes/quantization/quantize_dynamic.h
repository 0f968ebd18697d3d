// Quantizes layers that need no calibration: dynamic and weight-only ones.
#ifndef PASSES_QUANTIZATION_QUANTIZE_DYNAMIC_H_
#define PASSES_QUANTIZATION_QUANTIZE_DYNAMIC_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/pass.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

// Replaces the layers for which `mapping` chooses a qconfig without observed
// activations, by the ops that PyTorch's quantize_dynamic makes of them:
//
//   %y = aten::linear(%x, %weight, %bias)
//   %r = aten::relu(%y)
// becomes
//   %r = quantized::linear_relu_dynamic(%x, %packed, %reduce_range)
//
//   linear          quantized::linear_dynamic, linear_relu_dynamic
//   lstm, gru       aten::quantized_lstm, aten::quantized_gru
//   *_cell          quantized::quantized_lstm_cell_dynamic, ...
//   embedding       quantized::embedding_byte, embedding_4bit
//   embedding_bag   quantized::embedding_bag_byte, embedding_bag_4bit
//
// A qconfig of half precision (Float16DynamicQConfig) rounds the weights to
// half precision and computes in float: no engine here runs it. A qconfig of
// float activations and an integer weight (weight only) packs embeddings, and
// gives other layers the weights that they have after quantization.
// Activations of dynamic linears take 7 bits where `reduce_range` is set, as
// PyTorch does on fbgemm.
//
// Static qconfigs are left to insert-observers. A layer whose weight is not
// constant, that lacks a bias where the op wants one, or has proj_size, stays
// in float, with a remark.
class QuantizeDynamic final : public Pass {
 public:
  struct Options {
    QConfigMapping mapping;
    bool reduce_range = true;
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

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QUANTIZE_DYNAMIC_H_
