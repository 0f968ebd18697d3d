#include "ns/inspect/inspect_model.h"

#include <ATen/Functions.h>
#include <ATen/quantized/Quantizer.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/dtype_name.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"
#include "ir/files/training_mode.h"
#include "ir/files/write_module.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ns/suite/find_coverage.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/tensor_facts.h"
#include "passes/analysis/value_facts.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

std::optional<ScaleRange> ScaleOf(const at::Tensor& weight) {
  if (!weight.is_quantized()) {
    return std::nullopt;
  }
  if (weight.qscheme() == at::kPerTensorAffine ||
      weight.qscheme() == at::kPerTensorSymmetric) {
    return ScaleRange{weight.q_scale(), weight.q_scale(),
                      weight.q_zero_point()};
  }
  const at::Tensor scales = weight.q_per_channel_scales().to(at::kDouble);
  const at::Tensor zero_points = weight.q_per_channel_zero_points();
  ScaleRange range;
  range.per_channel = true;
  if (scales.numel() > 0) {
    range.lowest = scales.min().item<double>();
    range.highest = scales.max().item<double>();
    const double first = zero_points.min().item<double>();
    if (first == zero_points.max().item<double>() &&
        first == static_cast<double>(static_cast<int64_t>(first))) {
      range.zero_point = static_cast<int64_t>(first);
    }
  }
  return range;
}

// Lists the layers of a graph.
class LayerLister {
 public:
  explicit LayerLister(const torch::jit::Graph& graph) : facts_(graph) {
    ForEachNode(graph.block(), [&](const Node* node) { Look(*node); });
    NameLayers();
    GroupScales();
  }

  // Moves the layers and the unknown ops into `inspection`. Error: a weight
  // that cannot be unpacked.
  absl::Status MoveInto(ModelInspection& inspection) {
    NS_RETURN_IF_ERROR(status_);
    inspection.layers = std::move(layers_);
    inspection.unknown_ops = std::move(unknown_ops_);
    return absl::OkStatus();
  }

 private:
  void Look(const Node& node) {
    const std::string op(OpName(node));
    const OpRow* const row = FindOp(op);
    if (row == nullptr) {
      // Those of the language, and constants, are no ops of a model.
      if (!absl::StartsWith(op, "prim::")) {
        ++unknown_ops_[op];
      }
      return;
    }
    if (row->role == Role::kCompute || row->role == Role::kQuantize) {
      AddLayer(node, *row);
    }
  }

  // The path of the module that `node` is of. What quantizes an argument of the
  // model is named after that: "x.quantize".
  static std::string PlaceOf(const Node& node, const OpRow& row) {
    std::string path = CallName(ModulePathOf(node));
    if (path.empty() && row.role == Role::kQuantize && !node.inputs().empty() &&
        node.input(0)->node()->kind() == torch::jit::prim::Param) {
      return JoinPath(ValueName(*node.input(0)), "quantize");
    }
    return path;
  }

  void AddLayer(const Node& node, const OpRow& row) {
    InspectedLayer layer;
    layer.name = PlaceOf(node, row);
    layer.op = std::string(OpName(node));
    if (row.role == Role::kCompute) {
      layer.runs_in = RunsInOf(node, facts_);
    }
    const auto weights = NodeWeights(node);
    if (!weights.ok() && status_.ok()) {
      status_ = Annotated(layer.name, weights.status());
    }
    if (weights.ok()) {
      for (const NamedTensor& weight : *weights) {
        layer.weights.push_back({weight.name, weight.value.sizes().vec(),
                                 PythonDtypeName(weight.value.scalar_type()),
                                 ScaleOf(weight.value)});
      }
    }
    if (!node.outputs().empty()) {
      DescribeOutput(*node.output(0), layer);
    }
    layers_.push_back(std::move(layer));
  }

  void DescribeOutput(const torch::jit::Value& output, InspectedLayer& layer) {
    const TensorFacts facts = facts_.Likely(output);
    if (!facts.is_quantized.Is(true)) {
      return;
    }
    if (const c10::ScalarType* dtype = facts.dtype.known()) {
      layer.output_dtype = PythonDtypeName(*dtype);
    }
    const auto qparams = facts.qparams();
    if (qparams && qparams->scale.constant && qparams->zero_point.constant) {
      layer.output =
          ScaleRange{*qparams->scale.constant, *qparams->scale.constant,
                     *qparams->zero_point.constant};
    }
  }

