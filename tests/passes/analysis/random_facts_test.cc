// What ValueFacts is sure of holds whenever a graph runs: random programs,
// every tensor of which is looked at as it is made.
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "ir/text/text.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/analysis/value_facts.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// What a run has shown of values, which are numbered: the tensors of each, and
// the numbers that are scales.
struct Seen {
  std::map<int64_t, std::vector<at::Tensor>> tensors;
  std::map<int64_t, double> numbers;
  // Called with each tensor as it is made.
  std::function<void(int64_t, const at::Tensor&)> visit;
};
Seen* seen = nullptr;

// The ops that show it. Tensors in lists and tuples are shown one by one.
void Show(int64_t id, const c10::IValue& value) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      seen->visit(id, value.toTensor());
    }
  } else if (value.isScalar()) {
    seen->numbers[id] = value.toScalar().toDouble();
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      Show(id, element);
    }
  } else if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      Show(id, element);
    }
  }
}

const torch::jit::RegisterOperators kShow({torch::jit::Operator(
    "ns_test::show(Any value, int id) -> ()",
    [](torch::jit::Stack& stack) {
      const int64_t id = torch::jit::pop(stack).toInt();
      Show(id, torch::jit::pop(stack));
    },
    c10::AliasAnalysisKind::FROM_SCHEMA)});

// A method `forward(self, x, q, n, p, s)` of random lines.
class QuantizedProgram {
 public:
  // Half of the programs change no rank and no scale in place, and no list:
  // where some do, little is sure.
  explicit QuantizedProgram(int seed)
      : random_(seed), has_writes_(seed % 2 == 1) {}

  std::string Source() {
    text_ =
        "def forward(self, x: Tensor, q: Tensor, n: int, p: bool, "
        "s: float) -> List[Tensor]:\n"
        "    v0 = torch.relu(x)\n"
        "    v1 = torch.quantize_per_tensor(x, 0.1, 3, 13)\n"
        "    v2 = q.flatten(0, 1)\n"
        "    l0 = [v0]\n"
        "    t = torch.scalar_tensor(0.5)\n"
        "    z = torch.scalar_tensor(2).to(3)\n";
    AddLines(14, 1, 0);
    // So that none is left out as unused.
    absl::StrAppend(&text_, "    return [v0");
    for (int i = 1; i < count_; ++i) {
      absl::StrAppend(&text_, ", v", i);
    }
    absl::StrAppend(&text_, "]\n");
    return text_;
  }

