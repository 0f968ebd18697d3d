#include "passes/quantization/rescale/smooth_layers.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/rescale/channel_flow.h"
#include "passes/quantization/rescale/smoothed_source.h"
#include "passes/quantization/rescale/smoothing_gain.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;

constexpr double kExponents[] = {0.25, 0.4, 0.5, 0.6, 0.75, 0.9};

// Factors nearer to 1 change nothing.
constexpr double kLeastStep = 0.01;

absl::Status AddReaders(const ChannelFactors& factors, const ChannelFlow& flow,
                        std::vector<Node*>& readers);

// Adds the linear layers behind `use` of `flow` to `readers`.
absl::Status AddReadersBehind(const ChannelFactors& factors,
                              const ChannelFlow& flow, const Use& use,
                              std::vector<Node*>& readers) {
  if (use.user->kind() == c10::aten::linear && use.offset == 0) {
    readers.push_back(use.user);
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const ChannelFlow behind, factors.Past(flow, use));
  return AddReaders(factors, behind, readers);
}

bool WritesInPlace(const Use& use) { return WorksInPlace(*use.user); }

// Adds the linear layers that read `flow` to `readers`.
absl::Status AddReaders(const ChannelFactors& factors, const ChannelFlow& flow,
                        std::vector<Node*>& readers) {
  NS_ASSIGN_OR_RETURN(const std::vector<Use> uses, ReadersOf(*flow.value));
  if (uses.empty()) {
    return Refusal("nothing reads its values");
  }
  if (uses.size() > 1 && absl::c_any_of(uses, WritesInPlace)) {
    return Refusal("an op in place writes to its values");
  }
  for (const Use& use : uses) {
    NS_RETURN_IF_ERROR(AddReadersBehind(factors, flow, use, readers));
  }
  return absl::OkStatus();
}

// Returns the uses of `flow` in its block behind which there are linear layers
// alone, which it adds to `readers`. None where an op in place writes to the
// values.
std::vector<Use> UsesOfLinears(const ChannelFactors& factors,
                               const ChannelFlow& flow,
                               std::vector<Node*>& readers) {
  std::vector<Use> uses;
  if (absl::c_any_of(flow.value->uses(), WritesInPlace)) {
    return uses;
  }
  for (const Use& use : flow.value->uses()) {
    std::vector<Node*> behind;
    if (use.user->owningBlock() == flow.value->node()->owningBlock() &&
        AddReadersBehind(factors, flow, use, behind).ok()) {
      uses.push_back(use);
      absl::c_copy(behind, std::back_inserter(readers));
    }
  }
  return uses;
}

// The linear layers behind one layer, and what is known of them.
struct Readers {
  std::vector<std::string> names;
  std::vector<ScaledLayer*> layers;
  // Of those that are quantized.
  std::vector<SampledLinear> sampled;
  // The largest absolute values of channels; undefined where not known.
  at::Tensor largest;

  at::Tensor Ranges() const {
    at::Tensor ranges = layers.front()->RangesOfInputs();
    for (const ScaledLayer* layer : layers) {
      ranges = at::maximum(ranges, layer->RangesOfInputs());
    }
    return ranges;
  }
};

class Smoother {
 public:
  Smoother(ModelGraph& model, const SmoothLayers::Options& options,
           PassContext& context)
      : options_(options),
        context_(context),
        factors_(model.graph()),
        subgraphs_(FindFloatSubgraphs(model.graph())) {}

  absl::StatusOr<SmoothingReport> Run() {
    for (const FloatSubgraph& subgraph : subgraphs_) {
      by_base_[subgraph.subgraph.base] = &subgraph;
    }
    for (const FloatSubgraph& subgraph : subgraphs_) {
      Node* node = subgraph.subgraph.base;
      const bool is_norm = node->kind() == c10::aten::layer_norm;
      report_.has_norm = report_.has_norm || is_norm;
      if ((!is_norm && node->kind() != c10::aten::linear) ||
          (options_.takes && !options_.takes(subgraph.name))) {
        continue;
      }
      const absl::Status tried = Try(subgraph);
      if (IsRefusal(tried)) {
        context_.Remark(*node, tried.message());
        report_.refused.push_back(
            {subgraph.name, subgraph.op, std::string(tried.message())});
      } else {
        NS_RETURN_IF_ERROR(tried);
      }
    }
    for (const SmoothedSource& source : smoothed_) {
      source.WriteNorm();
    }
    layers_.Write();
    return std::move(report_);
  }

