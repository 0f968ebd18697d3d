#include <ATen/Functions.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/pair/pair_models.h"
#include "tests/testing/paired.h"

namespace ns {
namespace {

using ::testing::SizeIs;

// How many values of ns_test::watch live when it is called.
class Watch {
 public:
  static at::Tensor Run(const at::Tensor& x) {
    at::Tensor y = x.clone();
    auto& watched = Watched();
    watched.erase(
        std::remove_if(watched.begin(), watched.end(),
                       [](const Weak& weak) { return weak.expired(); }),
        watched.end());
    watched.emplace_back(y.getIntrusivePtr());
    Most() = std::max(Most(), watched.size());
    return y;
  }
  static size_t& Most() {
    static size_t most = 0;
    return most;
  }

 private:
  using Weak =
      c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;
  static std::vector<Weak>& Watched() {
    static auto* const kWatched = new std::vector<Weak>;
    return *kWatched;
  }
};

const torch::jit::RegisterOperators kWatch({torch::jit::Operator(
    "ns_test::watch(Tensor x) -> Tensor",
    [](torch::jit::Stack& stack) {
      stack.back() = Watch::Run(stack.back().toTensor());
    },
    c10::AliasAnalysisKind::FROM_SCHEMA)});

TEST_F(PairModelsTest, ValuesDieEarly) {
  std::string text = "graph(%x0 : Tensor):\n";
  constexpr int kLayers = 30;
  for (int i = 0; i < kLayers; ++i) {
    absl::StrAppend(&text, "  %w", i, " : Tensor = ns_test::watch(%x", i,
                    ")\n  %x", i + 1, " : Tensor = aten::sigmoid(%w", i, ")\n");
  }
  absl::StrAppend(&text, "  return (%x", kLayers, ")");
  for (const PairPlan& plan : {Activations(), All()}) {
    Paired models(text, text, plan);
    ASSERT_THAT(models.matches.matches, SizeIs(2 * kLayers));
    Watch::Most() = 0;
    models.Run({x_}, {x_});
    // One of each model, and a shadow.
    EXPECT_LE(Watch::Most(), plan.shadows ? 3 : 2);
  }
}

}  // namespace
}  // namespace ns
