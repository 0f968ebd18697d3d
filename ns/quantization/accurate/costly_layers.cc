#include "ns/quantization/accurate/costly_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <set>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "ns/quantization/model/layer_errors.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/layer_rule.h"
#include "passes/quantization/qconfig/kernel_support.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// The layers of a model, which of them run in int8, and who reads whom.
class Readers {
 public:
  // `layers` are those of the graph, and `int8` the names of those that run in
  // int8.
  Readers(const std::vector<FloatSubgraph>& layers,
          const std::set<std::string>& int8) {
    for (const FloatSubgraph& layer : layers) {
      for (const Node* node : layer.subgraph.nodes) {
        layers_[node] = &layer;
      }
      if (int8.count(layer.name) != 0) {
        int8_.insert(&layer);
      }
    }
  }

  bool IsInt8(const FloatSubgraph& layer) const {
    return int8_.contains(&layer);
  }

  // Returns the layers that read the output of `layer` in int8, directly or
  // behind ops that are in no layer, which move values.
  std::vector<const FloatSubgraph*> Int8ReadersOf(
      const FloatSubgraph& layer) const {
    std::vector<const FloatSubgraph*> readers;
    AddReaders(*layer.output, readers);
    return readers;
  }

  void MoveToFloat(const FloatSubgraph& layer) { int8_.erase(&layer); }

 private:
  // What a block returns is not followed.
  void AddReaders(const Value& value,
                  std::vector<const FloatSubgraph*>& readers) const {
    for (const torch::jit::Use& use : value.uses()) {
      const FloatSubgraph* layer = layers_.lookup(use.user);
      if (layer == nullptr) {
        for (const Value* output : use.user->outputs()) {
          AddReaders(*output, readers);
        }
      } else if (IsInt8(*layer)) {
        readers.push_back(layer);
      }
    }
  }

  llvm::DenseMap<const Node*, const FloatSubgraph*> layers_;
  llvm::DenseSet<const FloatSubgraph*> int8_;
};

bool HasWeight(const FloatSubgraph& layer) {
  return QuantizesWeight(layer.family);
}

// Whether what the layer gives has a range of its own, whatever that of its
// input.
bool HasOwnRange(const FloatSubgraph& layer) {
  constexpr absl::string_view kFamilies[] = {
      "batch_norm", "group_norm", "instance_norm", "layer_norm", "softmax"};
  return absl::c_linear_search(kFamilies, layer.family);
}

// Moves what reads `layer` in int8, but for layers with weights, to float: it
// would round the values that are not rounded any more, and what it makes of
// them.
void MoveReaders(const FloatSubgraph& layer, Readers& readers,
                 CostlyLayers& costly) {
  for (const FloatSubgraph* reader : readers.Int8ReadersOf(layer)) {
    if (HasWeight(*reader)) {
      continue;
    }
    costly.to_float.try_emplace(
        reader->name, absl::StrCat("in int8, it would round the values of ",
                                   layer.name, " all the same"));
    readers.MoveToFloat(*reader);
    if (!HasOwnRange(*reader)) {
      MoveReaders(*reader, readers, costly);
    }
  }
}

std::vector<FloatSubgraph> LayersOf(ModelGraph& folded) {
  return FindFloatSubgraphs(folded.graph(), {}, FusingOps::kLibTorch);
}

}  // namespace

absl::StatusOr<CostlyLayers> FindCostlyLayers(
    const ModelGraph& float_model, const ModelGraph& quantized,
    const QuantizationReport& report, absl::Span<const Batch> batches,
    const CostlyLayersOptions& options) {
  NS_ASSIGN_OR_RETURN(const auto shares,
                      OutputShares(float_model, quantized, batches));
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(float_model, /*compat=*/false));
  const std::vector<FloatSubgraph> layers = LayersOf(folded);
  std::set<std::string> int8;
  for (const LayerQuantization& layer : report.layers) {
    // Dynamic layers give float values.
    if (layer.output) {
      int8.insert(layer.name);
    }
  }
  Readers readers(layers, int8);
  CostlyLayers costly;
  double sum = 0;
  // The last ones first, as a layer that moves to float makes those in front of
  // it give their values to float.
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const auto share = shares.find(layer->name);
    if (!readers.IsInt8(*layer) || share == shares.end() ||
        !(share->second >= options.least_share)) {
      continue;
    }
    const std::vector<const FloatSubgraph*> behind =
        readers.Int8ReadersOf(*layer);
    const bool is_linear = layer->family == "linear";
    if ((!options.between_int8 && !behind.empty()) ||
        (HasWeight(*layer) &&
         (!is_linear || absl::c_any_of(behind, [](const FloatSubgraph* reader) {
           return HasWeight(*reader);
         })))) {
      continue;
    }
    const std::string reason =
        absl::StrFormat("in int8, it would make %.0f %% of the outputs' error",
                        100 * share->second);
    if (is_linear) {
      // It rounds its input as before.
      costly.to_dynamic[layer->name] = reason;
    } else {
      costly.to_float[layer->name] = reason;
      readers.MoveToFloat(*layer);
    }
    MoveReaders(*layer, readers, costly);
    sum += share->second;
  }
  return sum >= options.least_sum ? costly : CostlyLayers();
}

absl::Status AddRulesFor(const CostlyLayers& layers,
                         const ModelGraph& float_model, const QConfig& dynamic,
                         QConfigMapping& mapping) {
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(float_model, /*compat=*/false));
  const std::vector<FloatSubgraph> all = LayersOf(folded);
  for (const FloatSubgraph& layer : all) {
    if (layers.to_float.count(layer.name) != 0) {
      SetLayerQConfig(all, layer, std::nullopt, mapping);
    } else if (layers.to_dynamic.count(layer.name) != 0) {
      SetLayerQConfig(all, layer, dynamic, mapping);
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
