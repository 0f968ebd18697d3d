#include "tools/commands/quantize/quantize_modules.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/files/module_file.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/describe_modules.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/missing_stub.h"
#include "ns/quantization/eager/quantize.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_options.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "tools/command_line/output_files.h"

namespace ns {
namespace {

using ::torch::jit::Module;

absl::StatusOr<QConfigSpec> SpecFor(const QuantizeFlags& flags,
                                    const Module& model) {
  QConfigSpec spec;
  if (flags.options.mapping) {
    NS_ASSIGN_OR_RETURN(
        spec, Annotated(flags.qconfig_path, SpecOf(*flags.options.mapping)));
  } else if (flags.options.mode == QuantizeMode::kStatic) {
    spec[""] = DefaultMapping(flags.options).global();
  } else {
    NS_ASSIGN_OR_RETURN(
        spec,
        DefaultDynamicSpec(model, flags.options.mode == QuantizeMode::kDynamic
                                      ? at::kQInt8
                                      : at::kQUInt8));
  }
  spec = WithKept(flags, std::move(spec));
  if (flags.options.compat) {
    for (auto& [name, qconfig] : spec) {
      if (qconfig) {
        qconfig = Compatible(*std::move(qconfig));
      }
    }
  }
  return spec;
}

bool HasQuantStub(const Module& model) {
  return absl::c_any_of(TypeNames(model), [](const std::string& type) {
    return IsTypeNamed(type, "QuantStub");
  });
}

absl::StatusOr<Module> Prepared(const QuantizeFlags& flags, const Module& model,
                                const QConfigSpec& spec,
                                std::vector<std::string>* warnings) {
  if (flags.options.mode == QuantizeMode::kStatic) {
    PrepareOptions prepare;
    prepare.warnings = warnings;
    return Prepare(model, spec, prepare);
  }
  NS_ASSIGN_OR_RETURN(ModuleEditor editor, ModuleEditor::Copy(model));
  NS_RETURN_IF_ERROR(PropagateQConfig(editor, spec));
  return editor.root();
}

absl::StatusOr<Module> Fused(const QuantizeFlags& flags, const Module& model) {
  if (flags.options.mode != QuantizeMode::kStatic) {
    return model;
  }
  FuseModulesOptions fuse;
  fuse.inplace = true;
  return FuseFoundModules(model, fuse);
}

}  // namespace

absl::StatusOr<Module> LoadHierarchy(const QuantizeFlags& flags) {
  NS_ASSIGN_OR_RETURN(const Module loaded, LoadModule(flags.float_path));
  NS_ASSIGN_OR_RETURN(ModuleEditor model,
                      Annotated(flags.float_path, ModuleEditor::Copy(loaded)));
  model.root().eval();
  if (flags.options.mode == QuantizeMode::kStatic &&
      !HasQuantStub(model.root())) {
    return absl::InvalidArgumentError(absl::StrCat(
        flags.float_path,
        ": the model has no QuantStub, where quantized values begin; put "
        "torch.ao.quantization.QuantStub and DeQuantStub into it, or quantize "
        "its flat graph, without --eager"));
  }
  return model.root();
}

QConfigSpec WithKept(const QuantizeFlags& flags, QConfigSpec spec) {
  for (const std::string& kept : flags.options.keep) {
    spec[kept] = std::nullopt;
  }
  return spec;
}

absl::StatusOr<QuantizeSummary> QuantizeModules(
    const QuantizeFlags& flags, const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress,
    std::vector<FileToWrite>& files) {
  const bool is_static = flags.options.mode == QuantizeMode::kStatic;
  const int64_t total = (is_static ? 2 : 1) * batches.size();
  QuantizeSummary summary;
  NS_ASSIGN_OR_RETURN(const Module loaded, LoadHierarchy(flags));
  NS_ASSIGN_OR_RETURN(const Module model,
                      Annotated(flags.float_path, Fused(flags, loaded)));
  NS_ASSIGN_OR_RETURN(const QConfigSpec spec, SpecFor(flags, model));
  std::vector<std::string> warnings;
  NS_ASSIGN_OR_RETURN(
      const Module prepared,
      Annotated(flags.float_path, Prepared(flags, model, spec, &warnings)));
  if (is_static) {
    NS_ASSIGN_OR_RETURN(const ModelGraph shared,
                        ModelGraph::FromModuleAsItIs(prepared));
    // It has the same observers, and buffers of its own.
    NS_ASSIGN_OR_RETURN(ModelGraph observed, shared.Clone());
    NS_RETURN_IF_ERROR(
        RunBatches("float", observed, batches, FirstBatches(batches.size()),
                   [&](int64_t done) { progress(done, total); }));
  }
  ConvertOptions convert;
  convert.inplace = true;
  convert.warnings = &warnings;
  if (!is_static) {
    convert.mapping = GetDefaultDynamicQuantModuleMappings();
  }
  NS_ASSIGN_OR_RETURN(const Module quantized,
                      Annotated(flags.float_path, Convert(prepared, convert)));
  NS_ASSIGN_OR_RETURN(summary.report, DescribeModules(prepared, quantized, spec,
                                                      convert.mapping));
  NS_ASSIGN_OR_RETURN(ModelGraph file, ModelGraph::AroundModule(quantized));
  if (batches.size() > 0) {
    NS_ASSIGN_OR_RETURN(const ModelGraph float_graph,
                        ModelGraph::FromModule(model));
    NS_ASSIGN_OR_RETURN(const ModelGraph quantized_graph,
                        ModelGraph::FromModule(quantized));
    absl::StatusOr<OutputErrors> errors = MeasureOutputErrors(
        float_graph, quantized_graph, batches, [&](int64_t done, int64_t) {
          progress(total - batches.size() + done, total);
        });
    if (!errors.ok()) {
      const std::string reason = DescribeMissingStub(quantized_graph.graph());
      return reason.empty() ? errors.status()
                            : absl::FailedPreconditionError(absl::StrCat(
                                  flags.float_path, ": ", reason, " (--keep)"));
    }
    summary.outputs = std::move(errors->outputs);
    warnings.insert(warnings.end(), errors->warnings.begin(),
                    errors->warnings.end());
  }
  summary.report.warnings = std::move(warnings);
  files.push_back(ModelFile(std::move(file), flags.out_path, flags.origin));
  return summary;
}

}  // namespace ns
