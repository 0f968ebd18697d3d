#include "ns/search/search_space.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string>& Net() {
  static const std::vector<std::string>& net = *new std::vector<std::string>{
      absl::StrCat("y = torch.max_pool2d(", ConvOf("x"), ", [2, 2])"),
      absl::StrCat("z = torch.erf(", ConvOf("y"), ")"), "return z + y"};
  return net;
}

SearchSpace SpaceOf(const std::vector<std::string>& names,
                    const QuantizeOptions& options = {}) {
  const ModelGraph model = FloatModel(Net());
  std::vector<SkippedChoice> skipped;
  return OrThrow(SearchSpace::Create(
      model, options,
      OrThrow(SearchCandidates(model, options, names, skipped))));
}

std::vector<std::string> NamesOf(const SearchSpace& space) {
  std::vector<std::string> names;
  for (const SearchLayer& layer : space.layers()) {
    names.push_back(space.subgraphs()[layer.subgraph].name);
  }
  return names;
}

// The pool follows the layer in front of it, and erf has no int8 form.
TEST(SearchSpaceTest, LayersWithAnInt8FormOfTheirOwnHaveAChoice) {
  const SearchSpace space = SpaceOf({});
  EXPECT_THAT(NamesOf(space), ElementsAre("conv2d", "conv2d@1", "add"));
  EXPECT_EQ(space.NameOf(0, 0), "float");
  EXPECT_EQ(space.NameOf(0, 1), "default");
  EXPECT_EQ(space.CandidateOf(0, 0), -1);
  EXPECT_EQ(space.CandidateOf(0, 1), 0);
}

// What the mapping makes of the model is what the plan says.
TEST(SearchSpaceTest, PlansWhatPreparingDoes) {
  QuantizeOptions exact;
  exact.target = QuantizationTarget::kExact;
  const SearchSpace space = SpaceOf({"default", "int8-per-channel"}, exact);
  for (const RecipeChoices& choices :
       {RecipeChoices{1, 1, 1}, RecipeChoices{0, 1, 2}, RecipeChoices{2, 0, 0},
        RecipeChoices{0, 0, 1}}) {
    const QuantizeOptions options = space.OptionsOf(choices);
    const ModelGraph prepared =
        OrThrow(PrepareModel(FloatModel(Net()), options));
    const PreparedModel record =
        OrThrow(AttachedPreparedModel(prepared.module()));
    for (const std::string& rule : record.report.unused_rules) {
      EXPECT_THAT(rule, HasSubstr("object type"));
    }
    const ObserverPlan plan = space.PlanOf(choices);
    ASSERT_EQ(plan.layers.size(), record.layers.size());
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      EXPECT_EQ(plan.layers[i].name, record.layers[i].name);
      EXPECT_EQ(plan.layers[i].qconfig, record.layers[i].qconfig);
      EXPECT_EQ(plan.layers[i].output, record.layers[i].output);
    }
  }
}

TEST(SearchSpaceTest, FloatChoicesAreRulesOfTheirOwn) {
  const SearchSpace space = SpaceOf({});
  const QConfigMapping all = space.MappingOf({1, 1, 1});
  EXPECT_EQ(all, space.candidates().front().mapping);
  const QConfigMapping mapping = space.MappingOf({1, 0, 1});
  const auto runs_in_int8 = [&](const SearchLayer& layer) {
    return mapping.Choose(space.subgraphs()[layer.subgraph])
        .qconfig.has_value();
  };
  EXPECT_TRUE(runs_in_int8(space.layers()[0]));
  EXPECT_FALSE(runs_in_int8(space.layers()[1]));
}

// Who quantizes by the mapping alone keeps the same layers.
TEST(SearchSpaceTest, KeptLayersAreRulesToo) {
  QuantizeOptions options;
  options.keep = {"conv2d@1"};
  const SearchSpace space = SpaceOf({}, options);
  EXPECT_THAT(NamesOf(space), ElementsAre("conv2d", "add"));
  QuantizeOptions alone;
  alone.mapping = space.MappingOf({1, 1});
  const ModelGraph prepared = OrThrow(PrepareModel(FloatModel(Net()), alone));
  const PreparedModel record =
      OrThrow(AttachedPreparedModel(prepared.module()));
  std::vector<std::string> names;
  for (const PreparedLayer& layer : record.layers) {
    names.push_back(layer.name);
  }
  EXPECT_THAT(names, ElementsAre("conv2d", "max_pool2d", "add"));
}

