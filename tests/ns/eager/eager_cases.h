// The model pairs that tests/models/eager_cases.py makes.
#ifndef TESTS_NS_EAGER_EAGER_CASES_H_
#define TESTS_NS_EAGER_EAGER_CASES_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "ir/files/module_file.h"
#include "ns/batches/batches.h"
#include "ns/eager/logger_dict.h"
#include "tests/testing/engines.h"
#include "tests/testing/status.h"

namespace ns {

struct EagerCase {
  torch::jit::Module float_module;
  torch::jit::Module quantized_module;
  std::vector<Batch> batches;
};

// A test that runs on each quantized engine, with the models made for it.
class EagerCaseTest : public EngineTest {
 protected:
  EagerCase Load(const std::string& name) {
    const std::string engine = GetParam() == at::kONEDNN ? "onednn" : "qnnpack";
    const std::string stem = "tests/models/eager_cases/" + engine + "_" + name;
    return {OrThrow(LoadModule(stem + "_float.pt")),
            OrThrow(LoadModule(stem + "_quantized.pt")),
            OrThrow(LoadBatches(stem + "_inputs.pt"))};
  }

  static std::vector<std::string> Keys(const LoggerDict& dict) {
    std::vector<std::string> keys;
    for (const auto& [key, stats] : dict) {
      keys.push_back(key);
    }
    return keys;
  }

  // Fails the test unless every key has as many float as quantized tensors, at
  // least one, of the same shapes.
  static void ExpectShapesAgree(const LoggerDict& dict) {
    for (const auto& [key, stats] : dict) {
      const std::vector<at::Tensor>& x = stats.at(kFloatValues);
      const std::vector<at::Tensor>& y = stats.at(kQuantizedValues);
      EXPECT_FALSE(x.empty()) << key;
      ASSERT_EQ(x.size(), y.size()) << key;
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_EQ(x[i].sizes(), y[i].sizes()) << key;
      }
    }
  }
};

}  // namespace ns

#endif  // TESTS_NS_EAGER_EAGER_CASES_H_
