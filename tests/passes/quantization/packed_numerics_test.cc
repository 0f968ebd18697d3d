// Kernels of LibTorch that pack their weights against their references, on
// random tensors.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/reference_kernels.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

using PackedNumericsTest = EngineTest;

bool IsOnednn() { return at::globalContext().qEngine() == at::kONEDNN; }

// Without AVX512-VNNI of codes of 7 bits, as oneDNN adds products in pairs
// there, in 16 bits that saturate. With scales that are not round: no output is
// a tie.
at::Tensor RandomWeight(at::IntArrayRef sizes, bool per_channel) {
  const int most = kernels::IsSupported(kernels::Isa::kAvx512Vnni) ? 127 : 63;
  const at::Tensor codes =
      at::randn(sizes).mul(most / 3.0).round().clamp(-most, most).to(at::kChar);
  if (!per_channel) {
    return at::_make_per_tensor_quantized_tensor(codes, 3.07 / most, 0);
  }
  return at::_make_per_channel_quantized_tensor(
      codes, at::linspace(1.21 / most, 3.85 / most, sizes[0], at::kDouble),
      at::zeros({sizes[0]}, at::kLong), 0);
}

// Of a convolution with stride 2, padding 1, two groups and a bias.
KernelPair RunConv(const std::string& op, bool per_channel) {
  const bool is_transposed = absl::StartsWith(op, "conv_transpose");
  const std::string layer = op.substr(0, op.find('d') + 1);
  const int dims = layer[layer.size() - 2] - '0';
  std::vector<int64_t> weight_sizes(dims + 2, 3);
  weight_sizes[0] = 8;
  weight_sizes[1] = 4;
  std::vector<int64_t> input_sizes(dims + 2, dims == 3 ? 13 : 33);
  input_sizes[0] = 2;
  input_sizes[1] = 8;
  std::vector<c10::IValue> arguments = {RandomWeight(weight_sizes, per_channel),
                                        at::randn({8}),
                                        Ints(dims, 2),
                                        Ints(dims, 1),
                                        Ints(dims, 1),
                                        int64_t{2}};
  if (is_transposed) {
    // oneDNN has no kernels with output padding.
    arguments.insert(arguments.begin() + 4, Ints(dims, IsOnednn() ? 0 : 1));
  }
  const Attributes packed = {
      {"packed",
       CallOp("quantized::" + layer + "_prepack", std::move(arguments))}};
  const at::Tensor x = at::randn(input_sizes);
  const bool is_dynamic = absl::EndsWith(op, "_dynamic");
  return RunBoth(
      LayerOf("x: Tensor",
              absl::StrCat("ops.quantized.", op, "(x, self.packed",
                           is_dynamic ? ", False)" : ", 0.3, 100)"),
              packed),
      "quantized::" + op,
      {is_dynamic ? x : at::quantize_per_tensor(x, 0.02, 120, at::kQUInt8)});
}

// oneDNN adds in another order than the reference, so that an output within
// 1e-5 steps of a tie may be rounded to the other side. That is one in some
// hundred thousand, and there are a few thousand.
void ExpectAlmostEqual(const KernelPair& pair) {
  const Steps steps = StepsBetween(pair);
  EXPECT_LE(steps.most, 1);
  const auto count = static_cast<double>(pair.kernel.numel());
  EXPECT_LE(steps.fraction * count, IsOnednn() ? 1.5 : 0.01 * count);
  EXPECT_GT(at::int_repr(pair.kernel).to(at::kFloat).std().item<float>(), 3);
}

// qnnpack does not give its weights of three-dimensional convolutions back.
bool HasNoUnpack(const std::string& op) {
  return !IsOnednn() && absl::StrContains(op, "3d");
}

TEST_P(PackedNumericsTest, ConvolutionsEqualTheirReferencesAlmostAlways) {
  for (const std::string op : {"conv1d", "conv2d", "conv3d", "conv1d_relu",
                               "conv2d_relu", "conv3d_relu"}) {
    if (HasNoUnpack(op)) {
      continue;
    }
    for (const bool per_channel : {false, true}) {
      SCOPED_TRACE(op);
      ExpectAlmostEqual(RunConv(op, per_channel));
    }
  }
}

