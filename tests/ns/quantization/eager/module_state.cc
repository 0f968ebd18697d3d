#include "tests/ns/quantization/eager/module_state.h"

#include <ATen/ATen.h>

#include <map>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

using ::torch::jit::Module;

std::string TensorText(const at::Tensor& tensor) {
  std::ostringstream text;
  text.precision(17);
  if (!tensor.defined()) {
    return "none";
  }
  const at::Tensor floats =
      (tensor.is_quantized() ? tensor.dequantize() : tensor)
          .detach()
          .to(at::kDouble)
          .contiguous();
  if (floats.numel() != 1) {
    text << floats.sizes() << " ";
  }
  for (int64_t i = 0; i < floats.numel(); ++i) {
    text << floats.data_ptr<double>()[i] << " ";
  }
  if (tensor.is_quantized()) {
    text << tensor.scalar_type();
  }
  return text.str();
}

std::string ValueText(const c10::IValue& value) {
  if (value.isTensor()) {
    return TensorText(value.toTensor());
  }
  if (value.isCustomClass()) {
    // Packed weights are saved as the tensors that they were made of.
    const auto* state =
        value.type()->cast<c10::ClassType>()->findMethod("__getstate__");
    std::vector<c10::IValue> stack = {value};
    const_cast<torch::jit::Function*>(state)->run(stack);
    return ValueText(stack.back());
  }
  if (value.isTuple()) {
    std::string text = "(";
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      absl::StrAppend(&text, ValueText(element), ", ");
    }
    return text + ")";
  }
  if (value.isList()) {
    std::string text = "[";
    for (const c10::IValue& element : value.toListRef()) {
      absl::StrAppend(&text, ValueText(element), ", ");
    }
    return text + "]";
  }
  if (value.isDouble() || value.isInt()) {
    return TensorText(at::scalar_tensor(value.toScalar(), at::kDouble));
  }
  std::ostringstream text;
  text << value;
  return text.str();
}

std::map<std::string, std::string> StateOf(const Module& module) {
  std::map<std::string, std::string> state;
  for (const auto& named : module.named_modules()) {
    state[named.name] =
        UnmangledTypeName(named.value.type()->name()->qualifiedName());
    for (const auto& attribute : named.value.named_attributes(false)) {
      if (attribute.value.isModule() || attribute.value.isNone() ||
          attribute.name == "training" ||
          attribute.name == "_is_full_backward_hook" ||
          // Of quantized cells: PyTorch leaves them random, as the kernels read
          // those that are packed.
          attribute.name == "bias_ih" || attribute.name == "bias_hh" ||
          // Of quantized attention, likewise, as its linear layers are read.
          absl::StartsWith(attribute.name, "in_proj_")) {
        continue;
      }
      state[JoinPath(named.name, attribute.name)] = ValueText(attribute.value);
    }
  }
  return state;
}

}  // namespace

std::string DifferenceOf(const Module& ours, const Module& theirs) {
  const std::map<std::string, std::string> our_state = StateOf(ours);
  const std::map<std::string, std::string> their_state = StateOf(theirs);
  std::string difference;
  const auto compare = [&](const auto& from, const auto& to,
                           const char* whose) {
    for (const auto& [path, value] : from) {
      const auto found = to.find(path);
      if (found == to.end() || found->second != value) {
        absl::StrAppend(&difference, whose, " ", path, ": ",
                        value.substr(0, 200), "\n");
      }
    }
  };
  compare(our_state, their_state, "ours");
  compare(their_state, our_state, "theirs");
  return difference;
}

at::Tensor OutputOf(Module module, const Batch& batch) {
  c10::IValue output = module.get_method("forward")(batch.arguments);
  while (output.isTuple()) {
    output = output.toTupleRef().elements()[0];
  }
  return output.toTensor();
}

}  // namespace ns
