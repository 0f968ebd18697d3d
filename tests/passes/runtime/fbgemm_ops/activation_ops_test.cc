#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// LibTorch reads the last elements of tensors in another way than the rest
// (look_up.h), and has its own vector forms of exp and tanh.
constexpr double kTies = 0.02;

struct Case {
  std::string name;
  std::function<at::Tensor(const at::Tensor&)> ours;
  std::function<at::Tensor(const at::Tensor&)> theirs;
  double share = kTies;
};

Case Quantized(const std::string& op, const Arguments& rest) {
  const auto call = [rest](const std::string& name) {
    return [rest, name](const at::Tensor& x) {
      Arguments arguments = rest;
      arguments.insert(arguments.begin(), x);
      return Output(name, arguments);
    };
  };
  return {op, call("ns::fbgemm_" + op), call("quantized::" + op)};
}

// An op that LibTorch has for floats only.
Case InFloat(const std::string& op, const Arguments& rest,
             const std::function<at::Tensor(const at::Tensor&)>& function) {
  constexpr double kScale = 0.04;
  constexpr int64_t kZeroPoint = 30;
  const auto ours = [=](const at::Tensor& x) {
    Arguments arguments = {x, kScale, kZeroPoint};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return Output("ns::fbgemm_" + op, arguments);
  };
  const auto theirs = [=](const at::Tensor& x) {
    return at::quantize_per_tensor(function(at::dequantize(x)), kScale,
                                   kZeroPoint, at::kQUInt8);
  };
  return {op, ours, theirs};
}

std::vector<Case> Cases() {
  const auto ours = [](const std::string& op, const Arguments& rest) {
    return [op, rest](const at::Tensor& x) {
      Arguments arguments = rest;
      arguments.insert(arguments.begin(), x);
      return Output("ns::fbgemm_" + op, arguments);
    };
  };
  const c10::IValue none;
  return {
      {"relu", ours("relu", {}),
       [](const at::Tensor& x) { return at::relu(x); }, 0},
      {"relu6", ours("clamp", {0.0, 6.0}),
       [](const at::Tensor& x) { return at::relu6(x); }, 0},
      {"hardtanh", ours("clamp", {-1.0, 1.0}),
       [](const at::Tensor& x) { return at::hardtanh(x); }, 0},
      {"clamp", ours("clamp", {-1.5, 2.25}),
       [](const at::Tensor& x) { return at::clamp(x, -1.5, 2.25); }, 0},
      {"clamp of integers", ours("clamp", {int64_t{-1}, int64_t{2}}),
       [](const at::Tensor& x) { return at::clamp(x, -1, 2); }, 0},
      {"clamp without max", ours("clamp", {-1.5, none}),
       [](const at::Tensor& x) { return at::clamp(x, -1.5); }, 0},
      {"clamp without min", ours("clamp", {none, 1.5}),
       [](const at::Tensor& x) { return at::clamp(x, at::nullopt, 1.5); }, 0},
      {"clamp with min above max", ours("clamp", {2.0, -2.0}),
       [](const at::Tensor& x) { return at::clamp(x, 2.0, -2.0); }, 0},
      {"sigmoid", ours("sigmoid", {1.0 / 256, int64_t{0}}),
       [](const at::Tensor& x) { return at::sigmoid(x); }},
      {"tanh", ours("tanh", {2.0 / 256, int64_t{128}}),
       [](const at::Tensor& x) { return at::tanh(x); }},
      {"hardsigmoid", ours("hardsigmoid", {1.0 / 256, int64_t{0}}),
       [](const at::Tensor& x) { return at::hardsigmoid(x); }},
      Quantized("sigmoid", {0.01, int64_t{3}}),
      Quantized("hardswish", {0.07, int64_t{20}}),
      Quantized("leaky_relu", {0.1, false, 0.05, int64_t{40}}),
      Quantized("leaky_relu", {-0.3, true, 0.05, int64_t{40}}),
      Quantized("elu", {0.04, int64_t{30}, 1.0, 1.0, 1.0}),
      Quantized("elu", {0.04, int64_t{30}, 0.7, 1.3, 0.9}),
      Quantized("celu", {0.04, int64_t{30}, 1.3}),
      InFloat("silu", {}, [](const at::Tensor& x) { return at::silu(x); }),
      InFloat("gelu", {"none"},
              [](const at::Tensor& x) { return at::gelu(x); }),
      InFloat("gelu", {"tanh"},
              [](const at::Tensor& x) { return at::gelu(x, "tanh"); }),
      InFloat("mish", {}, [](const at::Tensor& x) { return at::mish(x); }),
      InFloat("selu", {}, [](const at::Tensor& x) { return at::selu(x); }),
      InFloat("softplus", {1.0, 20.0},
              [](const at::Tensor& x) { return at::softplus(x); }),
      InFloat("softplus", {2.5, 1.0},
              [](const at::Tensor& x) { return at::softplus(x, 2.5, 1.0); }),
  };
}

class ActivationOpsTest : public ::testing::Test {
 protected:
  ActivationOpsTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
};

