// Tells how the Python code of a model called an op, from the source text that
// scripting keeps.
#ifndef PASSES_QUANTIZATION_LAYERS_PYTHON_CALL_H_
#define PASSES_QUANTIZATION_LAYERS_PYTHON_CALL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// TorchScript has one op, aten::relu, for torch.relu(x), F.relu(x) and
// x.relu().
struct PythonCall {
  enum class Form {
    kUnknown,
    kFunction,  // torch.relu(x), F.relu(x), relu(x)
    kMethod,    // x.relu()
    kOperator,  // x + y, x += y, x @ y, x[0]
  };
  Form form = Form::kUnknown;
  // The function, "torch.relu" for one of torch itself, "F.relu" for one of
  // torch.nn.functional and "relu" for one without a module; or the method,
  // "relu". Empty for the other forms. A function of a module or object that
  // has another name, "self.activate(x)", counts as a method.
  std::string name;

  bool operator==(const PythonCall& other) const {
    return form == other.form && name == other.name;
  }
};

// Returns the call whose text the compiler of TorchScript keeps as `text`: of a
// call, what is called, "torch.relu" or "self.conv(x).relu"; of an operator,
// the whole expression or augmented assignment.
PythonCall ParsePythonCall(absl::string_view text);

// Returns the call that `node` was compiled from. For an op inside a function
// of PyTorch's own, such as F.interpolate, it is the call of that function in
// the user's code (InlineModules in ir/flatten/inline_modules.h). kUnknown for
// traced models, for calls whose text was not saved, and for nodes that a pass
// has added.
PythonCall PythonCallOf(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_PYTHON_CALL_H_
