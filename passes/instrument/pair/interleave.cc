#include "passes/instrument/pair/interleave.h"

#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <vector>

#include "ir/base/status.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using ::torch::jit::WithInsertPoint;
namespace aten = ::c10::aten;
namespace prim = ::c10::prim;

using Values = std::vector<Value*>;

class Interleaver {
 public:
  Interleaver(absl::Span<const MeetingPoint> points, Graph& host,
              GraphCopies& copies_a, GraphCopies& copies_b,
              MeetingListener& listener)
      : plan_(PlanMeetings(points)),
        points_(points),
        host_(host),
        listener_(listener),
        a_{false, copies_a},
        b_{true, copies_b} {
    for (size_t i = 0; i < points.size(); ++i) {
      a_.points[points[i].NodeOfA()].push_back(i);
      b_.points[points[i].NodeOfB()].push_back(i);
    }
    early_.resize(points.size());
  }

  absl::Status Run(Graph& a, Graph& b) {
    WithInsertPoint at(host_.block());
    return RunInStep(plan_.top, a.block(), b.block());
  }

 private:
  // One of the two graphs.
  struct Side {
    bool is_b;
    GraphCopies& copies;
    // The points, by the node behind which their values come by.
    llvm::DenseMap<const Node*, llvm::SmallVector<size_t, 1>> points{};

    Value* Copy(const Value* value) const {
      return copies.values.lookup(value);
    }

    Values Copy(at::ArrayRef<Value*> originals) const {
      Values values;
      for (const Value* original : originals) {
        values.push_back(Copy(original));
      }
      return values;
    }

    void Set(at::ArrayRef<Value*> originals, at::ArrayRef<Value*> values) {
      for (size_t i = 0; i < originals.size(); ++i) {
        copies.values[originals[i]] = values[i];
      }
    }
  };

  // Where the copies of a block's nodes have come to.
  struct Cursor {
    explicit Cursor(Block* block) : next(*block->nodes().begin()) {}
    Node* next;
  };

  // All nodes of both blocks.
  absl::Status RunInStep(const BlockPlan& plan, Block* a, Block* b) {
    NS_RETURN_IF_ERROR(Pass(a_, a->param_node(), /*alone=*/false));
    NS_RETURN_IF_ERROR(Pass(b_, b->param_node(), /*alone=*/false));
    Cursor at_a(a);
    Cursor at_b(b);
    for (const BlockPlan::Step& step : plan.steps) {
      if (step.blocks.empty()) {
        NS_RETURN_IF_ERROR(CopyThrough(a_, at_a, step.a));
        NS_RETURN_IF_ERROR(CopyThrough(b_, at_b, step.b));
        for (const size_t point : step.points) {
          NS_RETURN_IF_ERROR(Meet(point));
        }
      } else {
        NS_RETURN_IF_ERROR(CopyUpTo(a_, at_a, step.a));
        NS_RETURN_IF_ERROR(CopyUpTo(b_, at_b, step.b));
        NS_RETURN_IF_ERROR(step.a->kind() == prim::If ? RunIfs(step)
                                                      : RunLoops(step));
        NS_RETURN_IF_ERROR(Pass(a_, step.a, /*alone=*/false));
        NS_RETURN_IF_ERROR(Pass(b_, step.b, /*alone=*/false));
        at_a.next = step.a->next();
        at_b.next = step.b->next();
      }
    }
    NS_RETURN_IF_ERROR(CopyUpTo(a_, at_a, a->return_node()));
    return CopyUpTo(b_, at_b, b->return_node());
  }

  absl::Status Meet(size_t point) {
    Value* a =
        early_[point] != nullptr ? early_[point] : a_.Copy(points_[point].a);
    return listener_.Meet(point, a, b_.Copy(points_[point].b), Place());
  }

  // Nodes up to and with `last`, as far as they have not come yet.
  absl::Status CopyThrough(Side& side, Cursor& at, Node* last) {
    if (last == nullptr || last->isBefore(at.next)) {
      return absl::OkStatus();
    }
    return CopyUpTo(side, at, last->next());
  }

