// Holds a TorchScript model as passes see it: a module, the flat graph of one
// of its methods, and the module path of every node in it.
#ifndef IR_MODEL_MODEL_GRAPH_H_
#define IR_MODEL_MODEL_GRAPH_H_

#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/flatten/inline_modules.h"
#include "ir/model/pass_runner.h"

namespace ns {

struct ModelGraphOptions {
  // The method whose graph is taken.
  std::string method = "forward";
  // Says which modules keep their calls in the graph (see inline_modules.h);
  // null for none.
  LeafPredicate is_leaf = nullptr;
  // Whether parameters become constants and the module is switched to
  // evaluation. Otherwise the graph reads parameters as attributes, as training
  // needs it.
  bool freeze = true;
  // Whether no pass runs at all, as with ModelGraph::FromModuleAsItIs.
  bool as_it_is = false;
  // Hooks and a limit for the loading passes (ir/model/loading_passes.h).
  PassRunOptions run = {};
};

// Owns a private copy of a module. Its `method` has been inlined with module
// paths (see module_path.h), frozen unless asked not to (parameters are
// constants; batch norms, dropout and constant arithmetic are kept), and
// shape-check exceptions and dead code have been removed. What an op wrote to
// in place is used through the op's result (see follow_writes.h). The source
// module is not changed; tensors are shared with it.
//
// A graph in which calls of leaf modules stay cannot be frozen, as freezing
// inlines them: its module keeps its parameters, and the graph reads them as
// constants all the same.
//
// The class is movable; copying is explicit, by Clone.
class ModelGraph {
 public:
  // Runs the pipeline "load" (ir/model/loading_passes.h). Errors: a method that
  // does not exist, code that cannot be inlined or frozen. The copy is switched
  // to evaluation if it is frozen.
  static absl::StatusOr<ModelGraph> FromModule(
      const torch::jit::Module& module, const ModelGraphOptions& options = {});

  // Copies `module` without running any pass: its graph still calls other
  // modules. Error: a method that does not exist.
  static absl::StatusOr<ModelGraph> FromModuleAsItIs(
      const torch::jit::Module& module, const std::string& method = "forward");

  // Wraps `module` itself, not a copy, to save it: copies of LibTorch's lose
  // the forward hooks of its modules. Error: a method that does not exist.
  static absl::StatusOr<ModelGraph> AroundModule(
      const torch::jit::Module& module, const std::string& method = "forward");

  // Does the same as FromModule for a file that torch.jit.save wrote. Error,
  // too, unless it is taken as it is: a module with forward hooks of its own,
  // which are no part of its method.
  static absl::StatusOr<ModelGraph> FromFile(
      absl::string_view path, const ModelGraphOptions& options = {});

  // Wraps a copy of `graph`, with an empty module as a new first input: for
  // tests and compilers that have a graph and no module. Error: a graph that
  // has a module as its first input already; use FromModule.
  static absl::StatusOr<ModelGraph> FromGraph(
      const std::shared_ptr<torch::jit::Graph>& graph);

  // Wraps `graph` itself, not a copy, without a module: for passes that a
  // compiler runs on its own graph (ir/model/run_on_graph.h). Running, copying,
  // saving and attaching attributes, which need the module or the method, are
  // errors.
  static ModelGraph AroundGraph(std::shared_ptr<torch::jit::Graph> graph);

  // The module, for running, saving and attaching attributes.
  torch::jit::Module& module() { return module_; }
  const torch::jit::Module& module() const { return module_; }

  // The flat graph of `method`. Its first input is the module.
  torch::jit::Graph& graph() const { return *graph_; }
  const std::shared_ptr<torch::jit::Graph>& shared_graph() const {
    return graph_;
  }

  const std::string& method() const { return method_; }

  // Whether the pass "freeze" has run. Freezing a frozen graph again would
  // change the order of its constants each time.
  bool is_frozen() const { return is_frozen_; }
  void set_frozen() { is_frozen_ = true; }

  // Takes the graph from the method again, after LibTorch has put another one
  // into the module, as freezing may.
  void TakeGraphOfMethod();

  // The file that FromFile read, for messages; "" for a model from elsewhere.
  const std::string& source() const { return source_; }

  // Returns a copy with its own graph and attributes. Tensors are shared; but
  // where ops of the graph write to tensors or lists, the copy has its own of
  // those that are no parameters, so that what one model keeps from run to run
  // does not reach the other.
  absl::StatusOr<ModelGraph> Clone() const;

  // Runs the method as the graph stands, without further optimisation, in
  // inference mode. LibTorch keeps the graph of the first run: to run what a
  // pass has made of it since, Clone the model. Keyword arguments follow
  // `arguments`. Error: inputs that do not fit the method, or an operator that
  // fails.
  absl::StatusOr<c10::IValue> Run(const std::vector<c10::IValue>& arguments,
                                  const torch::jit::Kwargs& keywords = {});

  // Saves the module, so that torch.jit.load reads it. The file appears
  // completely or not at all.
  absl::Status Save(absl::string_view path) const;

 private:
  ModelGraph(const torch::jit::Module& module, std::string method);
  explicit ModelGraph(std::shared_ptr<torch::jit::Graph> graph);

  torch::jit::Module module_;
  std::string method_;
  // The file that the model was read from; "" for none.
  std::string source_;
  bool is_frozen_ = false;
  std::shared_ptr<torch::jit::Graph> graph_;
};

struct ModelToSave {
  const ModelGraph* model;
  std::string path;
};

// Saves several models, each as ModelGraph::Save does: all files appear, or
// none.
absl::Status SaveModels(absl::Span<const ModelToSave> models);

}  // namespace ns

#endif  // IR_MODEL_MODEL_GRAPH_H_
