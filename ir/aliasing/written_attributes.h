// Finds the attributes that a model changes when it runs.
#ifndef IR_ALIASING_WRITTEN_ATTRIBUTES_H_
#define IR_ALIASING_WRITTEN_ATTRIBUTES_H_

#include <set>
#include <string>

namespace torch::jit {
struct Block;
struct Function;
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// The names of the attributes that a graph, or a method that it calls, writes:
// with prim::SetAttr, or with an op in place on the attribute's tensor or list,
// or on a view of it, also where it reaches the op through control flow or in a
// list (IsWrittenInPlace in written_in_place.h). What a method writes of its
// arguments, and what is stored in another attribute first, is not found.
//
//   %cache = prim::GetAttr[name="cache"](%self)
//   %1 = aten::slice(%cache, %dim, %start, %end, %step)
//   %2 = aten::copy_(%1, %x, %false)
//
// Attributes of one name are not told apart. What PyTorch's observers write in
// place does not count: observing is no part of what a model computes.
class WrittenAttributes {
 public:
  explicit WrittenAttributes(const torch::jit::Graph& graph);

  bool Contains(const std::string& name) const {
    return names_.count(name) != 0;
  }
  bool empty() const { return names_.empty(); }

 private:
  void Collect(const torch::jit::Block* block);
  void EnterMethod(const torch::jit::Node& call);

  std::set<std::string> names_;
  std::set<const torch::jit::Function*> entered_;
};

}  // namespace ns

#endif  // IR_ALIASING_WRITTEN_ATTRIBUTES_H_
