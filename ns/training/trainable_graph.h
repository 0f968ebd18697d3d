// Makes the flat graph of a prepared model one that can be trained.
#ifndef NS_TRAINING_TRAINABLE_GRAPH_H_
#define NS_TRAINING_TRAINABLE_GRAPH_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// A prepared model (PrepareModel of ns/quantization/model/quantize_model.h) as
// its quantized model will compute it, with gradients:
//
//   %x1 = prim::CallMethod[name="forward"](%observer, %x)
//   %w1 = ns::observed_weight(%weight, 0)
//   %y = aten::conv2d(%x1, %w1, %bias, ...)
// becomes
//   %s = prim::GetAttr[name="ns_scale_0"](%self)
//   %z = prim::GetAttr[name="ns_zero_point_0"](%self)
//   %x1 = aten::fake_quantize_per_tensor_affine(%x, %s, %z, 0, 255)
//   %p0 = prim::GetAttr[name="ns_parameter_0"](%self)
//   %w1 = ns::fake_quantize_weight(%p0, ["dtype=qint8", ...])
//   %p1 = prim::GetAttr[name="ns_parameter_1"](%self)
//   %y = aten::conv2d(%x1, %w1, %p1, ...)
//
// Create finds out which values converting would leave in float; these are
// never rounded. Others are rounded to all integers of their dtype, 0 to 255
// for quint8, also where the scale was chosen for a part of these
// (reduce_range): quantized ops do the same. Parameters are the constant
// tensors of floats, not scalars, that ops take as the argument `weight` or
// `bias` of their schema. Not trained are those of recurrent layers, which are
// lists, of leaf modules, and of aten::matmul, mm and addmm. One tensor that is
// two constants becomes two parameters. Batch norms are folded into the layers
// in front of them, or keep their statistics.
//
// Activations have the ranges that the observers of the prepared model have
// found (RenewRanges). Weights are observed by each run anew, as converting
// does.
class TrainableGraph {
 public:
  // `prepared` must be calibrated. Its graph and what is trained are copied;
  // its observers are shared, and RenewRanges resets them. Error: a model that
  // was not prepared or not calibrated, or has nothing to train.
  static absl::StatusOr<TrainableGraph> Create(const ModelGraph& prepared);

  // The module to train: its method is that of the prepared model, and
  // `parameters` are what torch::optim is to change.
  const torch::jit::Module& module() const { return graph_.module(); }
  const std::string& method() const { return graph_.method(); }
  const std::vector<at::Tensor>& parameters() const { return parameters_; }

  // The prepared model with the weights as they are now, which follow the
  // parameters as long as these are changed in place, as torch::optim does:
  // convert it (ConvertModel) when the training is done. For new ranges, call
  // RenewRanges: to calibrate this model adds to what was seen before, and
  // changes nothing in module().
  const ModelGraph& prepared() const { return prepared_; }

  // Gives the activations the ranges that their observers find when
  // `calibrate` runs the prepared model, with the weights as they are; what was
  // seen before is forgotten. What it does not see keeps its range. Errors:
  // that of `calibrate`; a value that gets no range, such as one that is all
  // nan. All ranges then stay as they were.
  absl::Status RenewRanges(
      const std::function<absl::Status(const ModelGraph& prepared)>& calibrate);

 private:
  TrainableGraph(ModelGraph prepared, ModelGraph graph)
      : prepared_(std::move(prepared)), graph_(std::move(graph)) {}

  absl::Status Rewrite();
  absl::Status ReplaceObservers(const PreparedModel& record,
                                const std::vector<bool>& is_quantized);
  absl::Status ReplaceWeights(const PreparedModel& record,
                              const std::vector<bool>& is_quantized);
  absl::Status MakeParameters();
  void AddRange(const std::string& number, const ObserverPtr& observer);
  absl::Status UseObservedRanges();
  absl::StatusOr<torch::jit::Value*> InsertFakeQuantize(
      const std::string& number, const ObserverPtr& observer,
      torch::jit::Value& value);

  // Its constants share their memory with the parameters of `graph_`.
  ModelGraph prepared_;
  ModelGraph graph_;
  // The parameters of an activation, attributes of `graph_`, and the observer
  // of `prepared_` that finds them. It is an attribute, too, so that it is
  // saved with them.
  struct Range {
    at::Tensor scale;
    at::Tensor zero_point;
    ObserverPtr observer;
  };
  std::vector<Range> ranges_;
  std::vector<at::Tensor> parameters_;
};

}  // namespace ns

#endif  // NS_TRAINING_TRAINABLE_GRAPH_H_
