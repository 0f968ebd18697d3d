#include "passes/quantization/convert/convert_observers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "passes/quantization/convert/attention_weights.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/convert/converted_weights.h"
#include "passes/quantization/convert/distinct_ratios.h"
#include "passes/quantization/convert/masked_values.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kNotCalibrated[] =
    "the model was not calibrated: no observer has seen a value; run it on "
    "sample batches first";

class Converter {
 public:
  Converter(ModelGraph& model, PreparedModel prepared, bool is_calibrated,
            const ConvertObserversOptions& options)
      : model_(model),
        prepared_(std::move(prepared)),
        is_calibrated_(is_calibrated),
        options_(options),
        means_(AttachedMeans(model.module())),
        cache_(options.cache == nullptr ? own_cache_ : *options.cache),
        weights_(model.graph(), prepared_, means_, options.corrections,
                 cache_) {}

  absl::StatusOr<QuantizationReport> Run() {
    FindCalls();
    if (is_calibrated_) {
      NS_RETURN_IF_ERROR(CheckCalibrated());
    }
    const auto find = [this](int64_t number) { return Find(number); };
    const MaskedValues masked(calls_, find);
    const AttentionWeights attention(calls_, prepared_.layers, find);
    for (size_t i = 0; i < prepared_.layers.size(); ++i) {
      NS_RETURN_IF_ERROR(Decide(i, masked, attention));
    }
    SeparateRatios();
    for (Node* call : calls_) {
      NS_RETURN_IF_ERROR(ConvertCall(call));
    }
    NS_RETURN_IF_ERROR(weights_.Convert());
    for (Node* call : means_calls_) {
      call->output()->replaceAllUsesWith(call->input(1));
      call->destroy();
    }
    DestroyUnusedAttributes();
    DetachPreparedModel(model_.module());
    return Report();
  }

 private:
  void FindCalls() {
    ForEachNode(model_.graph().block(), [&](Node* node) {
      if (OpName(*node) == kObservedWeight) {
        // The graph may come from elsewhere: such marks are left alone.
        const auto index = ConstantOf(*node->input(1));
        if (index && index->isInt()) {
          weights_.AddMark(index->toInt(), node);
        }
      }
      if (node->kind() != c10::prim::CallMethod ||
          node->input(0)->node()->kind() != c10::prim::GetAttr) {
        return;
      }
      const std::string name = node->input(0)->node()->s(c10::attr::name);
      if (means_.count(name) != 0) {
        means_calls_.push_back(node);
        return;
      }
      ObserverPtr observer = AttachedObserver(model_.module(), name);
      if (observer != nullptr) {
        calls_.push_back(node);
        observed_.try_emplace(
            name, is_calibrated_
                      ? cache_.Ask(observer)
                      : MadeUpValue(std::move(observer), observed_.size()));
      }
    });
  }

  // A model without any layer needs no calibration.
  absl::Status CheckCalibrated() const {
    const bool is_needed = !prepared_.layers.empty() && !observed_.empty();
    const bool has_seen = absl::c_any_of(observed_, [](const auto& entry) {
      return entry.second.observer->seen().least_rank >= 0;
    });
    return is_needed && !has_seen ? absl::InvalidArgumentError(kNotCalibrated)
                                  : absl::OkStatus();
  }

  const CalibratedValue* Find(int64_t number) const {
    const auto found = observed_.find(ObserverAttribute(number));
    return found == observed_.end() ? nullptr : &found->second;
  }

  // Returns why `observed`, an input or the output of `layer`, keeps it in
  // float. What takes a mask or an index may well give floats.
  absl::Status CheckValue(const CalibratedValue& observed,
                          const PreparedLayer& layer) const {
    const CalibratedValue* output = Find(layer.output);
    const bool gives_floats = output != nullptr &&
                              output->observer->seen().least_rank >= 0 &&
                              !output->observer->seen().has_integers;
    return observed.observer->seen().has_integers && gives_floats
               ? Refusal("one of its inputs holds integers or truth values")
               : observed.status;
  }

  absl::Status CheckValues(const PreparedLayer& layer) const {
    std::vector<int64_t> numbers = layer.inputs;
    numbers.push_back(layer.output);
    for (const int64_t number : numbers) {
      const CalibratedValue* observed = Find(number);
      if (observed == nullptr) {
        return Refusal("its observer is gone from the graph");
      }
      NS_RETURN_IF_ERROR(CheckValue(*observed, layer));
    }
    const CalibratedValue* watched =
        is_calibrated_ && layer.watcher >= 0 ? Find(layer.watcher) : nullptr;
    if (watched == nullptr) {
      return absl::OkStatus();
    }
    NS_RETURN_IF_ERROR(CheckValue(*watched, layer));
    const SeenTensors& seen = watched->observer->seen();
    if (seen.least_rank < layer.limits.least) {
      return Refusal(absl::StrCat("its input has ", seen.least_rank,
                                  " dimensions; its int8 op takes ",
                                  layer.limits.least));
    }
    if (seen.greatest_rank > layer.limits.most) {
      return Refusal(absl::StrCat("its input has ", seen.greatest_rank,
                                  " dimensions; its int8 op takes at most ",
                                  layer.limits.most));
    }
    if (seen.has_single_pixels && !layer.limits.single_pixels) {
      return Refusal(
          "its input has images of one pixel; its int8 op takes them with "
          "keepdim=True only");
    }
    return absl::OkStatus();
  }

