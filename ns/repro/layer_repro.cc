#include "ns/repro/layer_repro.h"

#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/nearest_name.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "ns/batches/batch.h"
#include "ns/repro/layer_input_recorder.h"
#include "ns/repro/shrink_channels.h"
#include "passes/analysis/subgraph.h"
#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

using Tensors = std::vector<at::Tensor>;

// What the float layer and the quantized layer make of `inputs`. Error: one of
// them fails.
absl::StatusOr<std::pair<at::Tensor, at::Tensor>> Outputs(
    LayerModules& layers, const Tensors& inputs) {
  const std::vector<c10::IValue> arguments(inputs.begin(), inputs.end());
  NS_ASSIGN_OR_RETURN(const c10::IValue x, layers.float_layer.Run(arguments));
  NS_ASSIGN_OR_RETURN(const c10::IValue y,
                      layers.quantized_layer.Run(arguments));
  return std::pair(x.toTensor(), y.toTensor());
}

// The statistics of both layers on `inputs`. Error: one of them fails, or their
// shapes differ.
absl::StatusOr<PairStatistics> Measure(LayerModules& layers,
                                       const Tensors& inputs) {
  NS_ASSIGN_OR_RETURN(const auto outputs, Outputs(layers, inputs));
  return CatchTorchErrors("comparing its outputs", [&] {
    return ComparePair(outputs.first, outputs.second);
  });
}

// The size of the first dimension, where all inputs share one; else 1.
int64_t SamplesIn(const Tensors& inputs) {
  const auto size = [](const at::Tensor& input) -> int64_t {
    return input.dim() > 0 ? input.size(0) : 1;
  };
  const bool is_shared = absl::c_all_of(inputs, [&](const at::Tensor& input) {
    return size(input) == size(inputs[0]);
  });
  return is_shared && size(inputs[0]) > 1 ? size(inputs[0]) : 1;
}

absl::StatusOr<Tensors> Samples(const Tensors& inputs, IndexRange range) {
  return CatchTorchErrors([&] {
    Tensors parts;
    for (const at::Tensor& input : inputs) {
      parts.push_back(input.narrow(0, range.begin, range.size()).clone());
    }
    return parts;
  });
}

class Reproducer {
 public:
  // `model` has the quantized subgraph of `layers`.
  static absl::StatusOr<Reproducer> Create(const ModelGraph& model,
                                           const Subgraph& subgraph,
                                           LayerModules layers,
                                           const BatchReader& batches) {
    NS_ASSIGN_OR_RETURN(LayerInputRecorder recorder,
                        LayerInputRecorder::Create(model, subgraph));
    return Reproducer(model, subgraph, std::move(layers), std::move(recorder),
                      batches);
  }

  absl::StatusOr<LayerRepro> Run(const LayerReproOptions& options) {
    NS_ASSIGN_OR_RETURN(const std::vector<PairStatistics> parts,
                        MeasureBatches(options));
    PairStatistics whole;
    for (const PairStatistics& part : parts) {
      whole.Merge(part);
    }
    if (whole.count == 0 || whole.AreEqual()) {
      return Refusal(
          "it adds no error of its own on these inputs; choose another with "
          "--layer");
    }
    const auto kept = static_cast<int64_t>(MostTellingPart(parts, whole));
    NS_ASSIGN_OR_RETURN(Tensors inputs,
                        RecordAgain(kept, parts[static_cast<size_t>(kept)]));
    const int64_t count = SamplesIn(inputs);
    const IndexRange range = ShrinkRange(
        count, whole, [&](IndexRange half) -> std::optional<PairStatistics> {
          const absl::StatusOr<Tensors> samples = Samples(inputs, half);
          if (!samples.ok()) {
            return std::nullopt;
          }
          const auto statistics = Measure(layers_, *samples);
          return statistics.ok() ? std::optional(*statistics) : std::nullopt;
        });
    if (range.size() < count) {
      NS_ASSIGN_OR_RETURN(inputs, Samples(inputs, range));
    }
    NS_ASSIGN_OR_RETURN(inputs, TakePlainInputs(inputs, layers_));
    LayerRepro repro{/*layer=*/{},
                     /*op=*/{},
                     std::move(layers_),
                     std::move(inputs),
                     whole,
                     /*of_kept=*/{},
                     batches_.size(),
                     kept,
                     range,
                     count,
                     /*channels=*/{0, 1},
                     /*channels_in_layer=*/1};
    CutChannels(repro);
    NS_ASSIGN_OR_RETURN(repro.of_kept, Measure(repro.layers, repro.inputs));
    return repro;
  }

