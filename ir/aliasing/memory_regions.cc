#include "ir/aliasing/memory_regions.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <optional>

#include "ir/aliasing/disjoint_regions.h"
#include "ir/aliasing/returned_input.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// Less than the depth of any content.
constexpr int kUnknownDepth = -2;

// True for types of values that no op can change and that hold nothing.
bool IsPlain(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::BoolType:
    case c10::TypeKind::ComplexType:
    case c10::TypeKind::DeviceObjType:
    case c10::TypeKind::EnumType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::FunctionType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::NoneType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::StringType:
      return true;
    default:
      return false;
  }
}

// Returns how many containers are around what a value of `type` holds in the
// end: 0 for a tensor, 1 for a list of tensors; unknown for types that may be
// anything.
int Depth(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::AnyType:
    case c10::TypeKind::AnyListType:
    case c10::TypeKind::AnyTupleType:
    case c10::TypeKind::FutureType:
    case c10::TypeKind::UnionType:
    case c10::TypeKind::VarType:
      return kUnknownDepth;
    case c10::TypeKind::OptionalType:
      return Depth(*type.castRaw<c10::OptionalType>()->getElementType());
    case c10::TypeKind::DictType:
    case c10::TypeKind::ListType:
    case c10::TypeKind::TupleType: {
      int depth = 0;
      for (const c10::TypePtr& element : type.containedTypes()) {
        const int inner = Depth(*element);
        if (inner == kUnknownDepth) {
          return kUnknownDepth;
        }
        depth = std::max(depth, inner);
      }
      return depth + 1;
    }
    default:
      return 0;
  }
}

// True for types whose values may hold something that has memory.
bool HoldsMemory(const c10::Type& type) {
  if (Depth(type) == 0) {
    return false;
  }
  const auto elements = type.containedTypes();
  return elements.empty() || std::any_of(elements.begin(), elements.end(),
                                         [](const c10::TypePtr& element) {
                                           return !IsPlain(*element);
                                         });
}

// Whether the schema of the op of `node` says all about what shares memory.
bool HasHonestSchema(const Node& node) {
  const torch::jit::Operator* op = node.maybeOperator();
  return op != nullptr &&
         (op->aliasAnalysisKind() == c10::AliasAnalysisKind::FROM_SCHEMA ||
          op->aliasAnalysisKind() == c10::AliasAnalysisKind::PURE_FUNCTION);
}

// True for ops that neither write nor make anything that has memory.
bool IsHarmless(const Node& node) {
  switch (node.kind()) {
    case prim::isinstance:
    case prim::Print:
    case prim::RaiseException:
    case prim::tolist:
      return true;
    default:
      return !WorksInPlace(node) && node.kind() != prim::CallMethod &&
             node.kind() != prim::CallFunction &&
             std::all_of(
                 node.inputs().begin(), node.inputs().end(),
                 [](const Value* input) { return IsPlain(*input->type()); }) &&
             std::all_of(
                 node.outputs().begin(), node.outputs().end(),
                 [](const Value* output) { return IsPlain(*output->type()); });
  }
}

// Whether something that an op returns may be anything.
bool GivesAnything(const c10::FunctionSchema& schema) {
  return std::any_of(schema.returns().begin(), schema.returns().end(),
                     [](const c10::Argument& returned) {
                       return returned.alias_info() != nullptr &&
                              returned.alias_info()->isWildcardBefore();
                     });
}

// What one op, by its schema, gives and takes out of containers.
class Exchange {
 public:
  explicit Exchange(DisjointRegions& regions) : regions_(regions) {}

  // Says that the values of `region`, which are of the depth `depth`, may be
  // put into a container of the op, or come from one.
  void Add(int region, int depth) {
    if (!hub_) {
      hub_ = region;
      depth_ = depth;
      return;
    }
    regions_.Join(*hub_, region);
    // Such as dict.items(), which puts values into tuples: any may hold any.
    if (depth != depth_ || depth < 0) {
      regions_.Join(*hub_, regions_.ContentOf(*hub_));
    }
  }

  bool IsEmpty() const { return !hub_; }

 private:
  DisjointRegions& regions_;
  std::optional<int> hub_;
  int depth_ = 0;
};

}  // namespace

class MemoryRegions::Builder {
 public:
  explicit Builder(MemoryRegions& result) : result_(result) {}

