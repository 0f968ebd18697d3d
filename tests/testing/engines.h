// Runs tests once on each of the quantized engines onednn and qnnpack that this
// LibTorch has.
#ifndef TESTS_TESTING_ENGINES_H_
#define TESTS_TESTING_ENGINES_H_

#include <ATen/Context.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ns {

// A test on one engine. Restores the engine that was set before.
//
//   using MyTest = EngineTest;
//   TEST_P(MyTest, Works) { ... }
//   NS_INSTANTIATE_ON_ENGINES(MyTest);
class EngineTest : public ::testing::TestWithParam<at::QEngine> {
 protected:
  EngineTest() : before_(at::globalContext().qEngine()) {
    at::globalContext().setQEngine(GetParam());
  }
  ~EngineTest() override { at::globalContext().setQEngine(before_); }

 private:
  const at::QEngine before_;
};

// Returns which of onednn and qnnpack this LibTorch has.
inline std::vector<at::QEngine> TestedEngines() {
  std::vector<at::QEngine> engines;
  for (const at::QEngine engine : {at::kONEDNN, at::kQNNPACK}) {
    const auto& supported = at::globalContext().supportedQEngines();
    if (std::find(supported.begin(), supported.end(), engine) !=
        supported.end()) {
      engines.push_back(engine);
    }
  }
  return engines;
}

inline std::string EngineName(
    const ::testing::TestParamInfo<at::QEngine>& info) {
  return info.param == at::kONEDNN ? "onednn" : "qnnpack";
}

}  // namespace ns

#define NS_INSTANTIATE_ON_ENGINES(suite) \
  INSTANTIATE_TEST_SUITE_P(              \
      , suite, ::testing::ValuesIn(::ns::TestedEngines()), ::ns::EngineName)

#endif  // TESTS_TESTING_ENGINES_H_
