#include "tools/bench/kernels/operator_cases.h"

#include <ATen/ATen.h>
#include <ATen/core/List.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/bench/kernels/problem.h"
#include "tools/bench/kernels/torch_peer.h"

namespace ns::bench {
namespace {

using ::torch::jit::Stack;
using Ints = std::vector<int64_t>;

constexpr double kInputScale = 0.03;
constexpr int64_t kInputZeroPoint = 121;
constexpr double kOutputScale = 0.05;
constexpr int64_t kOutputZeroPoint = 100;
constexpr double kEps = 1e-5;

at::Tensor Codes(at::IntArrayRef sizes) {
  return at::quantize_per_tensor(at::randn(sizes), kInputScale, kInputZeroPoint,
                                 at::kQUInt8);
}

at::Tensor Image(int64_t channels, int64_t size) {
  return Codes({1, channels, size, size});
}

at::Tensor ChannelsLast(int64_t channels, int64_t size) {
  return Image(channels, size).contiguous(at::MemoryFormat::ChannelsLast);
}

std::string Named(const char* op, int64_t channels, int64_t size) {
  return absl::StrCat(op, " ", channels, " @", size);
}

// `arguments` and the scale and zero point of the output.
Stack WithOutput(Stack arguments) {
  arguments.emplace_back(kOutputScale);
  arguments.emplace_back(kOutputZeroPoint);
  return arguments;
}

struct Call {
  const char* op;
  const char* overload;
  Stack arguments;