  void Run(const Block& block) {
    Visit(block);
    for (auto& [value, region] : result_.regions_) {
      region = regions_.Find(region);
    }
    for (auto& [node, region] : result_.writes_) {
      region = regions_.Find(region);
    }
  }

 private:
  // Returns the region of `value`; -1 for values without memory.
  int Of(const Value* value) {
    if (IsPlain(*value->type())) {
      return -1;
    }
    const auto [found, is_new] = result_.regions_.insert({value, 0});
    if (is_new) {
      found->second = regions_.Add();
    }
    return found->second;
  }

  void Share(const Value* a, const Value* b) {
    const int region_a = Of(a);
    const int region_b = Of(b);
    if (region_a >= 0 && region_b >= 0) {
      regions_.Join(region_a, region_b);
    }
  }

  void Hold(const Value* container, const Value* element) {
    const int outer = Of(container);
    const int inner = Of(element);
    if (outer >= 0 && inner >= 0) {
      regions_.Join(regions_.ContentOf(outer), inner);
    }
  }

  void Visit(const Block& block) {
    for (const Value* input : block.inputs()) {
      Of(input);
    }
    for (const Node* node : block.nodes()) {
      for (const Block* inner : node->blocks()) {
        Visit(*inner);
      }
      VisitNode(*node);
    }
  }

  void VisitNode(const Node& node) {
    for (const Value* output : node.outputs()) {
      Of(output);
    }
    switch (node.kind()) {
      case prim::If:
        for (const Block* arm : node.blocks()) {
          for (size_t i = 0; i < node.outputs().size(); ++i) {
            Share(node.output(i), arm->outputs()[i]);
          }
        }
        return;
      case prim::Loop:
        return VisitLoop(node);
      case prim::Constant:
        return VisitConstant(node);
      case prim::CreateObject:
      case prim::Uninitialized:
        return;
      case prim::DictConstruct:
      case prim::ListConstruct:
      case prim::TupleConstruct:
        for (const Value* input : node.inputs()) {
          Hold(node.output(), input);
        }
        return;
      case prim::GetAttr:
      case prim::ListUnpack:
      case prim::TupleIndex:
      case prim::TupleUnpack:
        for (const Value* output : node.outputs()) {
          Hold(node.input(0), output);
        }
        return;
      case prim::SetAttr:
        Hold(node.input(0), node.input(1));
        return Write(node, Of(node.input(0)));
      case prim::TupleSlice:
        return regions_.Join(regions_.ContentOf(Of(node.input(0))),
                             regions_.ContentOf(Of(node.output())));
      case prim::ConstantChunk:
      case prim::unchecked_cast:
      case prim::unchecked_unwrap_optional:
        for (const Value* output : node.outputs()) {
          Share(node.input(0), output);
        }
        return;
      default:
        return VisitOp(node);
    }
  }

  // The inputs are how many trips the loop takes, whether to begin, and what is
  // carried. The body gets the number of the trip and what is carried, and
  // returns whether to go on and what is carried.
  void VisitLoop(const Node& loop) {
    const Block& body = *loop.blocks()[0];
    for (size_t i = 0; i < loop.outputs().size(); ++i) {
      Share(loop.output(i), loop.input(i + 2));
      Share(loop.output(i), body.inputs()[i + 1]);
      Share(loop.output(i), body.outputs()[i + 1]);
    }
  }

  // Constants may be one tensor under two names.
  void VisitConstant(const Node& node) {
    const int region = Of(node.output());
    const std::optional<c10::IValue> value = ConstantOf(*node.output());
    if (region < 0 || !value || !value->isTensor() ||
        !value->toTensor().defined() || !value->toTensor().has_storage()) {
      return;
    }
    const void* storage = value->toTensor().storage().unsafeGetStorageImpl();
    const auto [found, is_new] = constants_.insert({storage, region});
    if (!is_new) {
      regions_.Join(found->second, region);
    }
  }

