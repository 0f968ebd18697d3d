#include "passes/runtime/statistics/tensor_statistics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "tests/testing/statistics_reference.h"

namespace ns {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class TensorStatisticsTest : public testing::Test {
 protected:
  int64_t Choose(int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n - 1)(random_);
  }

  // Of 0 to 5 dimensions and at most about `most` elements.
  std::vector<int64_t> AnySizes(int64_t most) {
    std::vector<int64_t> sizes(Choose(6));
    int64_t left = most;
    for (int64_t& size : sizes) {
      size = Choose(40) == 0 ? 0 : 1 + Choose(std::min<int64_t>(left, 400));
      left = std::max<int64_t>(1, left / std::max<int64_t>(size, 1));
    }
    std::shuffle(sizes.begin(), sizes.end(), random_);
    return sizes;
  }

  // Ordinary values, large and small ones, zeros and now and then what is none.
  at::Tensor AnyValues(const std::vector<int64_t>& sizes) {
    at::Tensor values = at::randn(sizes);
    if (Choose(4) == 0) {
      values *= std::pow(10.0, static_cast<double>(Choose(50)) - 25);
    }
    if (Choose(8) == 0) {
      values.zero_();
    }
    if (Choose(4) == 0) {
      values.relu_();
    }
    if (Choose(6) == 0 && values.numel() > 0) {
      for (const double value : {kNan, kInf, -kInf, 1e30, 1e-30}) {
        if (Choose(2) == 0) {
          values.view({-1})[Choose(values.numel())] = value;
        }
      }
    }
    return values;
  }

  at::Tensor WithAnyLayout(const at::Tensor& values) {
    switch (Choose(6)) {
      case 0:
        if (values.dim() == 4) {
          return values.contiguous(at::MemoryFormat::ChannelsLast);
        }
        return values.dim() == 5
                   ? values.contiguous(at::MemoryFormat::ChannelsLast3d)
                   : values;
      case 1:
        if (values.dim() >= 2) {
          const int64_t dim = Choose(values.dim());
          return values.transpose(0, dim).contiguous().transpose(0, dim);
        }
        return values;
      case 2:
        if (values.dim() >= 1) {
          std::vector<int64_t> sizes = values.sizes().vec();
          const int64_t dim = Choose(values.dim());
          sizes[dim] *= 2;
          return at::zeros(sizes).slice(dim, 0, sizes[dim], 2).copy_(values);
        }
        return values;
      default:
        return values;
    }
  }

  at::Tensor QuantizedByChannel(const at::Tensor& values) {
    // LibTorch cannot dequantize others where channels are last in memory.
    const int64_t axis = Choose(values.dim() < 4 ? values.dim() : 2);
    const int64_t channels = values.size(axis);
    const auto dtype = Choose(2) == 0 ? at::kQInt8 : at::kQUInt8;
    return at::quantize_per_channel(
        values.contiguous(), at::rand({channels}, at::kDouble) + 1e-3,
        at::randint(0, 100, {channels}, at::kLong), axis, dtype);
  }

  at::Tensor WithAnyDtype(const at::Tensor& values) {
    const at::Tensor numbers = values.nan_to_num(0, 50, -50);
    switch (Choose(12)) {
      case 0:
        return values.to(at::kDouble);
      case 1:
        return values.to(at::kHalf);
      case 2:
        return values.to(at::kBFloat16);
      case 3:
        return numbers.clamp(-1e6, 1e6).to(at::kInt);
      case 4:
        return numbers > 0;
      case 5:
      case 6:
        return at::quantize_per_tensor(numbers, 0.02 + 0.01 * Choose(9),
                                       Choose(2) * Choose(256), at::kQUInt8);
      case 7:
        return at::quantize_per_tensor(numbers, 0.037, Choose(256) - 128,
                                       at::kQInt8);
      case 8:
        return values.dim() == 0 || values.numel() == 0
                   ? values
                   : QuantizedByChannel(numbers);
      case 9:
        return values.dim() != 4 || values.numel() == 0
                   ? values
                   : QuantizedByChannel(numbers).contiguous(
                         at::MemoryFormat::ChannelsLast);
      default:
        return values;
    }
  }

