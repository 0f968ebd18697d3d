#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::SizeIs;

torch::jit::Module SmallModel(double scale, const std::string& op) {
  return MakeModel(
      {{"block", MakeModule("Block",
                            "def forward(self, x: Tensor) -> Tensor:\n"
                            "    return torch." +
                                op + "(x * self.scale)\n",
                            {{"scale", scale}})}},
      {"x = self.block.forward(torch.sigmoid(x))",
       "return self.block.forward(x)"});
}

TEST_F(PairModelsTest, ClassesMayHaveTheSameName) {
  Paired models(ModelOfModule(SmallModel(2, "tanh"), {"Block"}),
                ModelOfModule(SmallModel(3, "relu"), {"Block"}), All());
  models.ExpectSameAsAlone({x_});
  const at::Tensor s = x_.sigmoid();
  ExpectCompared(models.Activation("block"), {(s * 2).tanh()},
                 {(s * 3).relu()});
  ExpectCompared(models.Shadow("block"), {(s * 2).tanh()}, {(s * 3).relu()});
}

TEST_F(PairModelsTest, SavedPairRunsAndHasItsComparers) {
  for (const bool leaves : {false, true}) {
    const std::vector<std::string> names =
        leaves ? std::vector<std::string>{"Block"} : std::vector<std::string>();
    Paired models(ModelOfModule(SmallModel(2, "tanh"), names),
                  ModelOfModule(SmallModel(3, "tanh"), names), All());
    const auto expected = models.Run({x_}, {x_});
    const std::string path = TemporaryPath(absl::StrCat("pair", leaves, ".pt"));
    NS_ASSERT_OK(models.pair.model.Save(path));
    torch::jit::Module loaded = OrThrow(LoadModule(path));
    const c10::IValue results = loaded.forward(models.Arguments({x_}, {x_}));
    ExpectEqualValues(results.toTupleRef().elements()[0], expected.first);
    ExpectEqualValues(results.toTupleRef().elements()[1], expected.second);
    const auto comparer =
        loaded.attr("ns_comparer_0").toCustomClass<PairComparer>();
    comparer->EndBatch();
    EXPECT_THAT(comparer->record().batches, SizeIs(2));
  }
}

TEST_F(PairModelsTest, SavedPairOfQuantizedModelRuns) {
  const at::Tensor weight = at::randn({4, 3, 3, 3});
  for (const bool exact : {false, true}) {
    PairPlan plan = All();
    plan.exact = exact;
    Paired models(
        ModelOfModule(MakeModel(
            {{"conv", Conv2d(weight)}, {"relu", Relu()}},
            {"x = self.conv.forward(x)", "return self.relu.forward(x)"})),
        ModelOfModule(
            MakeModel({{"quant", Quantize()},
                       {"conv", QuantizedConv2d(weight, true)},
                       {"dequant", DeQuantize()}},
                      {"x = self.quant.forward(x)", "x = self.conv.forward(x)",
                       "return self.dequant.forward(x)"})),
        plan);
    const at::Tensor x = at::randn({2, 3, 8, 8});
    const auto expected = models.Run({x}, {x});
    const std::string path = TemporaryPath(absl::StrCat("conv", exact, ".pt"));
    NS_ASSERT_OK(models.pair.model.Save(path));
    torch::jit::Module loaded = OrThrow(LoadModule(path));
    const c10::IValue results = loaded.forward({x});
    EXPECT_TRUE(results.toTupleRef().elements()[0].toTensor().allclose(
        expected.first.toTensor(), 1e-4, 1e-5));
    ExpectEqualValues(results.toTupleRef().elements()[1], expected.second);
  }
}

// A model that counts its runs and adds up what it computes.
ModelGraph CountingModel(int64_t start) {
  return ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    self.n += 1\n"
      "    self.sum = self.sum + torch.sigmoid(x)\n"
      "    return self.sum * self.n\n",
      {{"n", start}, {"sum", at::zeros({2, 4})}});
}

TEST_F(PairModelsTest, EachModelHasItsState) {
  Paired models(CountingModel(1), CountingModel(10), All());
  const auto first = models.Run({x_}, {x_});
  const at::Tensor s = x_.sigmoid();
  ExpectEqualValues(first.first, s * 2);
  ExpectEqualValues(first.second, s * 11);
  const auto second = models.Run({x_}, {x_});
  ExpectEqualValues(second.first, (s + s) * 3);
  ExpectEqualValues(second.second, (s + s) * 12);
}

TEST_F(PairModelsTest, AttributesThatAModelWritesAreSharedWithIt) {
  Paired models(CountingModel(1), CountingModel(10), All());
  models.Run({x_}, {x_});
  EXPECT_EQ(models.a.module().attr("n").toInt(), 2);
  EXPECT_EQ(models.b.module().attr("n").toInt(), 11);
}

}  // namespace
}  // namespace ns
