#include "passes/analysis/call_guards.h"

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "passes/ops/op_families.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// Returns why `call` does not satisfy the guard; empty where it does. %flag,
// %n, %sizes and %mode are no constants.
std::string Why(CallGuard guard, const std::string& call) {
  const std::shared_ptr<torch::jit::Graph> graph =
      GraphOf(absl::StrCat(R"IR(
graph(%x : Tensor, %y : Tensor, %flag : bool, %n : int, %sizes : int[], %mode : str):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %six : int = prim::Constant[value=6]()
  %minus_zero : float = prim::Constant[value=-0.]()
  %one_float : float = prim::Constant[value=1.]()
  %half : float = prim::Constant[value=0.5]()
  %imaginary : complex = prim::Constant[value=1j]()
  %two_ints : int[] = prim::Constant[value=[2, 2]]()
  %four_ints : int[] = prim::Constant[value=[1, 1, 1, 1]]()
  %six_ints : int[] = prim::Constant[value=[1, 1, 1, 1, 1, 1]]()
  %constant : str = prim::Constant[value="constant"]()
  %reflect : str = prim::Constant[value="reflect"]()
  %replicate : str = prim::Constant[value="replicate"]()
  %r : Tensor = )IR",
                           call, "\n  return (%r)"));
  const absl::Status status = CheckCall(guard, *graph->outputs()[0]->node());
  EXPECT_TRUE(status.ok() || IsRefusal(status)) << status;
  return std::string(status.message());
}

TEST(CallGuardsTest, OpsWithoutAGuardAreAlwaysFolded) {
  EXPECT_EQ(Why(CallGuard::kNone, "aten::add(%x, %y, %imaginary)"), "");
}

TEST(CallGuardsTest, SumsHaveAnAlphaOfOne) {
  const auto why = [](const std::string& alpha) {
    return Why(CallGuard::kAddsUnscaled,
               absl::StrCat("aten::add(%x, %y, ", alpha, ")"));
  };
  EXPECT_EQ(why("%one"), "");
  EXPECT_EQ(why("%one_float"), "");
  for (const char* alpha : {"%zero", "%half", "%n", "%imaginary"}) {
    EXPECT_EQ(why(alpha), "it multiplies its second operand") << alpha;
  }
}

TEST(CallGuardsTest, AveragePoolsDivideByTheirWindow) {
  const auto why = [](const std::string& rest) {
    return Why(
        CallGuard::kCountsPadding,
        absl::StrCat("aten::avg_pool2d(%x, %two_ints, %two_ints, %two_ints, "
                     "%no, ",
                     rest, ")"));
  };
  EXPECT_EQ(why("%yes, %none"), "");
  EXPECT_EQ(why("%no, %none"), "");
  EXPECT_EQ(why("%flag, %none"), "");
  EXPECT_EQ(why("%yes, %six"), "it divides by a number of its own");
  EXPECT_EQ(why("%yes, %n"), "it divides by a number of its own");
  // It has no such argument.
  EXPECT_EQ(Why(CallGuard::kCountsPadding,
                "aten::avg_pool1d(%x, %sizes, %sizes, %sizes, %no, %yes)"),
            "");
}

TEST(CallGuardsTest, MeansAreOverDimensionsAndKeepTheType) {
  const auto why = [](const std::string& arguments) {
    return Why(CallGuard::kOverDimensions,
               absl::StrCat("aten::mean(%x, ", arguments, ")"));
  };
  EXPECT_EQ(why("%two_ints, %no, %none"), "");
  EXPECT_EQ(why("%sizes, %no, %none"), "");
  EXPECT_EQ(why("%none"), "it averages over all dimensions");
  EXPECT_EQ(why("%none, %no, %none"), "it averages over all dimensions");
  EXPECT_EQ(why("%two_ints, %no, %six"), "it asks for a type");
}

TEST(CallGuardsTest, ViewsCloneAndSoftmaxKeepWhatTheyAreGiven) {
  EXPECT_EQ(Why(CallGuard::kIsReshape, "aten::view(%x, %sizes)"), "");
  EXPECT_EQ(Why(CallGuard::kIsReshape, "aten::view(%x, %six)"),
            "it reads bits as another type");
  EXPECT_EQ(Why(CallGuard::kKeepsLayout, "aten::clone(%x, %none)"), "");
  EXPECT_EQ(Why(CallGuard::kKeepsLayout, "aten::clone(%x, %zero)"),
            "it asks for a memory format");
  EXPECT_EQ(Why(CallGuard::kKeepsDtype, "aten::softmax(%x, %one, %none)"), "");
  EXPECT_EQ(Why(CallGuard::kKeepsDtype, "aten::softmax(%x, %one, %six)"),
            "it asks for a type");
}

TEST(CallGuardsTest, DropoutIsNotInTraining) {
  const auto why = [](const std::string& train) {
    return Why(CallGuard::kDropsNothing,
               absl::StrCat("aten::dropout(%x, %half, ", train, ")"));
  };
  EXPECT_EQ(why("%no"), "");
  EXPECT_EQ(why("%yes"), "it drops elements at random");
  EXPECT_EQ(why("%flag"), "it drops elements at random");
}

