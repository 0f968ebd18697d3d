// Taps on the values of a float model, which measure what quantizing each layer
// would do to the outputs.
#ifndef PASSES_RUNTIME_NOISE_NOISE_TAPS_H_
#define PASSES_RUNTIME_NOISE_NOISE_TAPS_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "passes/runtime/noise/noise_rows.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/tensor_qparams.h"

namespace ns {

// Which run of the model it is. Its outputs are differentiated in both: the
// hooks of the taps then add the products of gradients and errors to
// NoiseRecord::rows.
enum class NoiseRun {
  // Values are rounded as in the model in which all layers run in int8.
  kNoisy,
  // Values are as in float.
  kClean,
};

// What all taps of a model share.
struct NoiseRecord {
  explicit NoiseRecord(int events) : rows(events) {}

  NoiseRows rows;
  NoiseRun run = NoiseRun::kClean;
};

// A value that is rounded to integers.
struct RoundingEvent {
  // The number of the event in the rows.
  int event = 0;
  TensorQParams qparams;
  ObserverConfig config;
};

// What the taps have in common. A noisy run and the clean run after it make a
// pair. Outputs are differentiated after both: the errors of a call, whichever
// run found them, are then multiplied by its gradients in either run.
class NoiseTap : public torch::CustomClassHolder {
 public:
  // To be called before each run, when NoiseRecord::run is set. A noisy run
  // drops the errors of the pair before.
  void Begin();

  // Whether the value gets the error of the first of events() in a noisy run.
  void SetRounds(bool rounds) { rounds_ = rounds; }

 protected:
  NoiseTap(std::shared_ptr<NoiseRecord> record,
           std::vector<RoundingEvent> events)
      : record_(std::move(record)), events_(std::move(events)) {}

  bool IsNoisy() const { return record_->run == NoiseRun::kNoisy; }
  const std::vector<RoundingEvent>& events() const { return events_; }
  bool rounds() const { return rounds_; }

  // Sets the errors of the next call: of events()[first] and those after it.
  void SetErrors(size_t first, const std::vector<at::Tensor>& errors);

  // Returns `x`, what the next call of this run returns, as a tensor whose
  // gradient meets the errors of the call. A call that the other run does not
  // have, as of a branch that it does not take, has only its own.
  at::Tensor Tapped(const at::Tensor& x);

 private:
  // By call and event; undefined where none was set. The hooks of gradients
  // share it.
  using Errors = std::vector<std::vector<at::Tensor>>;

  std::shared_ptr<NoiseRecord> record_;
  std::vector<RoundingEvent> events_;
  bool rounds_ = false;
  std::shared_ptr<Errors> errors_ = std::make_shared<Errors>();
  size_t calls_ = 0;
};

// Stands on the output of a layer. An event is that the layer runs in int8:
// with its rounded weight it computes another output, which is then rounded.
// There are two for each candidate: one where its inputs come from layers in
// int8, with the error of the noisy run, and one where all come from layers in
// float and are rounded for it, with the error of the clean run. Graphs call it
// as torch.classes.ns.LayerNoiseTap, with a method
// `forward(Tensor, Tensor[]) -> Tensor`. It exists in one process and is not
// saved.
class LayerNoiseTap final : public NoiseTap {
 public:
  // `events` has those of the first kind, and then as many of the second.
  LayerNoiseTap(std::shared_ptr<NoiseRecord> record,
                std::vector<RoundingEvent> events)
      : NoiseTap(std::move(record), std::move(events)) {}

  // `y` is the output of the layer in float. `others` has for each candidate
  // the output with the rounded weight, for inputs from RoundedInput. Returns
  // `y`, to which a noisy run adds the error of the first event if SetRounds
  // was called with true, except where that error is infinite. A tensor that is
  // not of floats is returned as it is.
  at::Tensor Forward(const at::Tensor& y,
                     const std::vector<at::Tensor>& others);
};

// An input of what a layer computes as a candidate: as it is in a noisy run,
// and rounded in a clean one. Graphs call it as torch.classes.ns.RoundedInput,
// with a method `forward(Tensor) -> Tensor`.
class RoundedInput final : public torch::CustomClassHolder {
 public:
  RoundedInput(std::shared_ptr<NoiseRecord> record, RoundingEvent rounding)
      : record_(std::move(record)), rounding_(std::move(rounding)) {}

  at::Tensor Forward(const at::Tensor& x) const;

 private:
  std::shared_ptr<NoiseRecord> record_;
  RoundingEvent rounding_;
};

// Stands on an edge, from a value to a layer that takes it. An event is that
// the layer runs in int8 and the one that makes the value does not, so that the
// value is rounded for the former alone. Its error is that of the clean run.
// Graphs call it as torch.classes.ns.EdgeNoiseTap, with a method
// `forward(Tensor) -> Tensor`.
class EdgeNoiseTap final : public NoiseTap {
 public:
  EdgeNoiseTap(std::shared_ptr<NoiseRecord> record,
               std::vector<RoundingEvent> events)
      : NoiseTap(std::move(record), std::move(events)) {}

  // Returns `x`, as LayerNoiseTap::Forward returns `y`.
  at::Tensor Forward(const at::Tensor& x);
};

using LayerNoiseTapPtr = c10::intrusive_ptr<LayerNoiseTap>;
using RoundedInputPtr = c10::intrusive_ptr<RoundedInput>;
using EdgeNoiseTapPtr = c10::intrusive_ptr<EdgeNoiseTap>;

}  // namespace ns

#endif  // PASSES_RUNTIME_NOISE_NOISE_TAPS_H_
