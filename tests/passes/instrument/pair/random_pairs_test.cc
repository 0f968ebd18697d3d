// Properties of paired models, on random programs: each model computes what it
// does alone, and what is compared is what loggers see, through control flow,
// lists and ops that work in place.
#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/add_loggers.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/matching/graph_matcher.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "tests/testing/modules.h"
#include "tests/testing/random_program.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr int kPrograms = 300;

ModelGraph ModelOfSource(const std::string& source) {
  return OrThrow(ModelGraph::FromModule(MakeModule("Random", source)));
}

PairedModels Paired(const ModelGraph& a, const ModelGraph& b,
                    const MatchResult& matches, bool shadows) {
  PairPlan plan;
  plan.shadows = shadows;
  return OrThrow(PairModels(a, b, matches, plan));
}

// Every subgraph of `model` with itself in `copy`, which is one. (The matcher
// may take another, where several have one name.)
MatchResult MatchWithItself(const ModelGraph& model, const ModelGraph& copy) {
  MatchResult result = OrThrow(MatchSubgraphs(model, copy));
  std::vector<SubgraphMatch> right;
  for (const SubgraphMatch& match : result.matches) {
    if (match.a.output->debugName() == match.b.output->debugName()) {
      right.push_back(match);
    }
  }
  EXPECT_GT(2 * right.size(), result.matches.size());
  result.matches = right;
  return result;
}

// What both models return on `x`, or nothing where LibTorch's interpreter loses
// a value that a loop captures ("Expected Tensor but got None"), as it does now
// and then in plain programs, too.
std::optional<std::pair<at::Tensor, at::Tensor>> RunAlone(ModelGraph& a,
                                                          ModelGraph& b,
                                                          const at::Tensor& x) {
  const auto of_a = a.Run({x.clone()});
  const auto of_b = b.Run({x.clone()});
  if (!of_a.ok() || !of_b.ok()) {
    return std::nullopt;
  }
  return std::make_pair(of_a->toTensor(), of_b->toTensor());
}

std::pair<at::Tensor, at::Tensor> RunPaired(PairedModels& pair,
                                            const at::Tensor& x) {
  std::vector<c10::IValue> arguments = {x.clone()};
  if (!pair.own_inputs_of_b.empty()) {
    arguments.push_back(x.clone());
  }
  const c10::IValue results = OrThrow(pair.model.Run(arguments));
  for (const PairComparers& comparers : pair.comparers) {
    for (const PairComparerPtr& comparer :
         {comparers.activation, comparers.shadow, comparers.inherited}) {
      if (comparer != nullptr) {
        comparer->EndBatch();
      }
    }
  }
  const auto& both = results.toTupleRef().elements();
  return {both[0].toTensor(), both[1].toTensor()};
}

TEST(RandomPairsTest, ModelPairedWithItselfHasNoError) {
  int run = 0;
  for (int seed = 0; seed < kPrograms && !testing::Test::HasFailure(); ++seed) {
    const std::string source = RandomProgram(seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", source));
    ModelGraph a = ModelOfSource(source);
    ModelGraph b = ModelOfSource(source);
    PairedModels pair = Paired(a, b, MatchWithItself(a, b), /*shadows=*/true);
    at::manual_seed(seed);
    for (int batch = 0; batch < 2; ++batch) {
      const at::Tensor x = at::randn({4, 4});
      const auto expected = RunAlone(a, b, x);
      if (!expected) {
        break;
      }
      ++run;
      const auto actual = RunPaired(pair, x);
      EXPECT_TRUE(actual.first.equal(expected->first));
      EXPECT_TRUE(actual.second.equal(expected->second));
    }
    EXPECT_TRUE(pair.not_shadowed.empty());
    for (size_t i = 0; i < pair.comparers.size(); ++i) {
      const PairComparers& comparers = pair.comparers[i];
      for (const PairComparerPtr& comparer :
           {comparers.activation, comparers.shadow, comparers.inherited}) {
        ASSERT_NE(comparer, nullptr) << i;
        const PairRecord& record = comparer->record();
        EXPECT_EQ(record.pooled.sums.max_abs_error, 0) << i;
        EXPECT_EQ(record.only_x, 0) << i;
        EXPECT_EQ(record.only_y, 0) << i;
        EXPECT_EQ(comparer->problem(), "") << i;
        EXPECT_EQ(record.pooled.sums.count,
                  comparers.shadow->record().pooled.sums.count);
      }
    }
  }
  EXPECT_GT(run, kPrograms);  // of two batches each
}

// The values that the logger of one model has kept.
std::vector<at::Tensor> Logged(const Results& results, const std::string& layer,
                               const std::string& model) {
  for (const auto& [name, types] : results.layers()) {
    if (name == layer) {
      return types.at(kNodeOutputResult).at(model)[0].values;
    }
  }
  ADD_FAILURE() << "nothing logged at " << layer;
  return {};
}

TEST(RandomPairsTest, ComparesWhatLoggersSee) {
  int compared = 0;
  int parted = 0;
  for (int seed = 0; seed < kPrograms && !testing::Test::HasFailure(); ++seed) {
    const std::string source = RandomProgram(seed, /*alpha=*/2);
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", source));
    ModelGraph a = ModelOfSource(source);
    ModelGraph b = ModelOfSource(RandomProgram(seed, /*alpha=*/-3));
    PairedModels pair =
        Paired(a, b, OrThrow(MatchSubgraphs(a, b)), /*shadows=*/false);
    at::manual_seed(seed);
    const at::Tensor x = at::randn({4, 4});
    const auto expected = RunAlone(a, b, x);
    if (!expected) {
      continue;
    }
    const auto actual = RunPaired(pair, x);
    EXPECT_TRUE(actual.first.equal(expected->first));
    EXPECT_TRUE(actual.second.equal(expected->second));

    ModelGraph logged_a = ModelOfSource(source);
    ModelGraph logged_b = ModelOfSource(RandomProgram(seed, /*alpha=*/-3));
    const MatchResult matches = OrThrow(MatchSubgraphs(logged_a, logged_b));
    ASSERT_EQ(AddLoggers("a", logged_a, "b", logged_b, matches),
              absl::OkStatus());
    ASSERT_TRUE(RunAlone(logged_a, logged_b, x));
    const Results results =
        OrThrow(ExtractLoggerInfo({logged_a.module(), logged_b.module()}));
    for (size_t i = 0; i < matches.matches.size(); ++i) {
      const std::string& layer = matches.matches[i].name;
      const std::vector<at::Tensor> of_a = Logged(results, layer, "a");
      const std::vector<at::Tensor> of_b = Logged(results, layer, "b");
      const PairRecord& record = pair.comparers[i].activation->record();
      const int64_t elements = of_a.empty() ? 1 : of_a[0].numel();
      const int64_t calls = record.pooled.sums.count / elements;
      EXPECT_EQ(calls + record.only_x, static_cast<int64_t>(of_a.size()))
          << layer;
      EXPECT_EQ(calls + record.only_y, static_cast<int64_t>(of_b.size()))
          << layer;
      if (record.only_x != 0 || record.only_y != 0) {
        // The models took different ways: loggers cannot tell which.
        ++parted;
        continue;
      }
      PairStatistics sums;
      for (size_t call = 0; call < of_a.size(); ++call) {
        sums.Merge(ComparePair(of_a[call], of_b[call]));
      }
      EXPECT_EQ(record.pooled.sums.sum_x2, sums.sum_x2) << layer;
      EXPECT_EQ(record.pooled.sums.sum_e2, sums.sum_e2) << layer;
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(parted, 50);
}

}  // namespace
}  // namespace ns
