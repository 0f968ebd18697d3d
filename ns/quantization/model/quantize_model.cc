#include "ns/quantization/model/quantize_model.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/calibrator.h"
#include "ns/quantization/model/check_is_float.h"
#include "ns/quantization/model/find_unbalanced_parts.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/refused_inputs.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/analysis/faulty_layers.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/keep_list.h"
#include "passes/quantization/observe/insert_observers.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/op_faults.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// What keeps a layer from being folded may be known only once others are gone.
constexpr int kMostRounds = 4;

// The rules of `mapping` that choose none of `subgraphs`.
std::vector<std::string> UnusedRules(
    const QConfigMapping& mapping,
    const std::vector<FloatSubgraph>& subgraphs) {
  std::set<std::string> used;
  for (const FloatSubgraph& subgraph : subgraphs) {
    used.insert(mapping.Choose(subgraph).rule);
  }
  std::vector<std::string> unused;
  for (const auto& [rule, qconfig] : mapping.Rules()) {
    if (used.count(rule) == 0) {
      unused.push_back(rule);
    }
  }
  return unused;
}

using FloatOps = std::vector<std::pair<const Node*, std::string>>;

// `compat` leaves in float what convert_fx does; `float_nodes` stay, too.
// Unless it is null, `float_ops` gets the ops that compute in float, and why.
absl::Status Fold(ModelGraph& model, bool compat, PassContext& context,
                  llvm::DenseSet<const Node*> float_nodes = {},
                  FloatOps* float_ops = nullptr) {
  FoldReferenceQuantization::Options options;
  options.ns_ops = false;
  options.float_ops = float_ops;
  options.float_nodes = std::move(float_nodes);
  if (compat) {
    options.float_families = {"conv_transpose3d", "group_norm", "softmax"};
    options.chosen_qparams = true;
  }
  return FoldReferenceQuantization(options).Run(model, context).status();
}

// Adds the ops to keep in float that have an int8 form: between a dequantize
// and the quantize of what reads them, they could run on quantized values all
// the same.
void AddKept(const ModelGraph& model, const std::vector<std::string>& keep,
             llvm::DenseSet<const Node*>& float_nodes) {
  if (keep.empty()) {
    return;
  }
  for (const FloatSubgraph& layer :
       FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
    if (Int8FormOf(*layer.subgraph.base).ok() &&
        absl::c_any_of(keep, [&](const std::string& entry) {
          return IsKeptBy(layer, entry);
        })) {
      float_nodes.insert(layer.subgraph.base);
    }
  }
}

// The names and ops of the layers by their base ops.
llvm::DenseMap<const Node*, std::pair<std::string, std::string>> LayersByBase(
    const ModelGraph& model) {
  llvm::DenseMap<const Node*, std::pair<std::string, std::string>> layers;
  for (const FloatSubgraph& layer :
       FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
    layers[layer.subgraph.base] = {layer.name, layer.op};
  }
  return layers;
}

// Moves the layers of `report` whose ops are among `float_ops` to those that
// stayed float: convert_fx quantizes the values around such ops, too.
void ReportFloatOps(
    const llvm::DenseMap<const Node*, std::pair<std::string, std::string>>&
        layers,
    const FloatOps& float_ops, QuantizationReport& report) {
  for (const auto& [node, reason] : float_ops) {
    const auto layer = layers.find(node);
    if (layer == layers.end()) {
      continue;
    }
    const auto& [name, op] = layer->second;
    const auto reported = absl::c_find_if(
        report.layers, [&, &name = name, &op = op](const auto& one) {
          return one.name == name && one.op == op && one.output;
        });
    if (reported != report.layers.end()) {
      report.stayed_float.push_back({name, op, reason});
      report.layers.erase(reported);
    }
  }
  SortByExecution(report);
}

// The layers that `plan` has for `folded` and whose ops would compute in float
// all the same, by name, and why.
absl::StatusOr<std::map<std::string, std::string>> LayersNotFolded(
    const ModelGraph& folded, const ObserverPlanOptions& plan) {
  NS_ASSIGN_OR_RETURN(ModelGraph trial, folded.Clone());
  const ObserverPlan planned = PlanObservers(trial.graph(), plan);
  NS_RETURN_IF_ERROR(CarryOutPlan(trial, planned, /*known=*/{}));
  llvm::DenseMap<const Node*, std::string> names;
  for (const PlannedLayer& layer : planned.layers) {
    names[layer.base] = layer.name;
  }
  NS_RETURN_IF_ERROR(ConvertUncalibrated(trial).status());
  PassContext context;
  FloatOps float_ops;
  NS_RETURN_IF_ERROR(Fold(trial, /*compat=*/false, context,
                          /*float_nodes=*/{}, &float_ops));
  std::map<std::string, std::string> not_folded;
  for (const auto& [node, reason] : float_ops) {
    const auto found = names.find(node);
    if (found != names.end()) {
      not_folded[found->second] = reason;
    }
  }
  return not_folded;
}

