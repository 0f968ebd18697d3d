#include "ns/quantization/eager/prepare_and_convert.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/decompose_layers.h"
#include "ns/quantization/eager/outside_reads.h"
#include "ns/quantization/eager/qat_module.h"
#include "ns/quantization/eager/quantized_module.h"
#include "passes/quantization/qconfig/qconfig_json.h"

namespace ns {
namespace {

using ::torch::jit::Module;

ModuleEditor::Tensors TensorsFor(bool inplace) {
  return inplace ? ModuleEditor::Tensors::kShared
                 : ModuleEditor::Tensors::kCopied;
}

// Returns the factory of `factories` for `type`; null for none.
const ModuleFactory* FactoryFor(
    const std::map<std::string, ModuleFactory>& factories,
    absl::string_view type) {
  for (const auto& [name, factory] : factories) {
    if (IsTypeNamed(type, name)) {
      return &factory;
    }
  }
  return nullptr;
}

bool HasQConfig(const Module& module) {
  const auto qconfig = QConfigOf(module);
  return qconfig.ok() && *qconfig;
}

// Finds what takes the place of the modules of one hierarchy.
class Replacements {
 public:
  Replacements(const Module& root, const ConvertOptions& options)
      : options_(options), reads_(TensorsReadOutside(root)) {}

  absl::Status VisitChildren(const Module& module, const std::string& path) {
    for (const auto& child : module.named_children()) {
      if (seen_.insert(child.value._ivalue().get()).second) {
        NS_RETURN_IF_ERROR(Visit(child.value, JoinPath(path, child.name)));
      }
    }
    return absl::OkStatus();
  }

  const std::map<std::string, c10::IValue>& replacements() const {
    return replacements_;
  }

 private:
  absl::Status Visit(const Module& module, const std::string& path) {
    if (reads_.count(path) != 0) {
      return VisitChildren(module, path);
    }
    const std::string type = TypeNameOf(module);
    std::vector<std::string> warnings;
    ConvertOptions options = options_;
    options.warnings = &warnings;
    NS_ASSIGN_OR_RETURN(
        const Module quantized,
        Annotated(absl::StrCat("module '", path, "' cannot be quantized"),
                  SwapModule(module, options)));
    for (const std::string& warning : warnings) {
      if (options_.warnings != nullptr) {
        options_.warnings->push_back(absl::StrCat(path, ": ", warning));
      }
    }
    if (quantized._ivalue() != module._ivalue()) {
      replacements_[path] = quantized._ivalue();
      return absl::OkStatus();
    }
    const bool is_one = IsFusedModule(type) ||
                        FactoryFor(options_.custom_modules, type) != nullptr;
    return is_one ? absl::OkStatus() : VisitChildren(module, path);
  }

  const ConvertOptions& options_;
  const std::map<std::string, OutsideRead> reads_;
  std::set<const c10::ivalue::Object*> seen_;
  std::map<std::string, c10::IValue> replacements_;
};

}  // namespace

absl::StatusOr<Module> Prepare(const Module& model, const QConfigSpec& qconfigs,
                               const PrepareOptions& options) {
  NS_ASSIGN_OR_RETURN(ModuleEditor editor,
                      ModuleEditor::Copy(model, TensorsFor(options.inplace)));
  NS_RETURN_IF_ERROR(PropagateQConfig(editor, qconfigs, options.non_traceable));
  bool has_qconfig = false;
  for (const std::string& path : editor.Paths()) {
    NS_ASSIGN_OR_RETURN(const Module module, editor.At(path));
    has_qconfig = has_qconfig || HasQConfig(module);
  }
  if (!has_qconfig && options.warnings != nullptr) {
    options.warnings->push_back(
        "no module has a qconfig, so that none will be quantized");
  }
  NS_RETURN_IF_ERROR(AddObservers(editor, options.observers));
  return editor.root();
}

absl::StatusOr<Module> PrepareQat(const Module& model,
                                  const QConfigSpec& qconfigs,
                                  const PrepareQatOptions& options) {
  if (!model.is_training()) {
    return absl::FailedPreconditionError(
        "the model is in evaluation; call train() before it is prepared for "
        "training");
  }
  NS_ASSIGN_OR_RETURN(ModuleEditor editor,
                      ModuleEditor::Copy(model, TensorsFor(options.inplace)));
  NS_RETURN_IF_ERROR(PropagateQConfig(editor, qconfigs));
  ConvertOptions convert;
  convert.mapping = options.mapping;
  convert.factories = options.factories;
  convert.remove_qconfig = false;
  convert.inplace = true;
  NS_ASSIGN_OR_RETURN(const Module trained, Convert(editor.root(), convert));
  PrepareOptions prepare;
  prepare.inplace = true;
  prepare.warnings = options.warnings;
  for (const auto& [from, to] : options.mapping) {
    prepare.observers.non_leaf_types.push_back(to);
  }
  return Prepare(trained, {}, prepare);
}

absl::StatusOr<Module> SwapModule(const Module& module,
                                  const ConvertOptions& options) {
  NS_ASSIGN_OR_RETURN(const OptionalQConfig qconfig, QConfigOf(module));
  if (!qconfig) {
    return module;
  }
  const std::string type = TypeNameOf(module);
  if (const ModuleFactory* custom = FactoryFor(options.custom_modules, type)) {
    return (*custom)(module);
  }
  const absl::string_view mapped = MappedType(options.mapping, type);
  if (mapped.empty()) {
    return module;
  }
  if (const ModuleFactory* factory = FactoryFor(options.factories, mapped)) {
    return (*factory)(module);
  }
  if (IsQatType(mapped)) {
    NS_ASSIGN_OR_RETURN(Module trained,
                        MakeQatModule(module, mapped, *qconfig));
    trained.register_attribute(kQConfigAttribute, c10::StringType::get(),
                               QConfigToJson(qconfig));
    return trained;
  }
  return MakeQuantizedModule(module, mapped, *qconfig, options.warnings);
}

absl::StatusOr<Module> Convert(const Module& prepared,
                               const ConvertOptions& options) {
  NS_ASSIGN_OR_RETURN(
      ModuleEditor editor,
      ModuleEditor::Copy(prepared, TensorsFor(options.inplace)));
  Replacements replacements(editor.root(), options);
  NS_RETURN_IF_ERROR(replacements.VisitChildren(editor.root(), ""));
  NS_RETURN_IF_ERROR(editor.Swap(replacements.replacements()));
  if (options.remove_qconfig) {
    NS_RETURN_IF_ERROR(FinishDecomposed(editor));
    NS_RETURN_IF_ERROR(RemoveObservers(editor));
    NS_RETURN_IF_ERROR(RemoveQConfigs(editor));
  }
  return editor.root();
}

}  // namespace ns