  // A tensor to compare, and one that is near it or is not.
  std::pair<at::Tensor, at::Tensor> AnyPair(int64_t most) {
    const at::Tensor x = AnyValues(AnySizes(most));
    at::Tensor y = x;
    if (Choose(3) == 0) {
      y = AnyValues(x.sizes().vec());
    } else if (Choose(8) != 0) {
      y = x * (1 + 0.01 * at::randn_like(x));
    }
    return {WithAnyDtype(WithAnyLayout(x)), WithAnyDtype(WithAnyLayout(y))};
  }

  // Merged from random parts of both.
  TensorStatistics CompareParts(const at::Tensor& x, const at::Tensor& y,
                                int64_t channel_dim, int depth);

  std::mt19937 random_{5};
};

at::Tensor Part(const at::Tensor& tensor, int64_t dim, int64_t start,
                int64_t size) {
  if (!tensor.is_quantized() || tensor.qscheme() != at::kPerChannelAffine) {
    return tensor.narrow(dim, start, size);
  }
  const int64_t axis = tensor.q_per_channel_axis();
  at::Tensor scales = tensor.q_per_channel_scales();
  at::Tensor zero_points = tensor.q_per_channel_zero_points();
  if (dim == axis) {
    scales = scales.narrow(0, start, size);
    zero_points = zero_points.narrow(0, start, size);
  }
  return at::_make_per_channel_quantized_tensor(
      tensor.int_repr().narrow(dim, start, size).contiguous(), scales,
      zero_points, axis);
}

TensorStatistics TensorStatisticsTest::CompareParts(const at::Tensor& x,
                                                    const at::Tensor& y,
                                                    int64_t channel_dim,
                                                    int depth) {
  if (depth == 0 || x.dim() == 0 || x.numel() == 0) {
    return CompareTensors(x, y, {true, channel_dim});
  }
  const int64_t dim = Choose(x.dim());
  const int64_t cut = Choose(x.size(dim) + 1);
  const int64_t left = x.size(dim) - cut;
  TensorStatistics merged = CompareParts(
      Part(x, dim, 0, cut), Part(y, dim, 0, cut), channel_dim, depth - 1);
  TensorStatistics other = CompareParts(
      Part(x, dim, cut, left), Part(y, dim, cut, left), channel_dim, depth - 1);
  if (dim == channel_dim) {
    // Channels of the other part come after these.
    merged.channels.insert(merged.channels.end(), other.channels.begin(),
                           other.channels.end());
    other.channels.clear();
  }
  merged.Merge(other);
  return merged;
}

TEST_F(TensorStatisticsTest, AnyTensorsMatchTheReference) {
  for (int trial = 0; trial < 600; ++trial) {
    const auto [x, y] = AnyPair(trial % 50 == 0 ? 1000000 : 6000);
    const int64_t channel_dim = Choose(7) - 1;
    SCOPED_TRACE("trial " + std::to_string(trial) + " of " +
                 std::to_string(x.numel()) + " elements, channels of " +
                 std::to_string(channel_dim));
    ExpectStatisticsOfReference(x, y, channel_dim);
    if (HasFailure()) {
      FAIL() << x.toString() << x.sizes() << x.strides() << " and "
             << y.toString() << y.sizes();
    }
  }
}

TEST_F(TensorStatisticsTest, PartsOfAnyTensorsMergeToTheWhole) {
  for (int trial = 0; trial < 400; ++trial) {
    SCOPED_TRACE(trial);
    const auto [x, y] = AnyPair(trial % 50 == 0 ? 1000000 : 6000);
    const int64_t channel_dim = Choose(7) - 1;
    ExpectSameStatistics(
        CompareParts(x, y, channel_dim, 1 + static_cast<int>(Choose(4))),
        CompareTensors(x, y, {true, channel_dim}), ToleranceOf(x, y), 0);
    if (HasFailure()) {
      FAIL() << x.toString() << x.sizes() << x.strides() << " and "
             << y.toString() << y.sizes() << " channels " << channel_dim;
    }
  }
}

