#include "passes/runtime/attribution/attribution_tap.h"

#include <ATen/ATen.h>

namespace ns {
namespace {

// Returns `y` - `x`, and 0 where that is not finite.
at::Tensor Difference(const at::Tensor& y, const at::Tensor& x) {
  const at::Tensor difference = y - x.detach();
  return difference.masked_fill(difference.isfinite().logical_not(), 0);
}

}  // namespace

void AttributionTap::Begin() {
  calls_ = 0;
  if (*run_ == AttributionRun::kFloat) {
    of_float_.clear();
    of_quantized_.clear();
    errors_.clear();
    tapped_.clear();
  }
}

at::Tensor AttributionTap::ValueLike(
    const at::Tensor& x, const std::vector<at::Tensor>& values) const {
  return calls_ < values.size() && values[calls_].sizes() == x.sizes()
             ? values[calls_].to(x.scalar_type())
             : at::Tensor();
}

at::Tensor AttributionTap::Forward(const at::Tensor& x) {
  if (!x.is_floating_point()) {
    return x;
  }
  if (*run_ == AttributionRun::kFloat) {
    // An op in place may write to it.
    of_float_.push_back(x.detach().clone());
    return x;
  }
  const at::Tensor of_quantized = ValueLike(x, of_quantized_);
  const at::Tensor of_float = ValueLike(x, of_float_);
  ++calls_;
  if (*run_ == AttributionRun::kErrors) {
    errors_.push_back(of_quantized.defined() ? Difference(of_quantized, x)
                                             : at::Tensor());
    return of_quantized.defined() ? x + errors_.back() : x;
  }
  at::Tensor tapped = of_quantized.defined() && of_float.defined()
                          ? x + Difference((of_quantized + of_float) / 2, x)
                          : x.view_as(x);
  if (!tapped.requires_grad()) {
    tapped = tapped.detach().requires_grad_();
  }
  tapped_.push_back(tapped);
  return tapped;
}

void AttributionTap::See(const at::Tensor& x) {
  if (x.is_quantized()) {
    of_quantized_.push_back(x.dequantize());
  } else if (x.is_floating_point()) {
    of_quantized_.push_back(x.detach().clone());
  }
}

namespace {

const auto attribution_tap =
    torch::class_<AttributionTap>("ns", "AttributionTap")
        .def("forward", [](const AttributionTapPtr& self,
                           const at::Tensor& x) { return self->Forward(x); })
        .def("see", [](const AttributionTapPtr& self, const at::Tensor& x) {
          self->See(x);
        });

}  // namespace
}  // namespace ns
