#include "passes/instrument/pair/fuse_float_convs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "passes/runtime/float_conv.h"
#include "tests/testing/fused_convs.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

constexpr char kConv[] =
    "  %c : Tensor = aten::conv2d(%x, %w, %b, %11, %00, %11, %one)\n";
constexpr char kBatchNorm[] =
    "  %n : Tensor = aten::batch_norm(%c, %gamma, %beta, %mean, %var, %no, "
    "%eps, %eps, %no)\n";

constexpr char kOneCall[] = R"IR(
%1 = self.ns_float_conv_0.forward(%0)
return (%1))IR";

TEST_F(FuseFloatConvsTest, RunsConvolutionAlone) {
  const std::string body = absl::StrCat(kConv, "  return (%c)");
  ExpectFused(body, kOneCall);
  EXPECT_TRUE(ParametersOf(Fused(body)).weight.equal(tensors_["w"]));
  EXPECT_TRUE(ParametersOf(Fused(body)).bias.equal(tensors_["b"]));
}

TEST_F(FuseFloatConvsTest, SharesItsWeightWithTheGraph) {
  const ModelGraph model =
      Fused(absl::StrCat(kConv, kBatchNorm, "  return (%n)"));
  EXPECT_EQ(ParametersOf(model).weight.data_ptr(), tensors_["w"].data_ptr());
}

TEST_F(FuseFloatConvsTest, KeepsActivationsBehindIt) {
  for (const char* op :
       {"relu(%n)", "relu_(%n)", "relu6(%n)", "relu6_(%n)",
        "hardtanh(%n, %zero, %six)", "hardtanh_(%n, %zero, %six)",
        "sigmoid(%n)", "leaky_relu(%n, %eps)"}) {
    const std::string body = absl::StrCat(
        kConv, kBatchNorm, "  %y : Tensor = aten::", op, "\n  return (%y)");
    ModelGraph model = Fused(body);
    ModelGraph plain = Model(body);
    ExpectNear(model, plain, at::randn({2, 3, 8, 8}));
    EXPECT_EQ(AllNodes(model.graph()).back()->kind(),
              AllNodes(plain.graph()).back()->kind());
    EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 0);
  }
}

TEST_F(FuseFloatConvsTest, RunsConvolutionAndBatchNorm) {
  ExpectFused(absl::StrCat(kConv, kBatchNorm, "  return (%n)"), kOneCall);
}

TEST_F(FuseFloatConvsTest, DoesNotWriteToTheParameters) {
  const std::map<std::string, at::Tensor> before = {
      {"w", tensors_["w"].clone()}, {"b", tensors_["b"].clone()}};
  Fused(absl::StrCat(kConv, kBatchNorm, "  return (%n)"));
  EXPECT_TRUE(tensors_["w"].equal(before.at("w")));
  EXPECT_TRUE(tensors_["b"].equal(before.at("b")));
}

TEST_F(FuseFloatConvsTest, TakesPrivateConvolution) {
  ExpectFused(R"IR(
  %c : Tensor = aten::_convolution(%x, %w, %b, %21, %01, %11, %no, %00, %one, %no, %no, %yes, %yes)
  return (%c))IR",
              kOneCall);
}

TEST_F(FuseFloatConvsTest, DoesWithoutBias) {
  ExpectFused(
      absl::StrCat("  %c : Tensor = aten::conv2d(%x, %w, %none, %21, %01, %11, "
                   "%one)\n",
                   kBatchNorm, "  return (%n)"),
      kOneCall);
}

TEST_F(FuseFloatConvsTest, DoesWithoutAffinePartOfTheBatchNorm) {
  for (const char* affine : {"%none, %none", "%gamma, %none", "%none, %beta"}) {
    ExpectFused(
        absl::StrCat(kConv, "  %n : Tensor = aten::batch_norm(%c, ", affine,
                     ", %mean, %var, %no, %eps, %eps, %no)\n  return (%n)"),
        kOneCall);
  }
}

TEST_F(FuseFloatConvsTest, TakesBatchNormsOfTinyVariance) {
  tensors_["var"] = at::zeros({4});
  tensors_["var"][1] = 1e-12;
  tensors_["mean"] = at::zeros({4});
  ExpectFused(absl::StrCat(kConv, kBatchNorm, "  return (%n)"), kOneCall);
}

