// Graphs with objects in them as short text, for tests: LibTorch's parser does
// not read the types of those.
#ifndef TESTS_TESTING_SHORT_IR_H_
#define TESTS_TESTING_SHORT_IR_H_

#include <string>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// One line a node: values numbered in order of definition, without types,
// constants and attributes where they are used, calls as in Python. Nodes
// without a name of their own for constants and attributes have no line.
//
//   %1 = aten::add(%0, 2, 1)
//   self.ns_comparer_0.compare(%0, %1)
//   %2 = prim::If(%1)
//     then:
//       -> (%0)
//     else:
//       -> (%1)
//   return (%2)
//
// Inputs but the module are %0, %1, ...; blocks other than those of prim::If
// are "block(<parameters>):".
std::string ShortIr(const torch::jit::Graph& graph);

// Fails the test unless ShortIr(graph) is `text`, whose first line break does
// not count.
void ExpectShortIr(const torch::jit::Graph& graph, absl::string_view text);

}  // namespace ns

#endif  // TESTS_TESTING_SHORT_IR_H_
