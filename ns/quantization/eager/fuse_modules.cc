#include "ns/quantization/eager/fuse_modules.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/make_module.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/called_chains.h"
#include "ns/quantization/eager/fold_module_norm.h"
#include "ns/quantization/eager/stubs.h"

namespace ns {
namespace {

using ::torch::jit::Module;

enum class Part { kConv, kConvTranspose, kLinear, kNorm, kRelu };

struct TypedPart {
  Part part;
  // "1d", "2d" or "3d"; empty where there is no such.
  std::string dimensions;
};

// What a module of this type may be in a chain; absent for other types.
std::optional<TypedPart> PartOf(absl::string_view type) {
  if (IsTypeNamed(type, "torch.nn.modules.linear.Linear")) {
    return TypedPart{Part::kLinear, ""};
  }
  if (IsTypeNamed(type, "torch.nn.modules.activation.ReLU")) {
    return TypedPart{Part::kRelu, ""};
  }
  for (const char* dimensions : {"1d", "2d", "3d"}) {
    const auto is = [&](absl::string_view name) {
      return IsTypeNamed(type,
                         absl::StrCat("torch.nn.modules.", name, dimensions));
    };
    if (is("conv.Conv")) {
      return TypedPart{Part::kConv, dimensions};
    }
    if (is("conv.ConvTranspose")) {
      return TypedPart{Part::kConvTranspose, dimensions};
    }
    if (is("batchnorm.BatchNorm")) {
      return TypedPart{Part::kNorm, dimensions};
    }
  }
  return std::nullopt;
}

// What becomes of a chain.
struct Fusion {
  bool has_norm = false;  // behind a layer
  bool has_relu = false;
  // The class whose parts are the modules; empty when only a norm is folded.
  std::string fused;
};

// Absent for a chain that cannot be fused.
std::optional<Fusion> FusionOf(const std::vector<std::string>& types,
                               bool qat) {
  std::vector<TypedPart> parts;
  for (const std::string& type : types) {
    const std::optional<TypedPart> part = PartOf(type);
    if (!part) {
      return std::nullopt;
    }
    parts.push_back(*part);
  }
  if (parts.size() < 2 || parts.front().part == Part::kRelu) {
    return std::nullopt;
  }
  const TypedPart& first = parts.front();
  const std::string norm_dimensions =
      first.part == Part::kLinear ? "1d" : first.dimensions;
  Fusion fusion;
  size_t next = 1;
  if (first.part != Part::kNorm && parts[next].part == Part::kNorm &&
      parts[next].dimensions == norm_dimensions) {
    fusion.has_norm = true;
    ++next;
  }
  if (next < parts.size() && parts[next].part == Part::kRelu) {
    fusion.has_relu = true;
    ++next;
  }
  if (next != parts.size()) {
    return std::nullopt;
  }
  const absl::string_view relu = fusion.has_relu ? "ReLU" : "";
  const absl::string_view norm = fusion.has_norm && qat ? "Bn" : "";
  switch (first.part) {
    case Part::kConv:
      if (fusion.has_relu || qat) {
        fusion.fused = absl::StrCat("Conv", norm, relu, first.dimensions);
      }
      return fusion;
    case Part::kLinear:
      if (qat && fusion.has_norm && fusion.has_relu) {
        return std::nullopt;
      }
      if (qat && fusion.has_norm) {
        fusion.fused = "LinearBn1d";
      } else if (fusion.has_relu) {
        fusion.fused = "LinearReLU";
      }
      return fusion;
    case Part::kConvTranspose:
      return fusion.has_norm && !qat ? std::make_optional(fusion)
                                     : std::nullopt;
    case Part::kNorm:
      fusion.fused = absl::StrCat("BNReLU", first.dimensions);
      return fusion.has_relu && first.dimensions != "1d"
                 ? std::make_optional(fusion)
                 : std::nullopt;
    case Part::kRelu:
      break;
  }
  return std::nullopt;
}

std::vector<std::string> TypesOf(const ModuleChain& chain) {
  std::vector<std::string> types;
  for (const Module& module : chain) {
    types.push_back(TypeNameOf(module));
  }
  return types;
}

// A module that runs `parts`, which are its children "0", "1", ...
absl::StatusOr<Module> FusedModule(const std::string& name,
                                   const ModuleChain& parts) {
  Module fused =
      NewModule(absl::StrCat("torch.ao.nn.intrinsic.modules.fused.", name));
  std::string script = "def forward(self, input: Tensor) -> Tensor:\n";
  for (size_t i = 0; i < parts.size(); ++i) {
    fused.register_module(absl::StrCat(i), parts[i]);
    absl::StrAppend(&script, "    input = getattr(self, \"", i,
                    "\").forward(input)\n");
  }
  NS_RETURN_IF_ERROR(DefineMethods(fused, script + "    return input\n"));
  fused.train(parts.front().is_training());
  return fused;
}

absl::Status CheckTraining(const ModuleChain& chain, bool qat) {
  for (const Module& module : chain) {
    if (module.is_training() != qat) {
      return absl::InvalidArgumentError(
          qat ? "to fuse for training, all modules must be in training; call "
                "train() first"
              : "to fuse for evaluation, all modules must be in evaluation; "
                "call eval() first, or fuse for training");
    }
  }
  return absl::OkStatus();
}

// Hooks before the first module and behind the last one run as before; between
// modules, they would see values that are not theirs.
absl::Status CheckHooks(const ModuleChain& chain) {
  for (size_t i = 0; i < chain.size(); ++i) {
    const c10::ClassType& type = *chain[i].type();
    if ((i > 0 && !type.getForwardPreHooks().empty()) ||
        (i + 1 < chain.size() && !type.getForwardHooks().empty())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a hook of its ", TypeNameOf(chain[i]),
          " runs between modules that would become one; script the model "
          "without it, or do not fuse these"));
    }
  }
  return absl::OkStatus();
}

