// Fuses chains of modules, such as a convolution, its batch norm and a ReLU, to
// one module each.
#ifndef NS_QUANTIZATION_EAGER_FUSE_MODULES_H_
#define NS_QUANTIZATION_EAGER_FUSE_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ns {

// Modules that are called one after the other.
using ModuleChain = std::vector<torch::jit::Module>;

// Returns as many modules as it is given, which take their places.
using FuserFunc =
    std::function<absl::StatusOr<ModuleChain>(const ModuleChain& chain)>;

// Returns the one module that takes the place of a chain.
using FuserMethod =
    std::function<absl::StatusOr<torch::jit::Module>(const ModuleChain& chain)>;

struct FuseModulesOptions {
  // Whether the copy shares the tensors of the model that are not changed.
  bool inplace = false;
  // Whether the model is to be trained (fuse_modules_qat): batch norms stay,
  // as parts of modules such as ConvBnReLU2d.
  bool qat = false;
  // Is called instead of FuseKnownModules, where it is not null.
  FuserFunc fuser_func;
  // Methods of FuseKnownModules by the types of the chain, which come before
  // those that it has itself (additional_fuser_method_mapping). They check
  // training or evaluation themselves.
  std::vector<std::pair<std::vector<std::string>, FuserMethod>> fuser_methods;
};

// Fuses one chain (reference: fuse_known_modules): the first module becomes the
// fused one, the others Identity. For evaluation,
//
//   Conv, BatchNorm           Conv, into which the norm is folded
//   Conv, BatchNorm, ReLU     ConvReLU: parts "0" and "1"
//   Conv, ReLU                ConvReLU
//   Linear, BatchNorm1d       Linear
//   Linear, (norm,) ReLU      LinearReLU
//   BatchNorm2d, 3d, ReLU     BNReLU
//   ConvTranspose, BatchNorm  ConvTranspose; a ReLU behind it stays
//
// each for 1, 2 and 3 dimensions. For training, norms stay unfolded: ConvBn,
// ConvBnReLU, LinearBn1d; ConvTranspose, and Linear with a norm and a ReLU,
// cannot be fused. Error: another chain; modules in training for evaluation,
// and the reverse; for training, also a norm that has no parameters or
// statistics of its own, or another number of channels than the layer.
absl::StatusOr<ModuleChain> FuseKnownModules(const ModuleChain& chain,
                                             const FuseModulesOptions& options);

// Returns a copy of `model` in which each chain of `paths` is fused; no path
// may be the root, "". Error, naming the paths: no such module, one that comes
// twice in `paths`, a forward hook that runs between the modules of a chain, or
// what FuseKnownModules refuses.
absl::StatusOr<torch::jit::Module> FuseModules(
    const torch::jit::Module& model,
    const std::vector<std::vector<std::string>>& paths,
    const FuseModulesOptions& options = {});

// Returns the chains of `model` that FuseKnownModules can fuse, for evaluation
// or for training, without changing what it computes: in every call, in loops
// too, each module gives its output to the next one alone; no other calls of
// the modules, and no forward hooks between them. Whether the modules are in
// training is not looked at.
absl::StatusOr<std::vector<std::vector<std::string>>> FindFusableModules(
    const torch::jit::Module& model, bool qat = false);

// FuseModules of all chains that FindFusableModules finds.
absl::StatusOr<torch::jit::Module> FuseFoundModules(
    const torch::jit::Module& model, const FuseModulesOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_FUSE_MODULES_H_
