// Tells whether rewrites may let a node read its inputs later.
#ifndef PASSES_LOWERING_WRITERS_H_
#define PASSES_LOWERING_WRITERS_H_

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// The ops in place of a graph. Most graphs have none: there, all reads may be
// moved behind other nodes.
class Writers {
 public:
  explicit Writers(const torch::jit::Graph& graph);

  bool any() const { return any_; }

  // Whether `last` may read what `first` reads in its place: nothing in between
  // writes to it.
  bool LetWait(const torch::jit::Node& first,
               const torch::jit::Node& last) const;

 private:
  bool any_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_WRITERS_H_
