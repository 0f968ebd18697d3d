// Makes the modules of quantization-aware training: layers that compute with
// weights as quantizing will leave them.
#ifndef NS_QUANTIZATION_EAGER_QAT_MODULE_H_
#define NS_QUANTIZATION_EAGER_QAT_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer.h"

namespace ns {

// Whether `type` is one of PyTorch's classes for training: a value of
// GetEmbeddingQatModuleMappings (module_mappings.h), or a dynamic linear layer.
bool IsQatType(absl::string_view type);

// Returns a module of the class `type`, one that IsQatType accepts, that takes
// the place of `module`, a float layer, or a fused one (fuse_modules.h), while
// the model is trained (reference: the methods from_float of torch.ao.nn.qat).
// It shares the parameters of `module`, as `weight` and `bias`, and its batch
// norm. It does not observe activations: AddObservers (module_observers.h) lets
// it do that. It computes, with f for the fake quantization that `qconfig` has
// for the weight,
//
//   Conv, Linear          layer(x, f(weight), bias)
//   ConvReLU, LinearReLU  relu(layer(x, f(weight), bias))
//   ConvBn, LinearBn1d    norm(layer(x, f(weight * s), 0) / s + bias)
//   ConvBnReLU            the same, and then relu
//   Embedding(Bag)        the layer, with f(weight) as its table
//
// where `norm` is the batch norm of the fused module, its child `bn`, and
// s = gamma / sqrt(running_var + eps) for each output channel, the scale that
// folding the norm will give to the weight; nothing is divided by an s of 0.
// With its attribute `freeze_bn`, the norm uses and keeps the statistics that
// it has, also in training.
//
// Error: another type; a module without such a layer, or without the batch
// norm; an observer that cannot be made; for an embedding, an observer of the
// weight whose scheme is not per_channel_affine_float_qparams; for a dynamic
// layer, an observer of activations that does not keep the newest batch alone
// (IsMemoryless of module_observers.h).
absl::StatusOr<torch::jit::Module> MakeQatModule(
    const torch::jit::Module& module, absl::string_view type,
    const QConfig& qconfig);

// What a module for training has become.
struct TrainedLayer {
  // A float module of the layer and its ReLU. Its batch norm is folded into it.
  // It has the observer of the output as its attribute kObserverAttribute
  // (module_observers.h), but does not call it.
  torch::jit::Module module;
  // The observer that the weight had in training, not a copy: its scales and
  // zero points quantize the weight. TrainedLayerOf shows it the folded weight
  // when it has seen nothing yet and, as PyTorch does, always in compat mode.
  // Null for embeddings, whose observers keep nothing: they are observed anew.
  ObserverPtr weight;
};

// Whether `module` is a module for training (MakeQatModule).
bool IsQatModule(const torch::jit::Module& module);

// Makes the float layer of `module`, for which IsQatModule must be true. Error:
// statistics that cannot be folded, a weight that nothing observes.
absl::StatusOr<TrainedLayer> TrainedLayerOf(const torch::jit::Module& module);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QAT_MODULE_H_