// A norm that is trained with its layer.
absl::Status CheckTrainedNorm(const Module& layer, const Module& norm,
                              bool is_transposed) {
  for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
    if (!norm.hasattr(name) || !norm.attr(name).isTensor()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the batch norm has no ", name,
                       "; make it with affine and track_running_stats"));
    }
  }
  const at::Tensor weight = layer.attr("weight").toTensor();
  const int64_t channels = weight.size(is_transposed ? 1 : 0);
  const int64_t features = norm.attr("running_mean").toTensor().numel();
  return channels == features
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   absl::StrCat("the layer has ", channels,
                                " output channels, and the norm ", features));
}

// The module that takes the place of the first one, and whether it includes the
// ReLU.
absl::StatusOr<Module> Fuse(const ModuleChain& chain, const Fusion& fusion,
                            bool qat) {
  if (qat) {
    if (fusion.has_norm) {
      NS_RETURN_IF_ERROR(
          CheckTrainedNorm(chain[0], chain[1], /*is_transposed=*/false));
    }
    return FusedModule(fusion.fused, chain);
  }
  Module first = chain.front();
  if (fusion.has_norm) {
    NS_ASSIGN_OR_RETURN(first, FoldModuleNorm(chain[0], chain[1]));
  }
  if (fusion.fused.empty()) {
    return first;
  }
  return FusedModule(fusion.fused, {first, chain.back()});
}

// `fused` and as many Identities as make it as long as `chain`.
ModuleChain Padded(const Module& fused, const ModuleChain& chain) {
  ModuleChain padded = {fused};
  while (padded.size() < chain.size()) {
    Module identity = Identity();
    identity.train(chain.front().is_training());
    padded.push_back(identity);
  }
  return padded;
}

bool AreNamed(const std::vector<std::string>& types,
              const std::vector<std::string>& names) {
  return absl::c_equal(types, names,
                       [](const std::string& type, const std::string& name) {
                         return IsTypeNamed(type, name);
                       });
}

// Whether the modules at `paths`, which are of these types, can become one.
bool CanFuse(const std::vector<std::string>& paths,
             const std::vector<std::string>& types,
             const std::map<std::string, Module>& modules, bool qat) {
  const std::optional<Fusion> fusion = FusionOf(types, qat);
  ModuleChain chain;
  for (const std::string& path : paths) {
    const auto found = modules.find(path);
    if (found == modules.end()) {
      return false;
    }
    chain.push_back(found->second);
  }
  if (!fusion || !CheckHooks(chain).ok()) {
    return false;
  }
  return !qat || !fusion->has_norm ||
         CheckTrainedNorm(chain[0], chain[1], /*is_transposed=*/false).ok();
}

}  // namespace

