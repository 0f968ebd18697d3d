// The class FbgemmLinear and its operators, which fbgemm_linear.h lists, for
// TorchScript.
#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"
#include "passes/runtime/fbgemm_ops/packed_weight.h"

namespace ns {
namespace {

constexpr char kLayer[] = "FbgemmLinear";
using Self = c10::intrusive_ptr<FbgemmLinear>;
// weight, bias, name of the saturation mode.
using State = std::tuple<at::Tensor, c10::optional<at::Tensor>, std::string>;

at::Tensor Linear(const at::Tensor& x, const Self& layer, double scale,
                  int64_t zero_point) {
  return layer->Run(x, QuantizedOutput(scale, zero_point, kLayer));
}

at::Tensor LinearRelu(const at::Tensor& x, const Self& layer, double scale,
                      int64_t zero_point) {
  return layer->Run(x, Relu(QuantizedOutput(scale, zero_point, kLayer)));
}

at::Tensor LinearClamp(const at::Tensor& x, const Self& layer, double scale,
                       int64_t zero_point, double min, double max) {
  return layer->Run(
      x, Clamp(QuantizedOutput(scale, zero_point, kLayer), min, max));
}

at::Tensor LinearFloat(const at::Tensor& x, const Self& layer) {
  return layer->Run(x, FloatOutput());
}

at::Tensor LinearReluFloat(const at::Tensor& x, const Self& layer) {
  return layer->Run(x, Relu(FloatOutput()));
}

at::Tensor LinearClampFloat(const at::Tensor& x, const Self& layer, double min,
                            double max) {
  return layer->Run(x, Clamp(FloatOutput(), min, max));
}

template <bool kRelu>
at::Tensor LinearAdd(const at::Tensor& x, const Self& layer,
                     const at::Tensor& other, double scale,
                     int64_t zero_point) {
  return layer->RunWithSum(x, other, kRelu, scale, zero_point);
}

DynamicRounding RoundingOf(bool round_as_onednn) {
  return round_as_onednn ? DynamicRounding::kOneDnn : DynamicRounding::kFbgemm;
}

at::Tensor LinearDynamic(const at::Tensor& x, const Self& layer,
                         bool reduce_range, bool round_as_onednn) {
  return layer->RunDynamic(x, reduce_range, /*relu=*/false,
                           RoundingOf(round_as_onednn));
}

at::Tensor LinearReluDynamic(const at::Tensor& x, const Self& layer,
                             bool reduce_range, bool round_as_onednn) {
  return layer->RunDynamic(x, reduce_range, /*relu=*/true,
                           RoundingOf(round_as_onednn));
}

const auto kClass =
    torch::class_<FbgemmLinear>("ns", "FbgemmLinear")
        .def("weight", [](const Self& self) { return self->weight(); })
        .def("bias",
             [](const Self& self) {
               return self->bias().defined()
                          ? c10::optional<at::Tensor>(self->bias())
                          : c10::nullopt;
             })
        .def("numerics",
             [](const Self& self) -> std::string {
               return kernels::SaturationModeName(self->saturation_mode());
             })
        .def_pickle(
            [](const Self& self) {
              return State(
                  self->weight(),
                  self->bias().defined()
                      ? c10::optional<at::Tensor>(self->bias())
                      : c10::nullopt,
                  kernels::SaturationModeName(self->saturation_mode()));
            },
            [](const State& state) {
              return c10::make_intrusive<FbgemmLinear>(
                  std::get<0>(state), std::get<1>(state).value_or(at::Tensor()),
                  ParseSaturationMode(std::get<2>(state), kLayer));
            });

TORCH_LIBRARY_FRAGMENT(ns, library) {
  const std::string layer = "__torch__.torch.classes.ns.FbgemmLinear layer";
  const std::string unrounded = "Tensor x, " + layer;
  const std::string quantized = unrounded + ", float scale, int zero_point";
  const auto define = [&](const std::string& name, const std::string& arguments,
                          auto* op) {
    library.def((name + "(" + arguments + ") -> Tensor").c_str(), op);
  };
  define("fbgemm_linear", quantized, Linear);
  define("fbgemm_linear_relu", quantized, LinearRelu);
  define("fbgemm_linear_clamp", quantized + ", float min, float max",
         LinearClamp);
  const std::string sum =
      unrounded + ", Tensor other, float scale, int zero_point";
  define("fbgemm_linear_add", sum, LinearAdd<false>);
  define("fbgemm_linear_add_relu", sum, LinearAdd<true>);
  define("fbgemm_linear_float", unrounded, LinearFloat);
  define("fbgemm_linear_relu_float", unrounded, LinearReluFloat);
  define("fbgemm_linear_clamp_float", unrounded + ", float min, float max",
         LinearClampFloat);
  const std::string floats =
      unrounded + ", bool reduce_range=False, bool round_as_onednn=False";
  define("fbgemm_linear_dynamic", floats, LinearDynamic);
  define("fbgemm_linear_relu_dynamic", floats, LinearReluDynamic);
}

}  // namespace
}  // namespace ns
