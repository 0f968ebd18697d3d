// The class FbgemmConv and its operators, which fbgemm_conv.h lists, for
// TorchScript.
#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/packed_weight.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"

namespace ns {
namespace {

constexpr char kLayer[] = "FbgemmConv";
using Self = c10::intrusive_ptr<FbgemmConv>;
using Ints = std::vector<int64_t>;
// weight, bias; stride, padding, dilation, output padding; groups, transposed,
// name of the saturation mode.
using State = std::tuple<at::Tensor, c10::optional<at::Tensor>, Ints, Ints,
                         Ints, Ints, int64_t, bool, std::string>;

State StateOf(const FbgemmConv& conv) {
  const FbgemmConvParameters& p = conv.parameters();
  const auto bias =
      p.bias.defined() ? c10::optional<at::Tensor>(p.bias) : c10::nullopt;
  return State(p.weight, bias, p.stride, p.padding, p.dilation,
               p.output_padding, p.groups, p.transposed,
               kernels::SaturationModeName(conv.saturation_mode()));
}

Self FromState(const State& state) {
  FbgemmConvParameters p;
  c10::optional<at::Tensor> bias;
  std::string numerics;
  std::tie(p.weight, bias, p.stride, p.padding, p.dilation, p.output_padding,
           p.groups, p.transposed, numerics) = state;
  p.bias = bias.value_or(at::Tensor());
  return c10::make_intrusive<FbgemmConv>(std::move(p),
                                         ParseSaturationMode(numerics, kLayer));
}

const auto kClass =
    torch::class_<FbgemmConv>("ns", "FbgemmConv")
        .def("weight",
             [](const Self& self) { return self->parameters().weight; })
        .def("bias",
             [](const Self& self) { return std::get<1>(StateOf(*self)); })
        .def("numerics",
             [](const Self& self) -> std::string {
               return kernels::SaturationModeName(self->saturation_mode());
             })
        .def_pickle([](const Self& self) { return StateOf(*self); },
                    [](const State& state) { return FromState(state); });

template <int kDimensions, bool kTransposed>
struct Ops {
  static const FbgemmConv& Checked(const Self& layer) {
    TORCH_CHECK(layer->dimensions() == kDimensions &&
                    layer->parameters().transposed == kTransposed,
                "this operator takes a ", kTransposed ? "transposed " : "",
                "convolution of ", kDimensions,
                " dimensions, and the layer is another");
    return *layer;
  }

  static at::Tensor Plain(const at::Tensor& x, const Self& layer, double scale,
                          int64_t zero_point) {
    return Checked(layer).Run(x, QuantizedOutput(scale, zero_point, kLayer));
  }

  static at::Tensor WithRelu(const at::Tensor& x, const Self& layer,
                             double scale, int64_t zero_point) {
    return Checked(layer).Run(x,
                              Relu(QuantizedOutput(scale, zero_point, kLayer)));
  }

  static at::Tensor WithClamp(const at::Tensor& x, const Self& layer,
                              double scale, int64_t zero_point, double min,
                              double max) {
    return Checked(layer).Run(
        x, Clamp(QuantizedOutput(scale, zero_point, kLayer), min, max));
  }

  static at::Tensor Float(const at::Tensor& x, const Self& layer) {
    return Checked(layer).Run(x, FloatOutput());
  }

  static at::Tensor FloatWithRelu(const at::Tensor& x, const Self& layer) {
    return Checked(layer).Run(x, Relu(FloatOutput()));
  }

  static at::Tensor FloatWithClamp(const at::Tensor& x, const Self& layer,
                                   double min, double max) {
    return Checked(layer).Run(x, Clamp(FloatOutput(), min, max));
  }

  template <bool kRelu>
  static at::Tensor WithSum(const at::Tensor& x, const Self& layer,
                            const at::Tensor& other, double scale,
                            int64_t zero_point) {
    return Checked(layer).RunWithSum(x, other, kRelu, scale, zero_point);
  }

  static at::Tensor Dynamic(const at::Tensor& x, const Self& layer,
                            bool reduce_range) {
    return Checked(layer).RunDynamic(x, reduce_range);
  }
};

template <typename Op>
void Define(torch::Library& library, const std::string& name) {
  const std::string unrounded =
      "Tensor x, __torch__.torch.classes.ns.FbgemmConv layer";
  const std::string quantized = unrounded + ", float scale, int zero_point";
  const std::string bounds = ", float min, float max";
  const auto define = [&](const char* suffix, const std::string& arguments,
                          auto* op) {
    library.def((name + suffix + "(" + arguments + ") -> Tensor").c_str(), op);
  };
  define("", quantized, Op::Plain);
  define("_relu", quantized, Op::WithRelu);
  define("_clamp", quantized + bounds, Op::WithClamp);
  define("_float", unrounded, Op::Float);
  define("_relu_float", unrounded, Op::FloatWithRelu);
  define("_clamp_float", unrounded + bounds, Op::FloatWithClamp);
  define("_dynamic", unrounded + ", bool reduce_range=False", Op::Dynamic);
}

template <typename Op>
void DefineSum(torch::Library& library, const std::string& name) {
  const std::string arguments =
      "(Tensor x, __torch__.torch.classes.ns.FbgemmConv layer, Tensor other, "
      "float scale, int zero_point) -> Tensor";
  library.def((name + arguments).c_str(), Op::template WithSum<false>);
  library.def((name + "_relu" + arguments).c_str(), Op::template WithSum<true>);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  Define<Ops<1, false>>(library, "fbgemm_conv1d");
  DefineSum<Ops<1, false>>(library, "fbgemm_conv1d_add");
  Define<Ops<2, false>>(library, "fbgemm_conv2d");
  DefineSum<Ops<2, false>>(library, "fbgemm_conv2d_add");
  Define<Ops<3, false>>(library, "fbgemm_conv3d");
  DefineSum<Ops<3, false>>(library, "fbgemm_conv3d_add");
  Define<Ops<1, true>>(library, "fbgemm_conv_transpose1d");
  Define<Ops<2, true>>(library, "fbgemm_conv_transpose2d");
  Define<Ops<3, true>>(library, "fbgemm_conv_transpose3d");
}

}  // namespace
}  // namespace ns
