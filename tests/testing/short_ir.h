// Prints graphs with objects in them as short text, for tests: LibTorch's
// parser cannot read the types of objects.
#ifndef TESTS_TESTING_SHORT_IR_H_
#define TESTS_TESTING_SHORT_IR_H_

#include <string>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Returns one line a node: values are numbered in order of definition, without
// types, constants and attributes stand where they are used, and calls are as
// in Python. The nodes of constants and attributes have no line.
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
// Inputs without the module are %0, %1, ...; blocks other than those of
// prim::If are "block(<parameters>):".
std::string ShortIr(const torch::jit::Graph& graph);

// Fails the test unless ShortIr(graph) is `text`, whose first line break does
// not count.
void ExpectShortIr(const torch::jit::Graph& graph, absl::string_view text);

}  // namespace ns

#endif  // TESTS_TESTING_SHORT_IR_H_
