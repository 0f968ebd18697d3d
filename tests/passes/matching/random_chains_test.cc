// A property of the aligned mode, on random networks and their quantized and
// lowered forms: what is compared stands at one place of the network, and what
// both models compute is compared.
//
// 10,000 networks, or as many as NS_TEST_CHAINS says. NS_TEST_CHAIN is the seed
// of one to run alone.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_table.h"
#include "tests/testing/chain_graph.h"
#include "tests/testing/chain_values.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/random_chain.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"
#include "tests/testing/step_through.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// The relative error, in the L2 norm, that the float ops and all of
// quantization may have, unless no place fits. Another place of a network is
// mostly off by 1.
constexpr double kFloatError = 1e-4;
constexpr double kQuantizedError = 0.4;
// An element counts as if it were at least this large: a relu leaves little of
// some values, less than a quantization step. Most are about 1.
constexpr double kLeastSize = 0.03;

// What a value holds, each time it is computed.
using Tensors = std::vector<at::Tensor>;
using TensorsByName = absl::flat_hash_map<std::string, Tensors>;

// One form of a network.
struct Form {
  std::string name;
  ChainGraph chain;
  // What its values hold.
  TensorsByName tensors;
};

struct Finding {
  // Alike for findings of one kind.
  std::string kind;
  std::string text;
};

// The place of `value`, or -1 for a value that the generator did not make.
int PlaceOf(const Value& value, const ChainGraph& chain) {
  if (!value.hasDebugName()) {
    return -1;
  }
  const auto found = chain.places.find(value.debugName());
  return found == chain.places.end() ? -1 : found->second;
}

// What every op of `graph` gives. Copies: ops in place may write to it.
TensorsByName Run(const Graph& graph, const at::Tensor& input, bool flag) {
  TensorsByName tensors;
  StepThrough(graph, {input.clone(), flag},
              [&](const Node& node, const std::vector<c10::IValue>&,
                  const std::vector<c10::IValue>& outputs) {
                if (node.outputs().size() == 1 && outputs[0].isTensor()) {
                  const at::Tensor& output = outputs[0].toTensor();
                  tensors[node.output()->debugName()].push_back(
                      (output.is_quantized() ? output.dequantize() : output)
                          .to(at::kDouble, false, true));
                }
              });
  return tensors;
}

// Of all runs together: a loop whose values grow is quantized for its last
// trip.
double RelativeError(const Tensors& x, const Tensors& reference) {
  double error = 0;
  double size = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].sizes() != reference[i].sizes()) {
      return INFINITY;
    }
    error += (x[i] - reference[i]).square().sum().item<double>();
    size += reference[i].square().sum().item<double>() +
            kLeastSize * kLeastSize * static_cast<double>(x[i].numel());
  }
  return error == 0 ? 0 : std::sqrt(error / size);
}

// `ops` without what only tells alike cases apart: dimensions, ops in place.
std::string OpsText(absl::string_view ops) {
  return absl::StrReplaceAll(ops,
                             {{"1d", ""}, {"2d", ""}, {"3d", ""}, {"_ ", " "}});
}

// The network of one seed, in all its forms.
class Case {
 public:
  explicit Case(int64_t seed) : random_(seed), chain_(RandomChain(seed)) {
    const bool flag = seed % 2 == 0;
    const at::Tensor input = ChainInput(chain_, seed);
    references_ = ChainValuesInFloat64(chain_, input, flag);
    ChooseOptions();
    float_ = {"float", MakeChainGraph(chain_, float_options_, {}, seed), {}};
    quantized_ = {
        "quantized",
        MakeChainGraph(chain_, quantized_options_, Calibrate(), seed + 1),
        {}};
    if (Chance(0.4)) {
      Lower();
    }
    for (Form* form : {&float_, &quantized_, &lowered_}) {
      if (form->chain.graph != nullptr) {
        form->tensors = Run(*form->chain.graph, input, flag);
      }
    }
  }

