#include "passes/analysis/value_facts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <utility>
#include <vector>

#include "ir/aliasing/data_inputs.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/list_writes.h"
#include "passes/analysis/op_facts.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Appends the types of the entries (ValueFacts::Elements) that a value of
// `type` has.
void AppendElementTypes(const c10::TypePtr& type,
                        std::vector<c10::TypePtr>& types) {
  if (const auto tuple = type->cast<c10::TupleType>()) {
    for (const c10::TypePtr& element : tuple->elements()) {
      AppendElementTypes(element, types);
    }
  } else {
    types.push_back(type);
  }
}

std::vector<c10::TypePtr> ElementTypes(const c10::TypePtr& type) {
  std::vector<c10::TypePtr> types;
  AppendElementTypes(type, types);
  return types;
}

size_t CountElements(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::TupleType ? ElementTypes(type).size()
                                                  : 1;
}

// True for numbers, strings, and lists of them.
bool HoldsNoTensor(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::BoolType:
    case c10::TypeKind::ComplexType:
    case c10::TypeKind::DeviceObjType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::NoneType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::StringType:
      return true;
    case c10::TypeKind::ListType:
      return HoldsNoTensor(*type.containedTypes()[0]);
    default:
      return false;
  }
}

void AppendConstant(const c10::IValue& constant,
                    std::vector<TensorFacts>& facts) {
  if (!constant.isTuple()) {
    facts.push_back(FactsOfConstant(constant));
    return;
  }
  for (const c10::IValue& element : constant.toTupleRef().elements()) {
    AppendConstant(element, facts);
  }
}

// Whether `value` can be used in `block`.
bool IsSeenIn(const Value& value, const Block* block) {
  for (; block != nullptr; block = block->owningNode() == nullptr
                                       ? nullptr
                                       : block->owningNode()->owningBlock()) {
    if (value.node()->owningBlock() == block) {
      return true;
    }
  }
  return false;
}

// Returns `facts` as they hold in `block`. A scale or zero point that is made
// inside of another block is not known there: each trip of a loop makes a new
// one.
TensorFacts ToldTo(const Block* block, TensorFacts facts) {
  const auto is_hidden = [&](const auto& number) {
    return number.known() != nullptr && number.known()->value != nullptr &&
           !IsSeenIn(*number.known()->value, block);
  };
  return is_hidden(facts.scale) || is_hidden(facts.zero_point)
             ? facts.WithoutQParams()
             : facts;
}

// Returns an op that uses `value`, directly or in a list, and takes only
// quantized tensors; null when there is none.
const Node* FindTaker(const Value& value, const OpIoTypes& io_types) {
  for (const torch::jit::Use& use : value.uses()) {
    if (TakesQuantizedAlone(*use.user, value, io_types)) {
      return use.user;
    }
    if (use.user->kind() != prim::ListConstruct) {
      continue;
    }
    for (const torch::jit::Use& of_list : use.user->output()->uses()) {
      if (TakesQuantizedAlone(*of_list.user, value, io_types)) {
        return of_list.user;
      }
    }
  }
  return nullptr;
}

// Returns the likely facts of two ways: those of the first one that tells
// something.
TensorFacts Likelier(const TensorFacts& first, const TensorFacts& second) {
  const bool tells = first.is_quantized.known() != nullptr;
  return tells || second.IsNever() ||
                 (second.is_quantized.known() == nullptr && !first.IsNever())
             ? first
             : second;
}

// Whether the scale or zero point in `facts` is a tensor for which `is_written`
// is true.
template <typename IsWritten>
bool HasWrittenQParams(const TensorFacts& facts, const IsWritten& is_written) {
  const auto is_of_written = [&](const auto& number) {
    return number.known() != nullptr && number.known()->value != nullptr &&
           IsTensor(*number.known()->value) &&
           is_written(*number.known()->value);
  };
  return is_of_written(facts.scale) || is_of_written(facts.zero_point);
}

}  // namespace

ValueFacts::ValueFacts(const Graph& graph, OpIoTypes io_types)
    : io_types_(std::move(io_types)) {
  FindRewritten(graph);
  Analyse(graph);
}