  absl::Status CopyUpTo(Side& side, Cursor& at, Node* end) {
    for (; at.next != end; at.next = at.next->next()) {
      NS_RETURN_IF_ERROR(CopyNode(side, at.next, /*alone=*/false));
    }
    return absl::OkStatus();
  }

  // Where `alone`, the other model does not run this code.
  absl::Status CopyNode(Side& side, Node* node, bool alone) {
    NS_RETURN_IF_ERROR(CopySilently(side, node, alone));
    return Pass(side, node, alone);
  }

  // As CopyNode, and tells of no output of `node`.
  absl::Status CopySilently(Side& side, Node* node, bool alone) {
    Node* copy = host_.insertNode(host_.createClone(
        node, [&](Value* value) { return side.Copy(value); },
        /*copy_blocks=*/false));
    side.copies.nodes[node] = copy;
    for (Block* block : node->blocks()) {
      NS_RETURN_IF_ERROR(CopyBlock(side, block, copy->addBlock(), alone));
    }
    side.Set(node->outputs(), copy->outputs());
    return absl::OkStatus();
  }

  absl::Status CopyBlock(Side& side, Block* block, Block* copy, bool alone) {
    WithInsertPoint at(copy);
    for (Value* parameter : block->inputs()) {
      AddParameter(side, parameter, copy);
    }
    NS_RETURN_IF_ERROR(CopyContents(side, block, alone));
    for (Value* output : side.Copy(block->outputs())) {
      copy->registerOutput(output);
    }
    return absl::OkStatus();
  }

  // The nodes of `block`, whose parameters are mapped.
  absl::Status CopyContents(Side& side, Block* block, bool alone) {
    NS_RETURN_IF_ERROR(Pass(side, block->param_node(), alone));
    for (Node* node : block->nodes()) {
      NS_RETURN_IF_ERROR(CopyNode(side, node, alone));
    }
    return absl::OkStatus();
  }

  static void AddParameter(Side& side, Value* original, Block* block) {
    side.copies.values[original] = block->addInput()->copyMetadata(original);
  }

  // Tells of the values that come by behind `node`, an original that has just
  // been copied, unless they meet their counterparts in a step.
  absl::Status Pass(Side& side, const Node* node, bool alone) {
    const auto found = side.points.find(node);
    if (found == side.points.end()) {
      return absl::OkStatus();
    }
    for (const size_t point : found->second) {
      Value* copy = side.Copy(side.is_b ? points_[point].b : points_[point].a);
      if (plan_.apart[point] || alone) {
        NS_RETURN_IF_ERROR(listener_.PassBy(point, side.is_b, copy,
                                            plan_.apart[point], Place()));
      } else if (!side.is_b && plan_.a_is_early[point]) {
        // Ops of A may overwrite it before B comes by.
        NS_ASSIGN_OR_RETURN(Value * tensor,
                            TensorIn(copy, points_[point].place_a, Place()));
        early_[point] = host_.insert(aten::clone, {tensor});
      }
    }
    return absl::OkStatus();
  }

  // %c, %d: conditions
  //   %same : bool = aten::eq(%c, %d)
  //   ... = prim::If(%same)
  //     block0(): prim::If(%c), with both models in each arm
  //     block1(): prim::If(%c) of A, prim::If(%d) of B
  absl::Status RunIfs(const BlockPlan::Step& step) {
    Value* condition_a = a_.Copy(step.a->input());
    Value* condition_b = b_.Copy(step.b->input());
    Value* same = host_.insert(aten::eq, {condition_a, condition_b});
    Node* both = host_.insertNode(host_.create(prim::If, {same}, 0));
    {
      WithInsertPoint in_step(both->addBlock());
      Node* arms = host_.insertNode(host_.create(prim::If, {condition_a}, 0));
      for (size_t i = 0; i < step.blocks.size(); ++i) {
        Block* arm = arms->addBlock();
        WithInsertPoint at(arm);
        Block* of_a = step.a->blocks()[i];
        Block* of_b = step.b->blocks()[i];
        NS_RETURN_IF_ERROR(RunInStep(step.blocks[i], of_a, of_b));
        Register(arm, Join(a_.Copy(of_a->outputs()), b_.Copy(of_b->outputs())));
      }
      AddOutputs(step, arms);
      Register(both->blocks()[0], arms->outputs());
    }
    {
      WithInsertPoint alone(both->addBlock());
      // What they give back meets behind them all the same.
      NS_RETURN_IF_ERROR(CopySilently(a_, step.a, /*alone=*/true));
      NS_RETURN_IF_ERROR(CopySilently(b_, step.b, /*alone=*/true));
      Register(both->blocks()[1],
               Join(a_.Copy(step.a->outputs()), b_.Copy(step.b->outputs())));
    }
    AddOutputs(step, both);
    return SetOutputs(step, both->outputs());
  }