  std::vector<Finding> Findings() {
    CheckPair(float_, quantized_);
    if (lowered_.chain.graph != nullptr) {
      CheckPair(quantized_, lowered_);
      CheckPair(float_, lowered_);
    }
    return std::move(findings_);
  }

 private:
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }
  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }

  void ChooseOptions() {
    ChainGraphOptions& quantized = quantized_options_;
    quantized.name_prefix = "b";
    switch (Choose(5)) {
      case 0:  // FX, with its default mapping
        quantized.quantized = Chance(0.5) ? 1 : 0.8;
        quantized.change = 0.2;
        quantized.folds = quantized.fuses = 1;
        break;
      case 1:  // eager: what is not asked for is not fused
        quantized.quantized = 0.8;
        quantized.folds = Choose(3) / 2.0;
        quantized.fuses = Choose(3) / 2.0;
        quantized.drops = 1;
        break;
      case 2:  // dynamic
        quantized.dynamic = Chance(0.5) ? 1 : 0.7;
        quantized.folds = Choose(2);
        quantized.fuses = Choose(2);
        break;
      case 3:  // float layers between quantized ones
        quantized.quantized = 0.5;
        quantized.change = 1;
        quantized.folds = 0.3;
        quantized.fuses = 0.5;
        break;
      default:  // all of it
        quantized.quantized = 0.5;
        quantized.dynamic = 0.25;
        quantized.folds = 0.5;
        quantized.fuses = 0.5;
        quantized.drops = 0.5;
    }
    quantized.dequantizes_again = Choose(3) / 2.0;
    // Fused before it is quantized: then both have fused the same.
    if (quantized.folds == 1 && Chance(0.25)) {
      float_options_.folds = 1;
    }
    const int names = Choose(6);
    float_options_.has_paths = names == 0 || names > 2;
    quantized.has_paths = names > 0 && names != 2;
    quantized.path_prefix = names == 5 ? "model." : "";
  }

  // Eight bits from the least to the greatest value.
  std::vector<ChainQuantization> Calibrate() const {
    std::vector<ChainQuantization> quantization(references_.size());
    for (size_t i = 0; i < references_.size(); ++i) {
      double min = 0;
      double max = 0;
      for (const at::Tensor& tensor : references_[i]) {
        min = std::min(min, tensor.min().item<double>());
        max = std::max(max, tensor.max().item<double>());
      }
      quantization[i].scale = std::max((max - min) / 255, 1e-6);
      quantization[i].zero_point = std::lround(-min / quantization[i].scale);
    }
    return quantization;
  }

  void Lower() {
    lowered_ = {"lowered",
                {quantized_.chain.graph->copy(), quantized_.chain.places},
                {}};
    RunPass(LowerToFbgemm(), lowered_.chain.graph);
    if (Chance(0.3)) {
      for (Node* node : AllNodes(*lowered_.chain.graph)) {
        node->setScope(lowered_.chain.graph->current_scope());
      }
    }
  }

  void CheckPair(const Form& form_a, const Form& form_b) {
    const ModelGraph a = OrThrow(ModelGraph::FromGraph(form_a.chain.graph));
    const ModelGraph b = OrThrow(ModelGraph::FromGraph(form_b.chain.graph));
    const MatchResult result = OrThrow(MatchSubgraphs(a, b));
    const auto add = [&](const std::string& kind, const std::string& what) {
      findings_.push_back(
          {absl::StrCat(form_a.name, " and ", form_b.name, ", ", kind),
           absl::StrCat(what, "\n\nNetwork:\n", ChainText(chain_), "\n",
                        ModelText(form_a, a), "\n", ModelText(form_b, b), "\n",
                        ResultText(result))});
    };
    const std::vector<std::string> lines = MatchLines(result);
    for (size_t i = 0; i < result.matches.size(); ++i) {
      CheckMatch(form_a, form_b, result.matches[i], lines[i], add);
    }
    for (const auto& [form, unmatched] :
         {std::pair(&form_a, &result.unmatched_a),
          std::pair(&form_b, &result.unmatched_b)}) {
      for (const UnmatchedOp& op : *unmatched) {
        if (!MayBeUnmatched(op)) {
          const std::string text =
              absl::StrCat("unmatched in ", form->name, ": ", OpName(*op.node),
                           ": ", op.reason);
          add(OpsText(text), text);
        }
      }
    }
  }

  template <typename Add>
  void CheckMatch(const Form& form_a, const Form& form_b,
                  const SubgraphMatch& match, const std::string& line,
                  const Add& add) {
    // Without the name.
    const std::string ops = OpsText(line.substr(line.find(": ") + 2));
    const int place_a = PlaceOf(*match.a.output, form_a.chain);
    const int place_b = PlaceOf(*match.b.output, form_b.chain);
    if (place_a != place_b || place_a < 0) {
      add(absl::StrCat("compared at other places: ", ops),
          absl::StrCat(line, " compares places ", place_a, " and ", place_b,
                       DifferenceText(place_a, place_b)));
      return;
    }
    if (!match.is_quantize_point) {
      const int from_a = StartOf(match.a, form_a);
      const int from_b = StartOf(match.b, form_b);
      if (from_a != from_b) {
        add(absl::StrCat("computed from other places: ", ops),
            absl::StrCat(line, " starts from places ", from_a, " and ",
                         from_b));
        return;
      }
    }
    for (const auto& [form, side, bound] :
         {std::tuple(&form_a, &match.a,
                     form_a.name == "float" ? kFloatError : kQuantizedError),
          std::tuple(&form_b, &match.b, kQuantizedError)}) {
      const std::string wrong = CompareWithFloat64(
          *form, side->output->debugName(), place_a, bound,
          match.a.compared_in != nullptr || match.is_quantize_point);
      if (!wrong.empty()) {
        add("other values than float64 has: " + ops,
            absl::StrCat(line, ": ", form->name, ": ", wrong));
      }
    }
  }

  // How far apart two places are, when it is known.
  std::string DifferenceText(int place_a, int place_b) const {
    if (place_a < 0 || place_b < 0) {
      return "";
    }
    const Tensors& a = references_[place_a];
    const Tensors& b = references_[place_b];
    return a.empty() || a.size() != b.size()
               ? ""
               : absl::StrCat(", whose float64 values differ by ",
                              RelativeError(a, b), " of their size");
  }

  // The place of what flows into a subgraph first; -1 when it is not known.
  static int StartOf(const MatchedSide& side, const Form& form) {
    const std::vector<Value*> inputs = DataInputsOf(side.subgraph);
    return inputs.empty() ? -1 : PlaceOf(*inputs[0], form.chain);
  }

  // Empty when all is well.
  std::string CompareWithFloat64(const Form& form, const std::string& name,
                                 int place, double bound, bool in_block) {
    const auto found = form.tensors.find(name);
    if (found == form.tensors.end()) {
      return "";
    }
    const Tensors& once = references_[place];
    const size_t runs = found->second.size();
    // A quantize in a loop, of a value from outside, runs in every trip.
    const size_t trips = in_block && !once.empty() && runs % once.size() == 0
                             ? runs / once.size()
                             : 1;
    Tensors expected;
    for (const at::Tensor& tensor : once) {
      expected.insert(expected.end(), trips, tensor);
    }
    if (runs != expected.size()) {
      return absl::StrCat("computed ", runs, " times, not ", expected.size());
    }
    const double error = RelativeError(found->second, expected);
    if (error <= bound) {
      return "";
    }
    // What is computed from values that quantize badly may be like anything.
    int& bad = first_bad_.try_emplace(form.name, place).first->second;
    if (bound == kQuantizedError &&
        (bad < place || !FitsElsewhere(found->second, error))) {
      bad = std::min(bad, place);
      return "";
    }
    return absl::StrCat("place ", place, ", relative error ", error);
  }

  // Whether values are far nearer to those of another place. A few networks in
  // ten thousand quantize so badly that nothing fits, and oneDNN once in a few
  // thousand gives a loop values of no place.
  bool FitsElsewhere(const Tensors& values, double error) const {
    return absl::c_any_of(references_, [&](const Tensors& other) {
      return other.size() == values.size() &&
             RelativeError(values, other) <
                 std::min(error, kQuantizedError) / 2;
    });
  }

  // Dropout is missing where it does nothing; what an op in place has written
  // to cannot be compared.
  static bool MayBeUnmatched(const UnmatchedOp& op) {
    const OpRow* row = FindOp(OpName(*op.node));
    return (row != nullptr && row->family == "dropout") ||
           absl::StrContains(op.reason, "an op in place has written");
  }

  static std::string ModelText(const Form& form, const ModelGraph& model) {
    std::string text = absl::StrCat("Model ", form.name, ":\n");
    absl::StrAppend(&text, ShortIr(model.graph()), "\n");
    return text;
  }

  static std::string ResultText(const MatchResult& result) {
    std::string text = "Matches:\n";
    for (const std::string& line : MatchLines(result)) {
      absl::StrAppend(&text, "  ", line, "\n");
    }
    for (const auto* unmatched : {&result.unmatched_a, &result.unmatched_b}) {
      for (const std::string& line : UnmatchedLines(*unmatched)) {
        absl::StrAppend(&text, "  unmatched ", line, "\n");
      }
    }
    return text;
  }

  std::mt19937_64 random_;
  Chain chain_;
  // By value.
  std::vector<Tensors> references_;
  ChainGraphOptions float_options_;
  ChainGraphOptions quantized_options_;
  Form float_;
  Form quantized_;
  Form lowered_;
  // By form: the first place whose values quantize so badly that they fit none.
  std::map<std::string, int> first_bad_;
  std::vector<Finding> findings_;
};

