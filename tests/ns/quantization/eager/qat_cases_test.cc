// Trains models with fake quantization, and compares gradients, parameters and
// quantized models with Python's (tests/models/qat_cases.py).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/optim/sgd.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ns/batches/batches.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/prepare_and_convert.h"
#include "ns/quantization/eager/qat_switches.h"
#include "ns/quantization/model/quantized_engine.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/eager/module_state.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kFolder[] = "tests/models/qat_cases/";
// From this step on, statistics and ranges stay as they are.
constexpr size_t kFrozen = 3;

// A line of qat_cases.txt.
struct Case {
  std::string name;
  int version = 0;
  std::vector<std::vector<std::string>> chains;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  std::ifstream file(absl::StrCat(kFolder, "qat_cases.txt"));
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    Case each = {words.at(0), words.at(1) == "1" ? 1 : 0, {}};
    if (words.at(2) != "-") {
      for (const absl::string_view chain : absl::StrSplit(words.at(2), ';')) {
        each.chains.push_back(absl::StrSplit(chain, ','));
      }
    }
    cases.push_back(each);
  }
  return cases;
}

using Tensors = std::map<std::string, at::Tensor>;

// The greatest difference of two tensors, in parts of the greatest value.
double Distance(const at::Tensor& ours, const at::Tensor& theirs) {
  return ((ours - theirs).abs().max() / theirs.abs().max().clamp_min(1e-3))
      .item<double>();
}

class QatCasesTest : public ::testing::TestWithParam<Case> {
 protected:
  // Python has trained with one thread: others add in another order.
  QatCasesTest() { at::set_num_threads(1); }

  static std::string PathOf(absl::string_view file) {
    return absl::StrCat(kFolder, GetParam().name, "_", file, ".pt");
  }

  // Those in a file of one dict, by name.
  static Tensors TensorsIn(absl::string_view file) {
    Tensors tensors;
    const std::vector<Batch> batches = OrThrow(LoadBatches(PathOf(file)));
    for (const auto& entry : batches.at(0).arguments.at(0).toGenericDict()) {
      tensors[entry.key().toStringRef()] = entry.value().toTensor();
    }
    return tensors;
  }

  static Module Prepared() {
    FuseModulesOptions fuse;
    fuse.qat = true;
    const Module fused = OrThrow(FuseModules(
        OrThrow(LoadModule(PathOf("float"))), GetParam().chains, fuse));
    const QConfig qconfig = Compatible(
        OrThrow(GetDefaultQatQConfig(Backend::kFbgemm, GetParam().version)));
    return OrThrow(PrepareQat(fused, {{"", qconfig}}));
  }

  // Trains for as many steps as there are batches, or for one.
  void Train(Module& model, bool one_step = false) const {
    torch::optim::SGD optimizer(Parameters(model),
                                torch::optim::SGDOptions(0.05).momentum(0.9));
    for (size_t i = 0; i < (one_step ? 1 : batches_.size()); ++i) {
      if (i == kFrozen) {
        DisableObserver(model);
        FreezeBnStats(model);
      }
      optimizer.zero_grad();
      const at::Tensor target = batches_[i].arguments[1].toTensor();
      const at::Tensor loss =
          (OutputOf(model, Input(i)) - target).square().mean();
      loss.backward();
      optimizer.step();
    }
  }

  Batch Input(size_t step) const {
    return {{batches_[step].arguments[0]}, {}, ""};
  }

  static std::vector<at::Tensor> Parameters(const Module& model) {
    std::vector<at::Tensor> parameters;
    for (const at::Tensor& parameter : model.parameters()) {
      parameters.push_back(parameter);
    }
    return parameters;
  }

  const ScopedEngine engine_{at::kONEDNN};
  const std::vector<Batch> batches_ = OrThrow(LoadBatches(PathOf("inputs")));
};

TEST_P(QatCasesTest, GradientsAreThoseOfPython) {
  Module model = Prepared();
  Train(model, /*one_step=*/true);
  Tensors theirs = TensorsIn("gradients");
  EXPECT_FALSE(theirs.empty());
  for (const auto& parameter : model.named_parameters()) {
    ASSERT_TRUE(theirs.count(parameter.name) != 0) << parameter.name;
    EXPECT_LT(Distance(parameter.value.grad(), theirs[parameter.name]), 1e-5)
        << parameter.name;
    theirs.erase(parameter.name);
  }
  EXPECT_TRUE(theirs.empty()) << theirs.begin()->first;
}

TEST_P(QatCasesTest, FiveStepsOfTrainingAreThoseOfPython) {
  Module model = Prepared();
  Train(model);
  Tensors ours;
  for (const auto& parameter : model.named_parameters()) {
    ours[parameter.name] = parameter.value.detach();
  }
  for (const auto& buffer : model.named_buffers()) {
    ours[buffer.name] = buffer.value;
  }
  for (const auto& [name, theirs] : TensorsIn("trained")) {
    ASSERT_TRUE(ours.count(name) != 0) << name;
    EXPECT_LT(Distance(ours[name].to(at::kDouble), theirs.to(at::kDouble)),
              1e-5)
        << name;
    ours.erase(name);
  }
  EXPECT_TRUE(ours.empty()) << ours.begin()->first;
}

// Parameters may differ in their last bits; with Python's own, what comes out
// is the same to the bit.
TEST_P(QatCasesTest, WhatWasTrainedConvertsAsInPython) {
  Module model = Prepared();
  Train(model);
  const Tensors trained = TensorsIn("trained");
  for (const auto& parameter : model.named_parameters()) {
    const at::NoGradGuard no_grad;
    parameter.value.detach().copy_(trained.at(parameter.name));
  }
  for (const auto& buffer : model.named_buffers()) {
    buffer.value.copy_(trained.at(buffer.name));
  }
  const Module quantized = OrThrow(Convert(model));
  EXPECT_EQ(DifferenceOf(quantized, OrThrow(LoadModule(PathOf("quantized")))),
            "");
  const std::vector<Batch> outputs = OrThrow(LoadBatches(PathOf("outputs")));
  ASSERT_EQ(outputs.size(), batches_.size());
  for (size_t i = 0; i < batches_.size(); ++i) {
    EXPECT_TRUE(OutputOf(quantized, Input(i))
                    .equal(outputs[i].arguments[0].toTensor()));
  }
}

INSTANTIATE_TEST_SUITE_P(, QatCasesTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ns
