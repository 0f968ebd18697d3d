#include "passes/quantization/dynamic/quantize_dynamic.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/dynamic/quantized_layers.h"
#include "passes/quantization/layers/describe_weights.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/fold_batch_norms.h"
#include "passes/quantization/layers/keep_list.h"
#include "passes/quantization/layers/layer_site.h"
#include "passes/quantization/layers/rounded_weights.h"
#include "passes/quantization/layers/shared_constants.h"
#include "passes/quantization/qconfig/default_qconfigs.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// What a qconfig asks for.
enum class Treatment {
  kNone,  // nothing, or static quantization
  kDynamicOp,
  kIntegerWeights,
  kHalfWeights,
};

Treatment TreatmentOf(const QConfig& qconfig) {
  const QuantizationMode activation = ModeOf(qconfig.activation);
  if (activation == QuantizationMode::kStatic) {
    return Treatment::kNone;
  }
  switch (ModeOf(qconfig.weight)) {
    case QuantizationMode::kHalf:
      return Treatment::kHalfWeights;
    case QuantizationMode::kStatic:
      return activation == QuantizationMode::kDynamic
                 ? Treatment::kDynamicOp
                 : Treatment::kIntegerWeights;
    case QuantizationMode::kFloat:
    case QuantizationMode::kDynamic:
      break;
  }
  return activation == QuantizationMode::kDynamic ? Treatment::kDynamicOp
                                                  : Treatment::kNone;
}

// Returns the layers of `subgraph`: its base op or, where a prim::If chooses
// between forms of one op, all of these.
std::vector<Node*> LayersOf(const Subgraph& subgraph) {
  Node* start = subgraph.nodes.front();
  if (start == subgraph.base) {
    return {start};
  }
  std::vector<Node*> layers;
  for (torch::jit::Block* block : start->blocks()) {
    ForEachNode(block, [&](Node* node) {
      if (node->kind() == subgraph.base->kind()) {
        layers.push_back(node);
      }
    });
  }
  return layers;
}

bool IsRelu(const Node& node) {
  return node.kind() == c10::aten::relu || node.kind() == c10::aten::relu_;
}

// Destroys the constants, and lists of them, that nothing uses any more.
void DestroyUnusedConstants(torch::jit::Block* block) {
  std::vector<Node*> nodes;
  ForEachNode(block, [&](Node* node) {
    if (node->kind() == c10::prim::Constant ||
        node->kind() == c10::prim::ListConstruct) {
      nodes.push_back(node);
    }
  });
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!(*node)->hasUses()) {
      (*node)->destroy();
    }
  }
}

class Quantizer {
 public:
  Quantizer(Graph& graph, PassContext& context,
            const QuantizeDynamic::Options& options)
      : graph_(graph),
        context_(context),
        options_(options),
        editor_(graph, &context),
        constants_(graph) {}

  bool Run() {
    for (const FloatSubgraph& subgraph : FindFloatSubgraphs(graph_)) {
      const QConfigChoice choice = options_.mapping.Choose(subgraph);
      const bool is_kept = absl::c_any_of(
          options_.keep,
          [&](const std::string& entry) { return IsKeptBy(subgraph, entry); });
      if (choice.qconfig && !is_kept) {
        Visit(subgraph, choice);
      }
    }
    constants_.DropUnused();
    if (changed_) {
      DestroyUnusedConstants(graph_.block());
    }
    return changed_;
  }

 private:
  void Visit(const FloatSubgraph& subgraph, const QConfigChoice& choice) {
    const QConfig& qconfig = *choice.qconfig;
    const Treatment treatment = TreatmentOf(qconfig);
    if (treatment == Treatment::kNone) {
      return;
    }
    const bool needs_weights = treatment != Treatment::kDynamicOp;
    if (needs_weights && !HasWeightsToRound(SiteOf(subgraph, qconfig))) {
      return;
    }
    if (treatment != Treatment::kDynamicOp || HasDynamicOp(subgraph)) {
      FoldBatchNormOf(subgraph.subgraph);
    }
    absl::StatusOr<std::vector<at::Tensor>> weights;
    for (Node* layer : LayersOf(subgraph.subgraph)) {
      LayerSite site = SiteOf(subgraph, qconfig);
      site.node = layer;
      weights = QuantizeLayer(site, subgraph, treatment);
      if (!weights.ok()) {
        StayFloat(subgraph, *layer, weights.status());
        return;
      }
    }
    if (options_.report != nullptr) {
      Report(subgraph, choice, treatment, *weights);
    }
  }

  // Of layers that a batch norm may be behind.
  bool HasDynamicOp(const FloatSubgraph& subgraph) const {
    return subgraph.family == "linear" &&
           options_.refused.count(subgraph.name) == 0;
  }