// The layers that the engine of `backend` would compute wrongly in each run, by
// name, and why. A server may have another engine than the one that stands in
// for it here (EngineOf), but its LibTorch is thought to be this one.
std::map<std::string, std::string> FaultyOnceQuantized(
    const std::vector<FloatSubgraph>& layers, Backend backend) {
  std::map<std::string, std::string> faulty;
  if (backend != Backend::kOnednn && backend != Backend::kX86) {
    return faulty;
  }
  auto environment =
      OpEnvironment::Here(backend == Backend::kX86 ? at::kX86 : at::kONEDNN);
  // As on most servers.
  environment.has_avx512_vnni = true;
  for (const FloatSubgraph& layer : layers) {
    const OpFault fault = FaultOnceQuantized(*layer.subgraph.base, environment);
    if (fault == OpFault::kTransposedWeight) {
      faulty[layer.name] = absl::StrCat("it ", FaultText(fault));
    }
  }
  return faulty;
}

}  // namespace

absl::StatusOr<ModelGraph> PrepareModel(const ModelGraph& model,
                                        const QuantizeOptions& options) {
  NS_RETURN_IF_ERROR(CheckIsFloat(model));
  const ScopedEngine engine(EngineOf(options.backend));
  ObserverPlanOptions plan;
  NS_ASSIGN_OR_RETURN(plan.mapping, TargetMapping(model, options));
  NS_RETURN_IF_ERROR(plan.mapping.Validate());
  if (options.compat) {
    plan.mapping = plan.mapping.With(Compatible);
  }
  plan.keep = options.keep;
  plan.compat = options.compat;
  if (!options.compat) {
    plan.parts = options.parts;
  }
  plan.reference = options.reference;
  plan.input_means =
      !options.compat && NeedsInputMeans(options.methods.bias_correction);
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(model, options.compat));
  PassContext context;
  QuantizationReport known;
  const std::vector<FloatSubgraph> subgraphs = FindFloatSubgraphs(
      folded.graph(), {},
      options.compat ? FusingOps::kFx : FusingOps::kLibTorch);
  for (const FloatSubgraph& subgraph : subgraphs) {
    known.order.push_back(subgraph.name);
  }
  if (options.mapping) {
    known.unused_rules = UnusedRules(*options.mapping, subgraphs);
  }
  if (!options.compat && !options.reference) {
    plan.float_layers = FaultyOnceQuantized(subgraphs, options.backend);
  }
  QuantizeDynamic::Options dynamic;
  dynamic.mapping = plan.mapping;
  dynamic.keep = options.keep;
  dynamic.reduce_range = options.compat ? options.backend != Backend::kQnnpack
                                        : NarrowsActivations(TargetOf(options));
  dynamic.refused =
      options.compat ? decltype(options.refused)() : options.refused;
  // On a copy: without the ops that it replaces, those behind them would have
  // other names, and other numbers in the mapping.
  dynamic.report = &known;
  NS_ASSIGN_OR_RETURN(ModelGraph replaced, folded.Clone());
  NS_RETURN_IF_ERROR(QuantizeDynamic(dynamic).Run(replaced, context).status());
  // PyTorch quantizes the values of such layers, too.
  const int rounds = options.compat || options.reference ? 0 : kMostRounds;
  for (int round = 0; round < rounds; ++round) {
    NS_ASSIGN_OR_RETURN(auto not_folded, LayersNotFolded(folded, plan));
    if (not_folded.empty()) {
      break;
    }
    plan.float_layers.merge(not_folded);
  }
  NS_RETURN_IF_ERROR(CarryOutPlan(folded, PlanObservers(folded.graph(), plan),
                                  std::move(known)));
  dynamic.report = nullptr;
  NS_RETURN_IF_ERROR(QuantizeDynamic(dynamic).Run(folded, context).status());
  return folded;
}

