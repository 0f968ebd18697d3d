// A property of the aligned mode, on random graphs: every base op of a
// quantized-like model matches the op it was made from.
#include <torch/csrc/jit/ir/ir.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Two graphs that are built side by side. Nodes are found by their position:
// ModelGraph copies graphs and keeps the order.
class Twins {
 public:
  explicit Twins(int seed) : random_(seed) {
    values_.emplace_back(Input(*float_), Input(*quantized_));
  }

  void AddOps(int count) {
    for (int i = 0; i < count; ++i) {
      AddOp();
    }
    // All loose ends are outputs: nothing is dead.
    for (const auto& [x, y] : values_) {
      if (x->uses().empty() && x->node()->kind() != c10::prim::Param) {
        float_->registerOutput(x);
        quantized_->registerOutput(y);
      }
    }
  }

  void ExpectOriginsMatch() const {
    const ModelGraph a = OrThrow(ModelGraph::FromGraph(float_));
    const ModelGraph b = OrThrow(ModelGraph::FromGraph(quantized_));
    const MatchResult result = OrThrow(MatchSubgraphs(a, b));
    llvm::DenseMap<const Node*, int> position_a = Positions(a.graph());
    llvm::DenseMap<const Node*, int> position_b = Positions(b.graph());
    absl::flat_hash_map<int, int> found;
    for (const SubgraphMatch& match : result.matches) {
      if (!match.is_quantize_point) {
        found[position_b[match.b.subgraph.base]] =
            position_a[match.a.subgraph.base];
      }
    }
    const auto origin_a = Positions(*float_);
    const auto origin_b = Positions(*quantized_);
    for (const auto& [x, y] : origins_) {
      const auto it = found.find(origin_b.lookup(y));
      ASSERT_NE(it, found.end())
          << y->kind().toQualString() << " is not matched in\n"
          << quantized_->toString(false) << float_->toString(false);
      EXPECT_EQ(it->second, origin_a.lookup(x))
          << y->kind().toQualString() << " at " << it->first << " in\n"
          << quantized_->toString(false) << float_->toString(false);
    }
  }

 private:
  static Value* Input(Graph& graph) {
    Value* input = graph.addInput("x");
    input->setType(c10::TensorType::get());
    return input;
  }

  static llvm::DenseMap<const Node*, int> Positions(const Graph& graph) {
    llvm::DenseMap<const Node*, int> positions;
    for (const Node* node : graph.nodes()) {
      positions[node] = static_cast<int>(positions.size());
    }
    return positions;
  }

  static Value* Insert(Graph& graph, const std::string& op,
                       const std::vector<Value*>& inputs) {
    Node* node =
        graph.insertNode(graph.create(c10::Symbol::fromQualString(op), inputs));
    node->output()->setType(c10::TensorType::get());
    return node->output();
  }

  // An input of the graph: nothing tells weights apart, only the data flow.
  Value* Weight(Graph& graph) {
    Value* weight = graph.addInput("");
    weight->setType(c10::TensorType::get());
    return weight;
  }

  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }

  // One of the latest values: chains with some branches.
  std::pair<Value*, Value*> Source() {
    const int size = static_cast<int>(values_.size());
    return values_[std::max(0, size - 1 - (Choose(3) == 0 ? Choose(4) : 0))];
  }

  void AddOp() {
    auto [x, y] = Source();
    switch (Choose(5)) {
      case 0: {  // conv, perhaps a batch norm, perhaps a relu: one op in B
        Value* conv = Insert(*float_, "aten::conv2d", {x, Weight(*float_)});
        Value* end = conv;
        if (Choose(2) == 0) {
          end = Insert(*float_, "aten::batch_norm", {end});
        }
        const bool relu = Choose(2) == 0;
        if (relu) {
          end = Insert(*float_, "aten::relu", {end});
        }
        Record(
            conv, end,
            Insert(*quantized_,
                   relu ? "quantized::conv2d_relu" : "quantized::conv2d", {y}));
        break;
      }
      case 1: {
        const auto [x2, y2] = Source();
        Value* add = Insert(*float_, "aten::add", {x, x2});
        Record(add, add, Insert(*quantized_, "quantized::add", {y, y2}));
        break;
      }
      case 2: {
        Value* pool = Insert(*float_, "aten::max_pool2d", {x});
        Record(pool, pool, Insert(*quantized_, "aten::max_pool2d", {y}));
        break;
      }
      case 3: {  // float in B too, between a dequantize and a quantize
        Value* softmax = Insert(*float_, "aten::softmax", {x});
        Value* d = Insert(*quantized_, "aten::dequantize", {y});
        Value* twin = Insert(*quantized_, "aten::softmax", {d});
        Record(softmax, softmax, twin);
        values_.back().second =
            Insert(*quantized_, "aten::quantize_per_tensor", {twin});
        break;
      }
      default: {
        Value* dropped = Insert(*float_, "aten::dropout", {x});
        Value* tanh = Insert(*float_, "aten::tanh", {dropped});
        Record(tanh, tanh, Insert(*quantized_, "aten::tanh", {y}));
      }
    }
  }

  void Record(Value* base, Value* end, Value* twin) {
    origins_.emplace_back(base->node(), twin->node());
    values_.emplace_back(end, twin);
  }

  std::mt19937 random_;
  std::shared_ptr<Graph> float_ = std::make_shared<Graph>();
  std::shared_ptr<Graph> quantized_ = std::make_shared<Graph>();
  // Values that correspond, and base ops that do.
  std::vector<std::pair<Value*, Value*>> values_;
  std::vector<std::pair<Node*, Node*>> origins_;
};

TEST(RandomGraphsTest, EveryOpMatchesItsOrigin) {
  for (int seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Twins twins(seed);
    twins.AddOps(1 + seed % 25);
    twins.ExpectOriginsMatch();
  }
}

TEST(RandomGraphsTest, EveryOpOfALargeGraphMatchesItsOrigin) {
  Twins twins(7);
  twins.AddOps(2000);
  twins.ExpectOriginsMatch();
}

}  // namespace
}  // namespace ns