  void VisitOp(const Node& node) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    if (schema == nullptr || !HasHonestSchema(node)) {
      result_.is_complete_ = result_.is_complete_ && IsHarmless(node);
      return;
    }
    sets_.clear();
    Exchange exchange(regions_);
    const bool gives_anything = GivesAnything(*schema);
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const c10::AliasInfo* alias = i < schema->arguments().size()
                                        ? schema->arguments()[i].alias_info()
                                        : nullptr;
      const int region = Of(node.input(i));
      if (region < 0) {
        continue;
      }
      const int depth = Depth(*node.input(i)->type());
      VisitArgument(node, region, depth, alias, exchange);
      if (HoldsMemory(*node.input(i)->type())) {
        exchange.Add(regions_.ContentOf(region), depth - 1);
      } else if (gives_anything && alias == nullptr) {
        // Such as the default value of dict.pop().
        exchange.Add(region, depth);
      }
    }
    // The schema of quantized::relu6 hides that it writes to its first input.
    if (!schema->is_mutable() && WorksInPlace(node)) {
      Write(node, Of(node.input(0)));
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      const c10::AliasInfo* alias = i < schema->returns().size()
                                        ? schema->returns()[i].alias_info()
                                        : nullptr;
      VisitReturn(node, *node.output(i), alias, exchange);
    }
    if (MayShareReturnedInput(node)) {
      Share(node.input(0), node.output());
    }
    // It shares the memory of its second tensor from then on.
    if (node.kind() == c10::aten::set_ && node.inputs().size() > 1) {
      Share(node.input(0), node.input(1));
    }
  }

  void VisitArgument(const Node& node, int region, int depth,
                     const c10::AliasInfo* alias, Exchange& exchange) {
    if (alias == nullptr) {
      return;
    }
    Bind(*alias, region);
    if (alias->isWrite()) {
      Write(node, region);
    }
    if (alias->isWildcardAfter()) {
      exchange.Add(region, depth);
    }
    for (const c10::AliasInfo& element : alias->containedTypes()) {
      Bind(element, regions_.ContentOf(region));
      if (element.isWrite()) {
        Write(node, regions_.ContentOf(region));
      }
    }
  }

  void VisitReturn(const Node& node, const Value& value,
                   const c10::AliasInfo* alias, Exchange& exchange) {
    const int region = Of(&value);
    if (region < 0) {
      return;
    }
    const int depth = Depth(*value.type());
    if (alias != nullptr) {
      Bind(*alias, region);
      for (const c10::AliasInfo& element : alias->containedTypes()) {
        Bind(element, regions_.ContentOf(region));
      }
      if (alias->isWildcardBefore()) {
        if (exchange.IsEmpty()) {
          ShareWithInputs(node, value);
        } else {
          exchange.Add(region, depth);
        }
      }
    }
    if (HoldsMemory(*value.type())) {
      exchange.Add(regions_.ContentOf(region), depth - 1);
    }
  }

  void ShareWithInputs(const Node& node, const Value& value) {
    for (const Value* input : node.inputs()) {
      Share(input, &value);
    }
  }

  // Joins `region` with others that have one of the sets of `alias` in the
  // schema of this op.
  void Bind(const c10::AliasInfo& alias, int region) {
    for (const c10::Symbol& set : alias.beforeSets()) {
      if (set == c10::AliasInfo::wildcardSet()) {
        continue;
      }
      const auto [found, is_new] = sets_.insert({set, region});
      if (!is_new) {
        regions_.Join(found->second, region);
      }
    }
  }

  void Write(const Node& node, int region) {
    if (region >= 0) {
      result_.writes_.emplace_back(&node, region);
    }
  }

  MemoryRegions& result_;
  DisjointRegions regions_;
  // By the storage of their tensors.
  std::unordered_map<const void*, int> constants_;
  // The regions of the sets in the schema of one op.
  std::unordered_map<c10::Symbol, int> sets_;
};

MemoryRegions::MemoryRegions(const torch::jit::Graph& graph) {
  Builder(*this).Run(*graph.block());
}

int MemoryRegions::RegionOf(const Value* value) const {
  const auto found = regions_.find(value);
  return found == regions_.end() ? -1 : found->second;
}

bool MemoryRegions::MayWrite(const Node* node, const Value* value) const {
  const int region = RegionOf(value);
  return region >= 0 &&
         std::any_of(writes_.begin(), writes_.end(), [&](const auto& write) {
           return write.second == region &&
                  (write.first == node || IsInside(*write.first, *node));
         });
}

bool MemoryRegions::HasWriters(const Value* value) const {
  const int region = RegionOf(value);
  return region >= 0 &&
         std::any_of(writes_.begin(), writes_.end(),
                     [&](const auto& write) { return write.second == region; });
}

}  // namespace ns