absl::Status Calibrate(
    const ModelGraph& prepared, const std::vector<Batch>& batches,
    const std::function<void(int64_t done, int64_t total)>& progress) {
  if (batches.empty()) {
    return absl::InvalidArgumentError(
        "there are no batches; calibration needs at least one");
  }
  NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
  const auto total = static_cast<int64_t>(batches.size());
  for (int64_t i = 0; i < total; ++i) {
    NS_RETURN_IF_ERROR(calibrator.Run(batches[static_cast<size_t>(i)], i));
    if (progress) {
      progress(i + 1, total);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelGraph> PrepareCalibrated(
    const ModelGraph& model, const BatchReader& batches,
    QuantizeOptions& options,
    const std::function<absl::Status(const ModelGraph& prepared)>& calibrate) {
  NS_ASSIGN_OR_RETURN(ModelGraph prepared, PrepareModel(model, options));
  if (batches.size() == 0) {
    return prepared;
  }
  NS_RETURN_IF_ERROR(calibrate(prepared));
  if (options.compat) {
    return prepared;
  }
  NS_ASSIGN_OR_RETURN(UnbalancedParts parts,
                      FindUnbalancedParts(prepared, batches));
  if (parts.empty()) {
    return prepared;
  }
  options.parts.lost.merge(parts.lost);
  options.parts.own_ranges.merge(parts.own_ranges);
  NS_ASSIGN_OR_RETURN(prepared, PrepareModel(model, options));
  NS_RETURN_IF_ERROR(calibrate(prepared));
  return prepared;
}

absl::Status MergePrepared(ModelGraph& prepared, const ModelGraph& other) {
  NS_ASSIGN_OR_RETURN(const PreparedModel ours,
                      AttachedPreparedModel(prepared.module()));
  NS_ASSIGN_OR_RETURN(const PreparedModel theirs,
                      AttachedPreparedModel(other.module()));
  const auto is_same = [](const PreparedLayer& a, const PreparedLayer& b) {
    return a.name == b.name && a.op == b.op && a.inputs == b.inputs &&
           a.output == b.output && a.weight == b.weight;
  };
  const auto differ = [] {
    return absl::InvalidArgumentError(
        "the models were not prepared alike; merge what one model with one "
        "qconfig mapping was prepared to");
  };
  if (!absl::c_equal(ours.layers, theirs.layers, is_same)) {
    return differ();
  }
  // On an error, nothing has been merged.
  const std::map<std::string, ObserverPtr> added =
      AttachedObservers(other.module());
  std::vector<std::pair<ObserverPtr, ObserverPtr>> pairs;
  for (const auto& [name, observer] : AttachedObservers(prepared.module())) {
    const auto same = added.find(name);
    if (same == added.end() || same->second->config() != observer->config()) {
      return differ();
    }
    pairs.emplace_back(observer, same->second);
  }
  const std::map<std::string, InputMeansPtr> their_means =
      AttachedMeans(other.module());
  const std::map<std::string, InputMeansPtr> our_means =
      AttachedMeans(prepared.module());
  const auto is_same_name = [](const auto& a, const auto& b) {
    return a.first == b.first;
  };
  if (!absl::c_equal(our_means, their_means, is_same_name)) {
    return differ();
  }
  return CatchTorchErrors("merging observers", [&]() -> absl::Status {
    for (const auto& [observer, added] : pairs) {
      observer->Merge(*added);
    }
    for (const auto& [name, means] : our_means) {
      means->Merge(*their_means.at(name));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<QuantizedModel> ConvertModel(const ModelGraph& prepared,
                                            const QuantizeOptions& options,
                                            const LayerCorrections& corrections,
                                            ConversionCache* cache) {
  const ScopedEngine engine(EngineOf(options.backend));
  NS_ASSIGN_OR_RETURN(ModelGraph model, prepared.Clone());
  llvm::DenseSet<const Node*> float_nodes;
  ConvertObserversOptions convert;
  convert.corrections = corrections;
  convert.cache = cache;
  convert.float_nodes = &float_nodes;
  NS_ASSIGN_OR_RETURN(QuantizationReport report,
                      ConvertObservers(model, convert));
  if (!options.reference) {
    AddKept(model, options.keep, float_nodes);
    PassContext context;
    // Only PyTorch plans for layers that cannot be folded: see LayersNotFolded.
    const auto layers =
        options.compat ? LayersByBase(model) : decltype(LayersByBase(model))();
    FloatOps float_ops;
    NS_RETURN_IF_ERROR(Fold(model, options.compat, context,
                            std::move(float_nodes), &float_ops));
    ReportFloatOps(layers, float_ops, report);
  }
  NS_RETURN_IF_ERROR(VerifyGraph(model.graph()));
  return QuantizedModel{std::move(model), std::move(report), std::nullopt};
}

absl::StatusOr<QuantizedModel> QuantizeModel(const ModelGraph& model,
                                             const std::vector<Batch>& batches,
                                             const QuantizeOptions& options) {
  QuantizeOptions checked = options;
  const bool may_refuse = MayRefuseInputs(options);
  if (may_refuse && !batches.empty()) {
    NS_ASSIGN_OR_RETURN(
        checked.refused,
        RefusedInputs(model, BatchReader::FromBatches(batches)));
  }
  std::optional<ModelGraph> prepared;
  if (options.mode == QuantizeMode::kStatic && batches.empty()) {
    NS_ASSIGN_OR_RETURN(prepared, PrepareModel(model, checked));
    NS_RETURN_IF_ERROR(Calibrate(*prepared, batches, options.progress));
  } else if (options.mode == QuantizeMode::kStatic) {
    NS_ASSIGN_OR_RETURN(
        prepared, PrepareCalibrated(model, BatchReader::FromBatches(batches),
                                    checked, [&](const ModelGraph& observed) {
                                      return Calibrate(observed, batches,
                                                       options.progress);
                                    }));
  } else {
    NS_ASSIGN_OR_RETURN(prepared, PrepareModel(model, checked));
  }
  NS_ASSIGN_OR_RETURN(QuantizedModel quantized,
                      ConvertModel(*prepared, options));
  if (may_refuse && batches.empty()) {
    WarnOfUnseenRanks(quantized.model, quantized.report);
  }
  return quantized;
}

}  // namespace ns
