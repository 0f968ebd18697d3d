#include "tests/testing/random_chain.h"

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/chain_layers.h"

namespace ns {
namespace {

// Says how networks call their activations.
enum class ActivationStyle { kModules, kOneModule, kFunctions };

// What is known of a value's range. It decides which activations have an
// effect.
struct Range {
  bool not_negative = false;
  bool within_hardtanh = false;
  bool below_six = false;
};

class Maker {
 public:
  explicit Maker(int64_t seed) : random_(seed) {}

  Chain Make() {
    style_ = static_cast<ActivationStyle>(Choose(3));
    first_layer_ = Choose(kChainLayers);
    const int dims = Choose(4);
    chain_.body.output = chain_.body.input = NewValue(dims, -1);
    Fill(chain_.body, 1 + Choose(12), 0);
    CountUses(chain_.body);
    ChooseInPlace(chain_.body);
    MarkCalledAgain(chain_.body);
    return std::move(chain_);
  }

 private:
  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }
  bool Chance(double p) { return std::bernoulli_distribution(p)(random_); }

  // Adds a value with the place of the value `same_as`, or with one of its own.
  int NewValue(int dims, int same_as, Range range = {}) {
    const int value = static_cast<int>(chain_.values.size());
    ChainValue made;
    made.place = same_as < 0 ? value : chain_.values[same_as].place;
    made.dims = dims;
    chain_.values.push_back(made);
    ranges_.push_back(range);
    visible_.push_back(value);
    return value;
  }

  int Dims(int value) const { return chain_.values[value].dims; }
  int PlaceOf(int value) const { return chain_.values[value].place; }

  // Adds `steps` steps, or fewer.
  void Fill(ChainBlock& block, int steps, int depth) {
    for (int i = 0; i < steps; ++i) {
      AddStep(block, depth);
    }
  }

  void AddStep(ChainBlock& block, int depth) {
    // Ops that may be fused, folded or kept apart come more often than by
    // chance.
    if (EndsWithWeights(block) && Chance(0.4)) {
      Chance(0.5) ? AddNorm(block) : AddActivation(block);
      return;
    }
    if (EndsWithActivation(block) && Chance(0.25)) {
      AddNorm(block);
      return;
    }
    const int choice = Choose(100);
    if (choice < 30) {
      AddWeighted(block);
    } else if (choice < 50) {
      AddNorm(block);
    } else if (choice < 76) {
      AddActivation(block);
    } else if (choice < 83) {
      Add(block, ChainOp::kDropout, ModuleName("dropout"));
    } else if (choice < 88) {
      if (Dims(block.output) == 2) {
        Add(block, Chance(0.5) ? ChainOp::kMaxPool : ChainOp::kAvgPool,
            ModuleName("pool"));
      }
    } else if (choice < 93) {
      AddResidual(block);
    } else if (choice < 96) {
      AddControlFlow(block, depth);
    } else if (depth == 0 && Dims(block.output) == 2) {
      Add(block, ChainOp::kGlobalPool, ModuleName("pool"));
      Add(block, ChainOp::kFlatten, "");
    }
  }

  static bool EndsWithWeights(const ChainBlock& block) {
    return !block.steps.empty() && (block.steps.back().op == ChainOp::kConv ||
                                    block.steps.back().op == ChainOp::kLinear);
  }

  static bool EndsWithActivation(const ChainBlock& block) {
    return !block.steps.empty() && block.steps.back().op >= ChainOp::kRelu &&
           block.steps.back().op <= ChainOp::kTanh;
  }

  // Returns "conv3", or "block1.conv3".
  std::string ModuleName(const std::string& what) {
    const std::string name = absl::StrCat(what, names_++);
    return Chance(0.3) ? absl::StrCat("block", names_ / 4, ".", name) : name;
  }

  ChainStep& Add(ChainBlock& block, ChainOp op, std::string fqn) {
    ChainStep step;
    step.op = op;
    step.x = block.output;
    step.fqn = std::move(fqn);
    const bool keeps = op == ChainOp::kDropout || op == ChainOp::kMaxPool ||
                       op == ChainOp::kGlobalPool || op == ChainOp::kFlatten;
    const bool flat = op == ChainOp::kFlatten;
    step.out =
        NewValue(flat ? 0 : Dims(step.x), op == ChainOp::kDropout ? step.x : -1,
                 keeps ? ranges_[step.x] : Range());
    block.output = step.out;
    block.steps.push_back(std::move(step));
    return block.steps.back();
  }

