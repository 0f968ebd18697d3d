// The class FbgemmEmbedding and its operators, which fbgemm_embedding.h lists,
// for TorchScript.
#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include "passes/runtime/fbgemm_ops/fbgemm_embedding.h"

namespace ns {
namespace {

using Self = c10::intrusive_ptr<FbgemmEmbedding>;

at::Tensor Embedding(const Self& table, const at::Tensor& indices) {
  return table->Embedding(indices);
}

at::Tensor EmbeddingBag(const Self& table, const at::Tensor& indices,
                        const c10::optional<at::Tensor>& offsets,
                        const c10::optional<at::Tensor>& per_sample_weights,
                        bool include_last_offset) {
  return table->Bag({indices, offsets.value_or(at::Tensor()),
                     per_sample_weights.value_or(at::Tensor()),
                     include_last_offset});
}

const auto kClass =
    torch::class_<FbgemmEmbedding>("ns", "FbgemmEmbedding")
        .def("weight", [](const Self& self) { return self->weight(); })
        .def_pickle([](const Self& self) { return self->weight(); },
                    [](const at::Tensor& weight) {
                      return c10::make_intrusive<FbgemmEmbedding>(weight);
                    });

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fbgemm_embedding(__torch__.torch.classes.ns.FbgemmEmbedding table, "
      "Tensor indices) -> Tensor",
      Embedding);
  library.def(
      "fbgemm_embedding_bag(__torch__.torch.classes.ns.FbgemmEmbedding table, "
      "Tensor indices, Tensor? offsets, Tensor? per_sample_weights, "
      "bool include_last_offset) -> Tensor",
      EmbeddingBag);
}

}  // namespace
}  // namespace ns
