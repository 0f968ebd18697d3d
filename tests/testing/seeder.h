// Gives every test the same random data in every run.
#ifndef TESTS_TESTING_SEEDER_H_
#define TESTS_TESTING_SEEDER_H_

#include <ATen/Context.h>

#include <cstdint>

#include "gtest/gtest.h"

namespace ns {

// Seeds LibTorch's default generator, which otherwise has another seed in each
// process: before GoogleTest constructs the fixture of a test, so that a
// fixture's members may be drawn where they are declared, and before
// SetUpTestSuite. What one test draws does not change what the next one gets.
//
// A fixture that seeds the generator once more with the same number draws the
// same numbers twice: inputs that are equal to the weights, for instance.
class Seeder final : public ::testing::EmptyTestEventListener {
 public:
  static constexpr uint64_t kSeed = 1;

  void OnTestSuiteStart(const ::testing::TestSuite& /*suite*/) override {
    at::manual_seed(kSeed);
  }
  void OnTestStart(const ::testing::TestInfo& /*test*/) override {
    at::manual_seed(kSeed);
  }
};

}  // namespace ns

#endif  // TESTS_TESTING_SEEDER_H_