 private:
  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }
  std::string Any() {
    return absl::StrCat("v", Choose(3) == 0
                                 ? Choose(count_)
                                 : std::max(0, count_ - 1 - Choose(4)));
  }
  void Line(int indent, const std::string& line) {
    absl::StrAppend(&text_, std::string(4 * indent, ' '), line, "\n");
  }
  void Assign(int indent, const std::string& expression) {
    Line(indent, absl::StrCat("v", count_++, " = ", expression));
  }
  std::string Dtype() { return Choose(3) == 0 ? "12" : "13"; }
  std::string Scale() {
    const char* scales[] = {"0.1", "0.1", "0.2", "s", "s * 2.0"};
    return scales[Choose(5)];
  }

  void AddLines(int lines, int indent, int depth) {
    for (int i = 0; i < lines; ++i) {
      AddLine(indent, depth);
    }
  }

  void AddLine(int indent, int depth) {
    const std::string a = Any();
    const std::string b = Any();
    const int kind = Choose(depth < 2 ? 38 : 33);
    if (!has_writes_ && (kind == 22 || kind == 23 || kind == 24 || kind == 26 ||
                         kind == 27 || kind == 31)) {
      return;
    }
    switch (kind) {
      case 0:
      case 1:
      case 2:
        // Of a plain tensor only: quantizing others raises.
        Assign(indent,
               absl::StrCat("torch.quantize_per_tensor(", a, ".dequantize(), ",
                            Scale(), ", 3, ", Dtype(), ")"));
        break;
      case 3:
        Assign(indent, absl::StrCat("torch.quantize_per_tensor(", a,
                                    ".dequantize(), t, z, ", Dtype(), ")"));
        break;
      case 4:
        Assign(indent, absl::StrCat(a, ".dequantize()"));
        break;
      case 5:
        Assign(indent, absl::StrCat("torch.relu(", a, ")"));
        break;
      case 6:
        Assign(indent, absl::StrCat("torch.sigmoid(", a, ")"));
        break;
      case 7:
        Assign(indent, absl::StrCat("torch.tanh(", a, ")"));
        break;
      case 8:
        Assign(indent, absl::StrCat(a, ".flatten(1)"));
        break;
      case 9:
        Assign(indent, absl::StrCat(a, ".unsqueeze(0)"));
        break;
      case 10:
        Assign(indent, absl::StrCat(a, "[0]"));
        break;
      case 11:
        Assign(indent, absl::StrCat(a, ".reshape(4, -1)"));
        break;
      case 12:
        Assign(indent, absl::StrCat(a, ".squeeze(0)"));
        break;
      case 13:
        Assign(indent, absl::StrCat(a, ".transpose(0, 1)"));
        break;
      case 14:
        Assign(indent, absl::StrCat("torch.cat([", a, ", ", a, "], 0)"));
        break;
      case 15:
        Assign(indent, absl::StrCat("torch.stack([", a, ", ", a, "])"));
        break;
      case 16:
        Assign(indent, absl::StrCat("torch.cat(", a, ".chunk(2, 0), 0)"));
        break;
      case 17:
        Assign(indent, absl::StrCat(a, ".clone()"));
        break;
      case 18:
        Assign(indent, absl::StrCat("torch.quantize_per_channel(", a,
                                    ".dequantize(), torch.full([", a,
                                    ".size(0)], 0.1), torch.zeros([", a,
                                    ".size(0)]).to(3), 0, ", Dtype(), ")"));
        break;
      case 19:
        Assign(indent, absl::StrCat(a, ".mean(0)"));
        break;
      case 20:
        Assign(indent, absl::StrCat("torch.clamp(", a, ", -1.0, 1.0)"));
        break;
      // In place, and through views.
      case 21:
        Line(indent, absl::StrCat("torch.relu_(", a, ")"));
        break;
      case 22:
        Line(indent, absl::StrCat(a, ".unsqueeze_(0)"));
        break;
      case 23:
        Line(indent, absl::StrCat(a, ".copy_(", a, ".clone())"));
        break;
      case 24:
        Line(indent, absl::StrCat(a, ".copy_(torch.quantize_per_tensor(", a,
                                  ".dequantize(), 0.7, 3, 13))"));
        break;
      case 25:
        Line(indent, absl::StrCat(a, "[0].hardtanh_(-1.0, 1.0)"));
        break;
      case 26:
        Line(indent, absl::StrCat("torch.hardsigmoid_(", a, ")"));
        break;
      // Lists.
      case 27:
        Line(indent, absl::StrCat("l0.append(", a, ")"));
        break;
      case 28:
        Assign(indent, "l0[0]");
        break;
      case 29:
        Line(indent, absl::StrCat("l", ++lists_, " = [", a, ", ", b, "]"));
        Assign(indent, absl::StrCat("l", lists_, "[n % 2]"));
        break;
      case 30:
        Line(indent, absl::StrCat("l", ++lists_, " = [", a, "]"));
        Line(indent, absl::StrCat("for i", lists_, " in range(n):"));
        Line(indent + 1, absl::StrCat("l", lists_, " = [l", lists_, "[0], ", b,
                                      "] if p else l", lists_));
        Assign(indent, absl::StrCat("l", lists_, "[-1]"));
        break;
      case 31:
        Line(indent, absl::StrCat("l", ++lists_, " = [", a, "]"));
        Line(indent, absl::StrCat("l", lists_, "[0].unsqueeze_(0)"));
        Assign(indent, absl::StrCat("l", lists_, "[0]"));
        break;
      case 32:
        Line(indent,
             absl::StrCat("u", ++lists_, " = (", a, ", (", b, ", ", a, "))"));
        Line(indent, absl::StrCat("for i", lists_, " in range(n):"));
        Line(indent + 1,
             absl::StrCat("u", lists_, " = (u", lists_, "[1][0], (", "u",
                          lists_, "[1][1], u", lists_, "[0]))"));
        Assign(indent, absl::StrCat("u", lists_, "[1][0]"));
        break;
      case 33:
      case 34:
      case 35:
        AddIf(indent, depth, a);
        break;
      default:
        AddLoop(indent, depth, a);
        break;
    }
  }

  void AddIf(int indent, int depth, const std::string& value) {
    const std::string result = absl::StrCat("v", count_++);
    Line(indent, absl::StrCat(result, " = ", value));
    Line(indent,
         Choose(2) == 0 ? "if p:" : absl::StrCat("if n > ", Choose(3), ":"));
    AddArm(indent + 1, depth + 1, result);
    Line(indent, "else:");
    AddArm(indent + 1, depth + 1, result);
  }

  void AddLoop(int indent, int depth, const std::string& value) {
    const std::string result = absl::StrCat("v", count_++);
    Line(indent, absl::StrCat(result, " = ", value));
    Line(indent, absl::StrCat("for i", ++loops_ + 1000, " in range(n):"));
    AddArm(indent + 1, depth + 1, result);
  }

  // Names that are defined in here are not seen outside.
  void AddArm(int indent, int depth, const std::string& result) {
    const int before = count_;
    AddLines(3, indent, depth);
    Line(indent, absl::StrCat(result, " = ", Any()));
    count_ = before;
  }

  std::mt19937 random_;
  const bool has_writes_;
  std::string text_;
  int count_ = 3;
  int lists_ = 0;
  int loops_ = 0;
};