// Findings of one kind, of which the shortest is shown.
struct Kind {
  int count = 0;
  int64_t seed = 0;
  std::string text;
};

std::optional<int64_t> Number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? std::nullopt
                         : std::optional<int64_t>(std::atoll(text));
}

TEST(RandomChainsTest, WhatIsComparedStandsAtOnePlace) {
  // It packs and runs int8 layers.
  at::globalContext().setQEngine(at::QEngine::ONEDNN);
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  const std::optional<int64_t> alone = Number("NS_TEST_CHAIN");
  const int64_t begin = alone.value_or(0);
  const int64_t end =
      alone ? begin + 1 : Number("NS_TEST_CHAINS").value_or(10000);
  std::map<std::string, Kind> kinds;
  int64_t wrong = 0;
  for (int64_t seed = begin; seed < end; ++seed) {
    const std::vector<Finding> findings = Case(seed).Findings();
    wrong += findings.empty() ? 0 : 1;
    for (const Finding& finding : findings) {
      Kind& kind = kinds[finding.kind];
      if (kind.count++ == 0 || finding.text.size() < kind.text.size()) {
        kind.seed = seed;
        kind.text = finding.text;
      }
    }
  }
  std::vector<std::pair<std::string, Kind>> most(kinds.begin(), kinds.end());
  absl::c_stable_sort(most, [](const auto& x, const auto& y) {
    return x.second.count > y.second.count;
  });
  for (const auto& [name, kind] : most) {
    ADD_FAILURE() << kind.count << " times: " << name
                  << "\nThe shortest, NS_TEST_CHAIN=" << kind.seed << ":\n"
                  << kind.text;
  }
  EXPECT_EQ(wrong, 0) << "of " << end - begin << " networks";
}

}  // namespace
}  // namespace ns
