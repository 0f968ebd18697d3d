// Gives each layer of a model an identity that copies and rewrites of the model
// keep.
#ifndef IR_GRAPH_LAYER_ID_H_
#define IR_GRAPH_LAYER_ID_H_

#include <cstdint>
#include <optional>

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Identifies a layer of a model. Ids are given by one search for layers, from 0
// in order of execution. They stay valid in copies and rewrites of that graph;
// ids of different searches are not to be compared. An id need not be unique: a
// shadow has the id of the layer that it copies.
class LayerId {
 public:
  constexpr explicit LayerId(int64_t number) : number_(number) {}

  constexpr int64_t number() const { return number_; }

  constexpr bool operator==(LayerId other) const {
    return number_ == other.number_;
  }
  constexpr bool operator!=(LayerId other) const { return !(*this == other); }
  constexpr bool operator<(LayerId other) const {
    return number_ < other.number_;
  }

 private:
  int64_t number_;
};

// Writes `id` to `node`, the base op of the layer, so that the layer can be
// found in other graphs that are made of this one:
//
//   %y : Tensor = aten::conv2d[ns_layer=3](%x, %weight, ...)
//
// * A copy of the graph (ModelGraph::Clone) has the same ids.
// * Where a pass replaces the op and reports that (PassContext::Replaced), the
//   op that takes its place has the id. An op that replaces several layers has
//   the id of the first of them. When several ops take the place of one, as a
//   contiguous and a quantized::group_norm do, all of them have its id.
// * When the op is removed, no op has the id any more.
// * A copy of the op in the same graph, such as a shadow, has the id, too.
// * Models are saved without ids.
//
// The id is an attribute that no operator reads. It appears in the text of the
// graph, and keeps LibTorch from merging equal ops of different layers.
void SetLayerId(torch::jit::Node& node, LayerId id);

// Returns the id of `node`; nullopt where it has none.
std::optional<LayerId> LayerIdOf(const torch::jit::Node& node);

// Gives `now`, which takes the place of `old`, the id of `old`. Where `now` has
// an id already, it keeps the lower one. Constants get none.
// PassContext::Replaced calls this.
void HandOnLayerId(const torch::jit::Node& old, torch::jit::Node& now);

}  // namespace ns

#endif  // IR_GRAPH_LAYER_ID_H_