// Each way of finding the sums of channels: pieces of one channel, single runs,
// and columns, of which some are wider than a block.
TEST_F(TensorStatisticsTest, SumsChannelsOfEveryShape) {
  const std::vector<std::vector<int64_t>> shapes = {
      {2, 3, 40, 40},  {2, 300, 7, 9},  {2, 70, 3, 3},  {3, 5000, 1, 2},
      {1, 9000, 1, 1}, {4000, 3, 1, 1}, {1, 1, 90, 70}, {70, 16, 2, 2}};
  for (const std::vector<int64_t>& sizes : shapes) {
    const at::Tensor x = at::randn(sizes);
    const at::Tensor y = at::quantize_per_tensor(x, 0.03, 110, at::kQUInt8);
    for (const auto format :
         {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      SCOPED_TRACE(sizes[1]);
      ExpectStatisticsOfReference(x.contiguous(format), y.contiguous(format),
                                  1);
      ExpectStatisticsOfReference(x.contiguous(format), x * 1.25, 1);
    }
  }
}

// Whichever is copied to the layout of the other, of sizes that fill tiles and
// that do not.
TEST_F(TensorStatisticsTest, ComparesChannelsLastWithContiguous) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 64, 16, 8},
                                            {3, 17, 5, 7},
                                            {1, 100, 3, 50},
                                            {2, 3, 33, 31},
                                            {2, 70, 4, 4, 4},
                                            {1, 5, 2, 3, 4},
                                            {0, 3, 2, 2}}) {
    const auto last = sizes.size() == 4 ? at::MemoryFormat::ChannelsLast
                                        : at::MemoryFormat::ChannelsLast3d;
    const at::Tensor x = at::randn(sizes);
    for (const at::Tensor& y :
         {at::quantize_per_tensor(x, 0.03, 100, at::kQUInt8),
          at::quantize_per_tensor(x, 0.03, -20, at::kQInt8), x * 1.5,
          (x * 1.5).to(at::kHalf), (x * 1.5).to(at::kDouble)}) {
      SCOPED_TRACE(y.toString());
      ExpectStatisticsOfReference(x, y.contiguous(last), 1);
      ExpectStatisticsOfReference(x.contiguous(last), y, 1);
    }
  }
}

TEST_F(TensorStatisticsTest, ChannelsOfTinyAndOfHugeValuesHaveSumsToo) {
  at::Tensor x = at::randn({64, 4});
  x.select(1, 1) *= 1e-30;
  x.select(1, 2).zero_();
  x.select(1, 3) *= 1e25;
  ExpectStatisticsOfReference(x, x * 1.5, 1);
  ExpectStatisticsOfReference(at::full({64, 4}, 3e38), at::full({64, 4}, -3e38),
                              1);
  const at::Tensor runs = x.t()
                              .reshape({4, 64, 1})
                              .expand({4, 64, 20})
                              .reshape({1, 256, 20})
                              .repeat({1, 2, 1});
  ExpectStatisticsOfReference(runs, runs * 1.5, 1);
}

TEST_F(TensorStatisticsTest, KnowsSaturation) {
  const at::Tensor y = at::quantize_per_tensor(
      at::tensor({-5.0F, 0.0F, 1.0F, 300.0F, 400.0F}), 1, 0, at::kQUInt8);
  const CodesInUse codes = CompareTensors(y.dequantize(), y).codes;
  EXPECT_EQ(codes.total, 5);
  EXPECT_EQ(codes.at_lowest, 2);
  EXPECT_EQ(codes.at_highest, 2);
  EXPECT_EQ(codes.Unused(), 253);
  const at::Tensor low =
      at::quantize_per_tensor(at::tensor({-900.0F, 7.0F}), 1, 0, at::kQInt8);
  EXPECT_EQ(CompareTensors(low, low).codes.at_lowest, 1);
  EXPECT_TRUE(CompareTensors(low, low).codes.IsUsed(128 + 7));
}

TEST_F(TensorStatisticsTest, FindsOnlyWhatIsAskedFor) {
  const at::Tensor x = at::randn({3, 4});
  const at::Tensor y = at::quantize_per_tensor(x, 0.1, 100, at::kQUInt8);
  EXPECT_EQ(CompareTensors(x, y, {false, -1}).codes.total, 0);
  EXPECT_TRUE(CompareTensors(x, y).channels.empty());
  EXPECT_TRUE(CompareTensors(x, y, {true, 2}).channels.empty());
  EXPECT_EQ(CompareTensors(x, y, {true, 1}).channels.size(), 4);
  EXPECT_EQ(CompareTensors(x, x).codes.total, 0);
}

