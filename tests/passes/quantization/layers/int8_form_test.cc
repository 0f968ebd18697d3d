#include "passes/quantization/layers/int8_form.h"

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// A call of an op in a model.
class Call {
 public:
  explicit Call(const std::string& call, const std::string& op = "")
      : model_(FloatModel({absl::StrCat("return ", call)})),
        node_(NodeOf(model_.graph(),
                     absl::StrCat("aten::", op.empty() ? NameIn(call) : op))) {}

  const Node& operator*() const { return *node_; }

 private:
  static std::string NameIn(const std::string& call) {
    const std::string function = call.substr(0, call.find('('));
    return function.substr(function.find('.') + 1);
  }

  ModelGraph model_;
  const Node* node_;
};

std::string RefusalIn(const std::string& call, const std::string& op = "") {
  const absl::StatusOr<Int8Form> form = Int8FormOf(*Call(call, op));
  EXPECT_TRUE(form.ok() || IsRefusal(form.status()));
  return MessageOf(form);
}

void ExpectForm(Int8Form form, const std::vector<std::string>& calls) {
  for (const std::string& call : calls) {
    const absl::StatusOr<Int8Form> found = Int8FormOf(*Call(call));
    EXPECT_TRUE(found.ok() && *found == form) << call;
  }
}

// As on qnnpack, for the life of the object.
class OnQnnpack {
 public:
  OnQnnpack() { at::globalContext().setQEngine(at::kQNNPACK); }
  ~OnQnnpack() { at::globalContext().setQEngine(before_); }

 private:
  const at::QEngine before_ = at::globalContext().qEngine();
};

TEST(Int8FormTest, LayersSumsAndActivationsHaveARangeOfTheirOwn) {
  ExpectForm(Int8Form::kOwnRange,
             {LinearOf("x"), ConvOf("x"), "torch.conv1d(x, self.w1)",
              "torch.conv_transpose2d(x, self.w2, self.b)", "torch.add(x, x)",
              "torch.add(x, 2)", "torch.mul(x, self.b)", "torch.matmul(x, x)",
              "torch.cat([x, x])", "torch.elu(x)", "torch.leaky_relu(x)",
              "torch.hardswish(x)", "torch.softmax(x, 1)",
              "torch.layer_norm(x, [3])"});
}

TEST(Int8FormTest, PoolsAndClampsHaveThatOfTheirInput) {
  ExpectForm(Int8Form::kRangeOfInput,
             {"torch.max_pool2d(x, [2, 2])", "torch.avg_pool2d(x, [2, 2])",
              "torch.adaptive_avg_pool2d(x, [1, 1])", "torch.mean(x, [1])",
              "torch.relu(x)", "torch.relu6(x)", "torch.hardtanh(x, -1., 1.)",
              "torch.clamp(x, 0., 2.)", "torch.stack([x, x])"});
}

TEST(Int8FormTest, SigmoidAndTanhHaveAFixedOne) {
  ExpectForm(Int8Form::kFixedRange,
             {"torch.sigmoid(x)", "torch.tanh(x)", "torch.hardsigmoid(x)"});
}

TEST(Int8FormTest, OpsWithoutAKernelAreRefused) {
  EXPECT_EQ(RefusalIn("torch.cdist(x, x)"),
            "the table of ops does not know it");
  EXPECT_EQ(RefusalIn("torch.exp(x)"), "it has no int8 form");
  EXPECT_EQ(RefusalIn("torch.gelu(x)"), "LibTorch has no int8 kernel for it");
  EXPECT_EQ(RefusalIn("torch.embedding(x, x)"),
            "it takes indices; --mode=weight-only quantizes its weight");
  EXPECT_EQ(RefusalIn("torch.max_pool3d(x, [2, 2, 2])"),
            "LibTorch has no int8 kernel for it");
}

TEST(Int8FormTest, CallsThatKernelsDoNotTakeAreRefused) {
  EXPECT_EQ(RefusalIn("torch.add(x, x, alpha=2)"),
            "it multiplies its second operand");
  EXPECT_EQ(RefusalIn("torch.softmax(x, 1, 6)"), "it asks for a type");
  EXPECT_EQ(RefusalIn("torch.clamp(x, 0.)"), "it has one bound only");
  EXPECT_EQ(RefusalIn("torch.mean(x)"), "it averages over all dimensions");
  EXPECT_EQ(RefusalIn("torch.avg_pool2d(x, [2, 2], [2, 2], [1, 1], False, "
                      "True, 3)"),
            "it divides by a number of its own");
}

TEST(Int8FormTest, LayersThatComputeTheirWeightAreRefused) {
  EXPECT_EQ(RefusalIn("torch.linear(x, x)"), "its weight is not constant");
  EXPECT_EQ(RefusalIn("torch.linear(x, self.w, x[0])"),
            "its bias is not constant");
  EXPECT_EQ(RefusalIn("torch.conv2d(x, x)"), "its weight is not constant");
}

