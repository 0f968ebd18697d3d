#include "passes/kernels/elementwise/clamp.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class ClampTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, ClampTest, testing::ValuesIn(SupportedIsas()),
                         NameOfIsa);

template <typename Code>
std::vector<Code> Clamped(const std::vector<Code>& codes, Code min, Code max,
                          int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(codes.size());
  const ExactArray<Code> in(codes, offset);
  ExactArray<Code> out(count, offset);
  ClampValues(in.data(), count, min, max, out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

template <typename Code>
std::vector<Code> Expected(std::vector<Code> codes, Code min, Code max) {
  for (Code& code : codes) {
    code = std::min(std::max(code, min), max);
  }
  return codes;
}

template <typename Code>
void ExpectClampedByAll(const std::vector<int>& bounds) {
  for (const int min : bounds) {
    for (const int max : bounds) {
      ASSERT_EQ(Clamped<Code>(AllCodes<Code>(), min, max),
                Expected<Code>(AllCodes<Code>(), min, max))
          << min << " " << max;
    }
  }
}

TEST_P(ClampTest, ClampsAllCodesAlsoWhenBoundsAreCrossed) {
  ExpectClampedByAll<uint8_t>({0, 1, 127, 128, 200, 255});
  ExpectClampedByAll<int8_t>({-128, -1, 0, 1, 100, 127});
}

TEST_P(ClampTest, TakesAnySizeAndAlignment) {
  std::mt19937 random(1);
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const std::vector<uint8_t> codes = RandomCodes<uint8_t>(size, random);
    ASSERT_EQ(
        Clamped<uint8_t>(codes, 30, 180, static_cast<int64_t>(random() % 70)),
        Expected<uint8_t>(codes, 30, 180));
  }
}

TEST_P(ClampTest, WorksInPlaceAndInAnyOrder) {
  std::mt19937 random(2);
  const std::vector<uint8_t> codes = RandomCodes<uint8_t>(200003, random);
  std::vector<uint8_t> out = codes;
  ClampValues(out.data(), 200003, uint8_t{30}, uint8_t{180}, out.data(),
              Backwards);
  EXPECT_EQ(out, Expected<uint8_t>(codes, 30, 180));
}

}  // namespace
}  // namespace ns::kernels
