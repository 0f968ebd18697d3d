// A property of comparisons, on random programs: a model against itself is
// exact. Every op is matched with itself, every figure is that of equal
// tensors, and there is no warning. NS_FUZZ_PROGRAMS is how many programs are
// tried, NS_FUZZ_SEED which ones.
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/findings/verdict.h"
#include "ns/suite/compare_models.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/modules.h"
#include "tests/testing/random_script.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Each;

constexpr int64_t kPrograms = 500;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoll(value);
}

std::string Describe(const UnmatchedOp& op) {
  return absl::StrCat(op.node->kind().toQualString(), ": ", op.reason);
}

void ExpectMatchedWithItself(const ModelGraph& a, const ModelGraph& b) {
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  for (const SubgraphMatch& match : result.matches) {
    EXPECT_EQ(match.a.output->debugName(), match.b.output->debugName())
        << match.name;
    EXPECT_EQ(match.unpaired_input, "") << match.name;
  }
  for (const auto* unmatched : {&result.unmatched_a, &result.unmatched_b}) {
    for (const UnmatchedOp& op : *unmatched) {
      ADD_FAILURE() << Describe(op);
    }
  }
}

void ExpectExact(const std::optional<ActivationComparison>& figures,
                 const std::string& layer) {
  if (figures) {
    EXPECT_EQ(figures->error.sqnr_db, std::numeric_limits<double>::infinity())
        << layer;
    EXPECT_EQ(figures->error.max_abs_error, 0) << layer;
  }
}

void ExpectExact(const ComparisonResult& result) {
  EXPECT_THAT(result.warnings, Each("the quantized model has no quantized op"));
  EXPECT_FALSE(result.swapped.has_value());
  for (const NotShadowed& layer : result.not_shadowed) {
    ADD_FAILURE() << layer.name << ": " << layer.reason;
  }
  for (const LayerComparison& layer : result.layers) {
    ExpectExact(layer.activation, layer.name);
    ExpectExact(layer.shadow, layer.name + ", shadow");
    for (const OutputComparison& output : layer.outputs) {
      const std::string name = absl::StrCat(layer.name, ", ", output.name);
      ExpectExact(output.activation, name);
      ExpectExact(output.shadow, name + ", shadow");
    }
  }
  const std::optional<Verdict> verdict = VerdictOf(result);
  EXPECT_FALSE(verdict.has_value() && verdict->layer.has_value())
      << verdict->sentences[0];
}

std::vector<Batch> Batches() {
  std::vector<Batch> batches(2);
  for (Batch& batch : batches) {
    batch.arguments = {at::randn({4, 4})};
  }
  return batches;
}

TEST(RandomScriptsTest, ModelAgainstItselfIsExact) {
  const int64_t programs = FromEnvironment("NS_FUZZ_PROGRAMS", kPrograms);
  const int64_t first = FromEnvironment("NS_FUZZ_SEED", 0);
  CompareOptions options;
  options.activations = true;
  options.shadows = true;
  options.exact = true;
  int64_t compared = 0;
  for (int64_t seed = first; seed < first + programs && !HasFailure(); ++seed) {
    const std::string source = RandomScript(seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", source));
    const torch::jit::Module module = MakeModule("Random", source);
    const ModelGraph a = OrThrow(ModelGraph::FromModule(module));
    const ModelGraph b = OrThrow(ModelGraph::FromModule(module));
    ExpectMatchedWithItself(a, b);
    at::manual_seed(seed);
    std::vector<Batch> batches = Batches();
    ModelGraph plain = OrThrow(ModelGraph::FromModule(module));
    // Some programs fail as they are: they write to a view that overlaps.
    if (!plain.Run({batches[0].arguments[0].toTensor().clone()}).ok() ||
        !plain.Run({batches[1].arguments[0].toTensor().clone()}).ok()) {
      continue;
    }
    const auto result = CompareModels(
        a, b, BatchReader::FromBatches(std::move(batches)), options);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectExact(*result);
    ++compared;
  }
  EXPECT_GT(compared, programs / 2);
}

}  // namespace
}  // namespace ns
