// What every pass of the registry promises, on random networks in their float,
// quantized and lowered forms.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "ir/text/text.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/pipeline/pass_options.h"
#include "passes/registry/pass_registry.h"
#include "tests/passes/registry/pass_examples.h"
#include "tests/testing/chain_graph.h"
#include "tests/testing/chain_values.h"
#include "tests/testing/random_chain.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr int kNetworks = 200;

// A network's quantized form: runs of int8 ops among float ones.
ChainGraphOptions Quantized() {
  ChainGraphOptions options;
  options.quantized = 0.7;
  options.dynamic = 0.15;
  options.folds = 0.5;
  options.fuses = 0.5;
  options.has_paths = true;
  options.name_prefix = "b";
  return options;
}

class Network {
 public:
  explicit Network(int64_t seed)
      : seed_(seed), chain_(RandomChain(seed)), flag_(seed % 2 == 0) {}

  // In turn float, quantized, and lowered without fusion.
  ModelGraph Model() const {
    ChainGraphOptions options = Quantized();
    if (seed_ % 3 == 0) {
      options = {};
      options.has_paths = true;
    }
    ModelGraph model = OrThrow(ModelGraph::FromGraph(
        MakeChainGraph(chain_, options, {}, seed_).graph));
    if (seed_ % 3 == 2) {
      LowerToFbgemmOptions lowering;
      lowering.fuse = false;
      RunPass(LowerToFbgemm(lowering), model);
    }
    return model;
  }

  at::Tensor OutputOf(ModelGraph& model) const {
    return OrThrow(model.Run({ChainInput(chain_, seed_), flag_}))
        .toTensor()
        .to(at::kDouble);
  }

 private:
  const int64_t seed_;
  const Chain chain_;
  const bool flag_;
};

// How far outputs may be apart, relative to their size. Lowering and rounding
// once less move quantized values by a step of theirs, here of 0.05.
double ToleranceOf(absl::string_view pass) {
  if (pass == "lower-to-fbgemm" || pass == "fuse-sums" ||
      pass == "fold-reference-quantization" || pass == "quantize-dynamic" ||
      pass == "convert-observers") {
    return 0.2;
  }
  if (pass == "drop-roundings") {
    return 0.75;  // Values that were clipped are not any more.
  }
  if (pass == "equalize-layers" || pass == "smooth-layers") {
    return 1e-5;
  }
  return pass == "fuse-float-convs" || pass == "fold-batch-norms" ? 1e-2 : 0;
}

// Fails the test unless `after` is as near to `before` as `pass` promises.
void ExpectNear(const at::Tensor& before, const at::Tensor& after,
                absl::string_view pass) {
  ASSERT_EQ(before.sizes(), after.sizes());
  const double size = std::max(before.norm().item<double>(), 1e-3);
  EXPECT_LE((before - after).norm().item<double>(), ToleranceOf(pass) * size);
}

class AllPassesTest : public testing::TestWithParam<PassEntry> {};

