#include "tests/testing/seeder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

// What a test is to draw first.
at::Tensor FirstDraw() {
  return at::randn({3}, at::detail::createCPUGenerator(Seeder::kSeed));
}

at::Tensor Draw() { return at::randn({3}); }

class SeederTest : public ::testing::TestWithParam<at::Tensor> {
 protected:
  static void SetUpTestSuite() { of_suite_ = Draw(); }
  static void TearDownTestSuite() { of_suite_ = at::Tensor(); }

  static at::Tensor of_suite_;
  const at::Tensor member_ = Draw();
};

at::Tensor SeederTest::of_suite_;

// Two tests: the second one draws what the first one drew.
TEST_P(SeederTest, MembersOfTheFirstTestAreDrawnAfterTheSeed) {
  EXPECT_TRUE(member_.equal(FirstDraw()));
  EXPECT_TRUE(of_suite_.equal(FirstDraw()));
  EXPECT_FALSE(Draw().equal(member_));
  // Parameters are drawn before any test runs, for each test anew.
  EXPECT_TRUE(GetParam().equal(FirstDraw()));
}

TEST_P(SeederTest, MembersOfTheSecondTestAreDrawnAfterTheSeed) {
  EXPECT_TRUE(member_.equal(FirstDraw()));
}

INSTANTIATE_TEST_SUITE_P(, SeederTest, ::testing::Values(Draw()));

}  // namespace
}  // namespace ns
