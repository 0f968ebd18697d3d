#include "passes/runtime/statistics/pair_statistics.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using testing::IsNan;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Of sums of float32 tensors: below 1e-6 dB.
constexpr double kRelativeError = 2e-7;

at::Tensor Vector(const std::vector<double>& values) {
  return at::tensor(values).to(at::kFloat);
}

// The same figures from LibTorch's float64 operators.
PairStatistics Reference(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor a = (x.is_quantized() ? x.dequantize() : x).to(at::kDouble);
  const at::Tensor b = (y.is_quantized() ? y.dequantize() : y).to(at::kDouble);
  PairStatistics sums;
  sums.count = a.numel();
  sums.sum_x2 = (a * a).sum().item<double>();
  sums.sum_y2 = (b * b).sum().item<double>();
  sums.sum_xy = (a * b).sum().item<double>();
  sums.sum_e2 = (a - b).square().sum().item<double>();
  sums.max_abs_error = a.numel() == 0 ? 0 : (a - b).abs().max().item<double>();
  return sums;
}

void ExpectSame(const PairStatistics& actual, const PairStatistics& expected) {
  EXPECT_EQ(actual.count, expected.count);
  const auto near = [](double value, double reference) {
    EXPECT_NEAR(value, reference, kRelativeError * std::abs(reference));
  };
  near(actual.sum_x2, expected.sum_x2);
  near(actual.sum_y2, expected.sum_y2);
  // A sum of both signs: what it rounds off is relative to its terms.
  EXPECT_NEAR(actual.sum_xy, expected.sum_xy,
              kRelativeError * std::sqrt(expected.sum_x2 * expected.sum_y2));
  near(actual.sum_e2, expected.sum_e2);
  // Differences of floats round once.
  EXPECT_FLOAT_EQ(static_cast<float>(actual.max_abs_error),
                  static_cast<float>(expected.max_abs_error));
}

void ExpectMatchesReference(const at::Tensor& x, const at::Tensor& y) {
  ExpectSame(ComparePair(x, y), Reference(x, y));
}

TEST(PairStatisticsTest, ComputesFiguresByHand) {
  const PairStatistics sums =
      ComparePair(Vector({3, 4, 0}), Vector({3, 3, -2}));
  EXPECT_EQ(sums.count, 3);
  EXPECT_EQ(sums.sum_x2, 25);
  EXPECT_EQ(sums.sum_y2, 22);
  EXPECT_EQ(sums.sum_xy, 21);
  EXPECT_EQ(sums.sum_e2, 5);
  EXPECT_EQ(sums.max_abs_error, 2);
  EXPECT_DOUBLE_EQ(sums.SqnrDb(), 20 * std::log10(5 / std::sqrt(5)));
  EXPECT_DOUBLE_EQ(sums.NormalizedL2(), std::sqrt(5) / 5);
  EXPECT_DOUBLE_EQ(sums.Cosine(), 21 / (5 * std::sqrt(22)));
}

TEST(PairStatisticsTest, TenfoldSignalIsTwentyDb) {
  EXPECT_DOUBLE_EQ(ComparePair(Vector({10}), Vector({11})).SqnrDb(), 20);
}

TEST(PairStatisticsTest, OppositeTensorsHaveCosineMinusOne) {
  const PairStatistics sums = ComparePair(Vector({1, 2}), Vector({-1, -2}));
  EXPECT_DOUBLE_EQ(sums.Cosine(), -1);
  EXPECT_DOUBLE_EQ(sums.NormalizedL2(), 2);
}

TEST(PairStatisticsTest, EqualTensorsHaveInfiniteSqnr) {
  const at::Tensor x = at::randn({5, 7});
  const PairStatistics sums = ComparePair(x, x);
  EXPECT_EQ(sums.SqnrDb(), kInf);
  EXPECT_EQ(sums.NormalizedL2(), 0);
  EXPECT_DOUBLE_EQ(sums.Cosine(), 1);
  EXPECT_EQ(sums.max_abs_error, 0);
}

