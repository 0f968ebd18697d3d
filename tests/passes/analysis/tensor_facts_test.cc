#include "passes/analysis/tensor_facts.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

TensorFacts Quantized(double scale, int64_t zero_point) {
  return TensorFacts::PerTensor(
      PerTensorQParams{{scale, nullptr}, {zero_point, nullptr}, at::kQUInt8});
}

// One of each kind, and some that differ in one fact alone.
std::vector<TensorFacts> Samples() {
  std::vector<TensorFacts> samples = {
      TensorFacts::Never(),
      TensorFacts::Unknown(),
      TensorFacts::Plain(),
      TensorFacts::Plain(Fact<c10::ScalarType>(at::kFloat)),
      TensorFacts::PerTensor(Fact<c10::ScalarType>(at::kQInt8)),
      TensorFacts::PerChannel(Fact<c10::ScalarType>(at::kQInt8)),
      Quantized(0.5, 3),
      Quantized(0.25, 3),
      Quantized(0.5, 4),
  };
  TensorFacts image = Quantized(0.5, 3);
  image.least_rank = 4;
  samples.push_back(image);
  return samples;
}

TEST(TensorFactsTest, JoinIsThatOfALattice) {
  for (const TensorFacts& a : Samples()) {
    EXPECT_EQ(a.Join(a), a);
    EXPECT_EQ(a.Join(TensorFacts::Never()), a);
    EXPECT_EQ(a.Join(TensorFacts::Unknown()), TensorFacts::Unknown());
    for (const TensorFacts& b : Samples()) {
      EXPECT_EQ(a.Join(b), b.Join(a));
      EXPECT_EQ(a.Join(b).Join(b), a.Join(b));
      for (const TensorFacts& c : Samples()) {
        EXPECT_EQ(a.Join(b).Join(c), a.Join(b.Join(c)));
      }
    }
  }
}

TEST(TensorFactsTest, JoinKeepsWhatBothSay) {
  const TensorFacts scales = Quantized(0.5, 3).Join(Quantized(0.25, 3));
  EXPECT_TRUE(scales.is_quantized.Is(true));
  EXPECT_TRUE(scales.dtype.Is(at::kQUInt8));
  EXPECT_TRUE(scales.scale.Differs());
  EXPECT_FALSE(scales.zero_point.Differs());
  EXPECT_FALSE(scales.qparams().has_value());
  const TensorFacts either = Quantized(0.5, 3).Join(
      TensorFacts::Plain(Fact<c10::ScalarType>(at::kFloat)));
  EXPECT_TRUE(either.is_quantized.Differs());
  EXPECT_TRUE(either.dtype.Differs());
}

TEST(TensorFactsTest, QParamsAreThoseThatAreAlwaysThere) {
  const TensorFacts facts = Quantized(0.5, 3);
  ASSERT_TRUE(facts.qparams().has_value());
  EXPECT_EQ(facts.qparams()->scale.constant, 0.5);
  EXPECT_EQ(facts.qparams()->zero_point.constant, 3);
  EXPECT_EQ(facts.qparams()->dtype, at::kQUInt8);
  EXPECT_FALSE(facts.WithoutQParams().qparams().has_value());
  EXPECT_TRUE(facts.WithoutQParams().is_per_tensor.Is(true));
}

TEST(TensorFactsTest, ConstantsSayWhatTheyAre) {
  const at::Tensor x = at::ones({2, 3});
  const TensorFacts plain = FactsOfConstant(x);
  EXPECT_TRUE(plain.is_quantized.Is(false));
  EXPECT_TRUE(plain.dtype.Is(at::kFloat));
  EXPECT_EQ(plain.least_rank, 2);
  const at::Tensor q = at::quantize_per_tensor(x, 0.5, 3, at::kQInt8);
  EXPECT_EQ(FactsOfConstant(q).qparams()->scale.constant, 0.5);
  const at::Tensor channels = at::quantize_per_channel(
      x, at::ones({2}), at::zeros({2}, at::kLong), 0, at::kQInt8);
  EXPECT_TRUE(FactsOfConstant(channels).is_per_tensor.Is(false));
  // Of a list they hold for all elements.
  EXPECT_TRUE(
      FactsOfConstant(std::vector<at::Tensor>{x, q}).is_quantized.Differs());
  EXPECT_TRUE(FactsOfConstant(7).IsNever());
  EXPECT_TRUE(FactsOfConstant(c10::IValue()).IsNever());
}

TEST(TensorFactsTest, ScalesAreConstantsOrValuesOfTheGraph) {
  const NamedGraph graph(R"IR(
graph(%scale : float, %zero : int):
  %half : float = prim::Constant[value=0.5]()
  %three : int = prim::Constant[value=3]()
  return (%half, %three))IR");
  EXPECT_EQ(KnownScale(*graph.Named("half")).constant, 0.5);
  EXPECT_EQ(KnownZeroPoint(*graph.Named("three")).constant, 3);
  const KnownNumber<double> scale = KnownScale(*graph.Named("scale"));
  EXPECT_FALSE(scale.constant.has_value());
  EXPECT_EQ(scale.value, graph.Named("scale"));
  EXPECT_EQ(KnownZeroPoint(*graph.Named("zero")).value, graph.Named("zero"));
}

}  // namespace
}  // namespace ns
