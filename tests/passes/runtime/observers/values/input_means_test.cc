#include "passes/runtime/observers/values/input_means.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

InputMeansPtr Means(const ConvGeometry& geometry = {}) {
  return c10::make_intrusive<InputMeans>(geometry);
}

// The mean over all samples and places of each channel of a layer's output, as
// the means of its input tell it.
at::Tensor MeanOfOutput(const InputMeans& means, const at::Tensor& weight) {
  const int64_t groups = means.Mean().size(0) / weight.size(1);
  return weight.to(at::kDouble)
      .reshape({groups, weight.size(0) / groups, -1})
      .matmul(means.Mean().reshape({groups, -1, 1}))
      .reshape({weight.size(0)});
}

struct ConvCase {
  std::string name;
  ConvGeometry geometry;
  int64_t groups;
  std::vector<int64_t> sizes;
};

void PrintTo(const ConvCase& conv, std::ostream* out) { *out << conv.name; }

class InputMeansConvTest : public ::testing::TestWithParam<ConvCase> {};

TEST_P(InputMeansConvTest, TellTheMeanOfTheOutput) {
  const auto& [name, geometry, groups, sizes] = GetParam();
  std::vector<int64_t> weight_sizes = {4, 4 / groups};
  weight_sizes.insert(weight_sizes.end(), geometry.kernel.begin(),
                      geometry.kernel.end());
  const at::Tensor weight = at::randn(weight_sizes);
  const InputMeansPtr means = Means(geometry);
  at::Tensor sum = at::zeros({4}, at::kDouble);
  int64_t count = 0;
  // Batches of two sizes, and with other heights.
  for (const int64_t batch : {3, 2}) {
    std::vector<int64_t> input_sizes = {batch, 4};
    input_sizes.insert(input_sizes.end(), sizes.begin(), sizes.end());
    input_sizes[2] += batch;
    const at::Tensor x = at::randn(input_sizes) + 1;
    EXPECT_TRUE(means->Forward(x).is_same(x));
    const at::Tensor y = at::convolution(
        x, weight, {}, geometry.stride, geometry.padding, geometry.dilation,
        /*transposed=*/false, std::vector<int64_t>(geometry.kernel.size(), 0),
        groups);
    const at::Tensor channels = y.transpose(0, 1).flatten(1).to(at::kDouble);
    sum += channels.sum(1);
    count += channels.size(1);
  }
  EXPECT_TRUE(MeanOfOutput(*means, weight)
                  .allclose(sum / static_cast<double>(count), 1e-4, 1e-5));
}

INSTANTIATE_TEST_SUITE_P(
    , InputMeansConvTest,
    ::testing::Values(
        ConvCase{"plain", {{3, 3}, {1, 1}, {0, 0}, {1, 1}}, 1, {6, 7}},
        ConvCase{"padded", {{3, 5}, {1, 1}, {1, 2}, {1, 1}}, 1, {6, 7}},
        ConvCase{"strided", {{3, 3}, {2, 3}, {1, 1}, {1, 1}}, 1, {9, 8}},
        ConvCase{"dilated", {{3, 2}, {2, 1}, {3, 1}, {2, 3}}, 1, {9, 8}},
        ConvCase{"grouped", {{3, 3}, {1, 1}, {1, 1}, {1, 1}}, 2, {6, 6}},
        ConvCase{"depthwise", {{3, 3}, {2, 2}, {1, 1}, {1, 1}}, 4, {6, 6}},
        ConvCase{"wide_padding", {{3, 3}, {1, 1}, {4, 4}, {1, 1}}, 1, {2, 2}},
        ConvCase{"one_dimension", {{4}, {3}, {2}, {2}}, 1, {15}},
        ConvCase{"three_dimensions",
                 {{2, 3, 1}, {1, 2, 1}, {0, 1, 1}, {1, 1, 1}},
                 1,
                 {4, 5, 3}}),
    [](const auto& info) { return info.param.name; });

TEST(InputMeansTest, OfLinearLayersAreThoseOfAllLines) {
  const InputMeansPtr means = Means();
  means->Forward(at::tensor({1.0F, 2.0F, 3.0F, 4.0F}).reshape({1, 2, 2}));
  means->Forward(at::tensor({8.0F, 0.0F}));
  EXPECT_TRUE(
      means->Mean().equal(at::tensor({4.0, 2.0}, at::kDouble).reshape({2, 1})));
}