  // Says whether the layer runs in int8, and notes what it needs.
  absl::Status Decide(size_t index, const MaskedValues& masked,
                      const AttentionWeights& attention) {
    const PreparedLayer& layer = prepared_.layers[index];
    absl::Status status = CheckValues(layer);
    if (status.ok() && is_calibrated_) {
      status = masked.Check(layer);
      status.Update(attention.Check(layer));
    }
    if (status.ok()) {
      status = weights_.Quantize(index);
    }
    if (!status.ok() && !IsRefusal(status)) {
      return status;
    }
    if (!status.ok()) {
      float_watchers_.insert(ObserverAttribute(layer.watcher));
      float_layers_.push_back(
          {layer.name, layer.op, std::string(status.message())});
      return absl::OkStatus();
    }
    quantized_layers_.push_back(index);
    for (const int64_t input : layer.inputs) {
      used_.insert(ObserverAttribute(input));
    }
    used_.insert(ObserverAttribute(layer.output));
    return absl::OkStatus();
  }

  // See MakeRatiosDistinct. PyTorch's own scales stay.
  void SeparateRatios() {
    std::vector<RatioLayer> layers;
    std::vector<int64_t> fixed;
    std::map<int64_t, QParams> qparams;
    for (const size_t index : quantized_layers_) {
      const at::Tensor* weight = weights_.WeightOf(index);
      const PreparedLayer& layer = prepared_.layers[index];
      if (weight == nullptr || layer.inputs.empty()) {
        continue;
      }
      layers.push_back({*weight, layer.inputs.front(), layer.output});
      for (const int64_t number : {layer.inputs.front(), layer.output}) {
        const CalibratedValue& observed = *Find(number);
        const ObserverConfig& config = observed.observer->config();
        if (config.compat || config.kind == ObserverKind::kFixedQParams) {
          fixed.push_back(number);
        }
        qparams[number] = observed.qparams;
      }
    }
    if (MakeRatiosDistinct(layers, fixed, qparams)) {
      for (const auto& [number, changed] : qparams) {
        observed_.at(ObserverAttribute(number)).qparams = changed;
      }
    }
  }

  // `watched` is what the watcher of a layer hands on: to the op, or to the
  // list that it takes.
  void NoteFloat(const Value& watched) {
    for (const torch::jit::Use& use : watched.uses()) {
      if (use.user->kind() == c10::prim::ListConstruct) {
        NoteFloat(*use.user->output());
      } else {
        options_.float_nodes->insert(use.user);
      }
    }
  }

  absl::Status ConvertCall(Node* call) {
    Value* value = call->input(1);
    const std::string name = call->input(0)->node()->s(c10::attr::name);
    if (float_watchers_.count(name) != 0 && options_.float_nodes != nullptr) {
      NoteFloat(*call->output());
    }
    Value* result = value;
    if (used_.count(name) != 0) {
      NS_ASSIGN_OR_RETURN(result, QuantizedAndBack(call, observed_.at(name)));
      result->setType(value->type());
    }
    call->output()->replaceAllUsesWith(result);
    call->destroy();
    return absl::OkStatus();
  }

  absl::StatusOr<Value*> QuantizedAndBack(Node* call,
                                          const CalibratedValue& observed) {
    Value* value = call->input(1);
    torch::jit::Graph& graph = model_.graph();
    const torch::jit::WithInsertPoint in_front(call);
    const at::ScalarType dtype = observed.observer->config().dtype;
    const auto [scale, zero_point] = observed.qparams;
    Value* quantized = nullptr;
    if (const auto constant = ConstantOf(*value);
        constant && constant->isTensor()) {
      NS_ASSIGN_OR_RETURN(const at::Tensor tensor, CatchTorchErrors([&] {
                            return at::quantize_per_tensor(
                                constant->toTensor().to(at::kFloat),
                                observed.qparams.scale,
                                observed.qparams.zero_point, dtype);
                          }));
      quantized = graph.insertConstant(tensor);
    } else {
      NS_ASSIGN_OR_RETURN(
          quantized,
          InsertOp(graph, "aten::quantize_per_tensor",
                   {value, scale, zero_point, static_cast<int64_t>(dtype)}));
      quantized->node()->copyMetadata(call);
    }
    NS_ASSIGN_OR_RETURN(Value * result,
                        InsertOp(graph, "aten::dequantize", {quantized}));
    result->node()->copyMetadata(call);
    return result;
  }