TEST_F(ActivationOpsTest, GiveLibTorchsCodesInAllLayouts) {
  const std::vector<std::vector<int64_t>> shapes = {
      {}, {0}, {1}, {200}, {3, 0, 2}, {2, 5, 8, 7}, {2, 3, 4, 5, 6}};
  for (const Case& test : Cases()) {
    for (const auto& shape : shapes) {
      for (const auto& [name, x] : Layouts(RandomCodes(shape))) {
        SCOPED_TRACE(test.name + " of " + name);
        ExpectNearCodes(test.ours(x), test.theirs(x), test.share);
      }
    }
  }
}

TEST_F(ActivationOpsTest, GiveLibTorchsCodesForEveryCodeAndZeroPoint) {
  for (const Case& test : Cases()) {
    for (const double scale : {0.003, 0.05, 1.7}) {
      for (const int64_t zero_point : {0, 1, 128, 255}) {
        SCOPED_TRACE(test.name);
        const at::Tensor x = at::_make_per_tensor_quantized_tensor(
            at::arange(256, at::kByte), scale, zero_point);
        ExpectNearCodes(test.ours(x), test.theirs(x), test.share);
      }
    }
  }
}

TEST_F(ActivationOpsTest, KeepDenseLayouts) {
  const at::Tensor x =
      RandomCodes({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(Output("ns::fbgemm_relu", {x}).strides(), x.strides());
  EXPECT_EQ(Output("ns::fbgemm_sigmoid", {x, 0.1, 0}).strides(), x.strides());
}

TEST_F(ActivationOpsTest, ClampToBoundsThatAreNoNumbers) {
  const at::Tensor x = RandomCodes({64});
  ExpectSameCodes(Output("ns::fbgemm_clamp", {x, -kInf, kInf}), x);
  ExpectSameCodes(Output("ns::fbgemm_clamp", {x, kInf, c10::IValue()}),
                  at::_make_per_tensor_quantized_tensor(
                      at::full({64}, 255, at::kByte), 0.05, 64));
  EXPECT_EQ(Output("ns::fbgemm_clamp", {x, kNan, kNan}).numel(), 64);
  ExpectSameCodes(Output("ns::fbgemm_clamp", {x, c10::IValue(), c10::IValue()}),
                  x);
}

TEST_F(ActivationOpsTest, TakeHugeAndTinyScales) {
  const std::vector<std::pair<std::string, Arguments>> calls = {
      {"sigmoid", {}}, {"tanh", {}}, {"hardsigmoid", {}},  {"hardswish", {}},
      {"celu", {1}},   {"silu", {}}, {"gelu", {"none"}},   {"gelu", {"tanh"}},
      {"mish", {}},    {"selu", {}}, {"softplus", {1, 20}}};
  for (const double in : {1e-45, 1e30, 3e38}) {
    for (const double out : {1e-45, 1e30, 3e38}) {
      for (const auto& [op, rest] : calls) {
        Arguments arguments = {RandomCodes({9}, in), out, int64_t{128}};
        arguments.insert(arguments.end(), rest.begin(), rest.end());
        EXPECT_EQ(Output("ns::fbgemm_" + op, arguments).numel(), 9);
      }
    }
  }
}

TEST_F(ActivationOpsTest, RefuseOtherInputs) {
  const at::Tensor q = RandomCodes({4});
  const std::vector<std::pair<std::string, Arguments>> calls = {
      {"relu", {}},
      {"clamp", {0.0, 1.0}},
      {"sigmoid", {0.1, 0}},
      {"tanh", {0.1, 0}},
      {"hardsigmoid", {0.1, 0}},
      {"hardswish", {0.1, 0}},
      {"leaky_relu", {0.1, false, 0.1, 0}},
      {"elu", {0.1, 0, 1, 1, 1}},
      {"celu", {0.1, 0, 1}},
      {"silu", {0.1, 0}},
      {"gelu", {0.1, 0, "none"}},
      {"mish", {0.1, 0}},
      {"selu", {0.1, 0}},
      {"softplus", {0.1, 0, 1, 20}}};
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({4}, at::kByte), at::ones({4}, at::kDouble),
      at::zeros({4}, at::kLong), 0);
  for (const auto& [op, rest] : calls) {
    for (const at::Tensor& bad :
         {at::ones({4}), RandomWeight({4}), per_channel, at::Tensor()}) {
      Arguments arguments = rest;
      arguments.insert(arguments.begin(), bad);
      ExpectRefused("ns::fbgemm_" + op, arguments, "takes quint8 tensors");
    }
  }
  for (const double scale : {0.0, -1.0, kInf, kNan}) {
    ExpectRefused("ns::fbgemm_sigmoid", {q, scale, 0}, "positive and finite");
    ExpectRefused("ns::fbgemm_leaky_relu", {q, 0.1, false, scale, 0},
                  "positive and finite");
    ExpectRefused("ns::fbgemm_elu", {q, scale, 0, 1, 1, 1},
                  "positive and finite");
  }
  ExpectRefused("ns::fbgemm_tanh", {q, 0.1, 256}, "must be 0 to 255");
  ExpectRefused("ns::fbgemm_celu", {q, 0.1, 0, 0.0},
                "1 / alpha must be finite");
  ExpectRefused("ns::fbgemm_celu", {q, 0.1, 0, 1e-50},
                "1 / alpha must be finite");
  ExpectRefused("ns::fbgemm_gelu", {q, 0.1, 0, "exact"},
                "approximate is \"exact\"");
}

}  // namespace
}  // namespace ns
