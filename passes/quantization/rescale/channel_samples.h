// Gathers what flows into and out of the layers of a float model, channel by
// channel.
#ifndef PASSES_QUANTIZATION_RESCALE_CHANNEL_SAMPLES_H_
#define PASSES_QUANTIZATION_RESCALE_CHANNEL_SAMPLES_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"

namespace ns {

// What was seen of one value, over all runs. A row of it has one number of each
// channel: of an image, the numbers of one pixel.
struct ChannelSample {
  // Some of its rows, chosen at random, as float32: [rows, channels]. Undefined
  // in ChannelSamples::outputs.
  at::Tensor rows;
  // The largest absolute value of each channel in all rows, not only in those
  // above: [channels].
  at::Tensor largest;
};

struct ChannelSamples {
  // By FloatSubgraph::name. Left out are layers that have not run, or only on
  // empty tensors, and those that ScaledLayer refuses: the weight or bias is
  // not constant, not finite, neither float32 nor float64, or used by something
  // else, too. Rows that have a nan or an infinity are ignored.
  //
  // The inputs of linear layers, with rows: for SmoothLayers::Options::inputs.
  std::map<std::string, ChannelSample> inputs;
  // The outputs of linear layers and convolutions, after the activation where
  // there is one (FloatSubgraph::output), without rows: their `largest` is for
  // EqualizeLayers::Options::largest_outputs.
  std::map<std::string, ChannelSample> outputs;
};

struct ChannelSamplerOptions {
  // Whether the input, or the output, of the layer of this name is sampled.
  // Null for all layers.
  std::function<bool(const std::string& layer)> takes_input;
  std::function<bool(const std::string& layer)> takes_output;
  // How many rows of each value are kept at most.
  int64_t most_rows = 512;
  // The seed of the random choice of rows.
  uint64_t seed = 1;
  // Called at the end of Create with the copy that will run, to make it faster,
  // for example. It must keep the calls that sample values. Where it fails,
  // Create returns its error. May be null.
  std::function<absl::Status(ModelGraph& copy)> prepare_copy;
};

// Runs a copy of a model and samples values in it.
//
//   NS_ASSIGN_OR_RETURN(ChannelSampler sampler, ChannelSampler::Create(model));
//   NS_RETURN_IF_ERROR(sampler.Run({x}));
//   EqualizeLayers::Options options;
//   for (const auto& [name, sample] : sampler.samples().outputs) {
//     options.largest_outputs[name] = sample.largest;
//   }
//
// Memory holds the rows, and what the model holds when it runs.
class ChannelSampler {
 public:
  // Error: a model that LibTorch cannot copy, or what `prepare_copy` returns.
  static absl::StatusOr<ChannelSampler> Create(
      const ModelGraph& model, const ChannelSamplerOptions& options = {});

  // Runs the copy, as ModelGraph::Run, and adds what it sees to samples().
  // Error: that of the model; or a value that has another number of channels
  // than before.
  absl::Status Run(const std::vector<c10::IValue>& arguments,
                   const torch::jit::Kwargs& keywords = {});

  const ChannelSamples& samples() const;

 private:
  // What the taps of the copy fill.
  struct State;

  ChannelSampler(ModelGraph copy, std::shared_ptr<State> state)
      : copy_(std::move(copy)), state_(std::move(state)) {}

  ModelGraph copy_;
  std::shared_ptr<State> state_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_CHANNEL_SAMPLES_H_
