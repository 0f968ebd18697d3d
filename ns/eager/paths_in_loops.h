// Finds the modules that are called inside a loop.
#ifndef NS_EAGER_PATHS_IN_LOOPS_H_
#define NS_EAGER_PATHS_IN_LOOPS_H_

#include <set>
#include <string>

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Returns the paths of the leaf modules (ir/flatten/inline_modules.h) that
// `graph` calls inside a loop.
std::set<std::string> PathsInLoops(torch::jit::Graph& graph);

}  // namespace ns

#endif  // NS_EAGER_PATHS_IN_LOOPS_H_
