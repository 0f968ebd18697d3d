#include "ns/quantization/model/check_is_float.h"

#include <string>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

std::string ErrorOf(const ModelGraph& model) {
  return std::string(CheckIsFloat(model).message());
}

ModelGraph Prepared() {
  return OrThrow(PrepareModel(
      FloatModel({"y = " + LinearOf("x"), "return torch.sigmoid(y)"}), {}));
}

constexpr char kIsPrepared[] =
    "the model is prepared already; calibrate and convert it";

TEST(CheckIsFloatTest, FloatModelPasses) {
  NS_EXPECT_OK(CheckIsFloat(FloatModel({"return " + LinearOf("x")})));
}

TEST(CheckIsFloatTest, QuantizedOpIsNamed) {
  EXPECT_EQ(ErrorOf(ModelOf(R"(
      graph(%x : Tensor, %scale : float, %zero : int):
        %y : Tensor = quantized::add(%x, %x, %scale, %zero)
        return (%y)
      )")),
            "the model is quantized already: it has quantized::add; give the "
            "float model");
}

TEST(CheckIsFloatTest, DequantizeAloneIsOfAQuantizedModel) {
  EXPECT_EQ(ErrorOf(ModelOf(R"(
      graph(%x : Tensor):
        %y : Tensor = aten::dequantize(%x)
        return (%y)
      )")),
            "the model is quantized already: it has aten::dequantize; give the "
            "float model");
}

TEST(CheckIsFloatTest, QuantizedOpInsideOfControlFlowIsFound) {
  EXPECT_EQ(ErrorOf(ModelOf(R"(
      graph(%x : Tensor, %c : bool):
        %scale : float = prim::Constant[value=0.5]()
        %zero : int = prim::Constant[value=0]()
        %type : int = prim::Constant[value=13]()
        %y : Tensor = prim::If(%c)
          block0():
            %z : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %type)
            -> (%z)
          block1():
            -> (%x)
        return (%y)
      )")),
            "the model is quantized already: it has aten::quantize_per_tensor; "
            "give the float model");
}

// What is quantized without calibration leaves all values in float, so that the
// rest of the model can be quantized.
TEST(CheckIsFloatTest, PackedEmbeddingPasses) {
  NS_EXPECT_OK(CheckIsFloat(ModelOf(R"(
      graph(%i : Tensor, %w : Any):
        %no : bool = prim::Constant[value=0]()
        %y : Tensor = quantized::embedding_byte(%w, %i, %no)
        return (%y)
      )")));
}

TEST(CheckIsFloatTest, DynamicLayerPasses) {
  NS_EXPECT_OK(CheckIsFloat(ModelOf(R"(
      graph(%x : Tensor, %w : Any):
        %no : bool = prim::Constant[value=0]()
        %y : Tensor = quantized::linear_dynamic(%x, %w, %no)
        return (%y)
      )")));
}

TEST(CheckIsFloatTest, PreparedModelIsToBeConverted) {
  EXPECT_EQ(ErrorOf(Prepared()), kIsPrepared);
}

// Freezing drops attributes that no op reads: the record of the prepared model
// is one.
TEST(CheckIsFloatTest, PreparedModelWithoutItsRecordIsKnownByItsObservers) {
  EXPECT_EQ(ErrorOf(OrThrow(ModelGraph::FromModule(Prepared().module()))),
            kIsPrepared);
}

}  // namespace
}  // namespace ns