  void AddWeighted(ChainBlock& block) {
    const int dims = Dims(block.output);
    const ChainOp op = dims == 0 ? ChainOp::kLinear : ChainOp::kConv;
    std::vector<std::pair<std::string, int>>& made = layers_made_[dims];
    // A module that is called again keeps its weights.
    if (!made.empty() && Chance(0.06)) {
      const auto [fqn, layer] = made[Choose(static_cast<int>(made.size()))];
      called_again_.insert(fqn);
      Add(block, op, fqn).layer = layer;
      return;
    }
    const int layer = (first_layer_ + layers_++) % kChainLayers;
    Add(block, op, ModuleName(dims == 0 ? "fc" : "conv")).layer = layer;
    made.emplace_back(block.steps.back().fqn, layer);
  }

  // Adds a norm. Right behind a layer, it has the layer's number: folded
  // weights are packed once for all chains.
  void AddNorm(ChainBlock& block) {
    int layer = kChainLayers + (first_layer_ + norms_++) % kChainLayers;
    if (EndsWithWeights(block)) {
      layer = block.steps.back().layer;
    }
    Add(block, ChainOp::kNorm, ModuleName("bn")).layer = layer;
  }

  void AddActivation(ChainBlock& block) {
    const Range range = ranges_[block.output];
    Range result;
    ChainOp op = ChainOp::kRelu;
    std::string what = "relu";
    const int choice = Choose(20);
    if (choice < 10) {
      if (range.not_negative) {
        return;
      }
      result = range;
      result.not_negative = true;
    } else if (choice < 12) {
      if (range.not_negative && range.below_six) {
        return;
      }
      op = ChainOp::kRelu6;
      what = "relu6_";
      result = range;
      result.not_negative = result.below_six = true;
    } else if (choice < 14) {
      if (range.within_hardtanh) {
        return;
      }
      op = ChainOp::kHardtanh;
      what = "hardtanh";
      result = range;
      result.within_hardtanh = result.below_six = true;
    } else if (choice < 15) {
      if (range.not_negative) {
        return;
      }
      op = ChainOp::kLeakyRelu;
      what = "leaky";
    } else if (choice < 16) {
      op = ChainOp::kHardswish;
      what = "hardswish";
    } else if (choice < 18) {
      op = ChainOp::kSigmoid;
      what = "sigmoid";
      result.not_negative = result.below_six = true;
    } else {
      op = ChainOp::kTanh;
      what = "tanh";
      result.not_negative = range.not_negative;
      result.below_six = true;
    }
    std::string fqn;
    if (style_ == ActivationStyle::kModules) {
      fqn = ModuleName(what);
    } else if (style_ == ActivationStyle::kOneModule) {
      fqn = what;
    }
    Add(block, op, fqn);
    ranges_[block.output] = result;
  }

  // Adds an earlier result, also one of the blocks around this one, or
  // multiplies by it.
  void AddResidual(ChainBlock& block) {
    std::vector<int> earlier;
    for (const int value : visible_) {
      if (Dims(value) == Dims(block.output) &&
          PlaceOf(value) != PlaceOf(block.output)) {
        earlier.push_back(value);
      }
    }
    if (earlier.empty()) {
      return;
    }
    const int other = earlier[Choose(static_cast<int>(earlier.size()))];
    Add(block, Chance(0.7) ? ChainOp::kAdd : ChainOp::kMul, "").other = other;
  }

  void AddControlFlow(ChainBlock& block, int depth) {
    if (depth > 1) {
      return;
    }
    const bool is_if = Chance(0.5);
    ChainStep step;
    step.op = is_if ? ChainOp::kIf : ChainOp::kLoop;
    step.x = block.output;
    const size_t visible = visible_.size();
    for (int i = 0; i < (is_if ? 2 : 1); ++i) {
      ChainBlock inner;
      // The value that a loop carries is a value of its own.
      inner.input = is_if ? step.x : NewValue(Dims(step.x), -1);
      inner.output = inner.input;
      // Only a second arm may return its input unchanged.
      while (PlaceOf(inner.output) == PlaceOf(inner.input) &&
             (i == 0 || Chance(0.8))) {
        Fill(inner, 1 + Choose(5), depth + 1);
      }
      step.blocks.push_back(std::move(inner));
      visible_.resize(visible);
    }
    step.out = NewValue(Dims(step.x), -1);
    block.output = step.out;
    block.steps.push_back(std::move(step));
  }

  void CountUses(const ChainBlock& block) {
    for (const ChainStep& step : block.steps) {
      ++chain_.values[step.x].uses;
      if (step.other >= 0) {
        ++chain_.values[step.other].uses;
      }
      for (const ChainBlock& inner : step.blocks) {
        CountUses(inner);
      }
    }
    ++chain_.values[block.output].uses;
  }

