// Properties of n-shadows models, on random graphs with fused ops, ops in
// place, lists, branches and loops.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/n_shadows/n_shadows_results.h"
#include "ns/n_shadows/prepare_n_shadows_add_loggers_model.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"
#include "passes/instrument/logger_switches.h"
#include "tests/testing/engines.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr int kWidth = 4;

// A graph of values of shape [kWidth, kWidth], which stay within bounds.
class RandomModel {
 public:
  explicit RandomModel(int seed) : random_(seed) {
    at::manual_seed(seed);
    Value* x = graph_->addInput("x");
    x->setType(c10::TensorType::get());
    values_.push_back(x);
    flag_ = graph_->addInput("flag");
    flag_->setType(c10::BoolType::get());
  }

  ModelGraph Build(int ops) {
    for (int i = 0; i < ops; ++i) {
      values_.push_back(AddOp(/*may_nest=*/true));
    }
    Node* outputs = graph_->insertNode(
        graph_->createTuple({values_.back(), values_[values_.size() / 2]}));
    graph_->registerOutput(outputs->output());
    return OrThrow(ModelGraph::FromGraph(graph_));
  }

 private:
  int Choose(int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random_);
  }

  Value* Source() {
    const int size = static_cast<int>(values_.size());
    return values_[std::max(0, size - 1 - (Choose(3) == 0 ? Choose(5) : 0))];
  }

  Value* Op(const std::string& name, const std::vector<Value*>& inputs) {
    Node* node = graph_->insertNode(
        graph_->create(c10::Symbol::fromQualString("aten::" + name), inputs));
    node->output()->setType(c10::TensorType::get());
    return node->output();
  }

  Value* Constant(const c10::IValue& value) {
    return graph_->insertConstant(value);
  }

  Value* Linear(Value* x, int width) {
    return Op("linear", {x, Constant(at::randn({kWidth, width}) * 0.5),
                         Constant(at::randn({kWidth}) * 0.1)});
  }

  Value* AddOp(bool may_nest) {
    Value* x = Source();
    switch (Choose(may_nest ? 10 : 8)) {
      case 0:
        return Op("relu", {Linear(x, kWidth)});
      case 1:
        return Op("relu_", {Linear(x, kWidth)});
      case 2:
        return Op("tanh", {Op("matmul", {x, Source()})});
      case 3:
        return Op("tanh_", {Op("add", {x, Source(), Constant(1)})});
      case 4:
        return Op("sigmoid", {Op("mul", {x, Source()})});
      case 5: {
        // Overwrites a value that others may read, before or after.
        return Op("add_",
                  {x, Constant(at::randn({kWidth}) * 0.1), Constant(1)});
      }
      case 6: {
        Node* list = graph_->insertNode(
            graph_->createList(c10::TensorType::get(), {x, Source()}));
        return Linear(Op("cat", {list->output(), Constant(1)}), 2 * kWidth);
      }
      case 7:
        return Op("hardtanh", {x, Constant(-1), Constant(1)});
      case 8:
        return Branch();
      default:
        return Loop(x);
    }
  }

  Value* Branch() {
    Node* branch = graph_->insertNode(graph_->create(c10::prim::If, {flag_}));
    branch->output()->setType(c10::TensorType::get());
    for (int arm = 0; arm < 2; ++arm) {
      Block* block = branch->addBlock();
      torch::jit::WithInsertPoint inside(block);
      block->registerOutput(AddOp(/*may_nest=*/false));
    }
    return branch->output();
  }

  Value* Loop(Value* x) {
    Value* trips = Constant(2);
    Value* go = Constant(true);
    Node* loop =
        graph_->insertNode(graph_->create(c10::prim::Loop, {trips, go, x}));
    loop->output()->setType(c10::TensorType::get());
    Block* body = loop->addBlock();
    body->addInput()->setType(c10::IntType::get());
    Value* carried = body->addInput();
    carried->setType(c10::TensorType::get());
    torch::jit::WithInsertPoint inside(body);
    Value* next = Op("tanh", {Linear(carried, kWidth)});
    body->registerOutput(go);
    body->registerOutput(next);
    return loop->output();
  }

  std::mt19937 random_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Value* flag_ = nullptr;
  std::vector<Value*> values_;
};