TEST(InputMeansTest, AreTheSameWithChannelsLast) {
  const ConvGeometry geometry{{3, 2}, {2, 1}, {1, 0}, {1, 1}};
  const at::Tensor x = at::randn({3, 4, 6, 5});
  const InputMeansPtr plain = Means(geometry);
  plain->Forward(x);
  const InputMeansPtr last = Means(geometry);
  last->Forward(x.contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(last->Mean().allclose(plain->Mean(), 1e-5, 1e-6));
  EXPECT_EQ(last->patches(), plain->patches());
}

TEST(InputMeansTest, OneSampleNeedsNoBatch) {
  const ConvGeometry geometry = {{1, 1}, {1, 1}, {0, 0}, {1, 1}};
  const InputMeansPtr alone = Means(geometry);
  const InputMeansPtr batch = Means(geometry);
  const at::Tensor x = at::rand({2, 3, 3});
  alone->Forward(x);
  batch->Forward(x.unsqueeze(0));
  EXPECT_TRUE(alone->Mean().allclose(batch->Mean()));
}

TEST(InputMeansTest, NothingIsGatheredWhileDisabled) {
  const InputMeansPtr means = Means();
  means->SetEnabled(false);
  means->Forward(at::ones({2, 2}));
  EXPECT_FALSE(means->Mean().defined());
  means->SetEnabled(true);
  means->Forward(at::empty({0, 2}));
  EXPECT_FALSE(means->Mean().defined());
}

TEST(InputMeansTest, BatchesWithNanOrInfinitiesDoNotCount) {
  const InputMeansPtr means = Means();
  means->Forward(at::tensor({1.0F, 2.0F}));
  means->Forward(at::tensor({NAN, 2.0F}));
  means->Forward(at::tensor({1.0F, INFINITY}));
  EXPECT_TRUE(
      means->Mean().equal(at::tensor({1.0, 2.0}, at::kDouble).reshape({2, 1})));
}

TEST(InputMeansTest, MergedOnesHaveSeenBoth) {
  const InputMeansPtr both = Means();
  const InputMeansPtr first = Means();
  const InputMeansPtr second = Means();
  const at::Tensor x = at::rand({3, 2});
  const at::Tensor y = at::rand({5, 2});
  both->Forward(x);
  both->Forward(y);
  first->Forward(x);
  second->Forward(y);
  first->Merge(*second);
  first->Merge(*Means());
  EXPECT_TRUE(first->Mean().allclose(both->Mean()));
  EXPECT_THROW(first->Merge(*Means({{1}, {1}, {0}, {1}})), c10::Error);
}

InputMeansPtr SavedAndLoaded(const InputMeansPtr& means) {
  torch::jit::Module module("Model");
  module.register_attribute("means", c10::getTypePtr<InputMeansPtr>(),
                            c10::IValue(means));
  const std::string path = TemporaryPath("means.pt");
  module.save(path);
  return torch::jit::load(path).attr("means").toCustomClass<InputMeans>();
}

TEST(InputMeansTest, AreSavedAndLoaded) {
  const InputMeansPtr means = Means({{2}, {1}, {1}, {1}});
  means->Forward(at::rand({2, 3, 4}));
  const InputMeansPtr loaded = SavedAndLoaded(means);
  EXPECT_EQ(loaded->geometry(), means->geometry());
  EXPECT_TRUE(loaded->Mean().equal(means->Mean()));
  EXPECT_FALSE(SavedAndLoaded(Means())->Mean().defined());
}

TEST(InputMeansTest, SaysWhatDoesNotFit) {
  const InputMeansPtr means = Means({{3, 3}, {1, 1}, {0, 0}, {1, 1}});
  try {
    means->Forward(at::ones({2, 2}));
    FAIL() << "two dimensions are too few";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.msg(), HasSubstr("3 or 4 dimensions, not 2"));
  }
  means->Forward(at::ones({2, 4, 4}));
  EXPECT_THROW(means->Forward(at::ones({3, 4, 4})), c10::Error);
}

}  // namespace
}  // namespace ns
