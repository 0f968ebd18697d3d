#include "passes/kernels/isa.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

constexpr Isa kAll[] = {Isa::kScalar, Isa::kAvx2,       Isa::kAvxVnni,
                        Isa::kAvx512, Isa::kAvx512Vnni, Isa::kAmx};

TEST(IsaTest, FindsEachByItsName) {
  for (const Isa isa : kAll) {
    EXPECT_EQ(FindIsa(IsaName(isa)), isa);
  }
  EXPECT_EQ(FindIsa("avx"), std::nullopt);
  EXPECT_EQ(FindIsa(""), std::nullopt);
}

TEST(IsaTest, SupportedOnesAreInOrderAndBeginWithScalar) {
  const std::vector<Isa> supported = SupportedIsas();
  ASSERT_FALSE(supported.empty());
  EXPECT_EQ(supported.front(), Isa::kScalar);
  for (size_t i = 1; i < supported.size(); ++i) {
    EXPECT_LT(supported[i - 1], supported[i]);
  }
  for (const Isa isa : supported) {
    EXPECT_TRUE(IsSupported(isa));
  }
}

TEST(IsaTest, EachOneNeedsThoseItIsMadeOf) {
  if (IsSupported(Isa::kAmx)) {
    EXPECT_TRUE(IsSupported(Isa::kAvx512Vnni));
  }
  if (IsSupported(Isa::kAvx512Vnni)) {
    EXPECT_TRUE(IsSupported(Isa::kAvx512));
  }
  if (IsSupported(Isa::kAvx512) || IsSupported(Isa::kAvxVnni)) {
    EXPECT_TRUE(IsSupported(Isa::kAvx2));
  }
}

TEST(IsaTest, TheFastestUpToASupportedOneIsThatOne) {
  for (const Isa isa : SupportedIsas()) {
    EXPECT_EQ(FastestIsa(isa), isa);
  }
  EXPECT_EQ(FastestIsa(Isa::kAmx), SupportedIsas().back());
}

TEST(IsaTableTest, GivesTheReferenceWhereNoRowIsBelow) {
  constexpr IsaTable<const char*> kTable = {{Isa::kAvx512, "avx512"}};
  EXPECT_EQ(kTable.For(Isa::kScalar), nullptr);
  EXPECT_EQ(kTable.For(Isa::kAvx2), nullptr);
  EXPECT_EQ(kTable.For(Isa::kAvxVnni), nullptr);
}

TEST(IsaTableTest, GivesWhatIsBelowWhereThereIsNoRow) {
  constexpr IsaTable<int> kTable = {
      {Isa::kScalar, 1}, {Isa::kAvx2, 2}, {Isa::kAvx512Vnni, 3}};
  EXPECT_EQ(kTable.For(Isa::kScalar), 1);
  EXPECT_EQ(kTable.For(Isa::kAvxVnni), 2);
  EXPECT_EQ(kTable.For(Isa::kAvx512), 2);
  EXPECT_EQ(kTable.For(Isa::kAvx512Vnni), 3);
  EXPECT_EQ(kTable.For(Isa::kAmx), 3);
}

TEST(IsaTableTest, NeverGivesAvxVnniToProcessorsThatMayLackIt) {
  constexpr IsaTable<int> kTable = {{Isa::kAvx2, 1}, {Isa::kAvxVnni, 2}};
  EXPECT_EQ(kTable.For(Isa::kAvx512), 1);
  EXPECT_EQ(kTable.For(Isa::kAmx), 1);
}

TEST(IsaTableTest, ChoosesByTheChosenInstructionSet) {
  constexpr IsaTable<int> kTable = {{Isa::kScalar, 1}, {Isa::kAvx2, 2}};
  for (const Isa isa : SupportedIsas()) {
    const ScopedIsa scoped(isa);
    EXPECT_EQ(kTable.Chosen(), isa == Isa::kScalar ? 1 : 2);
  }
}

TEST(ScopedIsaTest, ChoosesAnotherWhileItLives) {
  const Isa before = ChosenIsa();
  for (const Isa isa : SupportedIsas()) {
    const ScopedIsa scoped(isa);
    EXPECT_EQ(ChosenIsa(), isa);
    {
      const ScopedIsa inner(Isa::kScalar);
      EXPECT_EQ(ChosenIsa(), Isa::kScalar);
    }
    EXPECT_EQ(ChosenIsa(), isa);
  }
  EXPECT_EQ(ChosenIsa(), before);
}

}  // namespace
}  // namespace ns::kernels