TEST_F(FuseFloatConvsTest, FusesOneBatchNormOnly) {
  ExpectFused(absl::StrCat(kConv, kBatchNorm, R"IR(
  %m : Tensor = aten::batch_norm(%n, %gamma, %beta, %mean, %var, %no, %eps, %eps, %no)
  return (%m))IR"),
              R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::batch_norm(%1, <Tensor>, <Tensor>, <Tensor>, <Tensor>, False, 0.001, 0.001, False)
return (%2))IR");
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormBehindRelu) {
  ExpectFused(absl::StrCat(kConv, R"IR(
  %r : Tensor = aten::relu(%c)
  %n : Tensor = aten::batch_norm(%r, %gamma, %beta, %mean, %var, %no, %eps, %eps, %no)
  return (%n))IR"),
              R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::relu(%1)
%3 = aten::batch_norm(%2, <Tensor>, <Tensor>, <Tensor>, <Tensor>, False, 0.001, 0.001, False)
return (%3))IR");
}

TEST_F(FuseFloatConvsTest, FusesInOrderOfTheGraphInsideControlFlowToo) {
  tensors_["w"] = at::randn({3, 3, 1, 1});
  tensors_["b"] = at::randn({3});
  ModelGraph model = Fused(R"IR(
  %c : Tensor = aten::conv2d(%x, %w, %b, %11, %00, %11, %one)
  %dim : int = aten::dim(%x)
  %batched : bool = aten::gt(%dim, %two)
  %i : Tensor = prim::If(%batched)
    block0():
      %d : Tensor = aten::conv2d(%c, %w, %b, %11, %00, %11, %one)
      %e : Tensor = aten::relu(%d)
      -> (%e)
    block1():
      -> (%c)
  %l : Tensor = prim::Loop(%two, %yes, %i)
    block0(%trip : int, %v : Tensor):
      %f : Tensor = aten::conv2d(%v, %w, %none, %11, %00, %11, %one)
      -> (%yes, %f)
  return (%l))IR");
  ExpectShortIr(model.graph(), R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::dim(%0)
%3 = aten::gt(%2, 2)
%6 = prim::If(%3)
  then:
    %4 = self.ns_float_conv_0.forward(%1)
    %5 = aten::relu(%4)
    -> (%5)
  else:
    -> (%1)
%10 = prim::Loop(2, True, %6)
  block(%7, %8):
    %9 = self.ns_float_conv_1.forward(%8)
    -> (True, %9)
return (%10))IR");
}

TEST_F(FuseFloatConvsTest, LeavesAttributesOfThatNameAlone) {
  ModelGraph model = Model(absl::StrCat(kConv, "  return (%c)"));
  model.module().register_attribute("ns_float_conv_0", c10::IntType::get(), 7);
  NS_ASSERT_OK(FuseAll(model));
  EXPECT_EQ(model.module().attr("ns_float_conv_0").toInt(), 7);
  ExpectShortIr(model.graph(), R"IR(
%1 = self.ns_float_conv_1.forward(%0)
return (%1))IR");
}

