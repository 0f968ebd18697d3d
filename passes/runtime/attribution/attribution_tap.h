// Follows the errors of layers to the outputs of a model, by gradients.
#ifndef PASSES_RUNTIME_ATTRIBUTION_ATTRIBUTION_TAP_H_
#define PASSES_RUNTIME_ATTRIBUTION_ATTRIBUTION_TAP_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace ns {

// Which run of which model it is. A batch takes all four, in this order.
enum class AttributionRun {
  // The float model, on its own values.
  kFloat,
  // The quantized model, on its own values.
  kQuantized,
  // The float model, each layer on the values of the quantized model: what it
  // then gives and what the quantized layer gives differ by the local error.
  kErrors,
  // The float model with gradients, each layer on the values halfway between
  // those of both models. There, first derivatives tell what a difference does
  // exactly, as far as the layers are of second order.
  kGradients,
};

// Stands on the output of a layer of the float model, as `forward(Tensor) ->
// Tensor`, and on that of its quantized counterpart, as `see(Tensor) -> ()`, of
// torch.classes.ns.AttributionTap. It exists in one process and is not saved.
// Memory holds the values of the last batch.
//
// A layer may run several times in a batch. Calls of the runs belong together
// by their order; a call whose value another run does not have, or has with
// another shape, has no error.
class AttributionTap final : public torch::CustomClassHolder {
 public:
  // All taps of a pair of models share `run`.
  explicit AttributionTap(std::shared_ptr<const AttributionRun> run)
      : run_(std::move(run)) {}

  // To be called before each run, when the run is set.
  void Begin();

  // Returns `x`; in the later runs of the float model, the value that the run
  // says, of which autograd takes `x` for the source. Infinite values, as of a
  // mask, stay as they are, and so does a tensor that is not of floats.
  at::Tensor Forward(const at::Tensor& x);

  // Keeps the value of a quantized layer, dequantized.
  void See(const at::Tensor& x);

  // The values that Forward returned in the run with gradients, and for each
  // the local error, quantized minus float; undefined where that is not known.
  const std::vector<at::Tensor>& tapped() const { return tapped_; }
  const std::vector<at::Tensor>& errors() const { return errors_; }

 private:
  // What `values` has for the next call; undefined where that has not the shape
  // of `x`.
  at::Tensor ValueLike(const at::Tensor& x,
                       const std::vector<at::Tensor>& values) const;

  std::shared_ptr<const AttributionRun> run_;
  size_t calls_ = 0;
  std::vector<at::Tensor> of_float_;
  std::vector<at::Tensor> of_quantized_;
  std::vector<at::Tensor> errors_;
  std::vector<at::Tensor> tapped_;
};

using AttributionTapPtr = c10::intrusive_ptr<AttributionTap>;

}  // namespace ns

#endif  // PASSES_RUNTIME_ATTRIBUTION_ATTRIBUTION_TAP_H_