void ExpectFiguresOfEqualTensors(const PairStatistics& sums) {
  EXPECT_TRUE(sums.AreEqual());
  EXPECT_EQ(sums.SqnrDb(), kInf);
  EXPECT_EQ(sums.NormalizedL2(), 0);
  EXPECT_DOUBLE_EQ(sums.Cosine(), 1);
  EXPECT_EQ(sums.max_abs_error, 0);
}

TEST(PairStatisticsTest, ZerosOnBothSidesAreAsEqualAsOthers) {
  const PairStatistics zeros = ComparePair(at::zeros({20}), at::zeros({20}));
  EXPECT_EQ(zeros.count, 20);
  ExpectFiguresOfEqualTensors(zeros);
  ExpectFiguresOfEqualTensors(ComparePair(at::ones({20}), at::ones({20})));
  // Of which the squares are no floats.
  const at::Tensor tiny = at::full({20}, 1e-30);
  ExpectFiguresOfEqualTensors(ComparePair(tiny, tiny));
  EXPECT_FALSE(ComparePair(tiny, 2 * tiny).AreEqual());
}

TEST(PairStatisticsTest, ZerosMergedWithZerosStayEqual) {
  PairStatistics merged;
  merged.Merge(ComparePair(at::zeros({3}), at::zeros({3})));
  merged.Merge(ComparePair(at::zeros({0}), at::zeros({0})));
  ExpectFiguresOfEqualTensors(merged);
  ExpectFiguresOfEqualTensors(PairStatistics::FromNumbers(merged.ToNumbers()));
  merged.Merge(ComparePair(at::zeros({3}), at::ones({3})));
  EXPECT_EQ(merged.SqnrDb(), -kInf);
}

TEST(PairStatisticsTest, OneZeroSide) {
  const PairStatistics no_signal = ComparePair(at::zeros({3}), at::ones({3}));
  EXPECT_EQ(no_signal.SqnrDb(), -kInf);
  EXPECT_EQ(no_signal.NormalizedL2(), kInf);
  EXPECT_THAT(no_signal.Cosine(), IsNan());
  const PairStatistics lost = ComparePair(at::ones({3}), at::zeros({3}));
  EXPECT_EQ(lost.SqnrDb(), 0);
  EXPECT_EQ(lost.NormalizedL2(), 1);
  EXPECT_THAT(lost.Cosine(), IsNan());
}

TEST(PairStatisticsTest, EmptyTensorsHaveNoFigures) {
  const PairStatistics sums =
      ComparePair(at::zeros({2, 0, 3}), at::zeros({2, 0, 3}));
  EXPECT_EQ(sums.count, 0);
  EXPECT_EQ(sums.max_abs_error, 0);
  EXPECT_FALSE(sums.AreEqual());
  EXPECT_THAT(sums.SqnrDb(), IsNan());
  EXPECT_THAT(sums.NormalizedL2(), IsNan());
  EXPECT_THAT(sums.Cosine(), IsNan());
}

TEST(PairStatisticsTest, ComparesScalarTensors) {
  EXPECT_EQ(ComparePair(at::scalar_tensor(2), at::scalar_tensor(3)).sum_xy, 6);
}

// Where a non-finite value stands must not matter: in the part that is computed
// in lanes, and in what is left over.
TEST(PairStatisticsTest, NonFiniteValuesAreNotSkipped) {
  for (const int64_t at : {0, 5, 8, 16}) {
    at::Tensor x = at::ones({17});
    at::Tensor y = at::full({17}, 2.0);
    y[at] = kNan;
    PairStatistics sums = ComparePair(x, y);
    EXPECT_THAT(sums.SqnrDb(), IsNan()) << at;
    EXPECT_THAT(sums.NormalizedL2(), IsNan()) << at;
    EXPECT_THAT(sums.Cosine(), IsNan()) << at;
    EXPECT_THAT(sums.max_abs_error, IsNan()) << at;
    EXPECT_EQ(sums.sum_x2, 17) << at;

    y[at] = kInf;
    sums = ComparePair(x, y);
    EXPECT_EQ(sums.sum_e2, kInf) << at;
    EXPECT_EQ(sums.SqnrDb(), -kInf) << at;
    EXPECT_EQ(sums.max_abs_error, kInf) << at;

    x[at] = -kInf;
    sums = ComparePair(x, y);
    EXPECT_EQ(sums.sum_x2, kInf) << at;
    EXPECT_EQ(sums.sum_e2, kInf) << at;
    EXPECT_THAT(sums.SqnrDb(), IsNan()) << at;
    EXPECT_EQ(sums.max_abs_error, kInf) << at;
  }
}