  void DestroyUnusedAttributes() {
    std::vector<Node*> unused;
    ForEachNode(model_.graph().block(), [&](Node* node) {
      if (node->kind() == c10::prim::GetAttr &&
          node->output()->uses().empty()) {
        unused.push_back(node);
      }
    });
    for (Node* node : unused) {
      node->destroy();
    }
  }

  void WarnOfNonFinite(QuantizationReport& report) const {
    std::set<std::string> told;
    for (const PreparedLayer& layer : prepared_.layers) {
      std::vector<int64_t> numbers = layer.inputs;
      numbers.push_back(layer.output);
      for (const int64_t number : numbers) {
        const CalibratedValue* observed = Find(number);
        if (observed == nullptr ||
            !told.insert(ObserverAttribute(number)).second) {
          continue;
        }
        const int64_t nans = observed->observer->NanCount();
        const int64_t infs = observed->observer->InfCount();
        if (nans + infs > 0) {
          report.warnings.push_back(absl::StrCat(
              layer.name, ": ", nans, " nan and ", infs,
              " infinite values among its activations; they do not count"));
        }
      }
    }
  }

  QuantizationReport Report() {
    QuantizationReport report = std::move(prepared_.report);
    for (const size_t index : quantized_layers_) {
      const PreparedLayer& layer = prepared_.layers[index];
      LayerQuantization described;
      described.name = layer.name;
      described.op = layer.op;
      described.qconfig = layer.qconfig;
      described.rule = layer.rule;
      for (const int64_t input : layer.inputs) {
        described.inputs.push_back(Describe(*Find(input)));
      }
      described.output = Describe(*Find(layer.output));
      weights_.Describe(index, described);
      report.layers.push_back(std::move(described));
    }
    report.stayed_float.insert(report.stayed_float.end(), float_layers_.begin(),
                               float_layers_.end());
    WarnOfNonFinite(report);
    // Layers that were quantized without calibration stand before the others.
    SortByExecution(report);
    return report;
  }

  ModelGraph& model_;
  PreparedModel prepared_;
  const bool is_calibrated_;
  const ConvertObserversOptions& options_;
  // By attribute.
  const std::map<std::string, InputMeansPtr> means_;
  std::vector<Node*> calls_;
  std::vector<Node*> means_calls_;
  ConversionCache own_cache_;
  ConversionCache& cache_;
  ConvertedWeights weights_;
  // By attribute.
  std::map<std::string, CalibratedValue> observed_;
  // The observers of layers that run in int8.
  std::set<std::string> used_;
  std::vector<size_t> quantized_layers_;
  std::vector<FloatLayer> float_layers_;
  // Their observers of their own, where they have any.
  std::set<std::string> float_watchers_;
};

absl::StatusOr<QuantizationReport> Convert(
    ModelGraph& model, bool is_calibrated,
    const ConvertObserversOptions& options) {
  NS_ASSIGN_OR_RETURN(PreparedModel prepared,
                      AttachedPreparedModel(model.module()));
  return CatchTorchErrors("converting observers", [&] {
    return Converter(model, std::move(prepared), is_calibrated, options).Run();
  });
}

}  // namespace

absl::StatusOr<QuantizationReport> ConvertObservers(
    ModelGraph& model, const ConvertObserversOptions& options) {
  return Convert(model, /*is_calibrated=*/true, options);
}

absl::StatusOr<QuantizationReport> ConvertUncalibrated(ModelGraph& model) {
  return Convert(model, /*is_calibrated=*/false, /*options=*/{});
}

absl::StatusOr<bool> ConvertObserversPass::Run(ModelGraph& model,
                                               PassContext& context) const {
  if (!IsPrepared(model.module())) {
    return false;
  }
  NS_ASSIGN_OR_RETURN(const PreparedModel prepared,
                      AttachedPreparedModel(model.module()));
  NS_ASSIGN_OR_RETURN(const QuantizationReport report, ConvertObservers(model));
  std::map<std::string, std::string> reasons;
  for (const FloatLayer& layer : report.stayed_float) {
    reasons[layer.name] = layer.reason;
  }
  for (const FloatSubgraph& subgraph :
       FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
    const auto found = reasons.find(subgraph.name);
    if (found != reasons.end()) {
      context.Remark(*subgraph.subgraph.base, found->second);
    }
  }
  return !prepared.layers.empty();
}

}  // namespace ns
