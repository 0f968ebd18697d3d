#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// LibTorch reads the most of a tensor with an fma and its last elements
// without; where the sum is a tie, codes differ (kernels/elementwise/add.h).
constexpr double kTies = 0.02;

class ArithmeticOpsTest : public ::testing::TestWithParam<std::string> {
 protected:
  ArithmeticOpsTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
  std::string ours() const { return "ns::fbgemm_" + GetParam(); }
  std::string theirs() const { return "quantized::" + GetParam(); }

  void ExpectTheirs(const at::Tensor& a, const at::Tensor& b,
                    double scale = 0.07, int64_t zero_point = 101) {
    const at::Tensor expected = Output(theirs(), {a, b, scale, zero_point});
    const at::Tensor out = Output(ours(), {a, b, scale, zero_point});
    ExpectNearCodes(out, expected, kTies);
  }
};
INSTANTIATE_TEST_SUITE_P(, ArithmeticOpsTest,
                         ::testing::Values("add", "add_relu", "mul",
                                           "mul_relu"));

TEST_P(ArithmeticOpsTest, GivesLibTorchsCodesInAllLayouts) {
  const std::vector<std::vector<int64_t>> shapes = {
      {1}, {77}, {3, 5}, {2, 7, 5, 3}, {2, 3, 4, 5, 6}};
  for (const auto& shape : shapes) {
    for (const auto& [name, a] : Layouts(RandomCodes(shape))) {
      for (const auto& [other, b] : Layouts(RandomCodes(shape, 0.031, 200))) {
        SCOPED_TRACE(name + " and " + other);
        ExpectTheirs(a, b);
      }
    }
  }
}

// Round scales make a third of the sums ties. Tensors of one layout have no
// elements here that LibTorch reads otherwise than the rest, and those of
// different ones no others.
TEST_P(ArithmeticOpsTest, DecidesTiesAsLibTorchDoesInAllLayouts) {
  for (const auto& [name, a] : Layouts(RandomCodes({2, 64, 8, 8}, 0.05, 64))) {
    for (const auto& [other, b] :
         Layouts(RandomCodes({2, 64, 8, 8}, 0.025, 65))) {
      SCOPED_TRACE(name + " and " + other);
      ExpectSameCodes(Output(ours(), {a, b, 0.1, int64_t{101}}),
                      Output(theirs(), {a, b, 0.1, int64_t{101}}));
    }
  }
}

TEST_P(ArithmeticOpsTest, GivesLibTorchsCodesOfScalarsAndNothing) {
  ExpectTheirs(RandomCodes({}), RandomCodes({}));
  ExpectTheirs(RandomCodes({0}), RandomCodes({0}));
  ExpectTheirs(RandomCodes({2, 0, 3}), RandomCodes({2, 0, 3}));
}

TEST_P(ArithmeticOpsTest, GivesLibTorchsCodesAtTheEndsOfZeroPoints) {
  for (const int64_t a : {0, 255}) {
    for (const int64_t b : {0, 255}) {
      for (const int64_t out : {0, 255}) {
        ExpectTheirs(RandomCodes({3, 50}, 0.05, a),
                     RandomCodes({3, 50}, 0.02, b), 0.06, out);
      }
    }
  }
}

TEST_P(ArithmeticOpsTest, BroadcastsAsFloatsDo) {
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>
      shapes = {{{2, 3, 4, 5}, {1, 3, 1, 1}},
                {{2, 3, 4, 5}, {5}},
                {{1, 3, 1, 1}, {2, 3, 4, 5}},
                {{2, 3, 40, 50}, {2, 3, 1, 1}},
                {{2, 3, 1, 1, 1}, {2, 3, 4, 5, 6}},
                {{2, 3, 4, 5}, {2, 1, 4, 5}},
                {{2, 3, 4, 5}, {1, 3, 1, 5}},
                {{2, 3, 4, 5}, {2, 1, 4, 1}},
                {{2, 30, 700}, {2, 1, 700}},
                {{2, 30, 700}, {2, 30, 1}},
                {{1, 1, 3}, {4, 5, 3}},
                {{3}, {1, 3}},
                {{4, 1}, {1, 6}},
                {{3, 4}, {}},
                {{0, 4}, {1, 4}}};
  const bool relu = GetParam().find("relu") != std::string::npos;
  const bool sum = GetParam().find("add") != std::string::npos;
  for (const auto& [first, second] : shapes) {
    for (const auto& [name, a] : Layouts(RandomCodes(first))) {
      SCOPED_TRACE(name);
      const at::Tensor b = RandomCodes(second, 0.03, 99);
      const at::Tensor x = a.dequantize();
      const at::Tensor y = b.dequantize();
      at::Tensor expected = sum ? x + y : x * y;
      expected = relu ? expected.relu() : expected;
      // LibTorch's layouts of these outputs vary; ours is that of the whole
      // operand.
      ExpectNearCodes(Output(ours(), {a, b, 0.07, 101}).contiguous(),
                      at::quantize_per_tensor(expected.contiguous(), 0.07, 101,
                                              at::kQUInt8),
                      kTies);
    }
  }
}

TEST_P(ArithmeticOpsTest, KeepsTheFormatOfTheFirst) {
  const at::Tensor a =
      RandomCodes({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor b = RandomCodes({2, 3, 4, 5});
  EXPECT_EQ(Output(ours(), {a, b, 0.1, 0}).strides(), a.strides());
  const at::Tensor reversed = Layouts(b)[2].second;
  EXPECT_EQ(Output(ours(), {reversed, a, 0.1, 0}).strides(), b.strides());
}

TEST_P(ArithmeticOpsTest, TakesHugeAndTinyScales) {
  const std::vector<double> scales = {1e-45, 1e-30, 1e30, 3e38};
  for (const double a : scales) {
    for (const double b : scales) {
      for (const double out : scales) {
        const at::Tensor codes = Output(
            ours(),
            {RandomCodes({70}, a), RandomCodes({70}, b), out, int64_t{128}});
        EXPECT_EQ(codes.numel(), 70);
      }
    }
  }
}

TEST_P(ArithmeticOpsTest, RefusesWhatIsNotQuint8) {
  const at::Tensor q = RandomCodes({4});
  const at::Tensor signed_q = RandomWeight({4});
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({4}, at::kByte), at::ones({4}, at::kDouble),
      at::zeros({4}, at::kLong), 0);
  for (const at::Tensor& bad : {at::ones({4}), signed_q, per_channel}) {
    ExpectRefused(ours(), {bad, q, 0.1, 0}, "takes quint8 tensors");
    ExpectRefused(ours(), {q, bad, 0.1, 0}, "takes quint8 tensors");
  }
  ExpectRefused(ours(), {at::Tensor(), q, 0.1, 0}, "takes quint8 tensors");
}

TEST_P(ArithmeticOpsTest, RefusesQParamsThatAreNone) {
  const at::Tensor q = RandomCodes({4});
  for (const double scale : {0.0, -1.0, kInf, kNan}) {
    ExpectRefused(ours(), {q, q, scale, 0}, "must be positive and finite");
  }
  ExpectRefused(ours(), {q, q, 0.1, 256}, "must be 0 to 255");
  ExpectRefused(ours(), {q, q, 0.1, -1}, "must be 0 to 255");
}

TEST_P(ArithmeticOpsTest, RefusesShapesThatDoNotBroadcast) {
  ExpectRefused(ours(), {RandomCodes({4}), RandomCodes({5}), 0.1, 0},
                "must match the size");
}

}  // namespace
}  // namespace ns
