#include "passes/runtime/fbgemm_ops/saturation_counter.h"

#include <ATen/Functions.h>
#include <torch/custom_class.h>

#include <optional>
#include <tuple>

#include "passes/kernels/saturation_mode.h"
#include "passes/runtime/fbgemm_ops/quantize_dynamically.h"

namespace ns {
namespace {

using Self = c10::intrusive_ptr<SaturationCounter>;
using State = std::tuple<int64_t, int64_t>;  // outputs, saturated

// The layer comes as Any: its class may not be registered yet when this one is.
void Count(const Self& self, const at::Tensor& x, const c10::IValue& layer,
           bool reduce_range) {
  const std::optional<FbgemmLayer> ours = FbgemmLayer::Of(layer);
  TORCH_CHECK(ours.has_value(),
              "SaturationCounter: takes an FbgemmConv or FbgemmLinear");
  self->Count(x, *ours, reduce_range);
}

const auto kClass =
    torch::class_<SaturationCounter>("ns", "SaturationCounter")
        .def(torch::init<>())
        .def("count", Count)
        .def("count_outputs", &SaturationCounter::CountOutputs)
        .def("outputs", &SaturationCounter::outputs)
        .def("saturated", &SaturationCounter::saturated)
        .def("clear", &SaturationCounter::Clear)
        .def_pickle(
            [](const Self& self) {
              return State(self->outputs(), self->saturated());
            },
            [](const State& state) {
              auto counter = c10::make_intrusive<SaturationCounter>();
              counter->SetState(std::get<0>(state), std::get<1>(state));
              return counter;
            });

}  // namespace

void SaturationCounter::Count(const at::Tensor& x, const FbgemmLayer& layer,
                              bool reduce_range) {
  if (!exact_of_ || exact_of_->id() != layer.id()) {
    exact_of_ = layer;
    exact_ = layer.With(kernels::SaturationMode::kExact);
  }
  const at::Tensor quantized =
      x.is_quantized()
          ? x
          : QuantizeDynamically(x, reduce_range, "SaturationCounter");
  const at::Tensor sums = layer.Sums(quantized);
  outputs_ += sums.numel();
  saturated_ +=
      at::count_nonzero(at::ne(sums, exact_->Sums(quantized))).item<int64_t>();
}

}  // namespace ns
