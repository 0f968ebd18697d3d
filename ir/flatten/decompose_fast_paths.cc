#include "ir/flatten/decompose_fast_paths.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/flatten/skip_fast_paths.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace aten = ::c10::aten;

constexpr char kLinear[] = "torch.nn.modules.linear.Linear";
constexpr char kNorm[] = "torch.nn.modules.normalization.LayerNorm";
constexpr char kAttention[] = "torch.nn.modules.activation.MultiheadAttention";

// What PyTorch's modules pass as `mask_type`.
constexpr int64_t kMaskOfScores = 0;
constexpr int64_t kMaskOfKeys = 1;

bool IsConstantBool(const Node& op, absl::string_view name) {
  const auto value = ConstantArgument(op, name);
  return value && value->isBool();
}

std::optional<int64_t> IntArgument(const Node& op, absl::string_view name) {
  const auto value = ConstantArgument(op, name);
  return value && value->isInt() ? std::optional(value->toInt()) : std::nullopt;
}

bool HasKnownMask(const Node& op) {
  const Value* mask = InputNamed(op, "mask");
  if (mask->mustBeNone()) {
    return true;
  }
  const auto type = IntArgument(op, "mask_type");
  return IsTensor(*mask) && type &&
         (*type == kMaskOfScores || *type == kMaskOfKeys);
}

bool HasKnownShape(const Node& op) {
  const bool is_attention = op.kind() == aten::_native_multi_head_attention;
  const auto features = IntArgument(op, "embed_dim");
  const auto heads = IntArgument(op, is_attention ? "num_head" : "num_heads");
  return features && heads && *heads > 0 && *features % *heads == 0;
}

bool CanDecompose(const Node& op) {
  if (!HasKnownShape(op) || !HasKnownMask(op)) {
    return false;
  }
  if (op.kind() == aten::_transformer_encoder_layer_fwd) {
    const auto eps = ConstantArgument(op, "eps");
    return IsConstantBool(op, "use_gelu") && IsConstantBool(op, "norm_first") &&
           eps && eps->isDouble();
  }
  return IsConstantBool(op, "need_weights") &&
         IsConstantBool(op, "average_attn_weights") &&
         (ConstantArgument(op, "need_weights")->toBool() ||
          op.outputs()[1]->uses().empty());
}

// Inserts the parts of one op before it.
class FastPathParts {
 public:
  FastPathParts(Graph& graph, Node& op)
      : graph_(graph), op_(op), path_(ModulePathOf(op)) {}

  // Returns the two results of an attention; the second is null where the
  // weights are not needed.
  std::array<Value*, 2> Attention() {
    return Attention(Input("query"), Input("key"), Input("value"));
  }

  Value* EncoderLayer() {
    Value* x = Input("src");
    const bool norm_first = ConstantArgument(op_, "norm_first")->toBool();
    Value* normed = norm_first ? Norm(x, "1") : x;
    Value* attention = nullptr;
    {
      const auto scope = Enter("self_attn", kAttention);
      attention = Attention(normed, normed, normed)[0];
    }
    x = Insert(aten::add, {x, attention});
    x = norm_first ? x : Norm(x, "1");
    Value* hidden = Linear(norm_first ? Norm(x, "2") : x, "1");
    hidden = ConstantArgument(op_, "use_gelu")->toBool()
                 ? Insert(aten::gelu, {hidden})
                 : Insert(aten::relu, {hidden});
    x = Insert(aten::add, {x, Linear(hidden, "2")});
    return norm_first ? x : Norm(x, "2");
  }

 private:
  Value* Input(absl::string_view name) { return InputNamed(op_, name); }

  Value* Input(absl::string_view name, absl::string_view number) {
    return InputNamed(op_, absl::StrCat(name, number));
  }

  Value* Insert(c10::Symbol kind, const std::vector<NamedValue>& arguments,
                const std::vector<NamedValue>& named = {}) {
    return graph_.insert(kind, arguments, named);
  }

  // Gives what is inserted next the path of a submodule.
  torch::jit::WithCurrentScope Enter(const std::string& name,
                                     const char* type) {
    const std::string fqn = JoinPath(path_.fqn, name);
    return torch::jit::WithCurrentScope(
        graph_, ScopeFor({fqn, path_.call_index, type}, op_.scope()));
  }

  Value* Norm(Value* x, const std::string& number) {
    const auto scope = Enter("norm" + number, kNorm);
    const auto features = ConstantArgument(op_, "embed_dim")->toInt();
    return Insert(
        aten::layer_norm,
        {x, std::vector<int64_t>{features}, Input("norm_weight_", number),
         Input("norm_bias_", number), Input("eps")});
  }

  Value* Linear(Value* x, const std::string& number) {
    const auto scope = Enter("linear" + number, kLinear);
    return Insert(aten::linear, {x, Input("ffn_weight_", number),
                                 Input("ffn_bias_", number)});
  }

  std::array<Value*, 3> Unpack(Value* list) {
    Node* unpack = graph_.insertNode(graph_.createListUnpack(list, 3));
    return {unpack->output(0), unpack->output(1), unpack->output(2)};
  }