 private:
  Reproducer(const ModelGraph& model, const Subgraph& subgraph,
             LayerModules layers, LayerInputRecorder recorder,
             const BatchReader& batches)
      : model_(model),
        subgraph_(subgraph),
        layers_(std::move(layers)),
        recorder_(std::move(recorder)),
        batches_(batches) {}

  absl::StatusOr<Tensors> Record(int64_t index) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(index));
    return recorder_.Record(batch, index);
  }

  // Returns what flowed into the layer at batch `index`, when all batches ran
  // in order and `part` was measured.
  absl::StatusOr<Tensors> RecordAgain(int64_t index,
                                      const PairStatistics& part) {
    NS_ASSIGN_OR_RETURN(Tensors inputs, Record(index));
    NS_ASSIGN_OR_RETURN(const PairStatistics again, Measure(layers_, inputs));
    if (again.ToNumbers() == part.ToNumbers()) {
      return inputs;
    }
    // The model keeps state, which the later batches have changed.
    NS_ASSIGN_OR_RETURN(recorder_,
                        LayerInputRecorder::Create(model_, subgraph_));
    for (int64_t i = 0; i <= index; ++i) {
      NS_ASSIGN_OR_RETURN(inputs, Record(i));
    }
    return inputs;
  }

  absl::StatusOr<std::vector<PairStatistics>> MeasureBatches(
      const LayerReproOptions& options) {
    std::vector<PairStatistics> parts;
    for (int64_t i = 0; i < batches_.size(); ++i) {
      NS_ASSIGN_OR_RETURN(const Tensors inputs, Record(i));
      NS_ASSIGN_OR_RETURN(const PairStatistics part, Measure(layers_, inputs));
      parts.push_back(part);
      if (options.progress) {
        options.progress(i + 1, batches_.size());
      }
    }
    return parts;
  }

  // Keeps the fewest channels that show the error of all data, where some can
  // be cut.
  static void CutChannels(LayerRepro& repro) {
    const std::optional<LayerChannels> channels = ChannelsOf(repro.layers);
    if (!channels) {
      return;
    }
    repro.channels = {0, channels->count};
    repro.channels_in_layer = channels->count;
    const auto outputs = Outputs(repro.layers, repro.inputs);
    if (!outputs.ok()) {
      return;
    }
    const auto& [x, y] = *outputs;
    const IndexRange range = ShrinkRange(
        channels->count, repro.of_all,
        [&, &x = x, &y = y](IndexRange part) -> std::optional<PairStatistics> {
          const auto statistics = CatchTorchErrors([&] {
            return ComparePair(
                x.narrow(channels->dim, part.begin, part.size()),
                AsFloat(y).narrow(channels->dim, part.begin, part.size()));
          });
          return statistics.ok() ? std::optional(*statistics) : std::nullopt;
        });
    if (range.size() == channels->count) {
      return;
    }
    absl::StatusOr<FedLayer> cut =
        KeepChannels(repro.layers, repro.inputs, *channels, range);
    if (!cut.ok()) {
      return;
    }
    const auto of_cut = Measure(cut->layers, cut->inputs);
    if (of_cut.ok() && ShowsErrorOf(repro.of_all, *of_cut)) {
      repro.layers = std::move(cut->layers);
      repro.inputs = std::move(cut->inputs);
      repro.channels = range;
    }
  }

  const ModelGraph& model_;
  const Subgraph& subgraph_;
  LayerModules layers_;
  LayerInputRecorder recorder_;
  const BatchReader& batches_;
};

}  // namespace

absl::StatusOr<size_t> FindMatchByName(const MatchResult& matches,
                                       absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const SubgraphMatch& match : matches.matches) {
    if (match.name == name) {
      return names.size();
    }
    names.push_back(match.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no matched layer is called '", name, "'; ",
                   DidYouMean(name, names, "ns match lists their names")));
}

absl::StatusOr<LayerRepro> MakeLayerRepro(const ModelGraph& a,
                                          const ModelGraph& b,
                                          const SubgraphMatch& match,
                                          const BatchReader& batches,
                                          const LayerReproOptions& options) {
  const std::string name = absl::StrCat("layer '", match.name, "'");
  absl::StatusOr<LayerModules> layers =
      ExtractLayer(a, b, match, options.output, options.io_types);
  NS_RETURN_IF_ERROR(
      Annotated(absl::StrCat(name, " cannot stand alone"), layers.status()));
  NS_ASSIGN_OR_RETURN(
      Reproducer reproducer,
      Reproducer::Create(b, match.b.subgraph, *std::move(layers), batches));
  NS_ASSIGN_OR_RETURN(LayerRepro repro,
                      Annotated(name, reproducer.Run(options)));
  repro.layer = match.name;
  repro.op = std::string(OpName(*match.b.subgraph.base));
  return repro;
}

}  // namespace ns