// Puts an op behind everything that makes values, which shows them, and returns
// the values that the numbers stand for.
std::vector<Value*> ShowAll(torch::jit::Graph& graph) {
  std::vector<Value*> values;
  std::vector<std::pair<Node*, Value*>> places;
  const auto note = [&](Value* value, Node* behind) {
    places.emplace_back(behind, value);
  };
  for (Value* input : graph.inputs()) {
    note(input, graph.block()->param_node());
  }
  ForEachNode(graph.block(), [&](Node* node) {
    for (Value* output : node->outputs()) {
      note(output, node);
    }
    for (torch::jit::Block* block : node->blocks()) {
      for (Value* input : block->inputs()) {
        note(input, block->param_node());
      }
    }
  });
  const c10::Symbol show = c10::Symbol::fromQualString("ns_test::show");
  for (const auto& [behind, value] : places) {
    if (value->node()->kind() == c10::prim::Constant ||
        value->type()->cast<c10::ClassType>()) {
      continue;
    }
    torch::jit::Block* block = behind->owningBlock();
    const bool is_parameter = behind->kind() == c10::prim::Param;
    torch::jit::WithInsertPoint at(is_parameter ? *block->nodes().begin()
                                                : behind->next());
    Value* id = graph.insertConstant(static_cast<int64_t>(values.size()));
    graph.insertNode(graph.create(show, {value, id}, /*num_outputs=*/0));
    values.push_back(value);
  }
  return values;
}

// What `facts` say of `tensor` that is not so; empty when all is.
std::string Wrong(const TensorFacts& facts, const at::Tensor& tensor,
                  const llvm::DenseMap<const Value*, int64_t>& ids) {
  if (facts.IsNever()) {
    return "there is none";
  }
  if (facts.is_quantized.Is(!tensor.is_quantized())) {
    return absl::StrCat("quantized: ", !tensor.is_quantized());
  }
  if (facts.dtype.known() && !facts.dtype.Is(tensor.scalar_type())) {
    return absl::StrCat("dtype ", c10::toString(*facts.dtype.known()));
  }
  if (facts.least_rank > tensor.dim()) {
    return absl::StrCat("rank ", facts.least_rank, " of ", tensor.dim());
  }
  if (!tensor.is_quantized()) {
    return "";
  }
  const bool is_per_tensor = tensor.qscheme() == at::kPerTensorAffine;
  if (facts.is_per_tensor.IsNever() || facts.is_per_tensor.Is(!is_per_tensor)) {
    return "scheme";
  }
  if (!is_per_tensor) {
    return "";
  }
  if (facts.scale.IsNever() || facts.zero_point.IsNever()) {
    return "no scale";
  }
  const auto differs = [&](const auto& number, double actual) {
    if (number.known() == nullptr) {
      return false;
    }
    if (number.known()->constant) {
      return static_cast<double>(*number.known()->constant) != actual;
    }
    const auto id = ids.find(number.known()->value);
    const auto value =
        id == ids.end() ? seen->numbers.end() : seen->numbers.find(id->second);
    return value != seen->numbers.end() && value->second != actual;
  };
  if (differs(facts.scale, tensor.q_scale())) {
    return absl::StrCat("scale of ", tensor.q_scale());
  }
  return differs(facts.zero_point, static_cast<double>(tensor.q_zero_point()))
             ? "zero point"
             : "";
}