// The scores behind an attention mask.
TEST(PairStatisticsTest, EqualInfinitiesAreEqual) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    at::Tensor x = at::ones({3, 5000}, type);
    at::Tensor y = at::full({3, 5000}, 2.0, type);
    for (const at::Tensor& z : {x, y}) {
      z.slice(1, 0, 2500).fill_(-kInf);
      z[0][4999] = kInf;
    }
    const PairStatistics same = ComparePair(x, x);
    EXPECT_TRUE(same.AreEqual());
    EXPECT_EQ(same.SqnrDb(), kInf);
    EXPECT_EQ(same.NormalizedL2(), 0);
    EXPECT_EQ(same.Cosine(), 1);
    EXPECT_EQ(same.MaxAbsError(), 0);
    EXPECT_EQ(same.MeanError(), 0);
    EXPECT_EQ(same.inf_x, 7501);
    EXPECT_EQ(same.inf_y, 7501);
    EXPECT_EQ(CompareErrors(x, x).SqnrDb(), kInf);

    const PairStatistics others = ComparePair(x, y);
    EXPECT_EQ(others.count, 15000);
    EXPECT_EQ(others.sum_e2, 7499);
    EXPECT_EQ(others.SqnrDb(), 0);
    EXPECT_EQ(others.max_abs_error, 1);
    EXPECT_EQ(others.min_x, -kInf);
    EXPECT_EQ(CompareErrors(x, y).SqnrDb(), 0);
  }
  const at::Tensor all = at::full({7}, -kInf);
  EXPECT_EQ(ComparePair(all, all).SqnrDb(), kInf);
  EXPECT_EQ(ComparePair(all, all).Cosine(), 1);
  EXPECT_EQ(ComparePair(all, at::zeros({7})).inf_x, 7);
  EXPECT_NE(ComparePair(all, at::zeros({7})).SqnrDb(), kInf);
}

TEST(PairStatisticsTest, CountsNanAndInf) {
  const PairStatistics sums = ComparePair(Vector({kNan, 1, kInf, -kInf, 2}),
                                          Vector({kNan, kNan, kInf, 0, kNan}));
  EXPECT_EQ(sums.nan_x, 1);
  EXPECT_EQ(sums.inf_x, 2);
  EXPECT_EQ(sums.nan_y, 3);
  EXPECT_EQ(sums.inf_y, 1);
  // Also those of float64, and those that stand far from each other.
  at::Tensor x = at::randn({100000}, at::kDouble);
  x[7] = x[99999] = kInf;
  x[50000] = kNan;
  for (const at::Tensor& values : {x, x.to(at::kFloat)}) {
    const PairStatistics far = ComparePair(values, at::ones({100000}));
    EXPECT_EQ(far.inf_x, 2);
    EXPECT_EQ(far.nan_x, 1);
    EXPECT_EQ(far.nan_y, 0);
    EXPECT_EQ(far.inf_y, 0);
    PairStatistics twice = PairStatistics::FromNumbers(far.ToNumbers());
    twice.Merge(far);
    EXPECT_EQ(twice.inf_x, 4);
    EXPECT_EQ(twice.nan_x, 2);
  }
}

// All squares round the same way.
TEST(PairStatisticsTest, SumsOfASingleValueAreNearlyExact) {
  for (const double value : {0.1, 0.7, 1.3, 3.14159}) {
    const at::Tensor x = at::full({200000}, value);
    const at::Tensor y = at::full({200000}, value * 1.01);
    EXPECT_NEAR(ComparePair(x, y).SqnrDb(), Reference(x, y).SqnrDb(), 3e-6);
    EXPECT_NEAR(CompareErrors(x, y).SqnrDb(), Reference(x, y).SqnrDb(), 3e-6);
  }
}

