// Calls of the objects that hang on a module.
#ifndef NS_N_SHADOWS_INSERT_METHOD_CALL_H_
#define NS_N_SHADOWS_INSERT_METHOD_CALL_H_

#include <string>
#include <vector>

#include "ir/model_graph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Inserts, in front of `place`,
//
//   %object = prim::GetAttr[name=<attribute>](%self)
//   %result = prim::CallMethod[name=<method>](%object, <arguments>)
//
// and returns %result. The attribute holds an object of a C++ class.
torch::jit::Value* InsertMethodCall(
    ModelGraph& model, const std::string& attribute, const std::string& method,
    const std::vector<torch::jit::Value*>& arguments, torch::jit::Node* place);

}  // namespace ns

#endif  // NS_N_SHADOWS_INSERT_METHOD_CALL_H_
