#include "ns/quantization/eager/constant_attributes.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/hierarchy/make_module.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/analysis/output_scale.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether both are views of the same numbers.
bool IsSame(const at::Tensor& a, const at::Tensor& b) {
  return a.data_ptr() == b.data_ptr() && a.sizes() == b.sizes() &&
         a.strides() == b.strides() && a.dtype() == b.dtype();
}

class Taker {
 public:
  Taker(const QuantizedType& type, at::ScalarType dtype, Module& module,
        Graph& graph)
      : type_(type), dtype_(dtype), module_(module), graph_(graph) {}

  absl::Status Run() {
    size_t packed = 0;
    llvm::DenseMap<Value*, Value*> taken;
    std::vector<Node*> nodes;
    ForEachNode(graph_.block(), [&](Node* node) { nodes.push_back(node); });
    for (Node* node : nodes) {
      const int scale = OutputScaleArgument(*node);
      for (size_t i = 0; i < node->inputs().size(); ++i) {
        Value* input = node->input(i);
        const bool is_constant =
            input->node()->kind() == c10::prim::Constant && ConstantOf(*input);
        if (!is_constant) {
          continue;
        }
        const auto place = static_cast<int>(i);
        Value* value = nullptr;
        if (type_.qparams != QParamsForm::kNone && scale >= 0 &&
            (place == scale || place == scale + 1)) {
          NS_ASSIGN_OR_RETURN(
              value, QParam(*node, place == scale ? "scale" : "zero_point"));
        } else if (const auto found = taken.find(input); found != taken.end()) {
          value = found->second;
        } else {
          NS_ASSIGN_OR_RETURN(value, Take(*input, packed));
          taken[input] = value;
        }
        if (value != nullptr) {
          node->replaceInput(i, value);
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Value*> QParam(Node& user, const std::string& name) {
    const torch::jit::WithInsertPoint in_front(&user);
    Value* value = graph_.insertGetAttr(Self(), name);
    value->setType(module_.attr(name).type());
    if (type_.qparams == QParamsForm::kNumbers) {
      return value;
    }
    return InsertOp(graph_, name == "scale" ? "aten::Float" : "aten::Int",
                    {value});
  }

  // The attribute that takes the place of a constant; null where it stays.
  absl::StatusOr<Value*> Take(Value& constant, size_t& packed) {
    const c10::IValue value = *ConstantOf(constant);
    const torch::jit::WithInsertPoint at_front(*graph_.nodes().begin());
    if (value.isCustomClass()) {
      if (type_.packed.empty()) {
        return nullptr;
      }
      const std::string& name =
          type_.packed[std::min(packed, type_.packed.size() - 1)];
      const std::string path =
          absl::StrReplaceAll(name, {{"#", absl::StrCat(packed)}});
      ++packed;
      return GetOrAdd(path, value);
    }
    if (type_.keeps_tensors && value.isTensor() && value.toTensor().defined()) {
      for (const auto& attribute :
           module_.named_attributes(/*recurse=*/false)) {
        if (attribute.value.isTensor() &&
            IsSame(attribute.value.toTensor(), value.toTensor())) {
          Value* read = graph_.insertGetAttr(Self(), attribute.name);
          return read->setType(c10::TensorType::get());
        }
      }
    }
    return nullptr;
  }

  // Reads the attribute at `path`, which is set to `value` where it is missing.
  absl::StatusOr<Value*> GetOrAdd(const std::string& path,
                                  const c10::IValue& value) {
    Module owner = module_;
    Value* object = Self();
    const std::vector<std::string> names = absl::StrSplit(path, '.');
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      if (!owner.hasattr(names[i])) {
        Module inner = NewModule(type_.packed_classes[i]);
        AddDtypes(inner);
        NS_RETURN_IF_ERROR(
            DefineMethods(inner,
                          "def forward(self, x: Tensor) -> Tensor:\n"
                          "    return x\n"));
        owner.register_module(names[i], inner);
      }
      owner = owner.attr(names[i]).toModule();
      object = graph_.insertGetAttr(object, names[i])->setType(owner.type());
    }
    if (!owner.hasattr(names.back())) {
      owner.register_attribute(names.back(), value.type(), value);
    }
    return graph_.insertGetAttr(object, names.back())->setType(value.type());
  }

  // Says what the weight in `inner` is quantized to.
  void AddDtypes(Module& inner) {
    const auto add = [&](Module& module) {
      module.register_attribute("dtype", c10::IntType::get(),
                                static_cast<int64_t>(dtype_));
    };
    if (type_.weight_dtype != WeightDtype::kNone) {
      add(inner);
    }
    if (type_.weight_dtype == WeightDtype::kAlsoOutside) {
      add(module_);
    }
  }

  // The first input of a method; it has its new type, so that the code can read
  // new attributes.
  Value* Self() { return graph_.inputs()[0]->setType(module_.type()); }

  const QuantizedType& type_;
  const at::ScalarType dtype_;
  Module& module_;
  Graph& graph_;
};

}  // namespace

absl::Status TakeConstants(const QuantizedType& type, at::ScalarType dtype,
                           Module& module, Graph& graph) {
  return Taker(type, dtype, module, graph).Run();
}

}  // namespace ns