TEST_P(AllPassesTest, KeepsItsPromisesOnRandomNetworks) {
  const PassEntry& entry = GetParam();
  const PassOptions options = OrThrow(PassOptions::Create({}, entry.options));
  const std::unique_ptr<Pass> pass = OrThrow(entry.make(options));
  EXPECT_EQ(pass->name(), entry.name);
  int changed = 0;
  for (int64_t seed = 0; seed < kNetworks; ++seed) {
    SCOPED_TRACE(absl::StrCat("network ", seed));
    const Network network(seed);
    ModelGraph untouched = network.Model();
    ModelGraph model = network.Model();
    changed += RunPass(*pass, model).changed ? 1 : 0;
    EXPECT_FALSE(RunPass(*pass, model).changed) << "when it runs again";
    ExpectNear(network.OutputOf(untouched), network.OutputOf(model),
               entry.name);
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_NE(changed > 0, ExampleFor(entry.name).has_value())
      << changed << " networks were changed";
}

// Those that have nothing to do in random networks.
TEST_P(AllPassesTest, KeepsItsPromisesOnAnExample) {
  const PassEntry& entry = GetParam();
  std::optional<PassExample> example = ExampleFor(entry.name);
  if (!example) {
    GTEST_SKIP() << "random networks show what it does";
  }
  const PassExample untouched = *ExampleFor(entry.name);
  const PassOptions options = OrThrow(PassOptions::Create({}, entry.options));
  const std::unique_ptr<Pass> pass = OrThrow(entry.make(options));
  EXPECT_TRUE(RunPass(*pass, example->model).changed);
  EXPECT_FALSE(RunPass(*pass, example->model).changed) << "when it runs again";
  if (!example->inputs.empty()) {
    const auto output = [](const PassExample& of) {
      ModelGraph model = OrThrow(of.model.Clone());
      return OrThrow(model.Run(of.inputs)).toTensor().to(at::kDouble);
    };
    ExpectNear(output(untouched), output(*example), entry.name);
  }
}

std::vector<PassEntry> PassesOfOneModel() {
  std::vector<PassEntry> passes;
  for (const PassEntry& entry : AllPasses()) {
    if (entry.make != nullptr) {
      passes.push_back(entry);
    }
  }
  return passes;
}

std::string TestName(const testing::TestParamInfo<PassEntry>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, AllPassesTest,
                         testing::ValuesIn(PassesOfOneModel()), TestName);

// Passes of two models: the float form and the quantized one.
class AllPairPassesTest : public testing::TestWithParam<PassEntry> {};

TEST_P(AllPairPassesTest, KeepsItsPromisesOnRandomNetworks) {
  const PassEntry& entry = GetParam();
  const PassOptions options = OrThrow(PassOptions::Create({}, entry.options));
  const std::unique_ptr<PairPass> pass = OrThrow(entry.make_pair(options));
  EXPECT_EQ(pass->name(), entry.name);
  int changed = 0;
  for (int64_t i = 0; i < kNetworks; ++i) {
    SCOPED_TRACE(absl::StrCat("network ", 3 * i));
    // Of the same network: seeds that are not a multiple of 3 are quantized.
    const Chain chain = RandomChain(i);
    const auto model = [&](const ChainGraphOptions& form) {
      return OrThrow(
          ModelGraph::FromGraph(MakeChainGraph(chain, form, {}, i).graph));
    };
    const at::Tensor input = ChainInput(chain, i);
    // What both models in one give is a tuple; it takes the arguments of the
    // quantized one, too, where it does not share them.
    const auto output = [&](ModelGraph& of) {
      std::vector<c10::IValue> arguments = {input, true};
      for (const torch::jit::Value* own : of.graph().inputs().slice(3)) {
        arguments.push_back(IsTensor(*own) ? c10::IValue(input.clone()) : true);
      }
      const c10::IValue value = OrThrow(of.Run(arguments));
      return (value.isTuple() ? value.toTupleRef().elements()[1] : value)
          .toTensor();
    };
    ModelGraph untouched_a = model({});
    ModelGraph untouched_b = model(Quantized());
    MatchedModels models = {model({}), model(Quantized()), std::nullopt};
    models.matches = OrThrow(MatchSubgraphs(models.a, models.b));
    PassContext context;
    const auto text = [&] {
      return absl::StrCat(CanonicalText(models.a.shared_graph()),
                          CanonicalText(models.b.shared_graph()));
    };
    const std::string before = text();
    const bool has_changed = OrThrow(pass->Run(models, context));
    changed += has_changed ? 1 : 0;
    EXPECT_EQ(has_changed, text() != before);
    NS_EXPECT_OK(VerifyGraph(models.a.graph()));
    NS_EXPECT_OK(VerifyGraph(models.b.graph()));
    EXPECT_FALSE(OrThrow(pass->Run(models, context))) << "when it runs again";
    EXPECT_TRUE(output(models.a).equal(output(untouched_a)));
    EXPECT_TRUE(output(models.b).equal(output(untouched_b)));
    if (HasFailure()) {
      return;
    }
  }
  // To match changes neither model.
  EXPECT_EQ(changed > 0, entry.name != "match");
}

std::vector<PassEntry> PassesOfTwoModels() {
  std::vector<PassEntry> passes;
  for (const PassEntry& entry : AllPasses()) {
    if (entry.make_pair != nullptr) {
      passes.push_back(entry);
    }
  }
  return passes;
}

INSTANTIATE_TEST_SUITE_P(Registry, AllPairPassesTest,
                         testing::ValuesIn(PassesOfTwoModels()), TestName);

TEST(PassRegistryTest, IsSortedAndEachEntryMakesOneKind) {
  const absl::Span<const PassEntry> passes = AllPasses();
  for (size_t i = 0; i < passes.size(); ++i) {
    EXPECT_NE(passes[i].make == nullptr, passes[i].make_pair == nullptr)
        << passes[i].name;
    EXPECT_FALSE(absl::EndsWith(passes[i].description, "."));
    if (i > 0) {
      EXPECT_LT(passes[i - 1].name, passes[i].name);
    }
  }
}

}  // namespace
}  // namespace ns