  // Carries which model goes on, besides what both carry:
  //   %go : bool = aten::__or__(%go_a, %go_b)
  //   ... = prim::Loop(%endless, %go, %go_a, %go_b, <of A>, <of B>)
  //     block0(%trip, %in_a, %in_b, <of A>, <of B>):
  //       <the bodies>
  //       %next_go_a : bool = ...
  absl::Status RunLoops(const BlockPlan::Step& step) {
    Block* of_a = step.a->blocks()[0];
    Block* of_b = step.b->blocks()[0];
    Value* limit_a = a_.Copy(step.a->input(0));
    Value* limit_b = b_.Copy(step.b->input(0));
    Value* zero = host_.insertConstant(0);
    Value* go_a = GoesOn(zero, limit_a, a_.Copy(step.a->input(1)));
    Value* go_b = GoesOn(zero, limit_b, b_.Copy(step.b->input(1)));
    Value* endless = host_.insertConstant(std::numeric_limits<int64_t>::max());
    Node* loop = host_.insertNode(host_.create(
        prim::Loop,
        Join({endless, host_.insert(aten::__or__, {go_a, go_b}), go_a, go_b},
             Join(a_.Copy(step.a->inputs().slice(2)),
                  b_.Copy(step.b->inputs().slice(2)))),
        0));
    Block* body = loop->addBlock();
    {
      WithInsertPoint at(body);
      Value* trip = body->addInput()->setType(c10::IntType::get());
      Value* in_a = body->addInput()->setType(c10::BoolType::get());
      Value* in_b = body->addInput()->setType(c10::BoolType::get());
      AddCarried(a_, of_a, trip, body);
      AddCarried(b_, of_b, trip, body);
      NS_ASSIGN_OR_RETURN(const BodyResults results,
                          RunBodies(step.blocks[0], of_a, of_b, in_a, in_b));
      Value* next = host_.insert(aten::add, {trip, host_.insertConstant(1)});
      Value* next_a = GoesOn(next, limit_a, results.go_a);
      Value* next_b = GoesOn(next, limit_b, results.go_b);
      Register(body, Join({host_.insert(aten::__or__, {next_a, next_b}), next_a,
                           next_b},
                          results.carried));
    }
    for (const Value* flag : body->outputs().slice(1, 2)) {
      loop->addOutput()->setType(flag->type());
    }
    AddOutputs(step, loop);
    return SetOutputs(step, loop->outputs().slice(2));
  }

  // %go_on : bool = aten::lt(%trip, %limit) and %condition
  Value* GoesOn(Value* trip, Value* limit, Value* condition) {
    return host_.insert(aten::__and__,
                        {host_.insert(aten::lt, {trip, limit}), condition});
  }

  static void AddCarried(Side& side, Block* original, Value* trip,
                         Block* body) {
    side.copies.values[original->inputs()[0]] = trip;
    for (Value* parameter : original->inputs().slice(1)) {
      AddParameter(side, parameter, body);
    }
  }

  struct BodyResults {
    Value* go_a;
    Value* go_b;
    Values carried;
  };