  // Adds the op to names that several layers have, and a number where that does
  // not tell them apart.
  void NameLayers() {
    std::map<std::string, int> with_path;
    for (const InspectedLayer& layer : layers_) {
      ++with_path[layer.name];
    }
    std::map<std::string, int> with_name;
    for (InspectedLayer& layer : layers_) {
      if (layer.name.empty() || with_path[layer.name] > 1) {
        layer.name = JoinPath(layer.name, ShortOpName(layer.op));
      }
      if (const int count = with_name[layer.name]++; count > 0) {
        absl::StrAppend(&layer.name, "@", count);
      }
    }
  }

  void GroupScales() {
    using Key = std::tuple<double, int64_t, std::string>;
    const auto key_of = [](const InspectedLayer& layer) {
      return Key(layer.output->lowest, *layer.output->zero_point,
                 layer.output_dtype);
    };
    std::map<Key, std::vector<InspectedLayer*>> by_scale;
    for (InspectedLayer& layer : layers_) {
      if (layer.output) {
        by_scale[key_of(layer)].push_back(&layer);
      }
    }
    int64_t groups = 0;
    for (InspectedLayer& layer : layers_) {
      if (!layer.output || layer.scale_group) {
        continue;
      }
      const auto& members = by_scale[key_of(layer)];
      if (members.size() > 1) {
        ++groups;
        for (InspectedLayer* member : members) {
          member->scale_group = groups;
        }
      }
    }
  }

  const ValueFacts facts_;
  std::vector<InspectedLayer> layers_;
  std::map<std::string, int64_t> unknown_ops_;
  absl::Status status_;
};

std::string ArgumentText(const c10::Argument& argument) {
  std::string text =
      absl::StrCat(argument.name(), ": ", argument.type()->annotation_str());
  if (argument.default_value()) {
    absl::StrAppend(&text, " = ",
                    argument.default_value()->isNone() ? "None" : "...");
  }
  return text;
}

std::vector<InspectedMethod> MethodsOf(const torch::jit::Module& module) {
  std::vector<InspectedMethod> methods;
  for (const torch::jit::Method& method : module.get_methods()) {
    // FX leaves methods such as __code_getter behind.
    if (absl::StartsWith(method.name(), "__")) {
      continue;
    }
    const c10::FunctionSchema& schema = method.function().getSchema();
    InspectedMethod& described = methods.emplace_back();
    described.name = method.name();
    for (size_t i = 1; i < schema.arguments().size(); ++i) {
      described.arguments.push_back(ArgumentText(schema.arguments()[i]));
    }
    if (!schema.returns().empty()) {
      described.returns = schema.returns()[0].type()->annotation_str();
    }
  }
  return methods;
}

bool IsFrozen(const torch::jit::Module& module) {
  return module.parameters().size() == 0 && module.buffers().size() == 0 &&
         module.children().size() == 0;
}

// Sets what follows from the graph of `method`.
absl::Status InspectGraph(const torch::jit::Module& module,
                          const std::string& method,
                          ModelInspection& inspection) {
  NS_ASSIGN_OR_RETURN(inspection.kind, KindOfModel(module, method));
  ModelGraphOptions options;
  options.method = method;
  NS_ASSIGN_OR_RETURN(const ModelGraph model,
                      ModelGraph::FromModule(module, options));
  return CatchTorchErrors(
      [&] { return LayerLister(model.graph()).MoveInto(inspection); });
}

}  // namespace

absl::StatusOr<ModelInspection> InspectModel(const std::string& path,
                                             const std::string& method) {
  NS_ASSIGN_OR_RETURN(const torch::jit::Module module, LoadModule(path));
  ModelInspection inspection;
  inspection.path = path;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  inspection.file_bytes = error ? 0 : static_cast<int64_t>(bytes);
  inspection.is_frozen = IsFrozen(module);
  if (const auto training = FindTrainingModule(path)) {
    inspection.training_module =
        absl::StrCat("'", training->path, "' (", training->type, ")");
  }
  inspection.methods = MethodsOf(module);
  NS_ASSIGN_OR_RETURN(const std::string provenance, ReadProvenance(path));
  if (!provenance.empty()) {
    NS_ASSIGN_OR_RETURN(
        inspection.provenance,
        Annotated(absl::StrCat(path, ": its ", kProvenanceRecord),
                  ParseProvenance(provenance)));
  }
  NS_RETURN_IF_ERROR(Annotated(path, InspectGraph(module, method, inspection)));
  return inspection;
}

}  // namespace ns
