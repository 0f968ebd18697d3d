#include "passes/analysis/conv_numbers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::torch::jit::Node;

// A convolution over two dimensions; `arguments` follow the bias.
ModelGraph Conv(const std::string& arguments) {
  return FloatModel(
      {absl::StrCat("return torch.conv2d(x, self.w2, self.b", arguments, ")")});
}

const Node& ConvIn(const ModelGraph& model) {
  return *NodeOf(model.graph(), "aten::conv2d");
}

TEST(ConvNumbersTest, OneNumberStandsForAllDimensions) {
  const ModelGraph model = Conv(", [2], [1, 0]");
  const ConvNumbers numbers(ConvIn(model), 2);
  EXPECT_THAT(OrThrow(numbers.List("stride")), ElementsAre(2, 2));
  EXPECT_THAT(OrThrow(numbers.List("padding")), ElementsAre(1, 0));
  EXPECT_EQ(OrThrow(numbers.Number("groups")), 1);
}

TEST(ConvNumbersTest, NumbersThatDoNotFitAreRefused) {
  const ModelGraph model = Conv(", [2, 1]");
  EXPECT_THAT(MessageOf(ConvNumbers(ConvIn(model), 3).List("stride")),
              HasSubstr("its stride does not fit its weight"));
  EXPECT_THAT(MessageOf(ConvNumbers(ConvIn(model), 2).List("kernel")),
              HasSubstr("its kernel is not constant"));
}

TEST(ConvNumbersTest, NumbersOfTheInputAreNotConstant) {
  const ModelGraph model = Conv(", [x.size(0), 1]");
  EXPECT_THAT(MessageOf(ConvNumbers(ConvIn(model), 2).List("stride")),
              HasSubstr("its stride is not constant"));
}

TEST(GeometryOfTest, IsThatOfTheConvolution) {
  const ModelGraph model = Conv(", [2, 1], [0, 1], [1, 3]");
  const ConvGeometry geometry = OrThrow(GeometryOf(ConvIn(model)));
  EXPECT_THAT(geometry.kernel, ElementsAre(3, 3));
  EXPECT_THAT(geometry.stride, ElementsAre(2, 1));
  EXPECT_THAT(geometry.padding, ElementsAre(0, 1));
  EXPECT_THAT(geometry.dilation, ElementsAre(1, 3));
}

TEST(GeometryOfTest, LinearLayersHaveNoKernel) {
  const ModelGraph model = FloatModel({absl::StrCat("return ", LinearOf("x"))});
  EXPECT_THAT(
      OrThrow(GeometryOf(*NodeOf(model.graph(), "aten::linear"))).kernel,
      IsEmpty());
}

TEST(GeometryOfTest, OtherNodesAreRefused) {
  const ModelGraph transposed =
      FloatModel({"return torch.conv_transpose2d(x, self.w2, self.b)"});
  EXPECT_THAT(MessageOf(GeometryOf(
                  *NodeOf(transposed.graph(), "aten::conv_transpose2d"))),
              HasSubstr("it is a transposed convolution"));
  const ModelGraph padded = Conv(", [1, 1], [x.size(0), 1]");
  EXPECT_THAT(MessageOf(GeometryOf(ConvIn(padded))),
              HasSubstr("its padding is not constant"));
  const ModelGraph sum = FloatModel({"return x + x"});
  EXPECT_THAT(MessageOf(GeometryOf(*NodeOf(sum.graph(), "aten::add"))),
              HasSubstr("its weight is not constant"));
}

}  // namespace
}  // namespace ns
