#include "ns/quantization/accurate/layer_trials.h"

#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/quantization/model/calibrator.h"
#include "passes/instrument/pair/attached_comparer.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/observe/strip_observers.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

class TrialInserter {
 public:
  explicit TrialInserter(ModelGraph& model,
                         const std::map<int64_t, Node*>& layers)
      : model_(model) {
    llvm::DenseMap<const Node*, int64_t> indices;
    for (const auto& [index, base] : layers) {
      indices[base] = index;
    }
    for (FloatSubgraph& subgraph :
         FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
      const auto found = indices.find(subgraph.subgraph.base);
      if (found != indices.end()) {
        subgraphs_.emplace(found->second, std::move(subgraph));
      }
    }
  }

  // Puts a copy of the layer behind it, and what compares both. A refusal where
  // that cannot be.
  absl::Status Insert(const LayerTrial& trial, AttachedComparer& comparer) {
    const auto found = subgraphs_.find(trial.layer);
    if (found == subgraphs_.end()) {
      return Refusal("it is no layer with a quantized weight");
    }
    const FloatSubgraph& layer = found->second;
    std::vector<Value*> inputs = DataInputsOf(layer.subgraph);
    if (inputs.size() != 1) {
      return Refusal("it has several inputs");
    }
    Value* const input = inputs[0];
    if (trial.input) {
      NS_ASSIGN_OR_RETURN(inputs[0], Rounded(input, *trial.input));
    }
    Node* place = PlaceAfter(*layer.output);
    if (trial.of_input) {
      return comparer.Call(model_, "compare", {input, inputs[0]}, place);
    }
    NS_ASSIGN_OR_RETURN(CopiedSubgraph copy,
                        CopySubgraph(model_, layer.subgraph, *layer.output,
                                     inputs, model_, place));
    if (trial.weight.defined()) {
      Node* base = copy.subgraph.base;
      const torch::jit::WithInsertPoint in_front(base);
      base->replaceInput(PackedWeightInput(*base),
                         model_.graph().insertConstant(trial.weight));
    }
    return comparer.Call(model_, "compare", {layer.output, copy.output}, place);
  }

 private:
  // Trials share values that are rounded alike.
  absl::StatusOr<Value*> Rounded(Value* value, const ValueRounding& rounding) {
    const auto key = std::make_tuple(value, rounding.qparams.scale,
                                     rounding.qparams.zero_point,
                                     rounding.quant_min, rounding.quant_max);
    const auto known = rounded_.find(key);
    if (known != rounded_.end()) {
      return known->second;
    }
    const torch::jit::WithInsertPoint behind(PlaceAfter(*value));
    NS_ASSIGN_OR_RETURN(Value * rounded, InsertRounding(value, rounding));
    rounded_[key] = rounded;
    return rounded;
  }

  // What aten::fake_quantize_per_tensor_affine gives for finite values, in a
  // tenth of its time: that rounds number by number, and notes which it has
  // clamped.
  absl::StatusOr<Value*> InsertRounding(Value* value,
                                        const ValueRounding& rounding) {
    const auto scale = static_cast<float>(rounding.qparams.scale);
    const int64_t zero_point = rounding.qparams.zero_point;
    torch::jit::Graph& graph = model_.graph();
    NS_ASSIGN_OR_RETURN(Value * integers,
                        InsertOp(graph, "aten::mul", {value, 1.0F / scale}));
    NS_ASSIGN_OR_RETURN(integers, InsertOp(graph, "aten::round_", {integers}));
    NS_ASSIGN_OR_RETURN(integers,
                        InsertOp(graph, "aten::clamp_",
                                 {integers, rounding.quant_min - zero_point,
                                  rounding.quant_max - zero_point}));
    return InsertOp(graph, "aten::mul_", {integers, scale});
  }

  ModelGraph& model_;
  // By index of the layer.
  std::map<int64_t, FloatSubgraph> subgraphs_;
  std::map<std::tuple<Value*, double, int64_t, int64_t, int64_t>, Value*>
      rounded_;
};

double SqnrOf(const PairComparerPtr& comparer) {
  if (comparer == nullptr || comparer->record().batches.empty()) {
    return kUnknown;
  }
  return comparer->record().batches.front().SqnrDb();
}

}  // namespace

absl::StatusOr<std::vector<double>> MeasureLayerTrials(
    const ModelGraph& prepared, absl::Span<const Batch> batches,
    absl::Span<const LayerTrial> trials) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, prepared.Clone());
  NS_ASSIGN_OR_RETURN(const auto layers, StripObservers(model));
  PairComparerOptions options;
  options.by_batch = false;
  options.codes = false;
  int attached = 0;
  std::vector<AttachedComparer> comparers;
  TrialInserter inserter(model, layers);
  for (const LayerTrial& trial : trials) {
    comparers.emplace_back(options, attached);
    const absl::Status status = inserter.Insert(trial, comparers.back());
    if (!status.ok() && !IsRefusal(status)) {
      return status;
    }
  }
  NS_ASSIGN_OR_RETURN(Calibrator runner, Calibrator::Create(model));
  for (size_t i = 0; i < batches.size(); ++i) {
    NS_RETURN_IF_ERROR(runner.Run(batches[i], static_cast<int64_t>(i)));
    for (const AttachedComparer& comparer : comparers) {
      if (const PairComparerPtr object = comparer.object()) {
        object->EndBatch();
      }
    }
  }
  std::vector<double> sqnr_db;
  for (const AttachedComparer& comparer : comparers) {
    sqnr_db.push_back(SqnrOf(comparer.object()));
  }
  return sqnr_db;
}

}  // namespace ns
