#include "passes/runtime/statistics/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/base/byte_stream.h"
#include "llvm/ADT/APInt.h"

namespace ns {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();
// Holds 2^100 of the largest doubles, in units of kTiny, with a sign.
constexpr unsigned kBits = 2304;

uint64_t BitsOf(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

std::string Saved(const ExactSum& sum) {
  ByteWriter writer;
  sum.Save(writer);
  return writer.Take();
}

ExactSum SumOf(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) {
    sum.Add(value);
  }
  return sum;
}

// The value in units of kTiny.
llvm::APInt InUnits(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 + 1074;
  llvm::APInt units(kBits, mantissa);
  units = shift >= 0 ? units.shl(shift) : units.lshr(-shift);
  return value < 0 ? -units : units;
}

// Checks that `value` is `exact`, in units of kTiny, to the nearest double, and
// the even one of two.
void ExpectNearest(const llvm::APInt& exact, double value) {
  ASSERT_TRUE(std::isfinite(value));
  const llvm::APInt error = (exact - InUnits(value)).abs();
  for (const double towards : {-kInf, kInf}) {
    const double next = std::nextafter(value, towards);
    if (!std::isfinite(next)) {
      continue;
    }
    const llvm::APInt of_next = (exact - InUnits(next)).abs();
    EXPECT_TRUE(error.sle(of_next)) << value;
    if (error == of_next) {
      EXPECT_EQ(BitsOf(value) % 2, 0) << value;
    }
  }
}

// A double with any exponent of a range, and either sign.
double AnyDouble(std::mt19937_64& random, int least, int most) {
  const double mantissa = std::ldexp(static_cast<double>(random() >> 11), -53);
  const int exponent = std::uniform_int_distribution<int>(least, most)(random);
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent);
}

TEST(ExactSumTest, EmptySumIsPositiveZero) {
  EXPECT_EQ(BitsOf(ExactSum().Value()), 0);
  EXPECT_EQ(BitsOf(SumOf({-0.0, 0.0, -0.0}).Value()), 0);
  EXPECT_EQ(BitsOf(SumOf({1e300, -1e300}).Value()), 0);
}

TEST(ExactSumTest, SingleValueKeepsItsBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = AnyDouble(random, -1080, 1024);
    if (value != 0) {
      EXPECT_EQ(BitsOf(SumOf({value}).Value()), BitsOf(value)) << value;
    }
  }
  for (const double value :
       {kTiny, -kTiny, kMax, -kMax, std::numeric_limits<double>::min()}) {
    EXPECT_EQ(SumOf({value}).Value(), value);
  }
}

TEST(ExactSumTest, SmallValuesAreNotLostBesideLargeOnes) {
  EXPECT_EQ(SumOf({1e300, kTiny, -1e300}).Value(), kTiny);
  EXPECT_EQ(SumOf({1, 1e100, 1, -1e100}).Value(), 2);
}

TEST(ExactSumTest, TiesRoundToEven) {
  const double ulp = std::numeric_limits<double>::epsilon();
  EXPECT_EQ(SumOf({1, ulp / 2}).Value(), 1);
  EXPECT_EQ(SumOf({1 + ulp, ulp / 2}).Value(), 1 + 2 * ulp);
  EXPECT_EQ(SumOf({1, ulp / 2, kTiny}).Value(), 1 + ulp);
  EXPECT_EQ(SumOf({1, ulp / 2, -kTiny}).Value(), 1);
  EXPECT_EQ(SumOf({-1, -ulp / 2, -kTiny}).Value(), -1 - ulp);
  // All ones: rounding carries into the next power of two.
  EXPECT_EQ(SumOf({2 - ulp, ulp / 2}).Value(), 2);
}

