#include "passes/kernels/elementwise/look_up.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/elementwise/dequantize_formula.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class LookUpTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, LookUpTest, testing::ValuesIn(SupportedIsas()),
                         NameOfIsa);

LookUpTable RandomTable(std::mt19937& random) {
  LookUpTable table;
  for (uint8_t& code : table) {
    code = static_cast<uint8_t>(random());
  }
  return table;
}

std::vector<uint8_t> LookedUp(const std::vector<uint8_t>& codes,
                              const LookUpTable& table, int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(codes.size());
  const ExactArray<uint8_t> in(codes, offset);
  ExactArray<uint8_t> out(count, offset);
  LookUp(in.data(), count, table, out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

std::vector<uint8_t> Expected(std::vector<uint8_t> codes,
                              const LookUpTable& table) {
  for (uint8_t& code : codes) {
    code = table[code];
  }
  return codes;
}

TEST_P(LookUpTest, FindsEachCodeAtEachPlaceOfBlock) {
  std::mt19937 random(1);
  const LookUpTable table = RandomTable(random);
  for (int shift = 0; shift < 256; ++shift) {
    std::vector<uint8_t> codes;
    for (int i = 0; i < 256; ++i) {
      codes.push_back(static_cast<uint8_t>(i + shift));
    }
    ASSERT_EQ(LookedUp(codes, table), Expected(codes, table));
  }
}

TEST_P(LookUpTest, TakesAnySizeAndAlignment) {
  std::mt19937 random(2);
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const LookUpTable table = RandomTable(random);
    const std::vector<uint8_t> codes = RandomCodes<uint8_t>(size, random);
    ASSERT_EQ(LookedUp(codes, table, static_cast<int64_t>(random() % 70)),
              Expected(codes, table))
        << size;
  }
}

TEST_P(LookUpTest, WorksInPlaceAndInAnyOrder) {
  std::mt19937 random(3);
  const LookUpTable table = RandomTable(random);
  const std::vector<uint8_t> codes = RandomCodes<uint8_t>(200003, random);
  std::vector<uint8_t> out = codes;
  LookUp(out.data(), 200003, table, out.data(), Backwards);
  EXPECT_EQ(out, Expected(codes, table));
}

TEST_P(LookUpTest, TableHoldsCodesOfFunction) {
  const QParams in{0.05f, 100};
  const QParams out{0.1f, 3};
  for (const DequantizeFormula reading :
       {DequantizeFormula::kSubtract, DequantizeFormula::kFma}) {
    const LookUpTable table =
        MakeTable([](float x) { return x * x; }, in, out, reading);
    EXPECT_EQ(table[100], 3);
    EXPECT_EQ(table[140], 43);  // 2^2 / 0.1
    EXPECT_EQ(table[60], 43);
    EXPECT_EQ(table[255], 255);
  }
}

TEST_P(LookUpTest, TableReadsCodesAsAsked) {
  const QParams in{0.1f, 2};
  float read = 0;
  const auto keep = [&read](float x) { return read = x; };
  MakeTable(keep, in, in, DequantizeFormula::kSubtract);
  EXPECT_EQ(read, 0.1f * 253.0f);
  MakeTable(keep, in, in, DequantizeFormula::kFma);
  EXPECT_EQ(read, std::fma(0.1f, 255.0f, 0.1f * -2.0f));
}

TEST_P(LookUpTest, TableOfNothingButNansIsQuantized) {
  const LookUpTable table = MakeTable([](float) { return kNan; }, {1.0f, 0},
                                      {1.0f, 0}, DequantizeFormula::kFma);
  for (const uint8_t code : table) {
    EXPECT_EQ(code, 255);
  }
}

}  // namespace
}  // namespace ns::kernels
