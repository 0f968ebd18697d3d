#include "ir/aliasing/tensor_writes.h"

#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "ir/aliasing/memory_regions.h"
#include "ir/aliasing/returned_input.h"

namespace ns {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

TensorWrites::TensorWrites(Graph& graph)
    // The analysis wants a pointer that it can share; the graph outlives it.
    : aliases_(std::make_unique<torch::jit::AliasDb>(
          std::shared_ptr<Graph>(std::shared_ptr<Graph>(), &graph))),
      regions_(std::make_unique<MemoryRegions>(graph)) {
  FollowTensors(graph.block());
  if (!regions_->is_complete()) {
    regions_.reset();
  }
}

TensorWrites::~TensorWrites() = default;

void TensorWrites::FollowTensors(Block* block) {
  for (Node* node : block->nodes()) {
    for (Block* inner : node->blocks()) {
      FollowTensors(inner);
    }
    if (MayShareReturnedInput(*node)) {
      becomes_.emplace_back(node->input(0), node->output());
      becomes_.emplace_back(node->output(), node->input(0));
    }
    if (node->kind() != c10::prim::Loop) {
      continue;
    }
    // A loop's inputs are how many trips it takes, whether to begin, and what
    // is carried. The body gets the number of the trip and what is carried, and
    // returns whether to go on and what is carried.
    const Block& body = *node->blocks()[0];
    for (size_t i = 0; i < node->outputs().size(); ++i) {
      // A Tensor is an Optional[Tensor], too.
      if (node->outputs()[i]->type()->isSubtypeOf(
              *c10::OptionalType::ofTensor())) {
        becomes_.emplace_back(node->inputs()[i + 2], node->outputs()[i]);
        becomes_.emplace_back(body.outputs()[i + 1], body.inputs()[i + 1]);
      }
    }
  }
}

TensorWrites::Values TensorWrites::SameTensors(const Value* value) const {
  Values same = {value};
  bool grows = true;
  while (grows) {
    grows = false;
    for (const auto& [given, becomes] : becomes_) {
      if (same.count(becomes) == 0 && aliases_->mayAlias({given}, same)) {
        same.insert(becomes);
        grows = true;
      }
    }
  }
  return same;
}

bool TensorWrites::MayWrite(Node* node, const Value* value) const {
  return (regions_ == nullptr || regions_->MayWrite(node, value)) &&
         aliases_->writesToAlias(node, SameTensors(value));
}

bool TensorWrites::HasWriters(const Value* value) const {
  if (regions_ != nullptr && !regions_->HasWriters(value)) {
    return false;
  }
  const Values same = SameTensors(value);
  return std::any_of(same.begin(), same.end(), [&](const Value* each) {
    return aliases_->hasWriters(each);
  });
}

}  // namespace ns
