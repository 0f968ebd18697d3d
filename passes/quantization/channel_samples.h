// Gathers what flows into and out of the layers of a float model, channel by
// channel.
#ifndef PASSES_QUANTIZATION_CHANNEL_SAMPLES_H_
#define PASSES_QUANTIZATION_CHANNEL_SAMPLES_H_

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
#include "ir/model_graph.h"

namespace ns {

// What was seen of one value.
struct ChannelSample {
  // Some of its rows, chosen at random: [rows, channels]. A row has one number
  // of each channel, as at one place of an image. Undefined in
  // ChannelSamples::outputs.
  at::Tensor rows;
  // The largest absolute value of each channel, of all rows: [channels].
  at::Tensor largest;
};

struct ChannelSamples {
  // By FloatSubgraph::name. Left out are layers that did not run, or on empty
  // tensors alone, and those whose weight or bias is not constant, not finite,
  // of another dtype than float32 or float64, or used elsewhere, too. Rows with
  // nan or infinities do not count.
  //
  // The inputs of linear layers, with rows: for SmoothLayers::Options::inputs.
  std::map<std::string, ChannelSample> inputs;
  // The outputs of linear layers and convolutions behind their activation
  // (FloatSubgraph::output): their `largest` is for
  // EqualizeLayers::Options::largest_outputs.
  std::map<std::string, ChannelSample> outputs;
};

struct ChannelSamplerOptions {
  // Whether the input or the output of the layer of this name is asked for.
  // Null: of all.
  std::function<bool(const std::string& layer)> takes_input;
  std::function<bool(const std::string& layer)> takes_output;
  // How many rows of each value are kept at most.
  int64_t most_rows = 512;
  // Of the random choice of rows.
  uint64_t seed = 1;
  // Called by Create with the copy that will run, behind all other changes of
  // it: to make it faster, for example. It must keep the calls that sample
  // values. Its error is that of Create. May be null.
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
  // Error: a model that LibTorch cannot copy.
  static absl::StatusOr<ChannelSampler> Create(
      const ModelGraph& model, const ChannelSamplerOptions& options = {});

  // Runs the model, as ModelGraph::Run. Error: that of the model; or a value
  // that has another number of channels than before.
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

#endif  // PASSES_QUANTIZATION_CHANNEL_SAMPLES_H_
