#include "passes/instrument/replace_by_shadow.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <stdexcept>
#include <string>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "passes/matching/graph_matcher.h"
#include "tests/passes/instrument/shadowed.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Value;

using ReplaceByShadowTest = ShadowedTest;

constexpr char kFloat[] = R"IR(
graph(%x : Tensor):
  %slope : float = prim::Constant[value=0.01]()
  %r : Tensor = aten::sigmoid(%x)
  %l : Tensor = aten::leaky_relu(%r, %slope)
  return (%l))IR";

constexpr char kQuantized[] = R"IR(
graph(%x : Tensor):
  %slope : float = prim::Constant[value=0.01]()
  %false : bool = prim::Constant[value=0]()
  %scale : float = prim::Constant[value=0.25]()
  %fine : float = prim::Constant[value=0.001]()
  %zero_point : int = prim::Constant[value=0]()
  %r : Tensor = quantized::sigmoid(%x, %scale, %zero_point)
  %l : Tensor = quantized::leaky_relu(%r, %slope, %false, %fine, %zero_point)
  %d : Tensor = aten::dequantize(%l)
  return (%d))IR";

// B with its layer `name` in float.
ModelGraph WithFloat(const char* name, const char* quantized = kQuantized,
                     const char* of_float = kFloat) {
  const ModelGraph a = ModelOf(of_float);
  ModelGraph b = ModelOf(quantized);
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  for (size_t i = 0; i < matches.matches.size(); ++i) {
    if (matches.matches[i].name == name) {
      NS_EXPECT_OK(ReplaceByShadow(a, b, matches, i));
      return b;
    }
  }
  throw std::invalid_argument(name);
}

TEST_F(ReplaceByShadowTest, AnInt8ReaderGetsItRounded) {
  ModelGraph b = WithFloat("sigmoid");
  const Value* rounded = NodeOf(b.graph(), "ns::quantized_like")->output();
  EXPECT_EQ(NodeOf(b.graph(), "quantized::leaky_relu")->input(0), rounded);
  const at::Tensor expected = at::quantize_per_tensor(
      at::quantize_per_tensor(q_.dequantize().sigmoid(), 0.25, 0, at::kQUInt8)
          .dequantize(),
      0.001, 0, at::kQUInt8);
  EXPECT_TRUE(OrThrow(b.Run({q_})).toTensor().equal(expected.dequantize()));
}

TEST_F(ReplaceByShadowTest, AFloatReaderGetsItUnrounded) {
  ModelGraph b = WithFloat("leaky_relu");
  const at::Tensor sigmoid =
      at::quantize_per_tensor(q_.dequantize().sigmoid(), 0.25, 0, at::kQUInt8)
          .dequantize();
  EXPECT_TRUE(OrThrow(b.Run({q_})).toTensor().equal(sigmoid));
}

TEST_F(ReplaceByShadowTest, AllReadersGetIt) {
  ModelGraph b = WithFloat("sigmoid", R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.25]()
  %zero_point : int = prim::Constant[value=0]()
  %r : Tensor = quantized::sigmoid(%x, %scale, %zero_point)
  %d : Tensor = aten::dequantize(%r)
  %both : (Tensor, Tensor) = prim::TupleConstruct(%r, %d)
  return (%both))IR",
                           R"IR(
graph(%x : Tensor):
  %r : Tensor = aten::sigmoid(%x)
  %both : (Tensor, Tensor) = prim::TupleConstruct(%r, %r)
  return (%both))IR");
  const c10::IValue outputs = OrThrow(b.Run({q_}));
  const auto& both = outputs.toTupleRef().elements();
  const at::Tensor exact = q_.dequantize().sigmoid();
  EXPECT_TRUE(both[0].toTensor().equal(
      at::quantize_per_tensor(exact, 0.25, 0, at::kQUInt8)));
  EXPECT_TRUE(both[1].toTensor().equal(exact));
}

TEST_F(ReplaceByShadowTest, RefusesQuantizePoints) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor):
  %r : Tensor = aten::relu(%x)
  return (%r))IR");
  ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.25]()
  %zero_point : int = prim::Constant[value=0]()
  %dtype : int = prim::Constant[value=13]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %r : Tensor = aten::relu(%q)
  return (%r))IR");
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const std::string before = b.graph().toString();
  ASSERT_TRUE(matches.matches.at(0).is_quantize_point);
  EXPECT_TRUE(IsRefusal(ReplaceByShadow(a, b, matches, 0)));
  EXPECT_EQ(b.graph().toString(), before);
}

}  // namespace
}  // namespace ns
