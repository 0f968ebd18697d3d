// Runs the tests of a cc_test of //tools/bazel:cc.bzl, as gmock_main does, with
// the same random data in every run, and without faults of LibTorch's oneDNN.
#include <ATen/Context.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/onednn_faults.h"
#include "tests/testing/seeder.h"

int main(int argc, char** argv) {
  ns::AvoidOneDnnFaults();
  // Parameters of tests are made here.
  at::manual_seed(ns::Seeder::kSeed);
  ::testing::InitGoogleMock(&argc, argv);
  // The listeners own it.
  ::testing::UnitTest::GetInstance()->listeners().Append(new ns::Seeder);
  return RUN_ALL_TESTS();
}
