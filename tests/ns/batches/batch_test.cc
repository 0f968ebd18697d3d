#include "ns/batches/batch.h"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(BatchTest, IsCalledByItsSourceOrItsPlace) {
  Batch batch;
  EXPECT_EQ(BatchName(batch, 3), "batch 3");
  batch.source = "inputs.pt: batch 1";
  EXPECT_EQ(BatchName(batch, 3), "inputs.pt: batch 1");
}

// The rows are views of one storage, as torch.save keeps them.
TEST(BatchTest, CopiesHaveAllTensors) {
  const at::Tensor x = at::rand({3, 2});
  Batch batch{{x.unbind()}, {{"rows", x.unbind()}}};
  const Batch copy = Copied(batch);
  for (int64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT_TRUE(copy.arguments[0].toTensorVector()[at].equal(x[i]));
    EXPECT_TRUE(copy.keywords.at("rows").toTensorVector()[at].equal(x[i]));
  }
}

TEST(BatchTest, SamplesAreTheFirstDimensionOfTheFirstTensor) {
  EXPECT_EQ(SamplesOf({{3, at::ones({}), at::ones({5, 2}), at::ones({7})}, {}}),
            5);
  EXPECT_EQ(SamplesOf({{}, {{"x", at::ones({4, 2})}, {"y", at::ones({1})}}}),
            4);
  EXPECT_EQ(SamplesOf({{3, at::ones({})}, {}}), 1);
}

TEST(BatchTest, FirstSamplesNarrowWhatHasAsMany) {
  const at::Tensor x = at::rand({5, 2});
  const at::Tensor state = at::rand({1, 5});
  const Batch batch{{x, state, 3}, {{"mask", at::ones({5})}}, "a.pt"};
  const Batch first = FirstSamples(batch, 2);
  EXPECT_TRUE(first.arguments[0].toTensor().equal(x.slice(0, 0, 2)));
  EXPECT_TRUE(first.arguments[1].toTensor().equal(state));
  EXPECT_EQ(first.arguments[2].toInt(), 3);
  EXPECT_EQ(first.keywords.at("mask").toTensor().size(0), 2);
  EXPECT_EQ(first.source, "a.pt");
  EXPECT_EQ(batch.arguments[0].toTensor().size(0), 5);
  EXPECT_EQ(FirstSamples(batch, 9).arguments[0].toTensor().size(0), 5);
}

TEST(BatchTest, SelectedSamplesKeepTheirOrder) {
  const at::Tensor x = at::rand({5, 2});
  const at::Tensor state = at::rand({1, 5});
  const Batch batch{{x, state, 3}, {{"mask", at::arange(5)}}, "a.pt"};
  const Batch selected = SelectedSamples(batch, {0, 3});
  EXPECT_TRUE(selected.arguments[0].toTensor().equal(at::stack({x[0], x[3]})));
  EXPECT_TRUE(selected.arguments[1].toTensor().equal(state));
  EXPECT_EQ(selected.arguments[2].toInt(), 3);
  EXPECT_EQ(selected.keywords.at("mask").toTensor()[1].item<int64_t>(), 3);
  EXPECT_EQ(selected.source, "a.pt");
}

TEST(BatchTest, SelectedEntriesAreThoseOfEachSample) {
  const BatchSamples selection = {7, 3, {0, 2}};
  const auto texts = [](const c10::IValue& list) {
    std::string text;
    for (const c10::IValue& element : list.toListRef()) {
      text += element.toStringRef();
    }
    return text;
  };
  const c10::List<std::string> words({"a", "b", "c"});
  EXPECT_EQ(texts(SelectedEntries(words, selection)), "ac");
  EXPECT_EQ(SelectedEntries(at::arange(3), selection).toTensor().numel(), 2);
  EXPECT_EQ(SelectedEntries(at::arange(4), selection).toTensor().numel(), 4);
  EXPECT_EQ(SelectedEntries(5, selection).toInt(), 5);
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("boxes", at::rand({3, 4}));
  dict.insert("size", at::rand({2}));
  const auto selected =
      SelectedEntries(c10::ivalue::Tuple::create({dict, words}), selection)
          .toTuple();
  const auto of_dict = selected->elements()[0].toGenericDict();
  EXPECT_EQ(of_dict.at("boxes").toTensor().size(0), 2);
  EXPECT_EQ(of_dict.at("size").toTensor().size(0), 2);
  EXPECT_EQ(texts(selected->elements()[1]), "ac");
}

}  // namespace
}  // namespace ns
