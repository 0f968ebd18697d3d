// Quantizes module hierarchies, under the names of torch.quantization.
//
// A model is a scripted or traced module with QuantStubs and DeQuantStubs
// (stubs.h) where its quantized part begins and ends. Modules are never
// changed: each function returns a copy, in which every module object has a
// type of its own.
//
//   NS_ASSIGN_OR_RETURN(
//       Module prepared,
//       Prepare(model, {{"", GetDefaultQConfig(Backend::kFbgemm)}}));
//   NS_RETURN_IF_ERROR(DefaultEvalFn(prepared, batches));
//   NS_ASSIGN_OR_RETURN(Module quantized, Convert(prepared));
//   quantized.save("quantized.pt");
#ifndef NS_QUANTIZATION_EAGER_PREPARE_AND_CONVERT_H_
#define NS_QUANTIZATION_EAGER_PREPARE_AND_CONVERT_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/quantization/eager/module_mappings.h"
#include "ns/quantization/eager/module_observers.h"
#include "ns/quantization/eager/module_qconfig.h"

namespace ns {

struct PrepareOptions {
  // Whether the copy shares the tensors of the model: batches that run then
  // change the buffers of both.
  bool inplace = false;
  // Which modules are observed: `allow_list` and observer_non_leaf_module_list,
  // and float_to_observed_custom_module_class.
  AddObserversOptions observers;
  NonTraceable non_traceable;
  // Gets a line for each thing that the user should know; may be null.
  std::vector<std::string>* warnings = nullptr;
};

// Returns a copy of `model` whose modules have their qconfigs and observers:
// calls PropagateQConfig (module_qconfig.h), then AddObservers
// (module_observers.h). The copy computes what `model` does. A process that
// runs, saves or loads it needs libns_ops.so (reference: prepare). Errors:
// those of the two functions, and a model whose code cannot be edited
// (ir/hierarchy/module_editor.h).
absl::StatusOr<torch::jit::Module> Prepare(const torch::jit::Module& model,
                                           const QConfigSpec& qconfigs,
                                           const PrepareOptions& options = {});

struct PrepareQatOptions {
  // From types of modules to types for training.
  ModuleMapping mapping = GetDefaultQatModuleMappings();
  // By a type of `mapping`'s values that is no class of PyTorch's: what makes
  // it.
  std::map<std::string, ModuleFactory> factories;
  // Whether the copy shares the parameters of the model: training then trains
  // both.
  bool inplace = false;
  std::vector<std::string>* warnings = nullptr;
};

// Returns a copy of `model`, which must be in training, to be trained with
// torch::optim (reference: prepare_qat). Modules of the mapping's types become
// modules for training (qat_module.h), which quantize their weights and
// dequantize them; all modules that have a qconfig get the observer or fake
// quantization of their output. Fuse chains of modules first, with
// FuseModulesOptions::qat. Switches for the phases of training are in
// qat_switches.h; Convert quantizes the trained model. Error: as Prepare, and a
// model in evaluation.
absl::StatusOr<torch::jit::Module> PrepareQat(
    const torch::jit::Module& model, const QConfigSpec& qconfigs,
    const PrepareQatOptions& options = {});

struct ConvertOptions {
  // From types of modules to types of quantized ones.
  ModuleMapping mapping = GetDefaultStaticQuantModuleMappings();
  // By a type of `mapping`'s values that is no class of PyTorch's: what makes
  // it (a user's `from_float`).
  std::map<std::string, ModuleFactory> factories;
  // By the type of an observed module of the user's own, what makes the
  // quantized one (observed_to_quantized_custom_module_class).
  std::map<std::string, ModuleFactory> custom_modules;
  // Whether qconfigs and observers that are left are removed, and the parts of
  // LSTMs and MultiheadAttentions become PyTorch's quantized layers.
  bool remove_qconfig = true;
  // Whether the copy shares the tensors of the modules that stay in float.
  bool inplace = false;
  std::vector<std::string>* warnings = nullptr;
};

// Returns the quantized module that takes the place of `module`
// (quantized_module.h). Returns `module` itself when it has no qconfig, or when
// its type is in neither `custom_modules` nor `mapping` (reference:
// swap_module). Error: a module that cannot be quantized, or that of a factory.
absl::StatusOr<torch::jit::Module> SwapModule(
    const torch::jit::Module& module, const ConvertOptions& options = {});

// Returns a copy of a prepared model in which SwapModule has replaced every
// module below the root (reference: convert). Modules inside a replaced or
// fused one are not looked at. A module of which other code reads a tensor
// (outside_reads.h) stays in float. Without custom modules, the copy needs
// LibTorch's ops only. Error, naming the path: a module that cannot be
// quantized.
absl::StatusOr<torch::jit::Module> Convert(const torch::jit::Module& prepared,
                                           const ConvertOptions& options = {});

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_PREPARE_AND_CONVERT_H_