TEST_P(PackedNumericsTest, TransposedConvolutionsEqualTheirReferences) {
  for (const std::string op :
       {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}) {
    if (HasNoUnpack(op)) {
      continue;
    }
    SCOPED_TRACE(op);
    ExpectAlmostEqual(RunConv(op, /*per_channel=*/false));
  }
}

c10::IValue PackedLinear(bool per_channel, bool with_bias) {
  return CallOp("quantized::linear_prepack",
                {RandomWeight({24, 40}, per_channel),
                 with_bias ? c10::IValue(at::randn({24})) : c10::IValue()});
}

TEST_P(PackedNumericsTest, LinearEqualsItsReferenceAlmostAlways) {
  for (const std::string op : {"linear", "linear_relu"}) {
    for (const bool per_channel : {false, true}) {
      for (const bool with_bias : {false, true}) {
        SCOPED_TRACE(op);
        ExpectAlmostEqual(RunBoth(
            LayerOf("x: Tensor",
                    "ops.quantized." + op + "(x, self.packed, 0.2, 100)",
                    {{"packed", PackedLinear(per_channel, with_bias)}}),
            "quantized::" + op,
            {at::quantize_per_tensor(at::randn({5, 50, 40}), 0.02, 120,
                                     at::kQUInt8)}));
      }
    }
  }
}

TEST_P(PackedNumericsTest, LinearWithAnActivationEqualsItsReference) {
  if (!IsOnednn() || torch::jit::getAllOperatorsFor(
                         c10::Symbol::fromQualString("quantized::linear_tanh"))
                         .empty()) {
    GTEST_SKIP() << "only oneDNN of LibTorch 2 has these ops";
  }
  for (const auto& [op, arguments] :
       {std::pair("linear_leaky_relu", "0.2, 100, 0.1"),
        std::pair("linear_tanh", "0.01, 128")}) {
    for (const bool per_channel : {false, true}) {
      SCOPED_TRACE(op);
      ExpectAlmostEqual(
          RunBoth(LayerOf("x: Tensor",
                          absl::StrCat("ops.quantized.", op,
                                       "(x, self.packed, ", arguments, ")"),
                          {{"packed", PackedLinear(per_channel, true)}}),
                  absl::StrCat("quantized::", op),
                  {at::quantize_per_tensor(at::randn({5, 50, 40}), 0.02, 120,
                                           at::kQUInt8)}));
    }
  }
}

TEST_P(PackedNumericsTest, DynamicLinearEqualsItsReferenceButForRounding) {
  for (const std::string op : {"linear_dynamic", "linear_relu_dynamic"}) {
    for (const std::string reduce_range : {"False", "True"}) {
      const KernelPair pair =
          RunBoth(LayerOf("x: Tensor",
                          absl::StrCat("ops.quantized.", op,
                                       "(x, self.packed, ", reduce_range, ")"),
                          {{"packed", PackedLinear(true, true)}}),
                  "quantized::" + op, {at::randn({50, 40}) * 3});
      EXPECT_TRUE(at::allclose(pair.kernel, pair.reference, 1e-5, 1e-4))
          << op << " " << reduce_range;
      EXPECT_GT(pair.kernel.std().item<float>(), 1);
    }
  }
}

TEST_P(PackedNumericsTest, DynamicLinearTakesNoRowsAtAll) {
  const KernelPair pair = RunBoth(
      LayerOf("x: Tensor", "ops.quantized.linear_dynamic(x, self.packed, True)",
              {{"packed", PackedLinear(true, true)}}),
      "quantized::linear_dynamic", {at::randn({0, 40})});
  EXPECT_EQ(pair.kernel.sizes(), pair.reference.sizes());
}