void ValueFacts::FindRewritten(const Graph& graph) {
  std::vector<Node*> rewrites;
  bool has_writes = false;
  std::vector<const Value*> values(graph.inputs().begin(),
                                   graph.inputs().end());
  ForEachNode(graph.block(), [&](const Node* node) {
    values.insert(values.end(), node->outputs().begin(), node->outputs().end());
    for (const Block* block : node->blocks()) {
      values.insert(values.end(), block->inputs().begin(),
                    block->inputs().end());
    }
    if (!node->blocks().empty() || !WorksInPlace(*node)) {
      return;
    }
    has_writes = true;
    if (WritesToContainersAlone(*node)) {
      has_list_writes_ = true;
    } else if (EffectOfWrites(*node) != WriteEffect::kNone) {
      rewrites.push_back(const_cast<Node*>(node));
    }
  });
  if (has_writes) {
    // TensorWrites only reads the graph, but does not take it as const.
    writes_ = std::make_unique<TensorWrites>(const_cast<Graph&>(graph));
  }
  for (Node* node : rewrites) {
    auto& rewritten =
        EffectOfWrites(*node) == WriteEffect::kAll ? reshaped_ : rescaled_;
    for (const Value* value : values) {
      // A write to a tensor inside a list counts as a write to any value.
      if (!IsTensor(*node->input(0)) ||
          (IsTensor(*value) && writes_->MayWrite(node, value))) {
        rewritten.insert(value);
      }
    }
  }
}

void ValueFacts::Analyse(const Graph& graph) {
  constexpr int kMostSweeps = 8;
  is_analysing_ = true;
  do {
    has_news_ = false;
    needs_more_ = false;
    gives_up_ = sweeps_ == kMostSweeps;
    for (const Value* input : graph.inputs()) {
      Note(*input, Elements(CountElements(input->type()),
                            Facts::Both(TensorFacts::Unknown())));
    }
    Sweep(*graph.block());
    ++sweeps_;
  } while (needs_more_ && has_news_ && !gives_up_);
  is_analysing_ = false;
}

void ValueFacts::Sweep(const Block& block) {
  for (const Node* node : block.nodes()) {
    if (node->kind() == prim::Loop) {
      LearnParameters(*node);
    }
    for (const Block* inner : node->blocks()) {
      Sweep(*inner);
    }
    Learn(*node);
  }
}

void ValueFacts::LearnParameters(const Node& loop) {
  const Block& body = *loop.blocks()[0];
  for (size_t i = 1; i < body.inputs().size(); ++i) {
    // What the trip before has carried on is known from the sweep before.
    needs_more_ = true;
    Elements elements = OutputOfLoop(loop, i - 1);
    if (gives_up_) {
      elements.assign(elements.size(), Facts::Both(TensorFacts::Unknown()));
    }
    Note(*body.inputs()[i], std::move(elements));
  }
}

void ValueFacts::Learn(const Node& node) {
  if (node.kind() == prim::Constant) {
    return;  // Find looks at the constant itself.
  }
  if (WritesToList(node)) {
    LearnWrites(node);
  }
  for (const Value* output : node.outputs()) {
    Note(*output, OutputOf(node, output->offset()));
  }
}

void ValueFacts::LearnWrites(const Node& node) {
  needs_more_ = true;
  const Value& list = *node.input(0);
  Elements elements = Find(list);
  for (const Value* input : node.inputs().slice(1)) {
    JoinInto(elements, {FindJoined(*input)}, list.node()->owningBlock());
  }
  if (gives_up_) {
    elements = {Facts::Both(TensorFacts::Unknown())};
  }
  Note(list, std::move(elements));
}

ValueFacts::Elements ValueFacts::OutputOf(const Node& node,
                                          size_t index) const {
  const c10::TypePtr& type = node.output(index)->type();
  const size_t count = CountElements(type);
  Elements elements;
  switch (node.kind()) {
    case prim::If:
      for (const Block* arm : node.blocks()) {
        JoinInto(elements, FindAs(*arm->outputs()[index], count),
                 node.owningBlock());
      }
      return elements;
    case prim::Loop:
      return OutputOfLoop(node, index);
    case prim::Uninitialized:
      return Elements(count);
    case prim::TupleConstruct:
      for (const Value* input : node.inputs()) {
        const Elements of_input = FindAs(*input, CountElements(input->type()));
        elements.insert(elements.end(), of_input.begin(), of_input.end());
      }
      return elements;
    case prim::TupleIndex:
    case prim::TupleUnpack:
      return OutputOfTuple(node, index);
    case prim::unchecked_cast:
    case prim::unchecked_unwrap_optional:
    case c10::aten::_unwrap_optional:
      return FindAs(*node.input(0), count);
    default:
      break;
  }
  if (HoldsNoTensor(*type)) {
    return Elements(count);
  }
  if (WritesToList(node) && type->kind() == c10::TypeKind::ListType) {
    return FindAs(*node.input(0), count);
  }
  const bool is_of_lists =
      node.kind() == prim::ListConstruct || node.kind() == prim::ListUnpack ||
      node.kind() == c10::aten::__getitem__ || node.kind() == c10::aten::pop ||
      node.kind() == c10::aten::list ||
      (node.kind() == c10::aten::add && IsTensorList(*node.input(0)));
  return Elements(count,
                  is_of_lists ? OfAllInputs(node) : OutputOfOp(node, index));
}