TEST_F(TensorStatisticsTest, CompareErrorsFillsOnlyWhatItSays) {
  const at::Tensor x = at::randn({1000});
  PairStatistics expected;
  const PairStatistics sums = CompareErrors(x, x * 1.5);
  expected.count = sums.count;
  expected.sum_x2 = sums.sum_x2;
  expected.sum_e2 = sums.sum_e2;
  EXPECT_EQ(sums.ToNumbers(), expected.ToNumbers());
  EXPECT_NEAR(sums.SqnrDb(), 20 * std::log10(2), 1e-6);
  EXPECT_EQ(CompareErrors(x, x).SqnrDb(), kInf);
}

// Also of tensors of which memory holds no floats.
TEST_F(TensorStatisticsTest, EqualTensorsHaveNoError) {
  const at::Tensor x = at::randn({5, 40, 30, 3});
  for (const at::Tensor& y :
       {at::quantize_per_tensor(x, 1.0 / 3, 7, at::kQUInt8),
        at::quantize_per_tensor(x, 0.1, -3, at::kQInt8),
        at::quantize_per_channel(x, at::rand({40}, at::kDouble) + 0.1,
                                 at::zeros({40}, at::kLong), 1, at::kQInt8),
        at::quantize_per_channel(x, at::rand({3}, at::kDouble) + 0.1,
                                 at::zeros({3}, at::kLong), 3, at::kQUInt8)}) {
    for (const at::Tensor& same : {y, y.dequantize()}) {
      for (const PairKernels* kernels : AvailablePairKernels()) {
        const ScopedPairKernels scoped(*kernels);
        const TensorStatistics all = CompareTensors(same, y, {true, 1});
        EXPECT_EQ(all.sums.sum_e2, 0);
        EXPECT_EQ(all.sums.max_abs_error, 0);
        EXPECT_EQ(all.sums.SqnrDb(), kInf);
        EXPECT_DOUBLE_EQ(all.sums.Cosine(), 1);
        EXPECT_EQ(all.channels[7].sum_e2, 0);
        EXPECT_EQ(CompareErrors(same, y).sum_e2, 0);
      }
    }
  }
}

TEST_F(TensorStatisticsTest, SqnrOfManyElementsIsAccurate) {
  const at::Tensor x = at::randn({1 << 25}) + 3;
  const at::Tensor y = at::quantize_per_tensor(x, 0.04, 50, at::kQUInt8);
  at::Tensor error = x.to(at::kDouble);
  const double x2 = error.dot(error).item<double>();
  error.sub_(y.dequantize());
  const double e2 = error.dot(error).item<double>();
  const double expected = 10 * std::log10(x2 / e2);
  EXPECT_NEAR(CompareErrors(x, y).SqnrDb(), expected, 1e-6);
  EXPECT_NEAR(CompareTensors(x, y).sums.SqnrDb(), expected, 1e-6);
}

// Whatever way values take to the sums.
TEST_F(TensorStatisticsTest, ErrorsAreCountedOfEveryKindOfTensor) {
  const at::Tensor x = at::randn({3, 70, 30});
  for (const at::Tensor& y :
       {x + at::randn({3, 70, 30}),
        at::quantize_per_tensor(x, 0.1, 3, at::kQUInt8),
        at::quantize_per_tensor(x, 0.1, 3, at::kQInt32),
        at::quantize_per_channel(x, at::rand({70}, at::kDouble) + 0.1,
                                 at::zeros({70}, at::kLong), 1, at::kQInt8),
        (x + 1).to(at::kDouble), (x * 10).to(at::kInt),
        (x + 1).transpose(0, 2).contiguous().transpose(0, 2)}) {
    for (const int64_t channel_dim : {-1, 1}) {
      const TensorStatistics statistics =
          CompareTensors(x, y, {true, channel_dim, /*errors=*/true});
      const at::Tensor errors =
          (x.to(at::kDouble) -
           (y.is_quantized() ? y.dequantize() : y).to(at::kDouble))
              .abs()
              .flatten();
      ASSERT_EQ(statistics.errors.total(), x.numel());
      for (const double quantile : {0.5, 0.999}) {
        const double expected =
            std::get<0>(
                errors.sort())[static_cast<int64_t>(std::ceil(
                                   quantile * static_cast<double>(x.numel()))) -
                               1]
                .item<double>();
        EXPECT_NEAR(statistics.errors.Quantile(quantile), expected,
                    expected / 30 + 1e-6);
      }
    }
  }
}