// LibTorch quantizes the output with the parameters of the input, and so cuts
// it to the input's range: what a reference is there to tell.
TEST_P(PackedNumericsTest, DynamicConvolutionsAreCutToTheRangeOfTheirInput) {
  for (const std::string op :
       {"conv1d_dynamic", "conv2d_dynamic", "conv3d_dynamic",
        "conv_transpose1d_dynamic", "conv_transpose2d_dynamic",
        "conv_transpose3d_dynamic"}) {
    if (HasNoUnpack(op)) {
      continue;
    }
    SCOPED_TRACE(op);
    const auto [kernel, reference] = RunConv(op, /*per_channel=*/false);
    const at::Tensor cut =
        at::clamp(reference, kernel.min().item(), kernel.max().item());
    constexpr double kStep = 0.04;
    EXPECT_TRUE(at::allclose(kernel, cut, 0, kStep));
    EXPECT_GT(reference.abs().max().item<float>(),
              1.5 * kernel.abs().max().item<float>());
  }
}

// Rows of 8 or 4 bits, each with a scale and zero point of its own.
c10::IValue PackedEmbedding(at::ScalarType dtype) {
  const at::Tensor weight = at::randn({30, 16});
  const double steps = dtype == at::kQUInt8 ? 255 : 15;
  const at::Tensor low = std::get<0>(weight.min(1));
  const at::Tensor scales = (std::get<0>(weight.max(1)) - low) / steps;
  return CallOp(
      "quantized::embedding_bag_prepack",
      {at::quantize_per_channel(weight, scales, -low / scales, 0, dtype)});
}

// The kernel has scale and offset of 4-bit rows in half precision.
double Tolerance(const std::string& rows) {
  return rows == "4bit" ? 5e-3 : 1e-4;
}

TEST_P(PackedNumericsTest, EmbeddingsEqualTheirReferencesButForRounding) {
  const at::Tensor indices = at::randint(30, {12}, at::kLong);
  for (const std::string rows : {"byte", "4bit"}) {
    const Attributes packed = {
        {"packed",
         PackedEmbedding(rows == "byte" ? at::kQUInt8 : at::kQUInt4x2)}};
    const KernelPair pair = RunBoth(
        LayerOf("x: Tensor",
                "ops.quantized.embedding_" + rows + "(self.packed, x)", packed),
        "quantized::embedding_" + rows, {indices});
    EXPECT_TRUE(at::allclose(pair.kernel, pair.reference, 0, Tolerance(rows)))
        << rows;
  }
}

TEST_P(PackedNumericsTest, EmbeddingBagsEqualTheirReferences) {
  const at::Tensor indices = at::randint(30, {12}, at::kLong);
  const at::Tensor offsets = at::tensor({0, 3, 3, 10}, at::kLong);
  const at::Tensor samples = at::rand({12});
  for (const std::string rows : {"byte", "4bit"}) {
    const Attributes packed = {
        {"packed",
         PackedEmbedding(rows == "byte" ? at::kQUInt8 : at::kQUInt4x2)}};
    const std::string op = "ops.quantized.embedding_bag_" + rows;
    const auto run = [&](const std::string& arguments,
                         const std::vector<c10::IValue>& inputs) {
      return RunBoth(
          LayerOf("x: Tensor, o: Tensor, s: Tensor",
                  absl::StrCat(op, "(self.packed, ", arguments, ")"), packed),
          "quantized::embedding_bag_" + rows, inputs);
    };
    for (const KernelPair& pair :
         {run("x, o", {indices, offsets, samples}),
          run("x, o, False, 0, False, s, None, True",
              {indices, offsets, samples}),
          run("x", {indices.view({4, 3}), offsets, samples}),
          run("x, None, False, 0, False, s",
              {indices.view({4, 3}), offsets, samples.view({4, 3})})}) {
      EXPECT_EQ(pair.kernel.sizes(), pair.reference.sizes());
      EXPECT_TRUE(
          at::allclose(pair.kernel, pair.reference, 0, 3 * Tolerance(rows)))
          << rows;
    }
  }
}

NS_INSTANTIATE_ON_ENGINES(PackedNumericsTest);

}  // namespace
}  // namespace ns