 private:
  absl::Status Try(const FloatSubgraph& subgraph) {
    Node& node = *subgraph.subgraph.base;
    NS_ASSIGN_OR_RETURN(SmoothedSource source, SourceOf(node));
    ChannelFlow flow;
    flow.value = node.output();
    flow.channels = source.channels();
    std::vector<Node*> nodes;
    // What is to read a copy of the norm; none where all its readers stay.
    std::vector<Use> moved;
    if (const absl::Status all = AddReaders(factors_, flow, nodes); !all.ok()) {
      nodes.clear();
      if (IsRefusal(all) && node.kind() == c10::aten::layer_norm) {
        moved = UsesOfLinears(factors_, flow, nodes);
      }
      if (moved.empty()) {
        return all;
      }
    }
    NS_ASSIGN_OR_RETURN(Readers readers, KnownReaders(nodes, source));
    SmoothedLayers tried;
    tried.first = subgraph.name;
    tried.readers = readers.names;
    at::Tensor factors;
    if (options_.exponent) {
      tried.exponent = *options_.exponent;
      NS_ASSIGN_OR_RETURN(factors, FactorsOfGiven(readers, source));
    } else {
      NS_ASSIGN_OR_RETURN(factors, BestFactors(readers, tried));
    }
    if (!factors.defined()) {
      report_.tried.push_back(std::move(tried));
      return Refusal(absl::StrFormat(
          "smoothing gains its readers less than %g dB (%.1f dB without, %.1f "
          "dB at best)",
          options_.least_gain_db, report_.tried.back().without_db,
          report_.tried.back().with_db));
    }
    if (factors.log().abs().max().item<double>() < kLeastStep) {
      return Refusal("its values are smooth already");
    }
    NS_RETURN_IF_ERROR(Smooth(factors, std::move(source), readers, moved));
    tried.is_smoothed = true;
    tried.is_copied = !moved.empty();
    report_.tried.push_back(std::move(tried));
    return absl::OkStatus();
  }

  absl::StatusOr<SmoothedSource> SourceOf(Node& node) {
    if (node.kind() == c10::aten::layer_norm) {
      return SmoothedSource::OfNorm(node);
    }
    NS_ASSIGN_OR_RETURN(ScaledLayer* const layer, layers_.At(node));
    return SmoothedSource::OfLinear(*layer);
  }

  absl::StatusOr<Readers> KnownReaders(const std::vector<Node*>& nodes,
                                       const SmoothedSource& source) {
    Readers readers;
    bool are_known = true;
    for (Node* node : nodes) {
      const FloatSubgraph& subgraph = *by_base_.lookup(node);
      const absl::StatusOr<ScaledLayer*> layer = layers_.At(*node);
      NS_RETURN_IF_ERROR(Annotated(subgraph.name, layer.status()));
      if ((*layer)->inputs() != source.channels()) {
        return Refusal(
            absl::StrCat(subgraph.name, " takes another number of channels"));
      }
      readers.names.push_back(subgraph.name);
      readers.layers.push_back(*layer);
      const auto input = options_.inputs.find(subgraph.name);
      if (input == options_.inputs.end()) {
        are_known = false;
        continue;
      }
      NS_RETURN_IF_ERROR(AddSample(subgraph, input->second, **layer, readers));
    }
    if (!are_known) {
      readers.sampled.clear();
      readers.largest = at::Tensor();
    }
    return readers;
  }

