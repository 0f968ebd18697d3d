// Makes the embeddings of quantization-aware training, which look their values
// up in a table that is rounded as quantizing will round it.
#ifndef NS_QUANTIZATION_EAGER_QAT_EMBEDDING_H_
#define NS_QUANTIZATION_EAGER_QAT_EMBEDDING_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig.h"

namespace ns {

// Whether `type` is torch.ao.nn.qat.Embedding or EmbeddingBag.
bool IsQatEmbeddingType(absl::string_view type);

// Returns a module of the class `type` that takes the place of `module`, an
// Embedding or EmbeddingBag, while the model is trained: its code is that of
// `module`, with the fake quantization that `qconfig` has for the weight, the
// attribute `weight_fake_quant`, behind every use of `weight`, which is the
// same tensor. Error: code that does not look up one table, and a qconfig whose
// weights are not of the scheme per_channel_affine_float_qparams, which
// quantized tables have.
absl::StatusOr<torch::jit::Module> MakeQatEmbedding(
    const torch::jit::Module& module, absl::string_view type,
    const QConfig& qconfig);

// Returns the float module that `trained`, which MakeQatEmbedding has made, is
// without its fake quantization.
absl::StatusOr<torch::jit::Module> FloatEmbedding(
    const torch::jit::Module& trained);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QAT_EMBEDDING_H_
