// Runs two models as one, in tests.
#ifndef TESTS_TESTING_PAIRED_H_
#define TESTS_TESTING_PAIRED_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/modules.h"

namespace ns {

// Plans that compare activations alone, shadows alone, or both and inherited
// errors. All run convolutions as they stand (PairPlan::exact).
PairPlan Activations();
PairPlan Shadows();
PairPlan All();

// Returns the model of `module`. `leaves` are the types of modules that stay
// calls.
ModelGraph ModelOfModule(const torch::jit::Module& module,
                         const std::vector<std::string>& leaves = {});

// Returns a model with this source of `forward`.
ModelGraph ModelOfSource(const std::string& source,
                         const Attributes& attributes = {},
                         const Submodules& submodules = {});

// Fails the test unless tensors, and lists and tuples of them, are equal bit
// for bit.
void ExpectEqualValues(const c10::IValue& actual, const c10::IValue& expected);

// Matches, for each of `ops`, such as "relu", the first aten::relu of `a` with
// the first of `b`, also where one is in other control flow: the matcher would
// not pair these. The match has the name of the op.
MatchResult MatchOps(const ModelGraph& a, const ModelGraph& b,
                     const std::vector<std::string>& ops);

// Fails the test unless `comparer` has seen the pairs of `x` and `y`, and
// nothing else.
void ExpectCompared(const PairComparerPtr& comparer,
                    const std::vector<at::Tensor>& x,
                    const std::vector<at::Tensor>& y);

// Two models, their matches, and the model of PairModels that runs both.
class Paired {
 public:
  using IValues = std::vector<c10::IValue>;

  // Matches `ops` by MatchOps or, where there are none, all that the matcher
  // matches. Models may come as the text of their graphs. Throws where the
  // models cannot be paired.
  Paired(ModelGraph model_a, ModelGraph model_b,
         const PairPlan& plan = Activations(),
         const std::vector<std::string>& ops = {});
  Paired(absl::string_view text_a, absl::string_view text_b,
         const PairPlan& plan = Activations(),
         const std::vector<std::string>& ops = {});
  // The object cannot be copied, since matches point into the graphs.
  Paired(const Paired&) = delete;
  Paired& operator=(const Paired&) = delete;

  // Runs one batch, and ends it for all comparers. Returns what A and B return,
  // each for a copy of its arguments. Inputs that both share get those of A.
  std::pair<c10::IValue, c10::IValue> Run(const IValues& of_a,
                                          const IValues& of_b);

  // Fails the test unless both compute what they compute alone, bit for bit.
  void ExpectSameAsAlone(const IValues& of_a, const IValues& of_b);
  void ExpectSameAsAlone(const IValues& inputs) {
    ExpectSameAsAlone(inputs, inputs);
  }

  // Returns the arguments of pair.model for one such run.
  IValues Arguments(const IValues& of_a, const IValues& of_b) const;

  // Return the comparers at the match of that name; comparers may be null.
  // Throw when there is no such match.
  PairComparerPtr Activation(const std::string& name) const;
  PairComparerPtr Shadow(const std::string& name) const;
  PairComparerPtr Inherited(const std::string& name) const;
  const PairComparers& At(const std::string& name) const;

  ModelGraph a;
  ModelGraph b;
  MatchResult matches;
  PairedModels pair;
};

// A test of PairModels, with an input of several rows to run models on.
class PairModelsTest : public testing::Test {
 protected:
  PairModelsTest();

  at::Tensor x_;
};

}  // namespace ns

#endif  // TESTS_TESTING_PAIRED_H_
