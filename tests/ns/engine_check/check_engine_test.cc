#include "ns/engine_check/check_engine.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/compare/engines.h"
#include "ns/engine_check/engine_case.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Ops with one fault each. Only the processes that CheckCases starts call them.
at::Tensor Right(const at::Tensor& x) { return at::mul(x, 2); }

at::Tensor Wrong(const at::Tensor& x) {
  return x.dim() == 2 ? Right(x) : at::mul(x, 3);
}

at::Tensor Varies(const at::Tensor& x) {
  static int calls = 0;
  return at::add(Right(x), 1e-6 * ++calls);
}

at::Tensor VariesOnThreads(const at::Tensor& x) {
  return at::get_num_threads() > 1 ? Varies(x) : Right(x);
}

at::Tensor Overruns(const at::Tensor& x) {
  at::Tensor y = Right(x);
  static_cast<char*>(y.data_ptr())[y.nbytes() + 5] = 0;
  return y;
}

at::Tensor Crashes(const at::Tensor& x) {
  if (x.dim() == 1) {
    std::abort();
  }
  return Right(x);
}

at::Tensor Refuses(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 2, "only matrices");
  return Right(x);
}

at::Tensor FailsLater(const at::Tensor& x) {
  static std::map<int64_t, int> calls;
  TORCH_CHECK(++calls[x.dim()] % 2 == 1, "every second call");
  return Right(x);
}

TORCH_LIBRARY(check_engine_test, m) {
  m.def("right", Right);
  m.def("wrong", Wrong);
  m.def("varies", Varies);
  m.def("varies_on_threads", VariesOnThreads);
  m.def("overruns", Overruns);
  m.def("crashes", Crashes);
  m.def("refuses", Refuses);
  m.def("fails_later", FailsLater);
}

// Calls of one op, on a vector and on a matrix.
std::vector<EngineCase> CasesOf(const std::string& op) {
  std::vector<EngineCase> cases;
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{40}, std::vector<int64_t>{4, 5}}) {
    EngineCase one;
    one.op = "check_engine_test::" + op;
    one.traits = {"any", shape.size() == 1 ? "a vector" : "a matrix"};
    one.tensors = {{"x", CaseTensor::Kind::kFloat, shape}};
    one.call = {"y = torch.ops.check_engine_test." + op + "(x)"};
    one.reference = {"z = x * 2"};
    cases.push_back(one);
  }
  return cases;
}

EngineCheck Check(const std::vector<std::string>& ops) {
  std::vector<EngineCase> cases;
  for (const std::string& op : ops) {
    const std::vector<EngineCase> more = CasesOf(op);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  EngineCheckOptions options;
  options.engine = AvailableEngines().front();
  options.quick = true;
  return OrThrow(CheckCases(cases, options));
}

// Checks the one op `op`, and expects one fault.
EngineFault FaultOf(const std::string& op) {
  const EngineCheck check = Check({op});
  EXPECT_EQ(check.faults.size(), 1);
  return check.faults.empty() ? EngineFault() : check.faults[0];
}

TEST(CheckEngineTest, RightOpsHaveNoFault) {
  const EngineCheck check = Check({"right"});
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.ops, 1);
  EXPECT_EQ(check.cases, 2);
}

TEST(CheckEngineTest, WrongValuesAreFound) {
  const EngineFault fault = FaultOf("wrong");
  EXPECT_EQ(fault.kind, EngineFaultKind::kWrong);
  EXPECT_EQ(fault.faulty_cases, 1);
  EXPECT_EQ(fault.cases, 2);
  // x is off where 2 x has 127 steps.
  EXPECT_NEAR(fault.steps, 63.5, 0.1);
  EXPECT_GT(fault.share, 0.5);
  EXPECT_THAT(fault.traits, ElementsAre("a vector"));
  EXPECT_FALSE(fault.needs_threads);
  EXPECT_FALSE(fault.is_avoided);
  EXPECT_THAT(fault.reproduction, HasSubstr("torch.randn(40)"));
}

TEST(CheckEngineTest, EqualCallsWithOtherOutputsAreFound) {
  const EngineFault fault = FaultOf("varies");
  EXPECT_EQ(fault.kind, EngineFaultKind::kVaries);
  EXPECT_EQ(fault.faulty_cases, 2);
  EXPECT_EQ(fault.share, 0);
  EXPECT_THAT(fault.traits, ElementsAre("any"));
  EXPECT_FALSE(fault.needs_threads);
}

