#include "ns/suite/model_outputs.h"

#include <ATen/Functions.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/byte_stream.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

c10::IValue Pair(const at::Tensor& a, const at::Tensor& b) {
  return c10::ivalue::Tuple::create({a, b});
}

std::vector<std::string> NamesOf(
    const std::vector<ModuleOutputComparison>& figures) {
  std::vector<std::string> names;
  for (const ModuleOutputComparison& output : figures) {
    names.push_back(output.name);
  }
  return names;
}

TEST(ModelOutputsTest, BatchesAddUp) {
  ModelOutputs outputs;
  const at::Tensor x = at::ones({2, 4});
  outputs.Add(x, at::full({2, 4}, 1.1));
  outputs.Add(x, at::full({2, 4}, 0.9));
  const auto figures = outputs.Figures();
  ASSERT_THAT(NamesOf(figures), ElementsAre("output"));
  EXPECT_NEAR(figures[0].figures.error.sqnr_db, 20, 1e-3);
  EXPECT_THAT(figures[0].figures.batch_sqnr_db, SizeIs(2));
  EXPECT_THAT(figures[0].figures.shape, ElementsAre(2, 4));
  EXPECT_EQ(figures[0].figures.elements, 16);
}

// The scores of a detector beside its boxes.
TEST(ModelOutputsTest, ChannelsThatAreLostShow) {
  at::Tensor x = at::full({3, 6}, 300.0);
  x.narrow(1, 2, 4).fill_(0.5);
  at::Tensor y = x.clone();
  y.narrow(1, 2, 4).zero_();
  ModelOutputs outputs;
  outputs.Add(x, y);
  const ActivationComparison figures = outputs.Figures()[0].figures;
  EXPECT_GT(figures.error.sqnr_db, 40);
  EXPECT_EQ(figures.channels->channels, 6);
  EXPECT_EQ(figures.channels->below_3db, 4);
}

TEST(ModelOutputsTest, DeadChannelsAreCounted) {
  at::Tensor x = 100 * at::rand({8, 6});
  x.select(1, 4).mul_(0.001);
  ModelOutputs outputs;
  outputs.Add(x, at::quantize_per_tensor(x, 1, 0, at::kQUInt8));
  EXPECT_EQ(outputs.Figures()[0].figures.channels->dead, 1);
}

TEST(ModelOutputsTest, ExchangedAxesAreToldOfOtherShapesToo) {
  const at::Tensor same = at::randn({4, 4});
  const at::Tensor other = at::randn({2, 8});
  ModelOutputs outputs;
  outputs.Add(Pair(same, other), Pair(same.t(), other.t()));
  outputs.Add(Pair(same, other), Pair(same.t(), other.t()));
  const auto exchanged = outputs.Exchanged();
  ASSERT_THAT(exchanged, SizeIs(2));
  EXPECT_EQ(exchanged[0].name, "output[0]");
  EXPECT_EQ(exchanged[1].axes.second, 1);
  EXPECT_THAT(NamesOf(outputs.Figures()), ElementsAre("output[0]"));
  ModelOutputs healthy;
  healthy.Add(Pair(same, other), Pair(same, other));
  EXPECT_THAT(healthy.Exchanged(), IsEmpty());
}

TEST(ModelOutputsTest, QuantizedTensorsAreComparedByTheirValues) {
  const at::Tensor x = at::arange(0, 8).to(at::kFloat).reshape({2, 4});
  const at::Tensor y = at::quantize_per_tensor(x, 1, 0, at::kQUInt8);
  ModelOutputs outputs;
  outputs.Add(Pair(x, y), Pair(y, x));
  for (const ModuleOutputComparison& output : outputs.Figures()) {
    EXPECT_EQ(output.figures.error.max_abs_error, 0) << output.name;
  }
  EXPECT_THAT(outputs.Figures(), SizeIs(2));
}

TEST(ModelOutputsTest, WhatDoesNotBelongTogetherIsLeftOut) {
  const at::Tensor x = at::ones({2, 4});
  const at::Tensor ids = at::ones({2}, at::kLong);
  ModelOutputs outputs;
  outputs.Add(Pair(x, ids), Pair(x, ids));
  outputs.Add(x, at::ones({2, 5}));
  outputs.Add(Pair(x, x), x);
  outputs.Add(c10::IValue("text"), c10::IValue("text"));
  outputs.Add(c10::IValue(), x);
  EXPECT_THAT(NamesOf(outputs.Figures()), ElementsAre("output[0]"));
  EXPECT_THAT(ModelOutputs().Figures(), IsEmpty());
}

TEST(ModelOutputsTest, NestedOutputsAndSingleNumbersHaveNames) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("loss", at::scalar_tensor(2.0));
  const c10::IValue list =
      c10::List<c10::Dict<std::string, at::Tensor>>({dict});
  ModelOutputs outputs;
  outputs.Add(list, list);
  const auto figures = outputs.Figures();
  EXPECT_THAT(NamesOf(figures), ElementsAre("output[0]['loss']"));
  EXPECT_FALSE(figures[0].figures.channels.has_value());
}

TEST(ModelOutputsTest, MergedOutputsAreInTheOrderOfTheLowestBatch) {
  const at::Tensor x = at::randn({3, 4});
  const auto dict = [&](const std::string& first, const std::string& second) {
    c10::Dict<std::string, at::Tensor> values;
    values.insert(first, x);
    values.insert(second, x + 1);
    return c10::IValue(values);
  };
  ModelOutputs whole;
  whole.Add(dict("b", "a"), dict("b", "a"));
  whole.Add(dict("a", "c"), dict("a", "c"));
  ModelOutputs first;
  first.Add(dict("b", "a"), dict("b", "a"));
  ModelOutputs second;
  second.SetBatch(1);
  second.Add(dict("a", "c"), dict("a", "c"));
  ByteWriter writer;
  first.Save(writer);
  ByteReader reader(writer.bytes());
  second.Merge(ModelOutputs::Load(reader));
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(NamesOf(second.Figures()), NamesOf(whole.Figures()));
  EXPECT_THAT(second.Figures(), SizeIs(3));
}

}  // namespace
}  // namespace ns