  std::array<Value*, 3> Chunks(Value* x, int64_t dim) {
    return Unpack(Insert(aten::chunk, {x, 3, dim}));
  }

  // Returns the queries, keys and values.
  std::array<Value*, 3> Project(Value* query, Value* key, Value* value) {
    Value* weight = Input("qkv_weight");
    Value* bias = Input("qkv_bias");
    if (query == key && key == value) {
      return Chunks(Insert(aten::linear, {query, weight, bias}), -1);
    }
    const auto weights = Chunks(weight, 0);
    const auto biases = Chunks(bias, 0);
    return {Insert(aten::linear, {query, weights[0], biases[0]}),
            Insert(aten::linear, {key, weights[1], biases[1]}),
            Insert(aten::linear, {value, weights[2], biases[2]})};
  }

  // Reshapes (batch, length, features) to (batch, heads, length, features of a
  // head).
  Value* SplitHeads(Value* x) {
    Value* batch = Insert(aten::size, {x, 0});
    Value* length = Insert(aten::size, {x, 1});
    Value* sizes = List({batch, length, Int(heads()), Int(head_features())});
    return Insert(aten::transpose, {Insert(aten::reshape, {x, sizes}), 1, 2});
  }

  Value* JoinHeads(Value* x) {
    x = Insert(aten::transpose, {x, 1, 2});
    Value* batch = Insert(aten::size, {x, 0});
    Value* length = Insert(aten::size, {x, 1});
    return Insert(aten::reshape,
                  {x, List({batch, length, Int(heads() * head_features())})});
  }

  Value* Masked(Value* scores) {
    Value* mask = Input("mask");
    if (mask->mustBeNone()) {
      return scores;
    }
    mask = Insert(aten::to, {mask, c10::ScalarType::Bool});
    if (IntArgument(op_, "mask_type") == kMaskOfKeys) {
      mask = Insert(aten::unsqueeze, {mask, 1});
      mask = Insert(aten::unsqueeze, {mask, 1});
    }
    return Insert(aten::masked_fill,
                  {scores, mask, -std::numeric_limits<double>::infinity()});
  }

  std::array<Value*, 2> Attention(Value* query, Value* key, Value* value) {
    const auto [q, k, v] = Project(query, key, value);
    Value* scaled =
        Insert(aten::div, {SplitHeads(q), std::sqrt(double(head_features()))});
    Value* keys = Insert(aten::transpose, {SplitHeads(k), -2, -1});
    Value* scores = Masked(Insert(aten::matmul, {scaled, keys}));
    Value* weights = Insert(aten::softmax, {scores, -1});
    Value* joined = JoinHeads(Insert(aten::matmul, {weights, SplitHeads(v)}));
    Value* output = Insert(aten::linear,
                           {joined, Input("proj_weight"), Input("proj_bias")});
    return {output, NeededWeights(weights)};
  }

  Value* NeededWeights(Value* weights) {
    const bool are_needed = op_.outputs().size() == 2 &&
                            ConstantArgument(op_, "need_weights")->toBool();
    if (!are_needed) {
      return nullptr;
    }
    return ConstantArgument(op_, "average_attn_weights")->toBool()
               ? Insert(aten::mean, {weights, std::vector<int64_t>{1}})
               : weights;
  }

  Value* Int(int64_t number) { return graph_.insertConstant(number); }

  Value* List(const std::vector<Value*>& numbers) {
    return graph_.insertNode(graph_.createList(c10::IntType::get(), numbers))
        ->output();
  }

  int64_t heads() const {
    const bool is_attention = op_.kind() == aten::_native_multi_head_attention;
    return *IntArgument(op_, is_attention ? "num_head" : "num_heads");
  }
  int64_t head_features() const {
    return *IntArgument(op_, "embed_dim") / heads();
  }

  Graph& graph_;
  Node& op_;
  const ModulePath path_;
};

void Decompose(Graph& graph, Node* op) {
  torch::jit::WithInsertPoint at(op);
  torch::jit::WithCurrentScope scope(graph, op->scope());
  FastPathParts parts(graph, *op);
  if (op->kind() == aten::_transformer_encoder_layer_fwd) {
    op->output()->replaceAllUsesWith(parts.EncoderLayer());
  } else {
    const auto [output, weights] = parts.Attention();
    op->output(0)->replaceAllUsesWith(output);
    if (weights != nullptr) {
      op->output(1)->replaceAllUsesWith(weights);
    }
  }
  op->destroy();
}

}  // namespace

bool DecomposeFastPaths(Graph& graph) {
  if (MakesNestedTensors(graph)) {
    return false;
  }
  std::vector<Node*> ops;
  ForEachNode(graph.block(), [&](Node* node) {
    if (IsFastPathOp(*node) && CanDecompose(*node)) {
      ops.push_back(node);
    }
  });
  for (Node* op : ops) {
    Decompose(graph, op);
  }
  return !ops.empty();
}

}  // namespace ns