TEST(CheckEngineTest, ErrorsOfSomeEqualCallsAreFound) {
  const EngineFault fault = FaultOf("fails_later");
  EXPECT_EQ(fault.kind, EngineFaultKind::kVaries);
  EXPECT_EQ(fault.faulty_cases, 2);
}

TEST(CheckEngineTest, FaultsOfSeveralThreadsAreToldApart) {
  const EngineFault fault = FaultOf("varies_on_threads");
  EXPECT_EQ(fault.kind, EngineFaultKind::kVaries);
  EXPECT_TRUE(fault.needs_threads);
}

TEST(CheckEngineTest, WritesBehindTheOutputAreFound) {
  const EngineFault fault = FaultOf("overruns");
  EXPECT_EQ(fault.kind, EngineFaultKind::kOverrun);
  EXPECT_EQ(fault.faulty_cases, 2);
}

TEST(CheckEngineTest, CrashesAreFaultsAndOtherCasesGoOn) {
  const EngineCheck check = Check({"crashes", "right"});
  ASSERT_EQ(check.faults.size(), 1);
  EXPECT_EQ(check.faults[0].kind, EngineFaultKind::kCrash);
  EXPECT_EQ(check.faults[0].faulty_cases, 1);
  EXPECT_THAT(check.faults[0].traits, ElementsAre("a vector"));
  EXPECT_EQ(check.ops, 2);
  EXPECT_EQ(check.cases, 4);
}

TEST(CheckEngineTest, WhatTheEngineRefusesIsNoFault) {
  const EngineCheck check = Check({"refuses", "unknown"});
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.ops, 1);
  EXPECT_EQ(check.cases, 1);
  EXPECT_EQ(check.refused_cases, 3);
  EXPECT_THAT(check.refused_ops, ElementsAre("check_engine_test::unknown"));
}

EngineCheck CheckQuickly(const std::string& engine) {
  EngineCheckOptions options;
  options.engine = engine;
  options.quick = true;
  return OrThrow(CheckEngine(options));
}

TEST(CheckEngineTest, KernelsOfNsHaveNoFault) {
  const EngineCheck check = CheckQuickly("ns");
  for (const EngineFault& fault : check.faults) {
    ADD_FAILURE() << fault.op << " " << EngineFaultName(fault.kind);
  }
  EXPECT_GT(check.ops, 20);
}

// Known faults of LibTorch 1, whatever the processor.
TEST(CheckEngineTest, KnownFaultsOfQnnpackAreFound) {
  if (TORCH_VERSION_MAJOR > 1) {
    GTEST_SKIP() << "faults of LibTorch 1";
  }
  const EngineCheck check = CheckQuickly("qnnpack");
  const auto fault = std::find_if(
      check.faults.begin(), check.faults.end(),
      [](const EngineFault& one) { return one.op == "aten::hardtanh"; });
  ASSERT_NE(fault, check.faults.end());
  EXPECT_EQ(fault->kind, EngineFaultKind::kWrong);
  EXPECT_THAT(fault->traits, Contains("channels-last"));
  EXPECT_FALSE(fault->is_avoided);
}

TEST(CheckEngineTest, KnownFaultsOfOneDnnAreFound) {
  if (TORCH_VERSION_MAJOR > 1) {
    GTEST_SKIP() << "faults of LibTorch 1";
  }
  const EngineCheck check = CheckQuickly("onednn");
  // Kept for one call, what was prepared serves the next convolution still.
  std::vector<std::pair<bool, std::vector<std::string>>> found;
  for (const EngineFault& fault : check.faults) {
    if (fault.op == "quantized::conv2d" &&
        fault.kind == EngineFaultKind::kWrong) {
      found.emplace_back(fault.is_avoided, fault.traits);
    }
  }
  const std::string same_ratio =
      "it comes after a layer with the same ratio of scales";
  EXPECT_THAT(
      found,
      UnorderedElementsAre(
          Pair(false, ElementsAre(same_ratio, "no layer is between")),
          Pair(true, ElementsAre(same_ratio, "another layer is between"))));
}

}  // namespace
}  // namespace ns