TEST(PairStatisticsTest, HugeFloatsDoNotOverflow) {
  const PairStatistics sums =
      ComparePair(at::full({10}, 3e38), at::full({10}, -3e38));
  EXPECT_TRUE(std::isfinite(sums.sum_e2));
  EXPECT_NEAR(sums.SqnrDb(), -20 * std::log10(2), 1e-12);
}

TEST(PairStatisticsTest, TinyFloatsDoNotUnderflow) {
  const PairStatistics sums =
      ComparePair(at::full({10}, 3e-30), at::full({10}, 1e-30));
  EXPECT_NEAR(sums.SqnrDb(), 20 * std::log10(1.5), 1e-5);
}

TEST(PairStatisticsTest, MatchesReferenceForAllSizes) {
  for (int64_t size = 0; size < 40; ++size) {
    const at::Tensor x = at::randn({size});
    ExpectMatchesReference(x, x + 0.1 * at::randn({size}));
  }
}

TEST(PairStatisticsTest, IsExactOnManyElements) {
  const at::Tensor x = at::randn({3000001}) + 100;
  const at::Tensor y = x + 1e-3 * at::randn({3000001});
  ExpectMatchesReference(x, y);
  EXPECT_NEAR(ComparePair(x, y).SqnrDb(), Reference(x, y).SqnrDb(), 1e-6);
}

TEST(PairStatisticsTest, SquaresBeyondTheRangeOfFloatAreSummed) {
  for (const double magnitude : {1e30, 1e-30, 1e-38}) {
    const at::Tensor x = at::randn({10000}) * magnitude;
    const at::Tensor y = x * 1.01;
    ExpectMatchesReference(x, y);
    EXPECT_NEAR(ComparePair(x, y).SqnrDb(), 40, 1e-3);
  }
  // One huge value among ordinary ones.
  at::Tensor x = at::randn({10000});
  x[5000] = 1e25;
  ExpectMatchesReference(x, at::randn({10000}));
}

TEST(PairStatisticsTest, KnowsTheRangesOfBothSides) {
  const PairStatistics sums =
      ComparePair(Vector({-3, 0.5, 2}), Vector({-1, 7, 6}));
  EXPECT_EQ(sums.min_x, -3);
  EXPECT_EQ(sums.max_x, 2);
  EXPECT_EQ(sums.min_y, -1);
  EXPECT_EQ(sums.max_y, 7);
  const PairStatistics none = ComparePair(at::empty({0}), at::empty({0}));
  EXPECT_EQ(none.min_x, kInf);
  EXPECT_EQ(none.max_x, -kInf);
  EXPECT_THAT(ComparePair(Vector({1, kNan}), Vector({1, 2})).max_x, IsNan());
}

TEST(PairStatisticsTest, CodesCountAsLibTorchDequantizesThem) {
  for (const auto dtype : {at::kQUInt8, at::kQInt8}) {
    for (const double scale : {0.1, 1.0 / 3, 1e-3}) {
      const at::Tensor y =
          at::quantize_per_tensor(at::randn({5000}), scale, 3, dtype);
      EXPECT_EQ(ComparePair(y.dequantize(), y).sum_e2, 0);
      EXPECT_EQ(ComparePair(y, y).sum_e2, 0);
    }
  }
}

TEST(PairStatisticsTest, ConvertsEveryDtype) {
  const at::Tensor x = at::randint(0, 2, {3, 11});
  const at::Tensor y = at::randint(0, 2, {3, 11});
  for (const auto a :
       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte, at::kChar,
        at::kShort, at::kInt, at::kLong, at::kBool}) {
    for (const auto b : {at::kFloat, at::kDouble, at::kLong, at::kBool}) {
      ExpectMatchesReference(x.to(a), y.to(b));
    }
  }
}