TEST_F(FuseFloatConvsTest, SavedModelRuns) {
  ModelGraph model = Fused(absl::StrCat(kConv, kBatchNorm, "  return (%n)"));
  const std::string path = TemporaryPath("fused.pt");
  NS_ASSERT_OK(model.Save(path));
  torch::jit::Module loaded = OrThrow(LoadModule(path));
  const at::Tensor x = at::randn({2, 3, 8, 8});
  EXPECT_TRUE(
      loaded.forward({x}).toTensor().equal(OrThrow(model.Run({x})).toTensor()));
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenTheConvolutionIsUsedElsewhere) {
  ExpectFused(absl::StrCat(kConv, kBatchNorm, R"IR(
  %r : Tensor = aten::relu(%n)
  %y : Tensor = aten::add(%r, %c, %one)
  return (%y))IR"),
              R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::batch_norm(%1, <Tensor>, <Tensor>, <Tensor>, <Tensor>, False, 0.001, 0.001, False)
%3 = aten::relu(%2)
%4 = aten::add(%3, %1, 1)
return (%4))IR");
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenTheConvolutionIsReturned) {
  const ModelGraph model =
      Fused(absl::StrCat(kConv, kBatchNorm, "  return (%c, %n)"));
  ExpectShortIr(model.graph(), R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::batch_norm(%1, <Tensor>, <Tensor>, <Tensor>, <Tensor>, False, 0.001, 0.001, False)
return (%1, %2))IR");
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenItStandsInControlFlow) {
  const ModelGraph model = Fused(absl::StrCat(kConv, R"IR(
  %dim : int = aten::dim(%x)
  %batched : bool = aten::gt(%dim, %two)
  %y : Tensor = prim::If(%batched)
    block0():
      %n : Tensor = aten::batch_norm(%c, %gamma, %beta, %mean, %var, %no, %eps, %eps, %no)
      -> (%n)
    block1():
      -> (%x)
  return (%y))IR"));
  EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1);
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormOfOtherDataWhenConvolutionIsWeight) {
  // The convolution's output is a statistic, not what is normalized.
  const ModelGraph model = Fused(absl::StrCat(kConv, R"IR(
  %n : Tensor = aten::batch_norm(%x, %gamma, %beta, %c, %var, %no, %eps, %eps, %no)
  return (%n))IR"));
  EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1);
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenItIsNotAmongThose) {
  const std::string body = absl::StrCat(
      kConv,
      "  %d : Tensor = aten::conv2d(%x, %w, %b, %11, %00, %11, %one)\n"
      "  %y : Tensor = aten::add(%c, %d, %one)\n"
      "  return (%y)");
  ModelGraph model = Model(body);
  NS_ASSERT_OK(
      FuseFloatConvs(model, {NodeOf(model.graph(), "aten::conv2d", 1)}));
  ExpectShortIr(model.graph(), R"IR(
%1 = aten::conv2d(%0, <Tensor>, <Tensor>, [1, 1], [0, 0], [1, 1], 1)
%2 = self.ns_float_conv_0.forward(%0)
%3 = aten::add(%1, %2, 1)
return (%3))IR");
  ModelGraph untouched = Model(body);
  NS_ASSERT_OK(FuseFloatConvs(untouched, {}));
  EXPECT_EQ(ShortIr(untouched.graph()), ShortIr(Model(body).graph()));
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenWeightIsNoConstant) {
  tensors_.erase("w");
  ExpectKept(absl::StrCat(kConv, "  return (%c)"));
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenBiasIsNoConstant) {
  tensors_.erase("b");
  ExpectKept(absl::StrCat(kConv, "  return (%c)"));
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenStrideIsNoConstant) {
  ExpectKept(R"IR(
  %dim : int = aten::dim(%x)
  %stride : int[] = prim::ListConstruct(%dim, %dim)
  %c : Tensor = aten::conv2d(%x, %w, %b, %stride, %00, %11, %one)
  return (%c))IR");
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenGroupsAreNoConstant) {
  ExpectKept(R"IR(
  %dim : int = aten::dim(%x)
  %c : Tensor = aten::conv2d(%x, %w, %b, %11, %00, %11, %dim)
  return (%c))IR");
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenStrideIsOneNumber) {
  ExpectKept(R"IR(
  %c : Tensor = aten::conv2d(%x, %w, %b, %1, %00, %11, %one)
  return (%c))IR");
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenTransposed) {
  ExpectKept(R"IR(
  %c : Tensor = aten::_convolution(%x, %w, %b, %11, %00, %11, %yes, %00, %one, %no, %no, %yes, %yes)
  return (%c))IR");
  ExpectKept(R"IR(
  %c : Tensor = aten::conv_transpose2d(%x, %w, %b, %11, %00, %00, %one, %11)
  return (%c))IR");
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenItHasOtherThanTwoDimensions) {
  tensors_["w"] = at::randn({4, 3, 3});
  ExpectKept(R"IR(
  %zeros : int[] = prim::Constant[value=[0]]()
  %c : Tensor = aten::conv1d(%x, %w, %b, %1, %zeros, %1, %one)
  %d : Tensor = aten::_convolution(%x, %w, %b, %1, %zeros, %1, %no, %zeros, %one, %no, %no, %yes, %yes)
  return (%d))IR");
  tensors_["w"] = at::randn({4, 3, 3, 3, 3});
  ExpectKept(R"IR(
  %ones : int[] = prim::Constant[value=[1, 1, 1]]()
  %zeros : int[] = prim::Constant[value=[0, 0, 0]]()
  %c : Tensor = aten::conv3d(%x, %w, %b, %ones, %zeros, %ones, %one)
  %d : Tensor = aten::_convolution(%x, %w, %b, %ones, %zeros, %ones, %no, %zeros, %one, %no, %no, %yes, %yes)
  return (%d))IR");
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenWeightIsNotFloat32) {
  for (const at::ScalarType dtype : {at::kDouble, at::kHalf, at::kBFloat16}) {
    tensors_["w"] = tensors_["w"].to(dtype);
    tensors_["b"] = tensors_["b"].to(dtype);
    ExpectKept(absl::StrCat(kConv, "  return (%c)"));
  }
}

