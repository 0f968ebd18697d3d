#include "ns/n_shadows/float_layers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

QConfigMapping Int8Everywhere() {
  return QConfigMapping().SetGlobal(Int8PerChannelQConfig());
}

// Returns the layers of FloatModel(body) that stay in float, and why.
FloatLayerReasons LeftIn(const std::vector<std::string>& body,
                         const QConfigMapping& mapping = Int8Everywhere()) {
  return OrThrow(LayersLeftInFloat(FloatModel(body),
                                   BatchesOf({at::rand({4, 3})}), mapping));
}

TEST(LayersLeftInFloatTest, AreNamedWithTheReason) {
  EXPECT_THAT(LeftIn({"a = x + self.b", "return a.add(x, alpha=2)"}),
              ElementsAre(Pair("add@1", "it multiplies its second operand")));
}

TEST(LayersLeftInFloatTest, AreNoneWhereAllAreQuantized) {
  EXPECT_THAT(LeftIn({absl::StrCat("return torch.relu(", LinearOf("x"), ")")}),
              IsEmpty());
}

TEST(LayersLeftInFloatTest, LayersWithoutAQConfigAreNotAmongThem) {
  const std::vector<std::string> body = {absl::StrCat("a = ", LinearOf("x")),
                                         "return a.add(x, alpha=2)"};
  EXPECT_THAT(LeftIn(body),
              ElementsAre(Pair("add", "it multiplies its second operand")));
  EXPECT_THAT(LeftIn(body, Int8Everywhere().SetObjectType("add", std::nullopt)),
              IsEmpty());
  EXPECT_THAT(LeftIn(body, QConfigMapping().SetObjectType(
                               "linear", Int8PerChannelQConfig())),
              IsEmpty());
}

TEST(LayersLeftInFloatTest, LayersThatNoBatchReachesAreNotAmongThem) {
  EXPECT_THAT(
      LeftIn({absl::StrCat("y = ", LinearOf("x")), "if x.size(0) > 100:",
              absl::StrCat("  y = ", LinearOf("y")), "return y"}),
      IsEmpty());
}

TEST(LayersLeftInFloatTest, AModelThatIsQuantizedIsAnError) {
  EXPECT_THAT(MessageOf(LayersLeftInFloat(ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::dequantize(%x)
  return (%y))IR"),
                                          BatchesOf({at::rand({4, 3})}),
                                          Int8Everywhere())),
              HasSubstr("the model is quantized already"));
}

TEST(LayersLeftInFloatTest, TheModelStaysAsItWas) {
  const ModelGraph model =
      FloatModel({absl::StrCat("return torch.relu(", LinearOf("x"), ")")});
  const std::string before = model.graph().toString();
  OrThrow(LayersLeftInFloat(model, BatchesOf({at::rand({4, 3})}),
                            Int8Everywhere()));
  EXPECT_EQ(model.graph().toString(), before);
}

}  // namespace
}  // namespace ns