  // Makes ops work in place only where nothing else reads what is overwritten:
  // neither the value nor one that shares its storage.
  void ChooseInPlace(ChainBlock& block) {
    int shares_storage = block.input;
    for (ChainStep& step : block.steps) {
      for (ChainBlock& inner : step.blocks) {
        ChooseInPlace(inner);
      }
      const bool has_form =
          step.op == ChainOp::kRelu || step.op == ChainOp::kHardtanh;
      step.in_place = has_form && step.x != shares_storage &&
                      chain_.values[step.x].uses == 1 && Chance(0.4);
      const bool is_view =
          step.op == ChainOp::kDropout || step.op == ChainOp::kFlatten ||
          step.op == ChainOp::kIf || step.op == ChainOp::kLoop || step.in_place;
      shares_storage = is_view ? step.out : -1;
    }
  }

  void MarkCalledAgain(ChainBlock& block) {
    for (ChainStep& step : block.steps) {
      step.is_called_again = called_again_.count(step.fqn) > 0;
      for (ChainBlock& inner : step.blocks) {
        MarkCalledAgain(inner);
      }
    }
  }

  std::mt19937_64 random_;
  Chain chain_;
  std::vector<Range> ranges_;
  // The values that the next step can use.
  std::vector<int> visible_;
  ActivationStyle style_ = ActivationStyle::kModules;
  // The existing modules and their weights, by the number of spatial
  // dimensions.
  std::vector<std::pair<std::string, int>> layers_made_[4];
  // The modules with weights that several steps call.
  std::set<std::string> called_again_;
  int first_layer_ = 0;
  int layers_ = 0;
  int norms_ = 0;
  int names_ = 0;
};

void AppendText(const Chain& chain, const ChainBlock& block,
                const std::string& indent, std::string& text) {
  const auto place = [&](int value) {
    return absl::StrCat("%", chain.values[value].place);
  };
  for (const ChainStep& step : block.steps) {
    absl::StrAppend(&text, indent, place(step.out), " = ",
                    ChainOpName(step, chain.values[step.x].dims), "(",
                    place(step.x));
    if (step.other >= 0) {
      absl::StrAppend(&text, ", ", place(step.other));
    }
    absl::StrAppend(&text, ")");
    if (!step.fqn.empty()) {
      absl::StrAppend(&text, "  # ", step.fqn);
    }
    absl::StrAppend(&text, "\n");
    for (const ChainBlock& inner : step.blocks) {
      absl::StrAppend(&text, indent, "  block(", place(inner.input), "):\n");
      AppendText(chain, inner, indent + "    ", text);
      absl::StrAppend(&text, indent, "    -> ", place(inner.output), "\n");
    }
  }
}

}  // namespace

Chain RandomChain(int64_t seed) { return Maker(seed).Make(); }

std::string ChainOpName(const ChainStep& step, int dims) {
  switch (step.op) {
    case ChainOp::kConv:
      return absl::StrCat("conv", dims, "d");
    case ChainOp::kLinear:
      return "linear";
    case ChainOp::kNorm:
      return "batch_norm";
    case ChainOp::kRelu:
      return step.in_place ? "relu_" : "relu";
    case ChainOp::kRelu6:
      return "relu6";
    case ChainOp::kHardtanh:
      return step.in_place ? "hardtanh_" : "hardtanh";
    case ChainOp::kLeakyRelu:
      return "leaky_relu";
    case ChainOp::kHardswish:
      return "hardswish";
    case ChainOp::kSigmoid:
      return "sigmoid";
    case ChainOp::kTanh:
      return "tanh";
    case ChainOp::kDropout:
      return "dropout";
    case ChainOp::kMaxPool:
      return "max_pool2d";
    case ChainOp::kAvgPool:
      return "avg_pool2d";
    case ChainOp::kGlobalPool:
      return "adaptive_avg_pool2d";
    case ChainOp::kFlatten:
      return "flatten";
    case ChainOp::kAdd:
      return "add";
    case ChainOp::kMul:
      return "mul";
    case ChainOp::kIf:
      return "if";
    case ChainOp::kLoop:
      return "loop";
  }
  return "";
}

std::string ChainText(const Chain& chain) {
  std::string text = absl::StrCat("%0: input with ", chain.values[0].dims,
                                  " spatial dimensions\n");
  AppendText(chain, chain.body, "", text);
  return text;
}

}  // namespace ns