ValueFacts::Elements ValueFacts::OutputOfLoop(const Node& node,
                                              size_t index) const {
  const size_t count = CountElements(node.output(index)->type());
  Elements elements;
  JoinInto(elements, FindAs(*node.input(index + 2), count), node.owningBlock());
  JoinInto(elements, FindAs(*node.blocks()[0]->outputs()[index + 1], count),
           node.owningBlock());
  return elements;
}

ValueFacts::Elements ValueFacts::OutputOfTuple(const Node& node,
                                               size_t index) const {
  const auto tuple = node.input(0)->type()->cast<c10::TupleType>();
  const size_t count = CountElements(node.output(index)->type());
  size_t element = index;
  if (node.kind() == prim::TupleIndex) {
    const auto constant = ConstantOf(*node.input(1));
    if (!tuple || !constant || !constant->isInt()) {
      return Elements(count, FindJoined(*node.input(0)));
    }
    const auto size = static_cast<int64_t>(tuple->elements().size());
    const int64_t given = constant->toInt();
    element = static_cast<size_t>(given < 0 ? given + size : given);
  }
  const Elements all = Find(*node.input(0));
  size_t first = 0;
  for (size_t i = 0; i < element && i < tuple->elements().size(); ++i) {
    first += CountElements(tuple->elements()[i]);
  }
  if (first + count > all.size()) {
    return Elements(count, FindJoined(*node.input(0)));
  }
  return Elements(all.begin() + first, all.begin() + first + count);
}

ValueFacts::Facts ValueFacts::OfAllInputs(const Node& node) const {
  Elements joined = {Facts()};
  for (const Value* input : node.inputs()) {
    JoinInto(joined, {FindJoined(*input)}, node.owningBlock());
  }
  return joined[0];
}

ValueFacts::Facts ValueFacts::OutputOfOp(const Node& node, size_t index) const {
  const auto sure = [&](const Value& input) { return FindJoined(input).sure; };
  const auto likely = [&](const Value& input) {
    return FindJoined(input).likely;
  };
  return {FactsOfOutput(node, index, sure, io_types_),
          FactsOfOutput(node, index, likely, io_types_)};
}

ValueFacts::Elements ValueFacts::Find(const Value& value) const {
  const auto found = facts_.find(&value);
  if (found != facts_.end()) {
    return found->second;
  }
  if (const auto constant = ConstantOf(value)) {
    std::vector<TensorFacts> facts;
    AppendConstant(*constant, facts);
    Elements elements;
    for (const TensorFacts& each : facts) {
      elements.push_back(Facts::Both(each));
    }
    return elements;
  }
  // During the analysis, a value without facts is one that a trip of a loop
  // carries on and that no sweep has seen yet: it is `never` for the first
  // trip.
  const bool is_never = is_analysing_ || HoldsNoTensor(*value.type());
  return Elements(
      CountElements(value.type()),
      Facts::Both(is_never ? TensorFacts::Never() : TensorFacts::Unknown()));
}

ValueFacts::Elements ValueFacts::FindAs(const Value& value,
                                        size_t count) const {
  Elements elements = Find(value);
  return elements.size() == count ? elements
                                  : Elements(count, FindJoined(value));
}

ValueFacts::Facts ValueFacts::FindJoined(const Value& value) const {
  Elements joined = {Facts()};
  for (const Facts& facts : Find(value)) {
    JoinInto(joined, {facts}, nullptr);
  }
  return joined[0];
}

void ValueFacts::Note(const Value& value, Elements elements) {
  Adjust(value, elements);
  Elements& known = facts_[&value];
  if (known.size() == elements.size() && is_analysing_ && has_list_writes_ &&
      IsPrivateList(value)) {
    // Nodes in front of a write read what was written on the trip before.
    JoinInto(elements, known, nullptr);
  }
  if (known != elements) {
    known = std::move(elements);
    has_news_ = true;
  }
}