// Of small tensors each element is counted, whatever way values take.
TEST_F(TensorStatisticsTest, HistogramsAreThoseOfTheElements) {
  const at::Tensor x = at::randn({3, 7, 11});
  TensorStatisticsOptions options;
  for (const at::Tensor& y :
       {x + at::randn({3, 7, 11}),
        at::quantize_per_tensor(x, 0.1, 3, at::kQUInt8),
        at::quantize_per_tensor(x, 0.1, 3, at::kQInt8),
        at::quantize_per_tensor(x, 0.1, 3, at::kQInt32),
        at::quantize_per_channel(x, at::rand({7}, at::kDouble) + 0.1,
                                 at::zeros({7}, at::kLong), 1, at::kQInt8),
        (x + 1).to(at::kDouble), (x * 10).to(at::kInt),
        (x + 1).transpose(0, 2).contiguous().transpose(0, 2)}) {
    for (const int64_t channel_dim : {-1, 1}) {
      options.channel_dim = channel_dim;
      PairHistograms expected;
      const at::Tensor xs = x.to(at::kDouble).flatten();
      const at::Tensor ys =
          (y.is_quantized() ? y.dequantize() : y).to(at::kDouble).flatten();
      for (int64_t i = 0; i < xs.numel(); ++i) {
        expected.Add(xs[i].item<double>(), ys[i].item<double>());
      }
      PairHistograms histograms;
      options.histograms = &histograms;
      CompareTensors(x, y, options);
      EXPECT_EQ(histograms.ToNumbers(), expected.ToNumbers());
    }
  }
}

// The sample is spread over all of a tensor, and changes no other figure.
TEST_F(TensorStatisticsTest, HistogramsOfLargeTensorsAreOfASample) {
  const at::Tensor x = at::randn({300, 400});
  for (const at::Tensor& y :
       {x + 0.01, at::quantize_per_tensor(x, 0.1, 3, at::kQUInt8),
        (x + 1).to(at::kDouble)}) {
    PairHistograms histograms;
    TensorStatisticsOptions options;
    options.histograms = &histograms;
    const TensorStatistics statistics = CompareTensors(x, y, options);
    EXPECT_GE(histograms.total(), 128);
    EXPECT_LE(histograms.total(), 256);
    double sum = 0;
    for (int64_t bin = 0; bin < PairHistograms::kBins; ++bin) {
      const auto middle =
          static_cast<double>(bin - PairHistograms::kHalf) + 0.5;
      sum += static_cast<double>(histograms.CountOfX(bin)) *
             std::pow(middle * histograms.value_width(), 2);
    }
    // The variance, to 4 standard deviations.
    const auto total = static_cast<double>(histograms.total());
    EXPECT_NEAR(sum / total, 1, 4 * std::sqrt(2 / total));
    ExpectSameStatistics(statistics, CompareTensors(x, y), 1e-7, 1e-9);
  }
}

// Whether channels alternate quickly, are rows or are pieces.
TEST_F(TensorStatisticsTest, EqualInfinitiesAreEqualInEachChannel) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{50, 3}, {2, 3, 700}, {1, 3, 9000}}) {
    const at::Tensor x = at::ones(sizes);
    const at::Tensor y = at::full(sizes, 2.0);
    for (const at::Tensor& z : {x, y}) {
      z[0][1].fill_(-kInf);
    }
    const TensorStatistics statistics =
        CompareTensors(x, y, {false, /*channel_dim=*/1});
    ASSERT_EQ(statistics.channels.size(), 3);
    for (const auto& channel : statistics.channels) {
      EXPECT_EQ(channel.sum_x2, channel.sum_e2);
      EXPECT_LE(channel.sum_e2, x.numel() / 3);
    }
    EXPECT_EQ(statistics.sums.SqnrDb(), 0);
  }
}