TEST(PairStatisticsTest, KeepsPrecisionOfFloat64AndInt64) {
  const at::Tensor x = at::full({3}, 1.0, at::kDouble);
  EXPECT_NEAR(ComparePair(x, x + 1e-12).max_abs_error, 1e-12, 1e-15);
  const at::Tensor big = at::full({3}, int64_t{1} << 40, at::kLong);
  EXPECT_EQ(ComparePair(big, big + 1).max_abs_error, 1);
}

TEST(PairStatisticsTest, QuantizedCountsAsDequantized) {
  const at::Tensor x = at::randn({4, 3, 5, 5});
  const at::Tensor per_tensor =
      at::quantize_per_tensor(x, 0.05, 7, at::kQUInt8);
  const at::Tensor per_channel = at::quantize_per_channel(
      x, at::tensor({0.1, 0.02, 0.3}), at::tensor({0, 1, -2}), 1, at::kQInt8);
  for (const at::Tensor& q :
       {per_tensor, per_channel,
        per_tensor.contiguous(at::MemoryFormat::ChannelsLast)}) {
    ExpectMatchesReference(x, q);
    ExpectMatchesReference(q, x);
    ExpectSame(ComparePair(x, q), ComparePair(x, q.dequantize()));
  }
}

// As damaged files have them.
TEST(PairStatisticsTest, ThrowsForZeroPointsOfNoQuantizedValue) {
  const at::Tensor x = at::randn({2, 3});
  for (const int64_t zero_point : {-2147483520, 2147483647}) {
    const at::Tensor q = at::_make_per_channel_quantized_tensor(
        at::ones({2, 3}, at::kChar), at::full({2}, 0.5, at::kDouble),
        at::full({2}, zero_point, at::kLong), 0);
    EXPECT_THROW(ComparePair(x, q), c10::Error);
  }
}

TEST(PairStatisticsTest, ComparesInLogicalOrderWhateverTheStrides) {
  const at::Tensor x = at::randn({2, 3, 4, 5});
  const at::Tensor y = x + 0.1 * at::randn({2, 3, 4, 5});
  const PairStatistics expected = Reference(x, y);
  const auto layouts = [](const at::Tensor& tensor) {
    at::Tensor gaps = at::zeros({2, 3, 4, 10}).slice(3, 0, 10, 2);
    gaps.copy_(tensor);
    return std::vector<at::Tensor>{
        tensor, tensor.contiguous(at::MemoryFormat::ChannelsLast),
        tensor.transpose(1, 3).contiguous().transpose(1, 3),
        tensor.permute({3, 0, 2, 1}).contiguous().permute({1, 3, 2, 0}), gaps};
  };
  for (const at::Tensor& a : layouts(x)) {
    for (const at::Tensor& b : layouts(y)) {
      ExpectSame(ComparePair(a, b), expected);
    }
  }
}

TEST(PairStatisticsTest, ComparesVideosInChannelsLast) {
  const at::Tensor x = at::randn({2, 3, 4, 5, 2});
  const at::Tensor y = x + 1;
  const auto format = at::MemoryFormat::ChannelsLast3d;
  ExpectMatchesReference(x.contiguous(format), y.contiguous(format));
  ExpectMatchesReference(x.contiguous(format), y);
}

TEST(PairStatisticsTest, ComparesExpandedTensors) {
  const at::Tensor row = at::randn({1, 6});
  const at::Tensor x = row.expand({4, 6});
  ExpectMatchesReference(x, at::randn({4, 6}));
  // Equal strides that visit each element several times.
  ExpectMatchesReference(x, at::randn({1, 6}).expand({4, 6}));
}

TEST(PairStatisticsTest, MergedPartsEqualTheWhole) {
  const at::Tensor x = at::randn({1000});
  const at::Tensor y = x + 0.01 * at::randn({1000});
  for (int trial = 0; trial < 20; ++trial) {
    PairStatistics merged;
    for (int64_t start = 0; start < 1000;) {
      const int64_t end =
          std::min<int64_t>(1000, start + at::randint(0, 200, {1}).item<int>());
      merged.Merge(ComparePair(x.slice(0, start, end), y.slice(0, start, end)));
      start = end;
    }
    ExpectSame(merged, ComparePair(x, y));
  }
}