  absl::Status AddSample(const FloatSubgraph& subgraph,
                         const ChannelSample& input, const ScaledLayer& layer,
                         Readers& readers) const {
    const auto fits = [&](const at::Tensor& tensor, int64_t dims) {
      return tensor.defined() && tensor.dim() == dims &&
             tensor.size(-1) == layer.inputs() &&
             tensor.isfinite().all().item<bool>();
    };
    if (!fits(input.largest, 1) || !fits(input.rows, 2) ||
        input.rows.size(0) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          subgraph.name, ": the sample of its input is not rows of ",
          layer.inputs(), " finite numbers"));
    }
    const at::Tensor largest = input.largest.abs().to(at::kDouble);
    readers.largest = readers.largest.defined()
                          ? at::maximum(readers.largest, largest)
                          : largest;
    const OptionalQConfig qconfig = options_.mapping.Choose(subgraph).qconfig;
    if (qconfig && QuantizesInputOrWeight(*qconfig)) {
      readers.sampled.push_back(
          {input.rows, layer.Weight(), layer.Bias(), *qconfig});
    }
    return absl::OkStatus();
  }

  absl::StatusOr<at::Tensor> FactorsOfGiven(
      const Readers& readers, const SmoothedSource& source) const {
    const at::Tensor largest =
        readers.largest.defined() ? readers.largest : source.Estimate();
    if (!largest.defined()) {
      return Refusal("no sample of its values is given");
    }
    return SmoothingFactors(largest, readers.Ranges(), *options_.exponent);
  }

  // Returns the factors that gain most; undefined when none gains enough.
  absl::StatusOr<at::Tensor> BestFactors(const Readers& readers,
                                         SmoothedLayers& tried) const {
    if (!readers.largest.defined()) {
      return Refusal("no sample of its values is given");
    }
    if (readers.sampled.empty()) {
      return Refusal("the linear layers that read it are not quantized");
    }
    const auto sqnr = [&](const at::Tensor& factors) -> absl::StatusOr<double> {
      absl::StatusOr<double> found = SqnrOfSmoothed(readers.sampled, factors);
      return found.ok() ? found
                        : RefusalOf("what smoothing gains cannot be computed",
                                    found.status());
    };
    NS_ASSIGN_OR_RETURN(tried.without_db, sqnr(at::ones_like(readers.largest)));
    const at::Tensor ranges = readers.Ranges();
    at::Tensor best;
    for (const double exponent : kExponents) {
      const at::Tensor factors =
          SmoothingFactors(readers.largest, ranges, exponent);
      NS_ASSIGN_OR_RETURN(const double with_db, sqnr(factors));
      if (!best.defined() || std::isnan(tried.with_db) ||
          with_db > tried.with_db) {
        best = factors;
        tried.with_db = with_db;
        tried.exponent = exponent;
      }
    }
    // Also false for nan, such as the difference of two infinite numbers.
    if (tried.with_db - tried.without_db >= options_.least_gain_db) {
      return best;
    }
    return at::Tensor();
  }

  // `moved` are uses that are to read a copy of the source, a norm. Error: a
  // refusal, and nothing is changed.
  absl::Status Smooth(const at::Tensor& factors, SmoothedSource source,
                      const Readers& readers, const std::vector<Use>& moved) {
    std::vector<ScaledLayer> changed;
    source.MatchDtype(readers.layers.front()->Weight().scalar_type());
    NS_RETURN_IF_ERROR(source.Divide(factors));
    for (size_t i = 0; i < readers.layers.size(); ++i) {
      changed.push_back(*readers.layers[i]);
      changed.back().MultiplyInputs(factors);
      NS_RETURN_IF_ERROR(
          Annotated(readers.names[i], changed.back().CheckFinite()));
    }
    for (size_t i = 0; i < changed.size(); ++i) {
      *readers.layers[i] = changed[i];
    }
    source.Commit();
    if (!moved.empty()) {
      source.CopyNormFor(moved);
    }
    smoothed_.push_back(std::move(source));
    return absl::OkStatus();
  }

  const SmoothLayers::Options& options_;
  PassContext& context_;
  const ChannelFactors factors_;
  const std::vector<FloatSubgraph> subgraphs_;
  llvm::DenseMap<const Node*, const FloatSubgraph*> by_base_;
  ScaledLayers layers_;
  std::vector<SmoothedSource> smoothed_;
  SmoothingReport report_;
};

}  // namespace

absl::StatusOr<SmoothingReport> SmoothLayers::Smooth(
    ModelGraph& model, PassContext& context) const {
  if (options_.exponent &&
      !(*options_.exponent >= 0 && *options_.exponent <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the exponent of smoothing is ", *options_.exponent,
                     "; use a number from 0 to 1"));
  }
  NS_RETURN_IF_ERROR(options_.mapping.Validate());
  return CatchTorchErrors("smoothing activations", [&] {
    return Smoother(model, options_, context).Run();
  });
}

absl::StatusOr<bool> SmoothLayers::Run(ModelGraph& model,
                                       PassContext& context) const {
  NS_ASSIGN_OR_RETURN(const SmoothingReport report, Smooth(model, context));
  return absl::c_any_of(report.tried, [](const SmoothedLayers& tried) {
    return tried.is_smoothed;
  });
}

}  // namespace ns
