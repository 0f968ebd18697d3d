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
#include "ir/model_graph.h"
#include "passes/instrument/pair_models.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/modules.h"

namespace ns {

// These plans run everything as it stands.
PairPlan Activations();
PairPlan Shadows();
// This plan compares activations, shadows and inherited errors.
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

// Matches the first node of each op of `aten` in `a` with the first of that op
// in `b`, wherever they are: the matcher would pair only what stands in the
// same control flow.
MatchResult MatchOps(const ModelGraph& a, const ModelGraph& b,
                     const std::vector<std::string>& ops);

// Fails the test unless `comparer` has seen the pairs of `x` and `y`, and
// nothing else.
void ExpectCompared(const PairComparerPtr& comparer,
                    const std::vector<at::Tensor>& x,
                    const std::vector<at::Tensor>& y);

class Paired {
 public:
  using IValues = std::vector<c10::IValue>;

  // Without `ops`, the matcher decides what is matched.
  Paired(ModelGraph model_a, ModelGraph model_b,
         const PairPlan& plan = Activations(),
         const std::vector<std::string>& ops = {});
  Paired(absl::string_view text_a, absl::string_view text_b,
         const PairPlan& plan = Activations(),
         const std::vector<std::string>& ops = {});
  // The object cannot be copied, since matches point into the graphs.
  Paired(const Paired&) = delete;
  Paired& operator=(const Paired&) = delete;

  // Returns what both models return, each for copies of arguments of its own.
  // Arguments that they share are A's.
  std::pair<c10::IValue, c10::IValue> Run(const IValues& of_a,
                                          const IValues& of_b);

  // Fails the test unless both compute what they compute alone, bit for bit.
  void ExpectSameAsAlone(const IValues& of_a, const IValues& of_b);
  void ExpectSameAsAlone(const IValues& inputs) {
    ExpectSameAsAlone(inputs, inputs);
  }

  // Returns the arguments of one run.
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