constexpr int kModels = 60;

std::vector<at::Tensor> OutputsOf(ModelGraph& model, const at::Tensor& x,
                                  bool flag) {
  // A copy: the model may overwrite its input.
  const c10::IValue result = OrThrow(model.Run({x.clone(), flag}));
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& output : result.toTupleRef().elements()) {
    outputs.push_back(output.toTensor().clone());
  }
  return outputs;
}

bool Equal(const std::vector<at::Tensor>& x, const std::vector<at::Tensor>& y) {
  return x.size() == y.size() &&
         std::equal(x.begin(), x.end(), y.begin(),
                    [](const at::Tensor& a, const at::Tensor& b) {
                      return a.equal(b);
                    });
}

class RandomModelsTest : public EngineTest {
 protected:
  // Runs what `prepare` makes of random models, and hands results to `check`.
  template <typename Prepare, typename Check>
  void ForEachModel(const Prepare& prepare, const Check& check) {
    for (int seed = 0; seed < kModels && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      ModelGraph model = RandomModel(seed).Build(2 + seed % 12);
      const at::Tensor x = at::rand({kWidth, kWidth}) - 0.5;
      NShadowsModel shadows = OrThrow(prepare(model));
      // One op on two values, each in an arm of its own.
      for (const SkippedCandidate& skipped : shadows.skipped) {
        EXPECT_TRUE(
            absl::StrContains(skipped.reason, "it takes what is made of") ||
            absl::StrContains(skipped.reason, "stands in arms of a prim::If"))
            << skipped.subgraph << ": " << skipped.reason;
      }
      torch::jit::Module& module = shadows.model.module();
      for (const bool flag : {false, true}) {
        EXPECT_TRUE(Equal(OutputsOf(shadows.model, x, flag),
                          OutputsOf(model, x, flag)));
      }
      NS_ASSERT_OK(ConvertNShadowsModel(module));
      NS_ASSERT_OK(LoggersSetEnabled(module, true));
      for (const bool flag : {false, true}) {
        EXPECT_TRUE(Equal(OutputsOf(shadows.model, x, flag),
                          OutputsOf(model, x, flag)));
      }
      check(OrThrow(ExtractResultsNShadowsModel(module)));
    }
  }
};

TEST_P(RandomModelsTest, OutputsStayAndCandidatesRank) {
  const QConfigMultiMapping mapping = QConfigMultiMapping().SetGlobal(
      {QConfig(), Int8PerTensorQConfig(), Fp16QConfig()});
  int ranked = 0;
  ForEachModel(
      [&](const ModelGraph& model) {
        return PrepareNShadowsModel(model, mapping);
      },
      [&](const NShadowsResults& results) {
        for (const ShadowedSubgraph& subgraph : results.subgraphs) {
          SCOPED_TRACE(subgraph.name);
          if (subgraph.candidates.empty()) {
            continue;
          }
          ASSERT_EQ(subgraph.candidates.size(), 3);
          const auto sqnr = [&](int i) {
            return subgraph.candidates[i].pooled.SqnrDb();
          };
          EXPECT_EQ(subgraph.candidates[0].pooled.sum_e2, 0);
          if (std::isfinite(sqnr(1))) {
            // What int8 happens to hit exactly, half precision may not.
            EXPECT_GT(sqnr(2), std::min(sqnr(1), 55.0));
            ++ranked;
          }
        }
      });
  EXPECT_GT(ranked, kModels);
}

TEST_P(RandomModelsTest, SecondPathOfNothingIsExact) {
  int compared = 0;
  ForEachModel(
      [](const ModelGraph& model) {
        return PrepareNShadowsAddLoggersModel(
            model, QConfigMapping().SetGlobal(QConfig()));
      },
      [&](const NShadowsResults& results) {
        for (const ShadowedSubgraph& subgraph : results.subgraphs) {
          EXPECT_EQ(subgraph.candidates.at(0).pooled.sum_e2, 0)
              << subgraph.name;
          ++compared;
        }
      });
  EXPECT_GT(compared, kModels);
}

NS_INSTANTIATE_ON_ENGINES(RandomModelsTest);

}  // namespace
}  // namespace ns
