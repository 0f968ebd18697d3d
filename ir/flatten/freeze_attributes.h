// Turns attributes into constants as LibTorch's freezing does.
#ifndef IR_FLATTEN_FREEZE_ATTRIBUTES_H_
#define IR_FLATTEN_FREEZE_ATTRIBUTES_H_

#include <memory>

#include "llvm/ADT/DenseSet.h"

namespace torch::jit {
struct Graph;
struct Module;
struct Node;
}  // namespace torch::jit

namespace ns {

// Replaces each prim::GetAttr of `graph` that reads a tensor, a number, a
// string, None or packed parameters of `root` (the first input of `graph`), or
// of a module below it, by a constant. The constants have the values, names and
// order that torch::jit::freeze_module would give them, so that it can run
// afterwards with the same result; in between, DistinctConstants
// (distinct_constants.h) can make it faster. `root` must be in evaluation mode.
//
// Returns the constants that hold tensors, for RestoreShapes. The graph stays
// as it is if an attribute is written or has another type, such as a list, or
// if the graph forks: LibTorch then decides what can be frozen. The time is
// linear in the size of the graph.
llvm::DenseSet<const torch::jit::Node*> FreezeAttributes(
    const torch::jit::Module& root,
    const std::shared_ptr<torch::jit::Graph>& graph);

// Gives the types of `constants` the shapes that they had before freezing,
// which removes shapes from the constants that it finds.
void RestoreShapes(const llvm::DenseSet<const torch::jit::Node*>& constants,
                   torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_FREEZE_ATTRIBUTES_H_
