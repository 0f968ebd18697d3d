#include "passes/instrument/guarded_shadow.h"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/model/insert_method_call.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// The nodes between two of one block, and what goes in and out.
struct Region {
  std::vector<Node*> nodes;
  // Values that the nodes take from outside, but the module itself.
  std::vector<Value*> inputs;
  // Values of the nodes that are used outside.
  std::vector<Value*> outputs;
};

// Adds what `node`, and the nodes inside it, take that is not `known`.
void TakeInputs(Node& node, llvm::DenseSet<const Value*>& known,
                std::vector<Value*>& inputs) {
  for (Value* input : node.inputs()) {
    if (known.insert(input).second) {
      inputs.push_back(input);
    }
  }
  for (Block* block : node.blocks()) {
    for (Node* inner : block->nodes()) {
      TakeInputs(*inner, known, inputs);
    }
    TakeInputs(*block->return_node(), known, inputs);
  }
}

Region RegionBetween(const Node* begin, const Node* end) {
  Region region;
  llvm::DenseSet<const Node*> inside;
  llvm::DenseSet<const Value*> known = {begin->owningGraph()->inputs()[0]};
  const auto visit = [&](Node* node) {
    inside.insert(node);
    for (const Block* block : node->blocks()) {
      known.insert(block->inputs().begin(), block->inputs().end());
      inside.insert(block->return_node());
    }
    known.insert(node->outputs().begin(), node->outputs().end());
  };
  for (Node* node = begin->next(); node != end; node = node->next()) {
    region.nodes.push_back(node);
    visit(node);
    for (Block* block : node->blocks()) {
      ForEachNode(block, visit);
    }
  }
  for (Node* node : region.nodes) {
    TakeInputs(*node, known, region.inputs);
    for (Value* output : node->outputs()) {
      if (absl::c_any_of(output->uses(), [&](const torch::jit::Use& use) {
            return !inside.contains(use.user);
          })) {
        region.outputs.push_back(output);
      }
    }
  }
  return region;
}

// A graph that computes the tensors of `region`, as a list, of the module and
// its inputs.
std::shared_ptr<Graph> GraphOf(const Region& region, Value* self) {
  auto graph = std::make_shared<Graph>();
  llvm::DenseMap<Value*, Value*> copies;
  copies[self] = graph->addInput("self")->setType(self->type());
  for (Value* input : region.inputs) {
    copies[input] = graph->addInput()->setType(input->type());
  }
  for (Node* node : region.nodes) {
    Node* copy = graph->insertNode(graph->createClone(
        node, [&](Value* value) { return copies.lookup(value); }));
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      copies[node->output(i)] = copy->output(i);
    }
  }
  std::vector<Value*> tensors;
  for (Value* output : region.outputs) {
    tensors.push_back(copies.lookup(output));
  }
  Node* list =
      graph->insertNode(graph->createList(c10::TensorType::get(), tensors));
  graph->registerOutput(list->output());
  return graph;
}

// Makes `graph` a method of `module`; returns its name.
std::string AddMethod(torch::jit::Module& module,
                      std::shared_ptr<Graph> graph) {
  const c10::ClassTypePtr type = module.type();
  // In a model with one method, the first shadow is number 0.
  size_t index = type->methods().size() - 1;
  std::string name;
  do {
    name = absl::StrCat("ns_shadow_", index++);
  } while (type->findMethod(name) != nullptr);
  torch::jit::Function* method =
      module._ivalue()->compilation_unit()->create_function(
          c10::QualifiedName(*type->name(), name), std::move(graph));
  type->addMethod(method);
  return name;
}

}  // namespace

absl::StatusOr<GuardedShadow> GuardedShadow::Mark(ModelGraph& host,
                                                  const std::string& guard,
                                                  Node* first, Node* end) {
  GuardedShadow shadow;
  NS_ASSIGN_OR_RETURN(Value * begin,
                      InsertMethodCall(host, guard, "begin", {}, first));
  shadow.begin_ = begin->node();
  Graph& graph = host.graph();
  shadow.end_ = graph.create(c10::prim::CallMethod, {shadow.begin_->input(0)})
                    ->insertBefore(end);
  shadow.end_->s_(c10::attr::name, "end");
  shadow.end_->output()->setType(c10::BoolType::get());
  return shadow;
}

Node* GuardedShadow::PlaceWhenMade(Node* place) const {
  Node* before = place->prev();
  const bool is_there = before->kind() == c10::prim::If &&
                        before->input(0) == end_->output() &&
                        before->outputs().empty();
  if (is_there) {
    return before->blocks()[0]->return_node();
  }
  Node* made = end_->owningGraph()
                   ->create(c10::prim::If, {end_->output()}, /*num_outputs=*/0)
                   ->insertBefore(place);
  Block* block = made->addBlock();
  made->addBlock();
  return block->return_node();
}

absl::Status GuardedShadow::MoveToMethod(ModelGraph& host) {
  return CatchTorchErrors("guarding a shadow", [&]() -> absl::Status {
    Graph& graph = host.graph();
    Value* self = graph.inputs()[0];
    const Region region = RegionBetween(begin_, end_);
    for (const Value* output : region.outputs) {
      if (!IsTensor(*output)) {
        return absl::InternalError(
            absl::StrCat("'%", output->debugName(), "' of a shadow is a ",
                         output->type()->repr_str(), ", not a tensor"));
      }
    }
    const std::string method = AddMethod(host.module(), GraphOf(region, self));
    torch::jit::WithInsertPoint at(end_);
    std::vector<Value*> inputs = {
        begin_->input(0), self, graph.insertConstant(method),
        graph.insertConstant(static_cast<int64_t>(region.outputs.size()))};
    inputs.insert(inputs.end(), region.inputs.begin(), region.inputs.end());
    Node* run = graph.insertNode(
        graph.create(c10::Symbol::fromQualString("ns::run_shadow"), inputs, 2));
    Value* made = run->output(0)->setType(c10::BoolType::get());
    Value* tensors = run->output(1)->setType(c10::ListType::ofTensors());
    for (size_t i = 0; i < region.outputs.size(); ++i) {
      NS_ASSIGN_OR_RETURN(
          Value * tensor,
          InsertOp(graph, "aten::__getitem__",
                   {tensors, graph.insertConstant(static_cast<int64_t>(i))}));
      region.outputs[i]->replaceAllUsesWith(tensor);
    }
    end_->output()->replaceAllUsesWith(made);
    end_->destroy();
    for (auto node = region.nodes.rbegin(); node != region.nodes.rend();
         ++node) {
      (*node)->destroy();
    }
    begin_->destroy();
    return absl::OkStatus();
  });
}

}  // namespace ns