TEST(Int8FormTest, TheEngineCounts) {
  const std::string conv3d = "torch.conv3d(x, self.w2.unsqueeze(4))";
  EXPECT_EQ(RefusalIn(conv3d), "");
  EXPECT_EQ(RefusalIn("torch.relu6(x)"), "");
  const OnQnnpack on_qnnpack;
  EXPECT_EQ(RefusalIn(conv3d), "qnnpack cannot save it");
  EXPECT_NE(RefusalIn("torch.clamp(x, 0., 1.)"), "");
  EXPECT_EQ(
      RefusalIn("torch.avg_pool2d(x, [2, 2], [2, 2], [1, 1], False, False)"),
      "qnnpack counts the padding, whatever it is told");
}

TEST(HandsOnItsInputTest, OnlyDropoutInEvaluationDoes) {
  EXPECT_TRUE(HandsOnItsInput(*Call("torch.dropout(x, 0.5, False)")));
  EXPECT_TRUE(HandsOnItsInput(*Call("torch.feature_dropout(x, 0.5, False)")));
  EXPECT_FALSE(HandsOnItsInput(*Call("torch.dropout(x, 0.5, True)")));
  EXPECT_FALSE(HandsOnItsInput(*Call("torch.relu(x)")));
  EXPECT_FALSE(HandsOnItsInput(*Call("torch.cdist(x, x)")));
}

TEST(MovesValuesTest, ReshapesAndSlicesDo) {
  for (const std::string call :
       {"torch.flatten(x, 1)", "torch.reshape(x, [3, -1])",
        "torch.permute(x, [1, 0])", "torch.unsqueeze(x, 0)",
        "torch.chunk(x, 2)", "torch.split(x, 2)", "torch.select(x, 0, 1)",
        "torch.transpose(x, 0, 1)", "torch.flip(x, [0])",
        "torch.dropout(x, 0.5, False)"}) {
    EXPECT_TRUE(MovesValues(*Call(call))) << call;
  }
  EXPECT_TRUE(MovesValues(*Call("x[0:1]", "slice")));
  EXPECT_TRUE(MovesValues(*Call("x.view(-1)", "view")));
}

TEST(MovesValuesTest, OthersDoNot) {
  for (const std::string call :
       {"torch.relu(x)", "torch.max_pool2d(x, [2, 2])", "torch.stack([x, x])",
        "torch.add(x, x)", "torch.dropout(x, 0.5, True)", "torch.cumsum(x, 0)",
        "torch.cdist(x, x)"}) {
    EXPECT_FALSE(MovesValues(*Call(call))) << call;
  }
}

// Its elements are not those of its input.
TEST(MovesValuesTest, ViewsAsAnotherTypeDoNot) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %int : int):
  %y : Tensor = aten::view(%x, %int)
  return (%y))IR");
  EXPECT_FALSE(MovesValues(*NodeOf(*graph, "aten::view")));
}

int64_t LeastRank(const std::string& call, const std::string& op = "") {
  return LimitsInInt8(op.empty() ? *Call(call) : *Call(call, op)).least;
}

// A batch, channels, and what the window covers.
TEST(LimitsTest, ConvolutionsTakeABatch) {
  EXPECT_EQ(LeastRank("torch.conv1d(x, self.w1)"), 3);
  EXPECT_EQ(LeastRank(ConvOf("x"), "conv2d"), 4);
  EXPECT_EQ(LeastRank("torch.conv3d(x, self.w2.unsqueeze(4))"), 5);
  EXPECT_EQ(LeastRank("torch.conv_transpose1d(x, self.w1)"), 3);
  EXPECT_EQ(LeastRank("torch.conv2d(x, x)"), 0);
}

TEST(LimitsTest, SomeOpsTakeMoreInFloat) {
  EXPECT_EQ(LeastRank(LinearOf("x")), 2);
  EXPECT_EQ(LeastRank("torch.group_norm(x, 1)"), 3);
  EXPECT_EQ(LeastRank("torch.instance_norm(x, None, None, None, None, True, "
                      "0.1, 1e-5, False)"),
            3);
  EXPECT_EQ(LeastRank("torch.avg_pool3d(x, [2, 2, 2])"), 5);
  const ShapeLimits pool =
      LimitsInInt8(*Call("torch.adaptive_avg_pool2d(x, [1, 1])"));
  EXPECT_EQ(pool.least, 3);
  EXPECT_EQ(pool.most, 4);
  const ShapeLimits shuffle =
      LimitsInInt8(*Call("torch.channel_shuffle(x, 2)"));
  EXPECT_EQ(shuffle.least, 4);
  EXPECT_EQ(shuffle.most, 4);
}

TEST(LimitsTest, MeansOfSinglePixelsKeepDimensions) {
  EXPECT_FALSE(LimitsInInt8(*Call("torch.mean(x, [2, 3])")).single_pixels);
  EXPECT_TRUE(LimitsInInt8(*Call("torch.mean(x, [2, 3], True)")).IsAll());
}

TEST(LimitsTest, OthersTakeAny) {
  EXPECT_TRUE(LimitsInInt8(*Call("torch.max_pool2d(x, [2, 2])")).IsAll());
  EXPECT_TRUE(LimitsInInt8(*Call("torch.add(x, x)")).IsAll());
  EXPECT_TRUE(LimitsInInt8(*Call("torch.cdist(x, x)")).IsAll());
}

}  // namespace
}  // namespace ns