  at::Tensor operator()() const {
    return CallOperator(op, overload, arguments)[0].toTensor();
  }
};

int64_t BytesOfCodes(const Stack& arguments) {
  int64_t bytes = 0;
  for (const c10::IValue& argument : arguments) {
    argument.visit([&](const c10::IValue& part) {
      if (part.isTensor() && part.toTensor().is_quantized()) {
        bytes += static_cast<int64_t>(part.toTensor().nbytes());
      }
      return false;
    });
  }
  return bytes;
}

const uint8_t* Dense(const at::Tensor& codes) {
  return static_cast<const uint8_t*>(codes.data_ptr());
}

OperatorCase Case(std::string name, const Call& ours, const Call& torch) {
  const auto actual = std::make_shared<at::Tensor>(ours());
  const auto expected = std::make_shared<at::Tensor>();
  const int64_t written = actual->numel();
  return {std::move(name),
          BytesOfCodes(ours.arguments) + written,
          written,
          [=] { *actual = ours(); },
          [=] { *expected = torch(); },
          [=]() -> std::string {
            if (actual->sizes() != expected->sizes()) {
              return "sizes differ";
            }
            const at::Tensor a = actual->contiguous();
            const at::Tensor b = expected->contiguous();
            return CompareCodes(Dense(a), Dense(b), written);
          }};
}

OperatorCase Multiply(int64_t channels, int64_t size) {
  const Stack arguments =
      WithOutput({Image(channels, size), Image(channels, size)});
  return Case(Named("mul", channels, size), {"ns::fbgemm_mul", "", arguments},
              {"quantized::mul", "", arguments});
}

OperatorCase Cat(int64_t channels, int64_t size) {
  const c10::List<at::Tensor> tensors(
      {ChannelsLast(channels, size), ChannelsLast(channels, size)});
  const Stack arguments = WithOutput({tensors, int64_t{1}});
  return Case(Named("cat 2 x", channels, size),
              {"ns::fbgemm_cat", "", arguments},
              {"quantized::cat", "", arguments});
}

OperatorCase Relu(int64_t channels, int64_t size) {
  const Stack arguments = {Image(channels, size)};
  return Case(Named("relu", channels, size), {"ns::fbgemm_relu", "", arguments},
              {"aten::relu", "", arguments});
}

OperatorCase Clamp(int64_t channels, int64_t size) {
  const Stack arguments = {Image(channels, size), -1.0, 1.5};
  return Case(Named("clamp", channels, size),
              {"ns::fbgemm_clamp", "", arguments},
              {"aten::clamp", "", arguments});
}

OperatorCase HardSwish(int64_t channels, int64_t size) {
  const Stack arguments = WithOutput({Image(channels, size)});
  return Case(Named("hardswish", channels, size),
              {"ns::fbgemm_hardswish", "", arguments},
              {"quantized::hardswish", "", arguments});
}

// With the only output that qnnpack has.
OperatorCase Sigmoid(int64_t channels, int64_t size) {
  const Stack arguments = {Image(channels, size), 1.0 / 256, int64_t{0}};
  return Case(Named("sigmoid", channels, size),
              {"ns::fbgemm_sigmoid", "", arguments},
              {"quantized::sigmoid", "", arguments});
}

OperatorCase BatchNorm(int64_t channels, int64_t size) {
  const Stack arguments =
      WithOutput({ChannelsLast(channels, size), at::rand({channels}) + 0.5,
                  at::randn({channels}), at::randn({channels}),
                  at::rand({channels}) + 0.5, kEps});
  return Case(Named("batch_norm", channels, size),
              {"ns::fbgemm_batch_norm", "", arguments},
              {"quantized::batch_norm2d", "", arguments});
}

OperatorCase LayerNorm(int64_t rows, int64_t columns) {
  const Stack arguments =
      WithOutput({Codes({rows, columns}), Ints{columns},
                  at::rand({columns}) + 0.5, at::randn({columns}), kEps});
  return Case(absl::StrCat("layer_norm ", rows, " of ", columns),
              {"ns::fbgemm_layer_norm", "", arguments},
              {"quantized::layer_norm", "", arguments});
}

OperatorCase GroupNorm(int64_t channels, int64_t size) {
  const Stack arguments =
      WithOutput({ChannelsLast(channels, size), int64_t{8},
                  at::rand({channels}) + 0.5, at::randn({channels}), kEps});
  return Case(Named("group_norm of 8", channels, size),
              {"ns::fbgemm_group_norm", "", arguments},
              {"quantized::group_norm", "", arguments});
}

OperatorCase InstanceNorm(int64_t channels, int64_t size) {
  const Stack arguments =
      WithOutput({ChannelsLast(channels, size).contiguous(),
                  at::rand({channels}) + 0.5, at::randn({channels}), kEps});
  return Case(Named("instance_norm", channels, size),
              {"ns::fbgemm_instance_norm", "", arguments},
              {"quantized::instance_norm", "", arguments});
}

OperatorCase Softmax(int64_t rows, int64_t columns) {
  const Stack arguments = {Codes({rows, columns}), int64_t{-1}, 1.0 / 256,
                           int64_t{0}};
  return Case(absl::StrCat("softmax ", rows, " of ", columns),
              {"ns::fbgemm_softmax", "", arguments},
              {"quantized::softmax", "", arguments});
}

// Queries by keys, as attention multiplies them: views of what linear layers
// give.
OperatorCase Attention(int64_t heads, int64_t tokens) {
  constexpr int64_t kWidth = 64;
  const auto split = [&](const at::Tensor& x) {
    return x.view({1, tokens, heads, kWidth}).transpose(1, 2);
  };
  const Ints sizes = {1, tokens, heads * kWidth};
  const Stack arguments =
      WithOutput({split(Codes(sizes)), split(Codes(sizes)).transpose(2, 3)});
  return Case(absl::StrCat("matmul ", heads, " heads, ", tokens, " tokens"),
              {"ns::fbgemm_matmul", "", arguments},
              {"quantized::matmul", "", arguments});
}

OperatorCase MaxPool(int64_t channels, int64_t size) {
  const Stack arguments = {ChannelsLast(channels, size),
                           Ints{3, 3},
                           Ints{2, 2},
                           Ints{1, 1},
                           Ints{1, 1},
                           false};
  return Case(Named("max_pool 3x3 s2", channels, size),
              {"ns::fbgemm_max_pool2d", "", arguments},
              {"aten::max_pool2d", "", arguments});
}

OperatorCase AveragePool(int64_t channels, int64_t size) {
  const Stack arguments = {ChannelsLast(channels, size),
                           Ints{2, 2},
                           Ints{2, 2},
                           Ints{0, 0},
                           false,
                           true,
                           c10::IValue()};
  return Case(Named("avg_pool 2x2 s2", channels, size),
              {"ns::fbgemm_avg_pool2d", "", arguments},
              {"aten::avg_pool2d", "", arguments});
}

OperatorCase AdaptiveAveragePool(int64_t channels, int64_t size) {
  const Stack arguments = {ChannelsLast(channels, size), Ints{1, 1}};
  return Case(Named("adaptive_avg_pool", channels, size),
              {"ns::fbgemm_adaptive_avg_pool2d", "", arguments},
              {"aten::adaptive_avg_pool2d", "", arguments});
}

OperatorCase Mean(int64_t channels, int64_t size) {
  Stack arguments = {ChannelsLast(channels, size), Ints{2, 3}, true};
  const Call ours = {"ns::fbgemm_mean", "", arguments};
  arguments.emplace_back();
  return Case(Named("mean", channels, size), ours,
              {"aten::mean", "dim", arguments});
}

}  // namespace

std::vector<OperatorCase> OperatorCases(bool quick) {
  std::vector<OperatorCase> cases = {
      Multiply(32, 56),     Cat(32, 56),         Relu(32, 56),
      Clamp(32, 56),        HardSwish(32, 56),   Sigmoid(32, 56),
      BatchNorm(32, 56),    LayerNorm(128, 96),  GroupNorm(32, 56),
      InstanceNorm(32, 56), Softmax(128, 96),    Attention(3, 96),
      MaxPool(8, 112),      AveragePool(32, 28), AdaptiveAveragePool(64, 7),
      Mean(64, 7),
  };
  if (quick) {
    return cases;
  }
  for (const OperatorCase& large :
       {Multiply(96, 112), Cat(64, 112), Relu(96, 112), Clamp(96, 112),
        HardSwish(96, 112), Sigmoid(96, 112), BatchNorm(96, 112),
        LayerNorm(197, 768), GroupNorm(96, 112), InstanceNorm(96, 112),
        Softmax(2364, 197), Attention(12, 197), MaxPool(64, 112),
        AveragePool(128, 56), AdaptiveAveragePool(2048, 7), Mean(1280, 7)}) {
    cases.push_back(large);
  }
  return cases;
}

}  // namespace ns::bench
