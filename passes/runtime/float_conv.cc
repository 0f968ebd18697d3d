#include "passes/runtime/float_conv.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/kernels/conv_shape.h"

namespace ns {
namespace {

using Self = c10::intrusive_ptr<FloatConv>;
using Ints = std::vector<int64_t>;
// What is saved: weight, scale, bias; stride, padding, dilation; groups.
using State =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, Ints, Ints, Ints, int64_t>;

Self FromState(const State& state) {
  FloatConvParameters parameters;
  std::tie(parameters.weight, parameters.scale, parameters.bias,
           parameters.stride, parameters.padding, parameters.dilation,
           parameters.groups) = state;
  return c10::make_intrusive<FloatConv>(std::move(parameters));
}

const auto kRegistration =
    torch::class_<FloatConv>("ns", "FloatConv")
        .def("forward", [](const Self& self,
                           const at::Tensor& x) { return self->Forward(x); })
        .def_pickle(
            [](const Self& self) {
              const FloatConvParameters& p = self->parameters();
              return State(p.weight, p.scale, p.bias, p.stride, p.padding,
                           p.dilation, p.groups);
            },
            [](const State& state) { return FromState(state); });

// Returns an operator that LibTorch has only when it is built with oneDNN; null
// otherwise.
const c10::OperatorHandle* FindOperator(const char* name) {
  const auto found = c10::Dispatcher::singleton().findSchema({name, ""});
  return found ? new c10::OperatorHandle(*found) : nullptr;
}

const c10::OperatorHandle* Prepack() {
  static const c10::OperatorHandle* const op =
      FindOperator("mkldnn_prepacked::conv2d_prepack");
  return op;
}

const c10::OperatorHandle* RunPrepacked() {
  static const c10::OperatorHandle* const op =
      FindOperator("mkldnn_prepacked::conv2d_run");
  return op;
}

c10::IValue Call(const c10::OperatorHandle& op, torch::jit::Stack arguments) {
  op.callBoxed(arguments);
  return arguments.at(0);
}

// The convolution that `p` describes. Its weight has four dimensions.
kernels::ConvShape ShapeOf(const FloatConvParameters& p) {
  kernels::ConvShape shape;
  shape.groups = p.groups;
  // The weight fits any number of groups.
  shape.in_channels = p.groups;
  shape.out_channels = p.weight.size(0);
  shape.kernel = {1, p.weight.size(2), p.weight.size(3)};
  shape.stride = {1, p.stride[0], p.stride[1]};
  shape.padding = {0, p.padding[0], p.padding[1]};
  shape.dilation = {1, p.dilation[0], p.dilation[1]};
  return shape;
}

bool IsVector(const at::Tensor& tensor, at::ScalarType dtype, int64_t size) {
  return tensor.dim() == 1 && tensor.scalar_type() == dtype &&
         tensor.size(0) == size;
}

}  // namespace

FloatConv::FloatConv(FloatConvParameters parameters)
    : parameters_(std::move(parameters)) {
  const FloatConvParameters& p = parameters_;
  TORCH_CHECK(p.weight.dim() == 4 && p.weight.scalar_type() == at::kFloat &&
                  IsVector(p.scale, at::kDouble, p.weight.size(0)) &&
                  IsVector(p.bias, at::kFloat, p.weight.size(0)) &&
                  p.stride.size() == 2 && p.padding.size() == 2 &&
                  p.dilation.size() == 2,
              "these are not the parameters of a float32 2d convolution");
  const char* const error = kernels::InvalidConv(ShapeOf(p));
  TORCH_CHECK(
      error == nullptr,
      "these are not the parameters of a float32 2d convolution: ", error);
}

at::Tensor FloatConv::ScaledWeight() const {
  return (parameters_.weight.to(at::kDouble) *
          parameters_.scale.reshape({-1, 1, 1, 1}))
      .to(at::kFloat);
}

// Whether oneDNN's operator can run on `x`. It does not check its arguments,
// and takes sizes that at::conv2d refuses.
bool FloatConv::Fits(const at::Tensor& x) const {
  const FloatConvParameters& p = parameters_;
  if (x.dim() != 4 || x.scalar_type() != at::kFloat || x.numel() == 0 ||
      x.size(1) != p.weight.size(1) * p.groups) {
    return false;
  }
  for (int i = 0; i < 2; ++i) {
    if (x.size(i + 2) + 2 * p.padding[i] <=
        p.dilation[i] * (p.weight.size(i + 2) - 1)) {
      return false;
    }
  }
  return true;
}

at::Tensor FloatConv::Forward(const at::Tensor& x) {
  const FloatConvParameters& p = parameters_;
  if (!Fits(x) || !at::globalContext().userEnabledMkldnn() ||
      Prepack() == nullptr || RunPrepacked() == nullptr) {
    return at::conv2d(x, ScaledWeight(), p.bias, p.stride, p.padding,
                      p.dilation, p.groups);
  }
  if (x.sizes() != at::IntArrayRef(prepacked_for_)) {
    const std::vector<int64_t> sizes = x.sizes().vec();
    // oneDNN packs a weight for inputs of the layout that the weight has.
    // Packed for another layout, it would be rearranged in every call.
    const at::Tensor weight =
        ScaledWeight().contiguous(at::MemoryFormat::ChannelsLast);
    prepacked_ =
        Call(*Prepack(), {weight, p.bias, p.stride, p.padding, p.dilation,
                          p.groups, sizes, std::string("none")});
    prepacked_for_ = sizes;
  }
  return Call(*RunPrepacked(),
              {x.contiguous(at::MemoryFormat::ChannelsLast), prepacked_})
      .toTensor()
      .contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace ns
