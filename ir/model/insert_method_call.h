// Inserts calls of methods of the objects that are attributes of a module.
#ifndef IR_MODEL_INSERT_METHOD_CALL_H_
#define IR_MODEL_INSERT_METHOD_CALL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"

namespace torch::jit {
struct Graph;
struct Module;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts, in front of `place`,
//
//   %object = prim::GetAttr[name=<attribute>](%self)
//   %result = prim::CallMethod[name=<method>](%object, <arguments>)
//
// and returns %result, a value of type None for a method without a result.
// `attribute` is one of the module itself, not a path. The arguments are not
// checked: all that the method has must be there, or the call fails when it
// runs. Error: there is no such attribute or method, or the first input of the
// graph is no module, as in graphs without a model. The graph is then
// unchanged.
absl::StatusOr<torch::jit::Value*> InsertMethodCall(
    ModelGraph& model, const std::string& attribute, const std::string& method,
    const std::vector<torch::jit::Value*>& arguments, torch::jit::Node* place);

// Does the same in `graph`, that of any method of `module`.
absl::StatusOr<torch::jit::Value*> InsertMethodCall(
    const torch::jit::Module& module, torch::jit::Graph& graph,
    const std::string& attribute, const std::string& method,
    const std::vector<torch::jit::Value*>& arguments, torch::jit::Node* place);

}  // namespace ns

#endif  // IR_MODEL_INSERT_METHOD_CALL_H_
