// Lets values of a graph have another memory layout than they had.
#ifndef PASSES_INSTRUMENT_PAIR_RELAX_LAYOUT_H_
#define PASSES_INSTRUMENT_PAIR_RELAX_LAYOUT_H_

#include <vector>

namespace torch::jit {
struct Graph;
struct Value;
}  // namespace torch::jit

namespace ns {

// Makes `graph` compute the same when `changed`, and so what is computed from
// them, come in another layout, such as channels last: each aten::view of such
// a value, which fails on layouts that do not suit it, becomes aten::reshape,
// which copies then. Views of other values stay.
//
// Returns false, and changes nothing, where that cannot be done: another op
// depends on such a layout (as_strided, stride, ...), or something writes to
// the memory that such a view shares with its input.
bool RelaxLayout(torch::jit::Graph& graph,
                 const std::vector<torch::jit::Value*>& changed);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_RELAX_LAYOUT_H_
