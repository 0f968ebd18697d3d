#include "ns/repro/layer_input_recorder.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_copy.h"
#include "ir/graph/insert_op.h"
#include "ns/batches/run_batches.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Makes `model` return the tuple of `values` as they are at `place`.
absl::Status ReturnAt(Node* place, const std::vector<Value*>& values,
                      ModelGraph& model) {
  Graph& graph = model.graph();
  const torch::jit::WithInsertPoint in_front(place);
  std::vector<Value*> copies;
  for (Value* value : values) {
    // What comes behind may overwrite the tensor itself.
    NS_ASSIGN_OR_RETURN(Value * copy, InsertOp(graph, "aten::clone", {value}));
    copies.push_back(copy);
  }
  Value* const tuple = graph.insertNode(graph.createTuple(copies))->output();
  while (!graph.outputs().empty()) {
    graph.eraseOutput(0);
  }
  graph.registerOutput(tuple);
  torch::jit::EliminateDeadCode(model.shared_graph());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LayerInputRecorder> LayerInputRecorder::Create(
    const ModelGraph& model, const Subgraph& subgraph) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  NS_RETURN_IF_ERROR(CatchTorchErrors("recording the inputs of a layer", [&] {
    const GraphCopy parts(model.graph(), copy.graph());
    std::vector<Value*> inputs;
    for (const Value* input : DataInputsOf(subgraph)) {
      inputs.push_back(parts.Of(input));
    }
    const Node* const start = subgraph.start;
    return ReturnAt(parts.Of(start), inputs, copy);
  }));
  return LayerInputRecorder(std::move(copy));
}

absl::StatusOr<std::vector<at::Tensor>> LayerInputRecorder::Record(
    const Batch& batch, int64_t index) {
  NS_ASSIGN_OR_RETURN(const c10::IValue inputs,
                      RunBatch("quantized", model_, batch, index));
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& input : inputs.toTupleRef().elements()) {
    tensors.push_back(input.toTensor());
  }
  return tensors;
}

}  // namespace ns