TEST_F(FuseFloatConvsTest, KeepsConvolutionWhenPaddingIsAName) {
  ExpectKept(R"IR(
  %same : str = prim::Constant[value="same"]()
  %c : Tensor = aten::conv2d(%x, %w, %b, %11, %same, %11, %one)
  return (%c))IR");
}

constexpr char kConvThenBatchNorm[] = R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::batch_norm(%1, <Tensor>, <Tensor>, <Tensor>, <Tensor>, False, 0.001, 0.001, False)
return (%2))IR";

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenItTrains) {
  const ModelGraph model = Fused(absl::StrCat(kConv, R"IR(
  %n : Tensor = aten::batch_norm(%c, %gamma, %beta, %mean, %var, %yes, %eps, %eps, %no)
  %y : Tensor = aten::relu(%n)
  return (%y))IR"));
  ExpectShortIr(model.graph(), R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::batch_norm(%1, <Tensor>, <Tensor>, <Tensor>, <Tensor>, True, 0.001, 0.001, False)
%3 = aten::relu(%2)
return (%3))IR");
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenTrainingIsNoConstant) {
  const ModelGraph model = Fused(absl::StrCat(kConv, R"IR(
  %dim : int = aten::dim(%x)
  %training : bool = aten::eq(%dim, %two)
  %n : Tensor = aten::batch_norm(%c, %gamma, %beta, %mean, %var, %training, %eps, %eps, %no)
  return (%n))IR"));
  EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1);
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenItHasNoStatistics) {
  const ModelGraph model = Fused(absl::StrCat(kConv, R"IR(
  %n : Tensor = aten::batch_norm(%c, %gamma, %beta, %none, %none, %no, %eps, %eps, %no)
  return (%n))IR"));
  EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1);
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenParametersAreNoConstants) {
  for (const char* name : {"mean", "var", "gamma", "beta"}) {
    const at::Tensor tensor = tensors_[name];
    tensors_.erase(name);
    const ModelGraph model =
        Fused(absl::StrCat(kConv, kBatchNorm, "  return (%n)"));
    EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1) << name;
    tensors_[name] = tensor;
  }
}

TEST_F(FuseFloatConvsTest, KeepsBatchNormWhenStatisticsAreNotFloat32) {
  tensors_["var"] = tensors_["var"].to(at::kDouble);
  ExpectShortIr(Fused(absl::StrCat(kConv, kBatchNorm, "  return (%n)")).graph(),
                kConvThenBatchNorm);
}

constexpr char kFlat[] = "  %flat : int[] = prim::Constant[value=[-1]]()\n";

TEST_F(FuseFloatConvsTest, MakesViewsReshapes) {
  const std::string body = absl::StrCat(
      kConv, kFlat, "  %y : Tensor = aten::view(%c, %flat)\n  return (%y)");
  ExpectFused(body, R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::reshape(%1, [-1])
return (%2))IR");
}

TEST_F(FuseFloatConvsTest, MakesViewsReshapesWhenWritesAreOver) {
  const std::string body = absl::StrCat(kConv, kFlat, R"IR(
  %r : Tensor = aten::relu_(%c)
  %y : Tensor = aten::view(%r, %flat)
  %z : Tensor = aten::neg(%y)
  return (%z))IR");
  ExpectFused(body, R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::relu_(%1)
%3 = aten::reshape(%2, [-1])
%4 = aten::neg(%3)
return (%4))IR");
}

// A view of something else is to fail where it failed before.
TEST_F(FuseFloatConvsTest, KeepsViewsThatNoConvolutionReaches) {
  const std::string body = absl::StrCat(kConv, kFlat, R"IR(
  %t : Tensor = aten::permute(%x, %perm)
  %v : Tensor = aten::view(%t, %flat)
  %s : int[] = aten::stride(%x)
  return (%c, %v, %s))IR");
  ExpectShortIr(
      Fused(absl::StrCat("  %perm : int[] = prim::Constant[value=[0, 2, 3, "
                         "1]]()\n",
                         body))
          .graph(),
      R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = aten::permute(%0, [0, 2, 3, 1])
%3 = aten::view(%2, [-1])
%4 = aten::stride(%0)
return (%1, %3, %4))IR");
}