TEST(SearchSpaceTest, KeepingAllLayersIsSaidToBeTheReason) {
  QuantizeOptions options;
  options.keep = {"*"};
  const ModelGraph model = FloatModel(Net());
  const absl::Status status =
      SearchSpace::Create(model, options, {{"default", DefaultMapping({})}})
          .status();
  EXPECT_THAT(status.message(), HasSubstr("keep '*'"));
  EXPECT_THAT(status.message(), HasSubstr("conv2d"));
}

// With 8 bits each, pair sums of the first convolution leave int16 on servers
// without VNNI, and nowhere else.
TEST(SearchSpaceTest, ChoicesThatCanSaturateAreListed) {
  const auto skipped_of = [](QuantizationTarget target) {
    QuantizeOptions options;
    options.target = target;
    const SearchSpace space = SpaceOf({"default", "int8-per-channel"}, options);
    std::vector<std::string> skipped;
    for (const SkippedChoice& one : space.skipped()) {
      if (one.layer != "erf") {
        skipped.push_back(
            absl::StrCat(one.layer, " as ", one.candidate, ": ", one.reason));
      }
    }
    return skipped;
  };
  EXPECT_THAT(
      skipped_of(QuantizationTarget::kFbgemmAvx2),
      ElementsAre(HasSubstr("conv2d as int8-per-channel: its pair sums can "
                            "saturate on fbgemm-avx2"),
                  HasSubstr("conv2d@1 as int8-per-channel")));
  EXPECT_THAT(skipped_of(QuantizationTarget::kExact), IsEmpty());
}

// The convolution takes 7 bits as "default", unless the sum in front of it has
// another candidate.
TEST(SearchSpaceTest, CountsLayersThatOtherCandidatesMakeSaturate) {
  const std::vector<std::string> body = {"y = x + x",
                                         absl::StrCat("return ", ConvOf("y"))};
  const ModelGraph model = FloatModel(body);
  std::vector<SkippedChoice> skipped;
  const SearchSpace space = OrThrow(SearchSpace::Create(
      model, {},
      OrThrow(SearchCandidates(model, {}, {"default", "int8-per-channel"},
                               skipped))));
  ASSERT_EQ(NamesOf(space), std::vector<std::string>({"add", "conv2d"}));
  ASSERT_THAT(space.layers()[1].candidates, ElementsAre(0));
  const auto count = [&](const RecipeChoices& choices) {
    return space.CountSaturating(choices, space.PlanOf(choices));
  };
  EXPECT_EQ(count({1, 1}), 0);
  EXPECT_EQ(count({0, 1}), 0);
  EXPECT_EQ(count({2, 1}), 1);
  EXPECT_EQ(count({2, 0}), 0);
}

TEST(SearchSpaceTest, CandidatesWithoutAKernelAreListed) {
  const ModelGraph model =
      FloatModel({absl::StrCat("return ", ConvOf("x"), " + x")});
  const SearchSpace space = OrThrow(SearchSpace::Create(
      model, {},
      {{"default", DefaultMapping({})},
       {"dynamic", QConfigMapping().SetGlobal(DynamicQConfig())}}));
  ASSERT_EQ(space.layers().size(), 2);
  EXPECT_THAT(space.layers()[1].candidates, ElementsAre(0));
  ASSERT_EQ(space.skipped().size(), 1);
  EXPECT_EQ(space.skipped()[0].layer, "add");
  EXPECT_EQ(space.skipped()[0].candidate, "dynamic");
  EXPECT_THAT(space.skipped()[0].reason, HasSubstr("dynamic"));
}

TEST(SearchSpaceTest, AQuantizedModelIsRefused) {
  const ModelGraph quantized = Quantize(Net(), {at::ones({1, 3, 8, 8})}).model;
  EXPECT_FALSE(
      SearchSpace::Create(quantized, {}, {{"default", DefaultMapping({})}})
          .ok());
}

}  // namespace
}  // namespace ns