// How much a run told: facts that were known of tensors that were made.
struct Told {
  int runs = 0;
  int tensors = 0;
  int quantized = 0;
  int qparams = 0;
  int scale_values = 0;
  int ranks = 0;
};

void CheckProgram(int seed, Told& told) {
  const std::string source = QuantizedProgram(seed).Source();
  SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", source));
  auto loaded = ModelGraph::FromModule(MakeModule("Program", source));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ModelGraph model = *std::move(loaded);
  const ValueFacts facts(model.graph());
  const std::string text = model.graph().toString(false);
  const std::vector<Value*> values = ShowAll(model.graph());
  llvm::DenseMap<const Value*, int64_t> ids;
  for (size_t i = 0; i < values.size(); ++i) {
    ids[values[i]] = static_cast<int64_t>(i);
  }
  Seen now;
  seen = &now;
  bool is_wrong = false;
  now.visit = [&](int64_t id, const at::Tensor& tensor) {
    now.tensors[id].push_back(tensor);
    if (tensor.numel() == 1 && !tensor.is_quantized()) {
      now.numbers[id] = tensor.item().toDouble();
    }
    const TensorFacts sure = facts.Sure(*values[id]);
    told.tensors += 1;
    told.quantized += sure.is_quantized.known() != nullptr ? 1 : 0;
    told.qparams += sure.qparams().has_value() ? 1 : 0;
    told.scale_values +=
        sure.qparams() && sure.qparams()->scale.value != nullptr ? 1 : 0;
    told.ranks += sure.least_rank > 0 ? 1 : 0;
    // Of all that the value has been so far: what a later op in place changes
    // is looked at again.
    for (const auto& [made, tensors] : now.tensors) {
      const at::Tensor& newest = tensors.back();
      const std::string wrong =
          is_wrong ? "" : Wrong(facts.Sure(*values[made]), newest, ids);
      EXPECT_EQ(wrong, "") << "of %" << values[made]->debugName() << " in\n"
                           << text;
      is_wrong |= !wrong.empty();
    }
  };
  for (const bool p : {false, true}) {
    for (const int64_t n : {0, 1, 3}) {
      const at::Tensor x = at::randn({4, 4, 2});
      for (const at::Tensor& q :
           {at::quantize_per_tensor(x, 0.1, 3, at::kQUInt8), x}) {
        now.tensors.clear();
        now.numbers.clear();
        // What raises an exception has told until then.
        told.runs += model.Run({x.clone(), q.clone(), n, p, 0.3}).ok() ? 1 : 0;
      }
    }
  }
  seen = nullptr;
}

TEST(RandomFactsTest, WhatIsSureHoldsWheneverAGraphRuns) {
  Told told;
  constexpr int kPrograms = 600;
  for (int seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    CheckProgram(seed, told);
  }
  RecordProperty("tensors", told.tensors);
  std::printf(
      "%d runs to the end, %d tensors: %d known to be quantized or "
      "not, %d with qparams (%d values of the graph), %d with ranks\n",
      told.runs, told.tensors, told.quantized, told.qparams, told.scale_values,
      told.ranks);
  // A test of facts that say nothing would be none.
  EXPECT_GT(told.runs, 500);
  EXPECT_GT(told.quantized, told.tensors / 5);
  EXPECT_GT(told.qparams, told.tensors / 20);
  EXPECT_GT(told.scale_values, 1000);
  EXPECT_GT(told.ranks, told.tensors / 8);
}

}  // namespace
}  // namespace ns