TEST(ExactSumTest, OnlyTheWholeSumOverflows) {
  EXPECT_EQ(SumOf({kMax, kMax, -kMax}).Value(), kMax);
  EXPECT_EQ(SumOf({kMax, kMax}).Value(), kInf);
  EXPECT_EQ(SumOf({-kMax, -kMax}).Value(), -kInf);
  // The largest double and a half of its last digit round up.
  EXPECT_EQ(SumOf({kMax, std::ldexp(1.0, 970)}).Value(), kInf);
  EXPECT_EQ(SumOf({kMax, std::ldexp(1.0, 970), -kTiny}).Value(), kMax);
}

TEST(ExactSumTest, InfinitiesAndNan) {
  EXPECT_EQ(SumOf({1, kInf, -kMax}).Value(), kInf);
  EXPECT_EQ(SumOf({-kInf, 3}).Value(), -kInf);
  EXPECT_TRUE(std::isnan(SumOf({kInf, -kInf}).Value()));
  EXPECT_TRUE(std::isnan(SumOf({std::nan(""), kInf}).Value()));
  ExactSum sum = SumOf({2});
  sum.Merge(SumOf({-kInf}));
  EXPECT_EQ(sum.Value(), -kInf);
}

TEST(ExactSumTest, IsNearestDoubleForAnyExponents) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    // Narrow ranges make ties and cancellations, wide ones long numbers.
    const int least = -1080 + static_cast<int>(random() % 2000);
    const int most =
        std::min(1018, least + static_cast<int>(random() % (round + 1)));
    ExactSum sum;
    llvm::APInt exact(kBits, 0);
    const int count = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < count; ++i) {
      const double value = AnyDouble(random, std::min(least, most), most);
      sum.Add(value);
      exact += InUnits(value);
    }
    ExpectNearest(exact, sum.Value());
  }
}

TEST(ExactSumTest, EqualsSumOf113BitsWhereThatIsExact) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    ExactSum sum;
    __float128 exact = 0;
    for (int i = 0; i < 100; ++i) {
      const double value = AnyDouble(random, 0, 40);
      sum.Add(value);
      exact += value;
    }
    EXPECT_EQ(BitsOf(sum.Value()), BitsOf(static_cast<double>(exact)));
  }
}

TEST(ExactSumTest, OrderAndSplitDoNotMatter) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values(1 + random() % 100);
    for (double& value : values) {
      value = AnyDouble(random, -1080, 1018);
    }
    const ExactSum whole = SumOf(values);
    std::shuffle(values.begin(), values.end(), random);
    std::vector<ExactSum> parts(1 + random() % 8);
    for (const double value : values) {
      parts[random() % parts.size()].Add(value);
    }
    ExactSum merged;
    for (const ExactSum& part : parts) {
      merged.Merge(part);
    }
    EXPECT_EQ(BitsOf(merged.Value()), BitsOf(whole.Value()));
    EXPECT_EQ(Saved(merged), Saved(whole));
  }
}

TEST(ExactSumTest, SavesAndLoads) {
  std::mt19937_64 random(5);
  ExactSum sum = SumOf({kInf, std::nan("")});
  for (int i = 0; i < 50; ++i) {
    const std::string bytes = Saved(sum);
    ByteReader reader(bytes);
    const ExactSum loaded = ExactSum::Load(reader);
    EXPECT_TRUE(reader.AtEnd());
    EXPECT_EQ(Saved(loaded), bytes);
    EXPECT_EQ(std::isnan(loaded.Value()), std::isnan(sum.Value()));
    sum = i == 0 ? ExactSum() : sum;
    sum.Add(AnyDouble(random, -1080, 1018));
  }
}

TEST(ExactSumTest, RefusesLimbsThatNoDoubleReaches) {
  for (const int64_t lowest : {-1, 35, 1 << 30}) {
    ByteWriter writer;
    writer.Integer(0);
    writer.Integer(1);
    writer.Integer(lowest);
    writer.Word(1);
    writer.Integer(0);
    ByteReader reader(writer.bytes());
    ExactSum::Load(reader);
    EXPECT_FALSE(reader.ok()) << lowest;
  }
}

}  // namespace
}  // namespace ns
