#include "passes/analysis/faulty_layers.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/runtime/op_faults.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Module;
using Ints = std::vector<int64_t>;

class FaultyLayersTest : public ::testing::Test {
 protected:
  FaultyLayersTest() : before_(at::globalContext().qEngine()) {
    at::globalContext().setQEngine(at::kONEDNN);
    faulty_.torch_major = 2;
    faulty_.has_plain_avx2 = true;
    faulty_.threads = 2;
  }
  ~FaultyLayersTest() override { at::globalContext().setQEngine(before_); }

  // All faults, whatever computes here.
  OpEnvironment faulty_;

 private:
  const at::QEngine before_;
};

// A quantized layer with `op`, such as conv2d, on a packed weight.
Module Layer(const std::string& op, const std::vector<c10::IValue>& numbers,
             const Ints& weight) {
  std::vector<c10::IValue> arguments = {QuantizeWeight(at::randn(weight)),
                                        c10::IValue()};
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  return MakeModule(
      "torch.nn.quantized.modules.conv.Conv",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return ops.quantized." +
          op + "(x, self.packed, 0.05, 64)\n",
      {{"packed", CallOp("quantized::" + op + "_prepack", arguments)}});
}

Module Transposed(int64_t in, int64_t out) {
  return Layer("conv_transpose2d",
               {Ints{1, 1}, Ints{0, 0}, Ints{0, 0}, Ints{1, 1}, int64_t{1}},
               {in, out, 2, 2});
}

Module Pointwise(int64_t in, int64_t stride) {
  return Layer("conv2d",
               {Ints{stride, stride}, Ints{0, 0}, Ints{1, 1}, int64_t{1}},
               {4, in, 1, 1});
}

ModelGraph ModelWith(const Module& a, const Module& b) {
  return OrThrow(ModelGraph::FromModule(MakeModel(
      {{"a", a}, {"b", b}}, {"return self.b.forward(self.a.forward(x))"})));
}

TEST_F(FaultyLayersTest, NamesTransposedConvolutions) {
  const ModelGraph model = ModelWith(Transposed(4, 8), Transposed(8, 8));
  const auto layers = FaultyLayers(model.graph(), faulty_);
  ASSERT_EQ(layers.size(), 1);
  EXPECT_EQ(layers[0].name, "a");
  EXPECT_EQ(layers[0].fault, OpFault::kTransposedWeight);
}

TEST_F(FaultyLayersTest, NamesStridedPointwiseConvolutions) {
  const ModelGraph model = ModelWith(Pointwise(8, 1), Pointwise(8, 2));
  const auto layers = FaultyLayers(model.graph(), faulty_);
  ASSERT_EQ(layers.size(), 1);
  EXPECT_EQ(layers[0].name, "b");
  EXPECT_EQ(layers[0].fault, OpFault::kStridedPointwise);
}

// A model with `line` on x, which comes from a convolution and a relu, or is
// the input of the model.
std::vector<FaultyLayer> FaultsOfClamp(const std::string& line, bool has_conv,
                                       const OpEnvironment& environment) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Pointwise(4, 1)}},
                {has_conv ? "x = torch.relu(self.conv.forward(x))" : "x = x",
                 line, "return x"})));
  return FaultyLayers(model.graph(), environment);
}

TEST_F(FaultyLayersTest, NamesClampsBehindConvolutions) {
  for (const char* line :
       {"x = torch.clamp(x, 0.0, 6.0)", "x = torch.hardtanh(x, -1.0, 1.0)",
        "x = ops.quantized.relu6(x)"}) {
    OpEnvironment qnnpack;
    qnnpack.engine = at::kQNNPACK;
    const auto layers = FaultsOfClamp(line, /*has_conv=*/true, qnnpack);
    ASSERT_EQ(layers.size(), 1) << line;
    EXPECT_EQ(layers[0].fault, OpFault::kClampOfChannelsLast);
    EXPECT_THAT(FaultsOfClamp(line, /*has_conv=*/false, qnnpack), IsEmpty());
    EXPECT_THAT(FaultsOfClamp(line, /*has_conv=*/true, faulty_), IsEmpty());
  }
}

TEST_F(FaultyLayersTest, NoneWhereNoKernelIsWrong) {
  const ModelGraph model = ModelWith(Transposed(4, 8), Pointwise(8, 2));
  faulty_.engine = at::kFBGEMM;
  EXPECT_THAT(FaultyLayers(model.graph(), faulty_), IsEmpty());
}

// The fault that the op `op` of a float model would have.
OpFault FaultOfFloat(const std::string& call, const std::string& op,
                     const Ints& weight, const OpEnvironment& environment) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModule(
      "Model",
      "def forward(self, x: Tensor) -> Tensor:\n    return " + call + "\n",
      {{"w", at::randn(weight)}})));
  return FaultOnceQuantized(*NodeOf(model.graph(), op), environment);
}

TEST_F(FaultyLayersTest, FloatConvolutionsThatWouldBeWrong) {
  const std::string up = "torch.conv_transpose2d(x, self.w)";
  EXPECT_EQ(FaultOfFloat(up, "aten::conv_transpose2d", {4, 8, 2, 2}, faulty_),
            OpFault::kTransposedWeight);
  EXPECT_EQ(FaultOfFloat(up, "aten::conv_transpose2d", {8, 8, 2, 2}, faulty_),
            OpFault::kNone);
  const std::string down = "torch.conv2d(x, self.w, None, [2, 2])";
  EXPECT_EQ(FaultOfFloat(down, "aten::conv2d", {4, 8, 1, 1}, faulty_),
            OpFault::kStridedPointwise);
  EXPECT_EQ(FaultOfFloat(down, "aten::conv2d", {4, 8, 3, 3}, faulty_),
            OpFault::kNone);
}

TEST_F(FaultyLayersTest, OtherOpsHaveNone) {
  EXPECT_EQ(
      FaultOfFloat("torch.linear(x, self.w)", "aten::linear", {4, 8}, faulty_),
      OpFault::kNone);
}

TEST(DescribeFaultsTest, OneSentenceForEachFault) {
  EXPECT_THAT(DescribeFaults({}), IsEmpty());
  EXPECT_THAT(
      DescribeFaults({{"up", OpFault::kTransposedWeight},
                      {"down", OpFault::kStridedPointwise},
                      {"top", OpFault::kTransposedWeight}}),
      ElementsAre("each of up, top " + FaultText(OpFault::kTransposedWeight),
                  "down " + FaultText(OpFault::kStridedPointwise)));
}

}  // namespace
}  // namespace ns
