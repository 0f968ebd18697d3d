#include "passes/analysis/op_outputs.h"

#include <ATen/core/function_schema.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// No more elements of a list are told apart.
constexpr size_t kMostElements = 64;

// The types of recurrent modules, each with an op that has the same outputs.
constexpr std::pair<absl::string_view, absl::string_view> kRecurrentModules[] =
    {{"GRU", "aten::gru"},
     {"LSTM", "aten::lstm"},
     {"LSTMCell", "aten::lstm_cell"},
     {"RNN", "aten::rnn_tanh"}};

// Returns the row that names the outputs of `node`; null when there is none.
const OpRow* RowOf(const Node& node) {
  const absl::string_view name = OpName(node);
  if (!IsLeafCall(node)) {
    return FindOp(name);
  }
  for (const auto& [type, op] : kRecurrentModules) {
    if (IsTypeNamed(name, type)) {
      return FindOp(op);
    }
  }
  return nullptr;
}

std::string NameInSchema(const Node& node, const Value& output) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr && IsTensor(output) &&
                 output.offset() < schema->returns().size()
             ? schema->returns()[output.offset()].name()
             : "";
}

// Returns how many elements `use` shows a list to have; kAllElements where it
// may read all of them, however many there are.
size_t CountRead(const torch::jit::Use& use) {
  const Node& user = *use.user;
  if (user.kind() == c10::prim::ListUnpack) {
    return user.outputs().size();
  }
  if (user.kind() == c10::aten::len) {
    return 0;
  }
  if (user.kind() != c10::aten::__getitem__) {
    return kAllElements;
  }
  const std::optional<c10::IValue> index = ConstantOf(*user.input(1));
  if (!index || !index->isInt()) {
    return kAllElements;
  }
  const int64_t place = index->toInt();
  // Below 0 it counts from the end.
  return static_cast<size_t>(place < 0 ? -place : place + 1);
}

// Returns how many parts `node` is asked to make of a tensor, where that is
// constant, or 0.
size_t CountParts(const Node& node) {
  const Value* sizes = InputNamed(node, "split_sizes");
  if (sizes == nullptr) {
    sizes = InputNamed(node, "split_size");
  }
  if (sizes != nullptr && sizes->node()->kind() == c10::prim::ListConstruct) {
    return sizes->node()->inputs().size();
  }
  const Value* parts = sizes == nullptr && node.kind() == c10::aten::chunk
                           ? InputNamed(node, "chunks")
                           : sizes;
  const auto constant = parts == nullptr ? std::nullopt : ConstantOf(*parts);
  if (constant && constant->isIntList()) {
    return constant->toIntVector().size();
  }
  return constant && constant->isInt() && parts != sizes
             ? static_cast<size_t>(std::max<int64_t>(0, constant->toInt()))
             : 0;
}

}  // namespace

size_t CountTensors(const c10::Type& type) {
  if (type.isSubtypeOf(*c10::TensorType::get())) {
    return 1;
  }
  size_t count = 0;
  if (type.kind() == c10::TypeKind::TupleType ||
      type.kind() == c10::TypeKind::ListType) {
    for (const c10::TypePtr& element : type.containedTypes()) {
      count += CountTensors(*element);
    }
  }
  return count;
}

size_t CountElements(const Value& list) {
  if (IsWrittenTo(list)) {
    return 1;
  }
  const size_t parts = CountParts(*list.node());
  size_t read = 0;
  for (const torch::jit::Use& use : list.uses()) {
    read = std::max(read, CountRead(use));
  }
  if (read == kAllElements) {
    return parts == 0 || parts > kMostElements ? kAllElements : parts;
  }
  return std::clamp<size_t>(std::max(parts, read), 1, kMostElements);
}

std::vector<OutputTensor> OutputTensors(const Node& node, size_t elements) {
  std::vector<OutputTensor> tensors;
  for (const Value* output : node.outputs()) {
    const size_t count = IsTensorList(*output)
                             ? std::max(CountElements(*output), elements)
                             : CountTensors(*output->type());
    if (count == kAllElements) {
      tensors.push_back({const_cast<Value*>(output), kAllElements});
      continue;
    }
    for (size_t place = 0; place < count; ++place) {
      tensors.push_back({const_cast<Value*>(output), place});
    }
  }
  return tensors;
}

std::string KnownOutputName(const Node& node, size_t position) {
  const std::vector<OutputTensor> tensors = OutputTensors(node);
  if (position >= tensors.size()) {
    return "";  // An element of a list that this graph does not show.
  }
  const OutputTensor tensor = tensors[position];
  if (node.kind() == c10::prim::If) {
    const Value* made = node.blocks()[0]->outputs()[tensor.value->offset()];
    const std::vector<OutputTensor> there = OutputTensors(*made->node());
    const auto same =
        std::find_if(there.begin(), there.end(), [&](const auto& other) {
          return other.value == made && other.place == tensor.place;
        });
    return same == there.end()
               ? ""
               : KnownOutputName(*made->node(), same - there.begin());
  }
  std::string name = NameInSchema(node, *tensor.value);
  const OpRow* row = RowOf(node);
  if (!name.empty() || row == nullptr || row->other_outputs.empty()) {
    return name;
  }
  const std::vector<std::string> others =
      absl::StrSplit(row->other_outputs, ' ');
  // A module that takes packed sequences returns more than these.
  if (tensors.size() != others.size() + 1) {
    return "";
  }
  return position == 0 ? "output" : others[position - 1];
}

std::string OutputName(std::string known, size_t index) {
  return !known.empty() ? known : index == 0 ? "output" : absl::StrCat(index);
}

}  // namespace ns
