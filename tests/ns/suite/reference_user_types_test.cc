// What PyTorch's tests claim of modules and functions of the user's, of ours:
// see the table in tests/README.md.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/flatten/inline_modules.h"
#include "ns/suite/numeric_suite.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_cases.h"
#include "tests/testing/results.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ModelGraph WithLeaves(const std::string& name, const std::string& stage,
                      const std::vector<std::string>& leaves) {
  ModelGraphOptions options;
  options.is_leaf = LeafTypes(leaves);
  return OrThrow(ModelGraph::FromModule(FxModule(name, stage), options));
}

LoggerOptions WithInputs() {
  LoggerOptions options;
  options.should_log_inputs = true;
  return options;
}

using ReferenceUserTypesTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(ReferenceUserTypesTest);

// As one op or looked into, its results are what they were, also from a file.
TEST_P(ReferenceUserTypesTest, ModuleWithTwoResultsIsLoggedAndSaved) {
  const std::vector<c10::IValue> inputs = FxInputs("opaque_pair");
  ModelGraph plain = FxModel("opaque_pair", "prepared");
  const auto expected = OrThrow(plain.Run(inputs)).toTuple();
  for (const std::vector<std::string>& leaves :
       {std::vector<std::string>{}, {"Pair"}}) {
    const ModelGraph prepared = WithLeaves("opaque_pair", "prepared", leaves);
    LoggedModels logged = OrThrow(AddLoggers("a", prepared, "b", prepared));
    EXPECT_THAT(AttachedLoggers(logged.b.module()),
                SizeIs(leaves.empty() ? 2 : 1));
    const std::string path = TemporaryPath("logged.pt");
    NS_ASSERT_OK(logged.b.Save(path));
    torch::jit::Module loaded = OrThrow(LoadModule(path));
    const auto outputs = loaded.forward(inputs).toTuple();
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(outputs->elements()[i].toTensor().equal(
          expected->elements()[i].toTensor()));
    }
  }
}

// It returns its input: looked into, there is nothing to log.
TEST_P(ReferenceUserTypesTest, ModuleThatIsNoOpHasNoLoggers) {
  const ModelGraph a = FxModel("opaque_identity", "float");
  const ModelGraph b = FxModel("opaque_identity", "prepared");
  EXPECT_THAT(
      LayersWith(OrThrow(ExtractWeights("a", a, "b", b)), kWeightResult),
      ElementsAre("linear"));
  const LoggedModels logged = OrThrow(AddLoggers("a", a, "b", b, WithInputs()));
  EXPECT_THAT(AttachedLoggers(logged.a.module()), SizeIs(2));
  EXPECT_THAT(AttachedLoggers(logged.b.module()), SizeIs(2));
  const ShadowModel shadowed =
      OrThrow(AddShadowLoggers("a", a, "b", b, WithInputs()));
  EXPECT_THAT(AttachedLoggers(shadowed.model.module()), SizeIs(4));
}

// Asked for as one op, it is compared like any other.
TEST_P(ReferenceUserTypesTest, ModuleAsOneOpIsCompared) {
  const ModelGraph a =
      WithLeaves("opaque_identity", "prepared", {"UserModule"});
  const ModelGraph b =
      WithLeaves("opaque_identity", "quantized", {"UserModule"});
  LoggedModels logged = OrThrow(AddLoggers("a", a, "b", b));
  OrThrow(logged.a.Run(FxInputs("opaque_identity")));
  OrThrow(logged.b.Run(FxInputs("opaque_identity")));
  const Results results =
      OrThrow(ExtractLoggerInfo({logged.a.module(), logged.b.module()}));
  ExpectComparable(results);
  EXPECT_THAT(LayersWith(results, kNodeOutputResult),
              ElementsAre("x.quantize", "linear", "user_module"));
  EXPECT_EQ(
      results.Find("user_module")->at(kNodeOutputResult).at("b").at(0).info.fqn,
      "user_module");
}

MatchOptions Related() {
  MatchOptions options;
  options.mode = MatchingMode::kStrict;
  for (const char* op : {"hardswish", "sigmoid", "linear"}) {
    NS_EXPECT_OK(options.relations.AddOpToSetsOfRelatedOps(
        std::string("user_") + op, std::string("aten::") + op));
  }
  return options;
}

TEST_P(ReferenceUserTypesTest, FunctionsAreComparedAsTheOpsTheyAreRelatedTo) {
  const ModelGraph ops = FxModel("three_ops", "prepared");
  const ModelGraph functions =
      WithLeaves("user_three_ops", "prepared",
                 {"user_hardswish", "user_sigmoid", "user_linear"});
  const std::vector<c10::IValue> inputs = FxInputs("three_ops");
  LoggedModels logged =
      OrThrow(AddLoggers("a", ops, "b", functions, {}, Related()));
  OrThrow(logged.a.Run(inputs));
  OrThrow(logged.b.Run(inputs));
  const Results results =
      OrThrow(ExtractLoggerInfo({logged.a.module(), logged.b.module()}));
  ExpectComparable(results);
  EXPECT_THAT(LayersWith(results, kNodeOutputResult),
              ElementsAre("user_hardswish", "user_sigmoid", "user_linear"));

  ShadowModel shadowed =
      OrThrow(AddShadowLoggers("a", functions, "b", ops, {}, Related()));
  EXPECT_THAT(shadowed.not_shadowed, IsEmpty());
  OrThrow(shadowed.model.Run(inputs));
  const Results shadows =
      OrThrow(ExtractShadowLoggerInfo(shadowed.model.module()));
  ExpectComparable(shadows);
  EXPECT_THAT(LayersWith(shadows, kNodeOutputResult),
              ElementsAre("hardswish", "sigmoid", "linear"));
  EXPECT_GT(LowestSqnr(shadows, kNodeOutputResult), 100);
}

// Looked into, a function's weight needs no extraction function of the user's.
TEST_P(ReferenceUserTypesTest, WeightsOfFunctionsAreExtracted) {
  const Results results =
      OrThrow(ExtractWeights("a", FxModel("three_ops", "prepared"), "b",
                             FxModel("user_three_ops", "prepared")));
  ExpectComparable(results);
  EXPECT_THAT(LayersWith(results, kWeightResult), ElementsAre("linear"));
}

}  // namespace
}  // namespace ns