// A tensor of random dtype, layout and contents.
at::Tensor AnyTensor(const std::vector<int64_t>& sizes, std::mt19937& random) {
  const auto choose = [&](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  at::Tensor x = at::randn(sizes) * std::pow(10.0, choose(41) - 20);
  if (choose(4) == 0) {
    x.zero_();
  }
  if (choose(6) == 0 && x.numel() > 0) {
    x.view({-1})[choose(static_cast<int>(x.numel()))] =
        choose(2) == 0 ? kNan : kInf;
  }
  switch (choose(6)) {
    case 0:
      return x.to(at::kDouble);
    case 1:
      return at::quantize_per_tensor(x.nan_to_num(), 0.03, 100, at::kQUInt8);
    case 2:
      return at::quantize_per_tensor(x.nan_to_num(), 0.5, -3, at::kQInt8);
    case 3:
      return x.contiguous(at::MemoryFormat::ChannelsLast);
    case 4:
      return x.transpose(2, 3).contiguous().transpose(2, 3);
    default:
      return x;
  }
}

void ExpectSameOrBothNan(double actual, double expected) {
  EXPECT_TRUE(
      std::isnan(actual) == std::isnan(expected) &&
      (std::isnan(actual) || actual == expected ||
       std::abs(actual - expected) <= kRelativeError * std::abs(expected)))
      << actual << " and " << expected;
}

TEST(PairStatisticsTest, AnySplitOfAnyTensorsMergesToTheWhole) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 150; ++trial) {
    SCOPED_TRACE(trial);
    const int64_t channels = 1 + random() % 5;
    const int64_t side = trial % 50 == 0 ? 220 : random() % 30;
    const std::vector<int64_t> sizes = {4, channels, side, side};
    const at::Tensor x = AnyTensor(sizes, random);
    const at::Tensor y = AnyTensor(sizes, random);
    const PairStatistics whole = ComparePair(x, y);
    const int64_t cut = random() % 5;
    PairStatistics merged = ComparePair(x.slice(0, cut), y.slice(0, cut));
    merged.Merge(ComparePair(x.slice(0, 0, cut), y.slice(0, 0, cut)));
    EXPECT_EQ(merged.count, whole.count);
    ExpectSameOrBothNan(merged.sum_x2, whole.sum_x2);
    ExpectSameOrBothNan(merged.sum_y2, whole.sum_y2);
    ExpectSameOrBothNan(merged.sum_e2, whole.sum_e2);
    ExpectSameOrBothNan(merged.max_abs_error, whole.max_abs_error);
    ExpectSameOrBothNan(merged.min_x, whole.min_x);
    ExpectSameOrBothNan(merged.max_x, whole.max_x);
    ExpectSameOrBothNan(merged.min_y, whole.min_y);
    ExpectSameOrBothNan(merged.max_y, whole.max_y);
  }
}

TEST(PairStatisticsTest, NumbersHoldAllOfIt) {
  const PairStatistics sums =
      ComparePair(Vector({3, 4, 0}), Vector({3, 3, -2}));
  const PairStatistics again = PairStatistics::FromNumbers(sums.ToNumbers());
  EXPECT_EQ(again.ToNumbers(), sums.ToNumbers());
  ExpectSame(again, sums);
  EXPECT_EQ(again.min_y, -2);
  EXPECT_EQ(again.max_x, 4);
}

TEST(PairStatisticsTest, OnlyWholeNumbersAreCounts) {
  EXPECT_EQ(CountFromNumber(0), 0);
  EXPECT_EQ(CountFromNumber(9007199254740992.0), int64_t{1} << 53);
  for (const double bad : {-1.0, 0.5, 1e16, kNan, kInf}) {
    EXPECT_THROW(CountFromNumber(bad), c10::Error) << bad;
  }
}

TEST(PairStatisticsTest, MergeKeepsNan) {
  PairStatistics broken = ComparePair(Vector({kNan}), Vector({1}));
  const PairStatistics fine = ComparePair(Vector({5}), Vector({1}));
  PairStatistics merged = fine;
  merged.Merge(broken);
  EXPECT_THAT(merged.max_abs_error, IsNan());
  broken.Merge(fine);
  EXPECT_THAT(broken.max_abs_error, IsNan());
  EXPECT_THAT(broken.SqnrDb(), IsNan());
}