  void Report(const FloatSubgraph& subgraph, const QConfigChoice& choice,
              Treatment treatment, const std::vector<at::Tensor>& weights) {
    const QConfig& qconfig = *choice.qconfig;
    LayerQuantization layer;
    layer.name = subgraph.name;
    layer.op = subgraph.op;
    layer.qconfig = QConfigName(qconfig);
    layer.rule = choice.rule;
    layer.weight =
        treatment == Treatment::kHalfWeights
            ? WeightQuantization{"float16", {}}
            : DescribeWeights(weights, qconfig.weight.config.qscheme);
    if (ModeOf(qconfig.activation) == QuantizationMode::kHalf &&
        !qconfig.activation.config.compute_dtype) {
      Warn(absl::StrCat("qconfig '", layer.qconfig,
                        "': activations stay in float32; only weights are "
                        "rounded to half precision"));
    }
    options_.report->layers.push_back(std::move(layer));
  }

  // Adds a warning that is not there yet.
  void Warn(std::string warning) {
    std::vector<std::string>& warnings = options_.report->warnings;
    if (!absl::c_linear_search(warnings, warning)) {
      warnings.push_back(std::move(warning));
    }
  }

  // Says why `layer` of `subgraph` has no quantized form.
  void StayFloat(const FloatSubgraph& subgraph, const Node& layer,
                 const absl::Status& status) {
    const std::string reason(
        RefusalOf("its quantized form fails", status).message());
    context_.Remark(layer, reason);
    if (options_.report != nullptr) {
      options_.report->stayed_float.push_back(
          {subgraph.name, subgraph.op, reason});
    }
  }

  LayerSite SiteOf(const FloatSubgraph& subgraph, const QConfig& qconfig) {
    const bool reduce_range =
        options_.reduce_range || qconfig.activation.config.reduce_range;
    return {subgraph.subgraph.base, subgraph.family, qconfig.weight,
            /*with_relu=*/false,    reduce_range,    constants_};
  }

  // Returns the quantized weights of the layer.
  absl::StatusOr<std::vector<at::Tensor>> QuantizeLayer(
      LayerSite& site, const FloatSubgraph& subgraph, Treatment treatment) {
    const bool is_embedding =
        treatment == Treatment::kIntegerWeights &&
        (subgraph.family == "embedding" || subgraph.family == "embedding_bag");
    if (treatment != Treatment::kDynamicOp && !is_embedding) {
      NS_ASSIGN_OR_RETURN(RoundedWeights rounded, RoundWeights(site));
      changed_ |= rounded.changed;
      return std::move(rounded.weights);
    }
    if (const auto refused = options_.refused.find(subgraph.name);
        refused != options_.refused.end()) {
      return Refusal(refused->second);
    }
    Node* relu = is_embedding ? nullptr : ReluBehind(subgraph, *site.node);
    site.with_relu = relu != nullptr;
    NS_ASSIGN_OR_RETURN(QuantizedLayer layer,
                        is_embedding ? InsertQuantizedEmbedding(site)
                                     : InsertDynamicLayer(site));
    Replace(*site.node, relu, layer.outputs);
    return std::move(layer.weights);
  }

  // Makes one layer of the base op and the batch norm behind it, if there is
  // one and its numbers are constant. Otherwise the norm stays behind the
  // quantized layer.
  void FoldBatchNormOf(const Subgraph& subgraph) {
    if (subgraph.nodes.size() < 2 || subgraph.nodes[0] != subgraph.base ||
        subgraph.nodes[1]->kind() != c10::aten::batch_norm) {
      return;
    }
    changed_ |=
        FoldBatchNormInto(editor_, subgraph.base, subgraph.nodes[1]).ok();
  }

  // Returns the relu behind `layer` that its quantized op computes, too; null
  // for none.
  Node* ReluBehind(const FloatSubgraph& subgraph, const Node& layer) const {
    if (subgraph.family != "linear") {
      return nullptr;
    }
    Node* user = OnlyUser(*layer.output(0));
    return user != nullptr && IsRelu(*user) &&
                   absl::c_linear_search(subgraph.subgraph.nodes, user)
               ? user
               : nullptr;
  }

  // Puts `outputs` in the place of those of `layer` and, unless that is null,
  // of the relu behind it.
  void Replace(Node& layer, Node* relu, const std::vector<Value*>& outputs) {
    changed_ = true;
    Node& last = relu == nullptr ? layer : *relu;
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i]->setType(last.output(i)->type());
      editor_.Replace(*last.output(i), *outputs[i]);
    }
    if (relu != nullptr) {
      context_.Replaced(*layer.output(0), *outputs.front());
      relu->destroy();
    }
    layer.destroy();
  }

  Graph& graph_;
  PassContext& context_;
  const QuantizeDynamic::Options& options_;
  GraphEditor editor_;
  SharedConstants constants_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> QuantizeDynamic::Run(ModelGraph& model,
                                          PassContext& context) const {
  NS_RETURN_IF_ERROR(options_.mapping.Validate());
  return CatchTorchErrors("quantizing layers", [&] {
    return Quantizer(model.graph(), context, options_).Run();
  });
}

QConfigMapping DefaultDynamicMapping() {
  QConfigMapping mapping;
  for (const char* family : {"linear", "lstm", "gru", "lstm_cell", "gru_cell",
                             "rnn_tanh_cell", "rnn_relu_cell"}) {
    mapping.SetObjectType(family, DefaultDynamicQConfig());
  }
  for (const char* family : {"embedding", "embedding_bag"}) {
    mapping.SetObjectType(family, FloatQParamsWeightOnlyQConfig());
  }
  return mapping;
}

}  // namespace ns