void ValueFacts::JoinInto(Elements& elements, const Elements& others,
                          const Block* block) {
  if (elements.empty()) {
    elements.resize(others.size());
  }
  TORCH_INTERNAL_ASSERT(elements.size() == others.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    Facts other = others[i];
    if (block != nullptr) {
      other.sure = ToldTo(block, other.sure);
      other.likely = ToldTo(block, other.likely);
    }
    elements[i] = {elements[i].sure.Join(other.sure),
                   Likelier(elements[i].likely, other.likely)};
  }
}

void ValueFacts::Adjust(const Value& value, Elements& elements) {
  const auto types = ElementTypes(value.type());
  for (size_t i = 0; i < elements.size(); ++i) {
    Facts& facts = elements[i];
    const bool may_be_written_list =
        has_list_writes_ && i < types.size() &&
        types[i]->kind() != c10::TypeKind::TensorType &&
        !HoldsNoTensor(*types[i]) && !IsPrivateList(value);
    if (may_be_written_list || reshaped_.contains(&value)) {
      facts.sure = TensorFacts::Unknown();
    } else if (rescaled_.contains(&value) ||
               HasWrittenQParams(facts.sure, [&](const Value& scale) {
                 return HasWriters(scale);
               })) {
      facts.sure = facts.sure.WithoutQParams();
    }
    if (facts.sure.is_quantized.known() != nullptr &&
        facts.likely.is_quantized != facts.sure.is_quantized) {
      facts.likely = facts.sure;
    }
    if (elements.size() == 1) {
      facts.likely = Guess(value, facts.likely);
    }
  }
}

// Returns `facts` of `value` with unknown ones guessed from the ops that use
// it.
TensorFacts ValueFacts::Guess(const Value& value, TensorFacts facts) {
  if (facts.IsNever() || !(IsTensor(value) || IsTensorList(value))) {
    return facts;
  }
  const bool is_open = facts.is_quantized.known() == nullptr ||
                       (facts.is_quantized.Is(true) && !facts.dtype.known());
  const Node* taker = is_open ? TakerOfQuantized(value) : nullptr;
  const Fact<c10::ScalarType> dtype =
      taker != nullptr ? DtypeBeside(value, *taker) : Fact(c10::kQUInt8);
  if (!facts.is_quantized.known() && taker != nullptr) {
    const int rank = facts.least_rank;
    facts = TensorFacts::PerTensor(dtype);
    facts.least_rank = rank;
  }
  if (facts.is_quantized.known() && !facts.dtype.known()) {
    facts.dtype = facts.is_quantized.Is(true) ? dtype : Fact(c10::kFloat);
  }
  if (facts.is_quantized.Is(true) && !facts.is_per_tensor.known()) {
    facts.is_per_tensor = Fact(true);
  }
  return facts;
}

// Returns the dtype of another activation that `user` takes besides `value`.
Fact<c10::ScalarType> ValueFacts::DtypeBeside(const Value& value,
                                              const Node& user) {
  for (const Value* other : DataInputs(user)) {
    const TensorFacts facts =
        other == &value ? TensorFacts::Never() : FindJoined(*other).likely;
    // The other one may come behind `value`, and be known in the next sweep
    // only.
    needs_more_ |= other != &value && facts.IsNever();
    if (facts.is_quantized.Is(true) && facts.dtype.known()) {
      return facts.dtype;
    }
  }
  return Fact(c10::kQUInt8);
}

TensorFacts ValueFacts::Sure(const Value& value) const {
  return FindJoined(value).sure;
}

TensorFacts ValueFacts::Likely(const Value& value) const {
  return FindJoined(value).likely;
}

const Node* ValueFacts::TakerOfQuantized(const Value& value) const {
  return FindTaker(value, io_types_);
}

bool ValueFacts::HasWriters(const Value& value) const {
  return writes_ != nullptr &&
         (replaced_written_.contains(&value) || writes_->HasWriters(&value));
}

void ValueFacts::Set(const Value& value, const PerTensorQParams& qparams) {
  Learn(*value.node());
  TensorFacts facts = TensorFacts::PerTensor(qparams);
  facts.least_rank = Sure(value).least_rank;
  Note(value, {Facts::Both(facts)});
}

void ValueFacts::Replace(const Value& value, const Value& replacement) {
  if (HasWriters(value)) {
    replaced_written_.insert(&replacement);
  }
  if (rescaled_.contains(&value)) {
    rescaled_.insert(&replacement);
  }
  if (reshaped_.contains(&value)) {
    reshaped_.insert(&replacement);
  }
}

void ValueFacts::Forget(const Node& node) {
  for (const Value* output : node.outputs()) {
    facts_.erase(output);
  }
}

}  // namespace ns
