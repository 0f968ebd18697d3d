#include "passes/instrument/shadow_inputs.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/rewrite/shadow_casts.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

using Values = std::vector<Value*>;

// The data of one argument of an op: a tensor, a list that is one value, or the
// elements of a list or tuple that is built for the op.
struct DataArgument {
  bool is_built = false;
  Values values;
};

std::vector<DataArgument> DataArguments(const Subgraph& subgraph) {
  std::vector<DataArgument> arguments;
  if (!subgraph.start->blocks().empty()) {
    for (Value* value : DataInputsOf(subgraph)) {
      arguments.push_back({false, {value}});
    }
    return arguments;
  }
  for (Value* input : subgraph.start->inputs()) {
    Values values = DataInputsOfArgument(*input);
    if (!values.empty()) {
      const bool is_built = values.size() != 1 || values[0] != input;
      arguments.push_back({is_built, std::move(values)});
    }
  }
  return arguments;
}

size_t CountValues(const std::vector<DataArgument>& arguments) {
  size_t count = 0;
  for (const DataArgument& argument : arguments) {
    count += argument.values.size();
  }
  return count;
}

absl::Status DifferentInputs(size_t of_shadow, size_t of_shadowed) {
  return Refusal(absl::StrCat(
      "it takes ", of_shadow,
      " tensors, and its counterpart in the quantized model ", of_shadowed));
}

class InputCaster {
 public:
  InputCaster(Node* place, const ValueFacts& facts)
      : graph_(*place->owningGraph()), place_(place), facts_(facts) {}

  absl::Status Add(const DataArgument& original, const DataArgument& fed) {
    if (original.is_built && fed.is_built) {
      if (original.values.size() != fed.values.size()) {
        return DifferentInputs(original.values.size(), fed.values.size());
      }
      return AddEach(original.values, fed.values);
    }
    const Value& first = *original.values[0];
    const Value& first_fed = *fed.values[0];
    if (original.is_built && IsTensorList(first_fed)) {
      NS_ASSIGN_OR_RETURN(const Values elements,
                          TakeApart(fed.values[0], original.values.size()));
      return AddEach(original.values, elements);
    }
    if (fed.is_built && IsTensorList(first)) {
      return AddBuiltList(first, fed.values);
    }
    if (original.values.size() != 1 || fed.values.size() != 1 ||
        IsTensorList(first) != IsTensorList(first_fed)) {
      return DifferentInputs(original.values.size(), fed.values.size());
    }
    return AddEach(original.values, fed.values);
  }

  absl::Status AddEach(const Values& originals, const Values& fed) {
    for (size_t i = 0; i < originals.size(); ++i) {
      NS_ASSIGN_OR_RETURN(Value * cast,
                          CastLike(*originals[i], facts_, fed[i], place_));
      inputs_.push_back(cast);
    }
    return absl::OkStatus();
  }

  Values Take() { return std::move(inputs_); }

 private:
  absl::StatusOr<Values> TakeApart(Value* list, size_t count) {
    torch::jit::WithInsertPoint at(place_);
    Values elements;
    for (size_t i = 0; i < count; ++i) {
      NS_ASSIGN_OR_RETURN(Value * element,
                          InsertOp(graph_, "aten::__getitem__",
                                   {list, static_cast<int64_t>(i)}));
      elements.push_back(element);
    }
    return elements;
  }

  absl::Status AddBuiltList(const Value& original, const Values& elements) {
    Values cast;
    for (Value* element : elements) {
      NS_ASSIGN_OR_RETURN(Value * as_original,
                          CastLike(original, facts_, element, place_));
      cast.push_back(as_original);
    }
    Node* list = graph_.createList(c10::TensorType::get(), cast);
    inputs_.push_back(list->insertBefore(place_)->output());
    return absl::OkStatus();
  }

  Graph& graph_;
  Node* place_;
  const ValueFacts& facts_;
  Values inputs_;
};

}  // namespace

absl::StatusOr<Values> ShadowInputs(const Subgraph& shadow,
                                    const Subgraph& shadowed, Node* place,
                                    const ValueFacts& facts) {
  const std::vector<DataArgument> originals = DataArguments(shadow);
  const std::vector<DataArgument> fed = DataArguments(shadowed);
  InputCaster caster(place, facts);
  if (originals.size() == fed.size()) {
    for (size_t i = 0; i < originals.size(); ++i) {
      NS_RETURN_IF_ERROR(caster.Add(originals[i], fed[i]));
    }
    return caster.Take();
  }
  // One model may pass as arguments what the other passes as a list.
  const Values all_originals = DataInputsOf(shadow);
  const Values all_fed = DataInputsOf(shadowed);
  if (CountValues(originals) != CountValues(fed)) {
    return DifferentInputs(all_originals.size(), all_fed.size());
  }
  for (size_t i = 0; i < all_originals.size(); ++i) {
    if (IsTensor(*all_originals[i]) != IsTensor(*all_fed[i])) {
      return DifferentInputs(all_originals.size(), all_fed.size());
    }
  }
  NS_RETURN_IF_ERROR(caster.AddEach(all_originals, all_fed));
  return caster.Take();
}

}  // namespace ns