absl::StatusOr<ModuleChain> FuseKnownModules(
    const ModuleChain& chain, const FuseModulesOptions& options) {
  const std::vector<std::string> types = TypesOf(chain);
  for (const auto& [names, method] : options.fuser_methods) {
    if (AreNamed(types, names)) {
      NS_ASSIGN_OR_RETURN(const Module fused, method(chain));
      return Padded(fused, chain);
    }
  }
  const std::optional<Fusion> fusion = FusionOf(types, options.qat);
  if (!fusion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "modules of types ", absl::StrJoin(types, ", "),
        " cannot be fused; give chains of a convolution or linear layer, a "
        "batch norm and a ReLU, or a fuser method for these types"));
  }
  NS_RETURN_IF_ERROR(CheckTraining(chain, options.qat));
  NS_ASSIGN_OR_RETURN(const Module fused, Fuse(chain, *fusion, options.qat));
  ModuleChain padded = Padded(fused, chain);
  if (fusion->has_relu && fusion->fused.empty()) {
    padded.back() = chain.back();
  }
  return padded;
}

absl::StatusOr<Module> FuseModules(
    const Module& model, const std::vector<std::vector<std::string>>& paths,
    const FuseModulesOptions& options) {
  NS_ASSIGN_OR_RETURN(
      ModuleEditor editor,
      ModuleEditor::Copy(model, options.inplace
                                    ? ModuleEditor::Tensors::kShared
                                    : ModuleEditor::Tensors::kCopied));
  std::map<std::string, c10::IValue> replacements;
  std::set<const c10::ivalue::Object*> taken;
  for (const std::vector<std::string>& chain_paths : paths) {
    const std::string name =
        absl::StrCat("[", absl::StrJoin(chain_paths, ", "), "]");
    ModuleChain chain;
    for (const std::string& path : chain_paths) {
      NS_ASSIGN_OR_RETURN(const Module module, editor.At(path));
      if (!taken.insert(module._ivalue().get()).second) {
        return absl::InvalidArgumentError(absl::StrCat(
            "module '", path,
            "' is to be fused twice, or has another path, too; name it once"));
      }
      chain.push_back(module);
    }
    NS_RETURN_IF_ERROR(Annotated(name, CheckHooks(chain)));
    NS_ASSIGN_OR_RETURN(
        const ModuleChain fused,
        Annotated(name, options.fuser_func ? options.fuser_func(chain)
                                           : FuseKnownModules(chain, options)));
    if (fused.size() != chain.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": the fuser function returned ", fused.size(),
                       " modules for ", chain.size()));
    }
    for (size_t i = 0; i < chain.size(); ++i) {
      if (fused[i]._ivalue() != chain[i]._ivalue()) {
        replacements[chain_paths[i]] = fused[i]._ivalue();
      }
    }
  }
  NS_RETURN_IF_ERROR(editor.Swap(replacements));
  return editor.root();
}

absl::StatusOr<std::vector<std::vector<std::string>>> FindFusableModules(
    const Module& model, bool qat) {
  NS_ASSIGN_OR_RETURN(std::vector<CalledChain> called,
                      FindCalledChains(model, [](absl::string_view type) {
                        return PartOf(type).has_value();
                      }));
  std::map<std::string, Module> modules;
  for (const auto& named : model.named_modules()) {
    modules.insert({named.name, named.value});
  }
  std::vector<std::vector<std::string>> chains;
  for (CalledChain& chain : called) {
    // For training, a part of a chain may be all that there is a module for.
    while (!chain.paths.empty() &&
           !CanFuse(chain.paths, chain.types, modules, qat)) {
      chain.types.pop_back();
      chain.paths.pop_back();
    }
    if (!chain.paths.empty()) {
      chains.push_back(std::move(chain.paths));
    }
  }
  return chains;
}

absl::StatusOr<Module> FuseFoundModules(const Module& model,
                                        const FuseModulesOptions& options) {
  NS_ASSIGN_OR_RETURN(const auto chains,
                      FindFusableModules(model, options.qat));
  return FuseModules(model, chains, options);
}

}  // namespace ns