TEST_F(TensorStatisticsTest, NumbersHoldAllOfIt) {
  for (const int64_t channel_dim : {-1, 1}) {
    at::Tensor x = at::randn({3, 4});
    x[0][0] = kInf;
    const at::Tensor y =
        at::quantize_per_tensor(at::randn({3, 4}), 0.1, 3, at::kQInt8);
    TensorStatistics statistics =
        CompareTensors(x, y, {true, channel_dim, /*errors=*/channel_dim < 0});
    statistics.histograms.Add(1, 2);
    const TensorStatistics again =
        TensorStatistics::FromNumbers(statistics.ToNumbers());
    ExpectSameStatistics(again, statistics, 0, 0);
    EXPECT_EQ(again.ToNumbers(), statistics.ToNumbers());
    EXPECT_EQ(again.errors.total(), channel_dim < 0 ? 12 : 0);
    EXPECT_EQ(again.histograms.total(), 1);
    EXPECT_EQ(again.errors.Bins(), statistics.errors.Bins());
  }
  EXPECT_THROW(TensorStatistics::FromNumbers({}), c10::Error);
  std::vector<double> numbers = TensorStatistics().ToNumbers();
  numbers.push_back(0);
  EXPECT_THROW(TensorStatistics::FromNumbers(numbers), c10::Error);
}

// As files have it that were written before there was a sum of errors.
TEST_F(TensorStatisticsTest, NumbersOfEarlierVersionsLackTheShift) {
  const at::Tensor y =
      at::quantize_per_tensor(at::randn({3, 4}), 0.1, 3, at::kQUInt8);
  const TensorStatistics statistics =
      CompareTensors(at::randn({3, 4}), y, {true, 0});
  std::vector<double> numbers = statistics.ToNumbers();
  numbers.erase(numbers.begin() + PairStatistics::kNumbers);  // sum_e
  numbers.erase(numbers.begin());                             // the form
  const TensorStatistics loaded = TensorStatistics::FromNumbers(numbers);
  EXPECT_TRUE(std::isnan(loaded.sums.MeanError()));
  EXPECT_EQ(loaded.sums.SqnrDb(), statistics.sums.SqnrDb());
  EXPECT_EQ(loaded.sums.inf_y, statistics.sums.inf_y);
  EXPECT_EQ(loaded.codes, statistics.codes);
  EXPECT_EQ(loaded.channels.size(), 3);
}

TEST_F(TensorStatisticsTest, NumbersThatNothingWasSavedAsAreRefused) {
  const at::Tensor y =
      at::quantize_per_tensor(at::randn({3, 4}), 0.1, 3, at::kQUInt8);
  const std::vector<double> good =
      CompareTensors(at::randn({3, 4}), y).ToNumbers();
  ASSERT_EQ(TensorStatistics::FromNumbers(good).codes.total, 12);
  // The form, sums, and the first byte of those in use after three counts.
  const size_t total = 1 + PairStatistics::kNumbers;
  const size_t used = total + 3;
  for (const double bad : {-1.0, 256.0, 0.5, kNan, kInf}) {
    std::vector<double> numbers = good;
    numbers[used] = bad;
    EXPECT_THROW(TensorStatistics::FromNumbers(numbers), c10::Error) << bad;
  }
  for (const double bad : {-1.0, 1e300, 0.5, kNan, kInf}) {
    for (const size_t count : {size_t{1}, total, total + 1, total + 2}) {
      std::vector<double> numbers = good;
      numbers[count] = bad;
      EXPECT_THROW(TensorStatistics::FromNumbers(numbers), c10::Error)
          << bad << " at " << count;
    }
  }
}

TEST_F(TensorStatisticsTest, MergeTakesTheLongerChannels) {
  TensorStatistics few;
  few.channels = {{1, 2}};
  TensorStatistics many;
  many.channels = {{10, 20}, {30, 40}};
  for (const bool into_few : {false, true}) {
    TensorStatistics merged = into_few ? few : many;
    merged.Merge(into_few ? many : few);
    ASSERT_EQ(merged.channels.size(), 2);
    EXPECT_EQ(merged.channels[0].sum_x2, 11);
    EXPECT_EQ(merged.channels[0].sum_e2, 22);
    EXPECT_EQ(merged.channels[1].sum_x2, 30);
    EXPECT_EQ(merged.channels[1].sum_e2, 40);
  }
}

TEST_F(TensorStatisticsTest, ThrowsWhereComparePairThrows) {
  EXPECT_THROW(CompareTensors(at::ones({2, 3}), at::ones({3, 2})), c10::Error);
  EXPECT_THROW(CompareErrors(at::ones({2, 3}), at::ones({3, 2})), c10::Error);
  EXPECT_THROW(CompareErrors(at::Tensor(), at::ones({2})), c10::Error);
}

}  // namespace
}  // namespace ns
