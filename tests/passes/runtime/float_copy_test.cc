#include "passes/runtime/float_copy.h"

#include <ATen/Functions.h>

#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using State = std::tuple<at::Tensor, at::Tensor>;

at::Tensor Quantized() {
  return at::quantize_per_tensor(at::ones({2}), 0.5, 3, at::kQUInt8);
}

TEST(FloatCopyTest, DequantizesTensor) {
  const at::Tensor x = FloatCopy(Quantized()).toTensor();
  EXPECT_TRUE(x.equal(at::ones({2})));
}

TEST(FloatCopyTest, CopiesFloatTensorAndIndices) {
  for (const at::Tensor& x : {at::ones({2}), at::arange(3)}) {
    const at::Tensor copy = FloatCopy(x).toTensor();
    EXPECT_TRUE(copy.equal(x));
    EXPECT_FALSE(copy.is_alias_of(x));
  }
}

TEST(FloatCopyTest, EntersContainersOfContainers) {
  const c10::IValue nested(std::make_tuple(
      Quantized(), State(Quantized(), at::zeros({1})),
      std::vector<std::vector<at::Tensor>>{{Quantized()}}, int64_t{7}));
  const c10::IValue copy = FloatCopy(nested);
  const auto& elements = copy.toTupleRef().elements();
  EXPECT_FALSE(elements[0].toTensor().is_quantized());
  EXPECT_FALSE(
      elements[1].toTupleRef().elements()[0].toTensor().is_quantized());
  const c10::IValue inner = elements[2].toList().get(0);
  EXPECT_FALSE(inner.toTensorVector()[0].is_quantized());
  EXPECT_EQ(elements[3].toInt(), 7);
  EXPECT_EQ(elements[2].type()->repr_str(), "List[List[Tensor]]");
  // The original is as it was.
  EXPECT_TRUE(nested.toTupleRef().elements()[0].toTensor().is_quantized());
}

TEST(FloatCopyTest, EntersDicts) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("x", Quantized());
  const auto copy = FloatCopy(dict).toGenericDict();
  EXPECT_FALSE(copy.at("x").toTensor().is_quantized());
}

TEST(FloatCopyTest, HandsOnWhatHasNoTensors) {
  EXPECT_TRUE(FloatCopy(c10::IValue()).isNone());
  EXPECT_EQ(FloatCopy("text").toStringRef(), "text");
}

TEST(FloatCopyTest, IsAnOperatorForAnyType) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %state : (Tensor, Tensor)?):
  %a : Tensor = ns::float_copy(%x)
  %b : (Tensor, Tensor)? = ns::float_copy(%state)
  %r : (Tensor, (Tensor, Tensor)?) = prim::TupleConstruct(%a, %b)
  return (%r))IR");
  const c10::IValue result =
      OrThrow(model.Run({Quantized(), State(Quantized(), at::zeros({1}))}));
  const auto& elements = result.toTupleRef().elements();
  EXPECT_FALSE(elements[0].toTensor().is_quantized());
  EXPECT_FALSE(
      elements[1].toTupleRef().elements()[0].toTensor().is_quantized());
  EXPECT_TRUE(OrThrow(model.Run({Quantized(), c10::IValue()}))
                  .toTupleRef()
                  .elements()[1]
                  .isNone());
}

}  // namespace
}  // namespace ns