TEST_F(FuseFloatConvsTest, KeepsAllWhenAViewIsWrittenThrough) {
  ExpectKept(absl::StrCat(kConv, kFlat, R"IR(
  %y : Tensor = aten::view(%c, %flat)
  %z : Tensor = aten::relu_(%y)
  return (%c))IR"));
  ExpectKept(absl::StrCat(kConv, kFlat, R"IR(
  %y : Tensor = aten::view(%c, %flat)
  %z : Tensor = aten::relu_(%c)
  return (%y))IR"));
}

// The write of one trip comes before the view of the next, and of what a view
// shares memory with.
TEST_F(FuseFloatConvsTest, KeepsAllWhenALoopWritesThroughAView) {
  ExpectKept(absl::StrCat(kConv, kFlat, R"IR(
  %y : Tensor = prim::Loop(%two, %yes, %c)
    block0(%i : int, %v : Tensor):
      %r : Tensor = aten::relu_(%v)
      %s : Tensor = aten::view(%c, %flat)
      -> (%yes, %s)
  return (%y))IR"));
}

TEST_F(FuseFloatConvsTest, KeepsAllWhenAnOpDependsOnTheLayout) {
  for (const char* op :
       {"Tensor = aten::as_strided(%c, %flat, %flat, %none)",
        "int[] = aten::stride(%c)", "bool = aten::is_contiguous(%c)",
        "Tensor = aten::view_as(%c, %c)",
        "Tensor = aten::resize_(%c, %flat, %none)"}) {
    SCOPED_TRACE(op);
    ExpectKept(
        absl::StrCat(kConv, kFlat, "  %y : ", op, "\n  return (%c, %y)"));
  }
}

TEST_F(FuseFloatConvsTest, KeepsViewsWhenNothingIsFused) {
  tensors_.erase("w");
  ExpectKept(absl::StrCat(kConv, kFlat,
                          "  %y : Tensor = aten::view(%c, %flat)\n"
                          "  return (%y)"));
}

TEST_F(FuseFloatConvsTest, OneAttributeRunsChainsWithTheSameConstants) {
  ExpectFused(absl::StrCat(kConv, R"IR(
  %d : Tensor = aten::conv2d(%x, %w, %b, %11, %00, %11, %one)
  %e : Tensor = aten::conv2d(%x, %w, %none, %11, %00, %11, %one)
  %s : Tensor = aten::add(%c, %d, %one)
  %t : Tensor = aten::add(%s, %e, %one)
  return (%t))IR"),
              R"IR(
%1 = self.ns_float_conv_0.forward(%0)
%2 = self.ns_float_conv_0.forward(%0)
%3 = self.ns_float_conv_1.forward(%0)
%4 = aten::add(%1, %2, 1)
%5 = aten::add(%4, %3, 1)
return (%5))IR");
}

// The same numbers at other places: bias and batch norm, stride and padding.
TEST_F(FuseFloatConvsTest, ConstantsAtOtherPlacesAreOthers) {
  tensors_["b"] = tensors_["mean"];
  tensors_["w"] = at::randn({4, 3, 1, 1});
  const std::string body = R"IR(
  %c : Tensor = aten::conv2d(%x, %w, %b, %11, %00, %11, %one)
  %d : Tensor = aten::conv2d(%x, %w, %none, %11, %00, %11, %one)
  %n : Tensor = aten::batch_norm(%d, %none, %b, %mean, %var, %no, %eps, %eps, %no)
  %o : Tensor = aten::conv2d(%x, %w, %none, %11, %00, %11, %one)
  %p : Tensor = aten::batch_norm(%o, %b, %none, %mean, %var, %no, %eps, %eps, %no)
  %list : Tensor[] = prim::ListConstruct(%c, %n, %p)
  %y : Tensor = aten::cat(%list, %one)
  return (%y))IR";
  ModelGraph fused = Fused(body);
  ModelGraph plain = Model(body);
  ExpectNear(fused, plain, at::randn({2, 3, 8, 8}));
}

}  // namespace
}  // namespace ns