TEST(CallGuardsTest, BatchNormsAreInEvaluationWithWeightAndBias) {
  const auto why = [](const std::string& weights, const std::string& training) {
    return Why(CallGuard::kKnownStatistics,
               absl::StrCat("aten::batch_norm(%x, ", weights, ", %y, %y, ",
                            training, ", %half, %half, %no)"));
  };
  EXPECT_EQ(why("%y, %y", "%no"), "");
  EXPECT_EQ(why("%y, %none", "%no"), "its kernel needs a weight and a bias");
  EXPECT_EQ(why("%none, %y", "%no"), "its kernel needs a weight and a bias");
  EXPECT_EQ(why("%y, %y", "%yes"), "it takes its statistics from the batch");
  EXPECT_EQ(why("%y, %y", "%flag"), "it takes its statistics from the batch");
}

TEST(CallGuardsTest, InstanceNormsUseTheStatisticsOfTheirInput) {
  const auto why = [](const std::string& use_input_stats) {
    return Why(CallGuard::kInputStatistics,
               absl::StrCat("aten::instance_norm(%x, %none, %none, %y, %y, ",
                            use_input_stats, ", %half, %half, %no)"));
  };
  EXPECT_EQ(why("%yes"), "");
  EXPECT_EQ(why("%no"), "it takes its statistics from elsewhere");
  EXPECT_EQ(why("%flag"), "it takes its statistics from elsewhere");
}

TEST(CallGuardsTest, PadsAreZerosOrReflectRowsAndImages) {
  const auto constant_pad = [](const std::string& value) {
    return Why(
        CallGuard::kPadsQuantized,
        absl::StrCat("aten::constant_pad_nd(%x, %two_ints, ", value, ")"));
  };
  EXPECT_EQ(constant_pad("%zero"), "");
  EXPECT_EQ(constant_pad("%minus_zero"), "");
  for (const char* value : {"%half", "%n", "%imaginary"}) {
    EXPECT_EQ(constant_pad(value), "it pads with something else than zero")
        << value;
  }
  const auto pad = [](const std::string& arguments) {
    return Why(CallGuard::kPadsQuantized,
               absl::StrCat("aten::pad(%x, ", arguments, ")"));
  };
  EXPECT_EQ(pad("%sizes, %constant, %none"), "");
  EXPECT_EQ(pad("%sizes, %constant, %minus_zero"), "");
  EXPECT_EQ(pad("%sizes, %constant, %half"),
            "it pads with something else than zero");
  EXPECT_EQ(pad("%four_ints, %reflect, %none"), "");
  for (const char* sizes : {"%six_ints", "%sizes"}) {
    EXPECT_EQ(pad(absl::StrCat(sizes, ", %reflect, %none")),
              "it reflects more than two dimensions");
  }
  for (const char* mode : {"%replicate", "%mode"}) {
    EXPECT_EQ(pad(absl::StrCat("%two_ints, ", mode, ", %none")),
              "LibTorch pads quantized tensors in no such way");
  }
}

using CallGuardsEngineTest = EngineTest;

TEST_P(CallGuardsEngineTest, QnnpackCountsPadding) {
  const auto why = [](const std::string& counts) {
    return Why(CallGuard::kCountsPadding,
               absl::StrCat("aten::avg_pool2d(%x, %two_ints, %two_ints, "
                            "%two_ints, %no, ",
                            counts, ", %none)"));
  };
  EXPECT_EQ(why("%yes"), "");
  for (const std::string counts : {"%no", "%flag"}) {
    EXPECT_EQ(why(counts), GetParam() == at::kQNNPACK
                               ? "qnnpack counts the padding, whatever it is "
                                 "told"
                               : "");
  }
}

TEST_P(CallGuardsEngineTest, ClampsHaveTwoNumbersAndAreNotOnQnnpack) {
  const auto expect = [](CallGuard guard, const std::string& call,
                         const std::string& elsewhere) {
    EXPECT_EQ(Why(guard, call),
              GetParam() == at::kQNNPACK
                  ? "qnnpack clamps tensors that are channels-last wrongly"
                  : elsewhere)
        << call;
  };
  expect(CallGuard::kEngineClamps, "aten::relu6(%x)", "");
  expect(CallGuard::kIsClamp, "aten::clamp(%x, %zero, %half)", "");
  expect(CallGuard::kIsClamp, "aten::clamp(%x, %n, %n)", "");
  expect(CallGuard::kIsClamp, "aten::hardtanh(%x, %zero, %six)", "");
  expect(CallGuard::kIsClamp, "aten::clamp(%x, %none, %six)",
         "it has one bound only");
  expect(CallGuard::kIsClamp, "aten::clamp(%x, %zero, %none)",
         "it has one bound only");
  expect(CallGuard::kIsClamp, "aten::clamp(%x, %y, %y)",
         "its bounds are tensors");
  expect(CallGuard::kIsClamp, "aten::clamp(%x, %y, %none)",
         "its bounds are tensors");
}

NS_INSTANTIATE_ON_ENGINES(CallGuardsEngineTest);

}  // namespace
}  // namespace ns