  //   %both : bool = aten::__and__(%in_a, %in_b)
  //   ... = prim::If(%both)
  //     block0(): both bodies
  //     block1():
  //       ... = prim::If(%in_a)
  //         block0(): the body of A; B does not go on, and keeps its values
  //         block1(): the other way round
  absl::StatusOr<BodyResults> RunBodies(const BlockPlan& plan, Block* a,
                                        Block* b, Value* in_a, Value* in_b) {
    const Values kept_a = a_.Copy(a->inputs().slice(1));
    const Values kept_b = b_.Copy(b->inputs().slice(1));
    const auto outputs_of = [](const Side& side, Block* block) {
      return side.Copy(block->outputs());
    };
    const auto stopped = [this](const Values& kept) {
      return Join({host_.insertConstant(false)}, kept);
    };
    Value* both = host_.insert(aten::__and__, {in_a, in_b});
    Node* ways = host_.insertNode(host_.create(prim::If, {both}, 0));
    {
      WithInsertPoint in_step(ways->addBlock());
      NS_RETURN_IF_ERROR(RunInStep(plan, a, b));
      Register(ways->blocks()[0], Join(outputs_of(a_, a), outputs_of(b_, b)));
    }
    {
      WithInsertPoint alone(ways->addBlock());
      Node* sides = host_.insertNode(host_.create(prim::If, {in_a}, 0));
      {
        WithInsertPoint only_a(sides->addBlock());
        NS_RETURN_IF_ERROR(CopyContents(a_, a, /*alone=*/true));
        Register(sides->blocks()[0], Join(outputs_of(a_, a), stopped(kept_b)));
      }
      {
        WithInsertPoint only_b(sides->addBlock());
        NS_RETURN_IF_ERROR(CopyContents(b_, b, /*alone=*/true));
        Register(sides->blocks()[1], Join(stopped(kept_a), outputs_of(b_, b)));
      }
      AddOutputs(a->outputs(), b->outputs(), sides);
      Register(ways->blocks()[1], sides->outputs());
    }
    AddOutputs(a->outputs(), b->outputs(), ways);
    const Values all = ways->outputs().vec();
    const auto first_of_b = all.begin() + a->outputs().size();
    BodyResults results = {all.front(), *first_of_b, {}};
    results.carried.insert(results.carried.end(), all.begin() + 1, first_of_b);
    results.carried.insert(results.carried.end(), first_of_b + 1, all.end());
    return results;
  }

  static Values Join(Values first, const Values& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  static void Register(Block* block, at::ArrayRef<Value*> outputs) {
    for (Value* output : outputs) {
      block->registerOutput(output);
    }
  }

  // Adds outputs of the types of `a` and `b`.
  static void AddOutputs(at::ArrayRef<Value*> a, at::ArrayRef<Value*> b,
                         Node* node) {
    for (const auto& originals : {a, b}) {
      for (Value* original : originals) {
        node->addOutput()->copyMetadata(original);
      }
    }
  }

  static void AddOutputs(const BlockPlan::Step& step, Node* node) {
    AddOutputs(step.a->outputs(), step.b->outputs(), node);
  }

  absl::Status SetOutputs(const BlockPlan::Step& step,
                          at::ArrayRef<Value*> outputs) {
    const size_t count_a = step.a->outputs().size();
    a_.Set(step.a->outputs(), outputs.slice(0, count_a));
    b_.Set(step.b->outputs(), outputs.slice(count_a));
    // Where a model runs alone is no copy of the whole.
    a_.copies.nodes.erase(step.a);
    b_.copies.nodes.erase(step.b);
    return absl::OkStatus();
  }

  // New nodes go in front of it.
  Node* Place() const { return host_.insertPoint(); }

  const MeetingPlan plan_;
  const absl::Span<const MeetingPoint> points_;
  Graph& host_;
  MeetingListener& listener_;
  Side a_;
  Side b_;
  // For each point, A's value where it waits for B to come by.
  std::vector<Value*> early_;
};

}  // namespace

absl::Status Interleave(Graph& a, Graph& b,
                        absl::Span<const MeetingPoint> points, Graph& host,
                        GraphCopies& copies_a, GraphCopies& copies_b,
                        MeetingListener& listener) {
  return Interleaver(points, host, copies_a, copies_b, listener).Run(a, b);
}

}  // namespace ns
