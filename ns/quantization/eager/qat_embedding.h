// Makes the embeddings of quantization-aware training. They look rows up in the
// fake quantized weight.
#ifndef NS_QUANTIZATION_EAGER_QAT_EMBEDDING_H_
#define NS_QUANTIZATION_EAGER_QAT_EMBEDDING_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// Whether `type` names torch.ao.nn.qat.Embedding or EmbeddingBag, in full or by
// its last part.
bool IsQatEmbeddingType(absl::string_view type);

// Returns a module of the class `type` (IsQatEmbeddingType) that takes the
// place of `module`, an Embedding or EmbeddingBag, while the model is trained.
// Its parameter `weight` is the tensor of `module`, not a copy. Its code is
// that of `module`, but each aten::embedding and aten::embedding_bag looks up
// in what `weight_fake_quant` makes of `weight`. This attribute is the fake
// quantization that qconfig.weight describes. The code must look up in no other
// table than `weight`.
//
// Errors: a module without a tensor `weight`, or whose code looks up in no
// table, or in one that is another tensor or is not constant; a qconfig.weight
// of another scheme than per_channel_affine_float_qparams, which quantized
// tables have.
absl::StatusOr<torch::jit::Module> MakeQatEmbedding(
    const torch::jit::Module& module, absl::string_view type,
    const QConfig& qconfig);

// Returns a copy of `trained`, a module that MakeQatEmbedding has made, without
// the fake quantization: it looks up in `weight` as it is, and shares that
// tensor. Its class keeps its name. Error: a module without
// `weight_fake_quant`.
absl::StatusOr<torch::jit::Module> FloatEmbedding(
    const torch::jit::Module& trained);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QAT_EMBEDDING_H_
