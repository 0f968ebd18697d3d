#include "tools/bench/kernels/torch_peer.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace ns::bench {
namespace {

using ::torch::jit::Stack;

c10::OperatorHandle FindOperator(const char* name, const char* overload) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
}

std::vector<int64_t> HeightAndWidth(const kernels::Dims& dims) {
  return {dims[1], dims[2]};
}

at::Tensor Input(const Problem& problem) {
  const Layer& layer = problem.layer;
  const at::TensorOptions options(at::kQUInt8);
  const at::Tensor input =
      layer.linear
          ? at::_empty_affine_quantized({layer.batch, layer.shape.in_channels},
                                        options, problem.activation_scale,
                                        problem.activation_zero_point)
          : at::_empty_affine_quantized({layer.batch, layer.shape.in_channels,
                                         layer.input[1], layer.input[2]},
                                        options, problem.activation_scale,
                                        problem.activation_zero_point,
                                        at::MemoryFormat::ChannelsLast);
  std::memcpy(input.data_ptr(), problem.input.get(), InputBytes(layer));
  return input;
}

at::Tensor Weights(const Problem& problem) {
  const kernels::ConvShape& shape = problem.layer.shape;
  const int64_t in = shape.in_channels / shape.groups;
  const std::vector<int64_t> sizes =
      problem.layer.linear
          ? std::vector<int64_t>{shape.out_channels, in}
          : std::vector<int64_t>{shape.out_channels, in, shape.kernel[1],
                                 shape.kernel[2]};
  const at::Tensor codes = at::empty(sizes, at::kChar);
  std::memcpy(codes.data_ptr(), problem.weights.data(), problem.weights.size());
  return at::_make_per_channel_quantized_tensor(
      codes, at::tensor(problem.weight_scales).to(at::kDouble),
      at::zeros({shape.out_channels}, at::kLong), 0);
}

c10::IValue Pack(const Problem& problem) {
  const kernels::ConvShape& shape = problem.layer.shape;
  Stack stack = {Weights(problem), at::tensor(problem.bias)};
  if (problem.layer.linear) {
    return CallOperator("quantized::linear_prepack", "", std::move(stack))[0];
  }
  stack.emplace_back(HeightAndWidth(shape.stride));
  stack.emplace_back(HeightAndWidth(shape.padding));
  stack.emplace_back(HeightAndWidth(shape.dilation));
  stack.emplace_back(shape.groups);
  return CallOperator("quantized::conv2d_prepack", "", std::move(stack))[0];
}

c10::OperatorHandle Operator(const Layer& layer) {
  if (layer.linear) {
    return FindOperator(
        layer.relu ? "quantized::linear_relu" : "quantized::linear", "");
  }
  return FindOperator(
      layer.relu ? "quantized::conv2d_relu" : "quantized::conv2d", "new");
}

}  // namespace

Stack CallOperator(const char* name, const char* overload, Stack arguments) {
  FindOperator(name, overload).callBoxed(arguments);
  return arguments;
}

Implementation TorchLayer(const Problem& problem, at::QEngine engine,
                          const char* name) {
  at::globalContext().setQEngine(engine);
  const Stack arguments = {Input(problem), Pack(problem),
                           static_cast<double>(problem.output_scale),
                           static_cast<int64_t>(problem.output_zero_point)};
  const auto output = std::make_shared<at::Tensor>();
  return {name,
          [arguments, output, engine, op = Operator(problem.layer)] {
            at::globalContext().setQEngine(engine);
            Stack stack = arguments;
            op.callBoxed(stack);
            *output = stack[0].toTensor();
          },
          [output] { return static_cast<const uint8_t*>(output->data_ptr()); },
          ""};
}

}  // namespace ns::bench