TEST(PairStatisticsTest, TensorsThatNeedGradientsAreCompared) {
  const at::Tensor x = at::ones({2, 2}).set_requires_grad(true);
  EXPECT_EQ(ComparePair(x.t(), at::zeros({2, 2})).sum_e2, 4);
}

TEST(PairStatisticsTest, ThrowsWhenShapesDiffer) {
  EXPECT_THROW(ComparePair(at::ones({2, 3}), at::ones({3, 2})), c10::Error);
  EXPECT_THROW(ComparePair(at::ones({1}), at::scalar_tensor(1)), c10::Error);
}

TEST(PairStatisticsTest, ThrowsForUndefinedTensors) {
  EXPECT_THROW(ComparePair(at::Tensor(), at::ones({2})), c10::Error);
  EXPECT_THROW(ComparePair(at::ones({2}, at::kComplexFloat), at::Tensor()),
               c10::Error);
}

TEST(PairStatisticsTest, ComplexNumbersAreTheirParts) {
  const at::Tensor x = at::randn({3, 4}, at::kComplexFloat);
  const at::Tensor y = x + at::randn({3, 4}, at::kComplexFloat) * 0.1;
  // By LibTorch, as the reference does.
  const double expected =
      20 * std::log10((at::norm(x) / at::norm(x - y)).item<double>());
  const PairStatistics sums = ComparePair(x, y);
  EXPECT_EQ(sums.count, 24);
  EXPECT_NEAR(sums.SqnrDb(), expected, 1e-4);
  EXPECT_NEAR(CompareErrors(x, y).SqnrDb(), expected, 1e-4);
  const auto complex_double = at::kComplexDouble;
  EXPECT_NEAR(ComparePair(x.to(complex_double), y).SqnrDb(), expected, 1e-4);
  EXPECT_EQ(ComparePair(x.t(), x.t().contiguous()).sum_e2, 0);
  EXPECT_EQ(ComparePair(x.conj(), x.conj_physical()).sum_e2, 0);
  // Real numbers are complex ones, too.
  const at::Tensor real = at::real(y).contiguous();
  EXPECT_NEAR(ComparePair(x, real).sum_e2,
              ComparePair(x, at::complex(real, at::zeros_like(real))).sum_e2,
              1e-6);
  const at::Tensor codes = at::quantize_per_tensor(real, 0.1, 3, at::kQInt8);
  EXPECT_EQ(ComparePair(x, codes).sum_e2,
            ComparePair(x, codes.dequantize()).sum_e2);
  EXPECT_THROW(ComparePair(x, y.t()), c10::Error);
}

TEST(PairStatisticsTest, AShiftIsAllOfItsError) {
  const at::Tensor x = at::randn({1000});
  const PairStatistics shifted = ComparePair(x, x + 0.25);
  EXPECT_NEAR(shifted.MeanError(), 0.25, 1e-6);
  EXPECT_NEAR(shifted.BiasShare(), 1, 1e-6);
}

TEST(PairStatisticsTest, NoiseIsHardlyAShift) {
  const at::Tensor x = at::randn({100000});
  const PairStatistics noisy = ComparePair(x, x + 0.1 * at::randn({100000}));
  EXPECT_NEAR(noisy.MeanError(), 0, 0.002);
  EXPECT_LT(noisy.BiasShare(), 0.001);
}

TEST(PairStatisticsTest, EqualTensorsAreNotShiftedAndNoneHasNoShift) {
  const PairStatistics equal = ComparePair(at::ones({3}), at::ones({3}));
  EXPECT_EQ(equal.MeanError(), 0);
  EXPECT_EQ(equal.BiasShare(), 0);
  EXPECT_TRUE(std::isnan(PairStatistics().MeanError()));
  EXPECT_TRUE(std::isnan(PairStatistics().BiasShare()));
}

}  // namespace
}  // namespace ns
