#include "ir/model/model_graph.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/engine_error.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/atomic_file.h"
#include "ir/files/module_file.h"
#include "ir/files/write_module.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/clone_module.h"
#include "ir/model/forward_hooks.h"
#include "ir/model/loading_passes.h"
#include "ir/model/module_state.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;

// Writes the model to `temporary`, which is to be renamed to `path`.
absl::Status WriteModel(const ModelGraph& model, const std::string& path,
                        const std::string& temporary) {
  const std::string what =
      model.source().empty()
          ? absl::StrCat(path, ": cannot save")
          : absl::StrCat(model.source(), ": cannot save it as ", path);
  if (model.method().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, ": it is a graph without a module; make it with FromGraph"));
  }
  return WriteModule(model.module(), {what, path}, temporary);
}

// Whether some op of `graph` may write to a tensor or a list.
bool MayWrite(const Graph& graph) {
  return AnyNode(graph.block(), [](const Node* node) {
    return IsLeafCall(*node) || (node->blocks().empty() && WorksInPlace(*node));
  });
}

absl::Status CheckHasMethod(const Module& module, const std::string& method) {
  return module.find_method(method)
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   absl::StrCat("the module has no method '", method, "'"));
}

// A flat graph is that of a method, around which nothing runs hooks.
absl::Status CheckHasNoHooks(const Module& module) {
  return ForwardHooks(*module.type()).empty()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "the model has forward hooks of its own, which are no part "
                   "of its code; script a module that calls it");
}

}  // namespace

ModelGraph::ModelGraph(const Module& module, std::string method)
    : module_(module),
      method_(std::move(method)),
      graph_(module_.get_method(method_).graph()) {}

ModelGraph::ModelGraph(std::shared_ptr<Graph> graph)
    : module_("__torch__.Graph"), graph_(std::move(graph)) {}

ModelGraph ModelGraph::AroundGraph(std::shared_ptr<Graph> graph) {
  return ModelGraph(std::move(graph));
}

absl::StatusOr<ModelGraph> ModelGraph::AroundModule(const Module& module,
                                                    const std::string& method) {
  NS_RETURN_IF_ERROR(CheckHasMethod(module, method));
  return ModelGraph(module, method);
}

absl::StatusOr<ModelGraph> ModelGraph::FromModuleAsItIs(
    const Module& module, const std::string& method) {
  NS_RETURN_IF_ERROR(CheckHasMethod(module, method));
  return CatchTorchErrors("copying the module", [&] {
    return ModelGraph(CloneModule(module), method);
  });
}

absl::StatusOr<ModelGraph> ModelGraph::FromModule(
    const Module& module, const ModelGraphOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph model,
                      FromModuleAsItIs(module, options.method));
  if (options.as_it_is) {
    return model;
  }
  if (options.freeze) {
    model.module_.eval();
  }
  PassContext context;
  NS_RETURN_IF_ERROR(LoadingPipeline(options.is_leaf, options.freeze)
                         .Run(model, context, options.run)
                         .status());
  return model;
}

void ModelGraph::TakeGraphOfMethod() {
  graph_ = module_.get_method(method_).graph();
}

absl::StatusOr<ModelGraph> ModelGraph::FromFile(
    absl::string_view path, const ModelGraphOptions& options) {
  NS_ASSIGN_OR_RETURN(Module module, LoadModule(path));
  if (!options.as_it_is) {
    NS_RETURN_IF_ERROR(Annotated(path, CheckHasNoHooks(module)));
  }
  NS_ASSIGN_OR_RETURN(ModelGraph graph,
                      Annotated(path, FromModule(module, options)));
  graph.source_ = std::string(path);
  return graph;
}

absl::StatusOr<ModelGraph> ModelGraph::FromGraph(
    const std::shared_ptr<Graph>& graph) {
  if (!graph->inputs().empty()) {
    const auto type = graph->inputs()[0]->type()->cast<c10::ClassType>();
    if (type && type->is_module()) {
      return absl::InvalidArgumentError(
          "the graph is a method of a module; use FromModule");
    }
  }
  return CatchTorchErrors("wrapping the graph", [&] {
    Module module("__torch__.Graph");
    std::shared_ptr<Graph> copy = graph->copy();
    copy->insertInput(0, "self")->setType(module.type());
    module._ivalue()->compilation_unit()->create_function(
        c10::QualifiedName(*module.type()->name(), "forward"), copy);
    module.type()->addMethod(
        &module._ivalue()->compilation_unit()->get_function(
            c10::QualifiedName(*module.type()->name(), "forward")));
    return ModelGraph(module, "forward");
  });
}

absl::StatusOr<ModelGraph> ModelGraph::Clone() const {
  return CatchTorchErrors("copying the module", [&] {
    ModelGraph copy(CloneModule(module_), method_);
    if (MayWrite(*graph_)) {
      CopyModuleState(copy.module_);
    }
    copy.source_ = source_;
    copy.is_frozen_ = is_frozen_;
    return copy;
  });
}

absl::StatusOr<c10::IValue> ModelGraph::Run(
    const std::vector<c10::IValue>& arguments,
    const torch::jit::Kwargs& keywords) {
  auto outputs = CatchTorchErrors(absl::StrCat("running '", method_, "'"), [&] {
    c10::InferenceMode inference;
    torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
    return module_.get_method(method_)(arguments, keywords);
  });
  return outputs.ok() ? outputs : EngineError(outputs.status().message());
}

absl::Status ModelGraph::Save(absl::string_view path) const {
  return SaveModels({{this, std::string(path)}});
}

absl::Status SaveModels(absl::Span<const ModelToSave> models) {
  std::vector<FileToWrite> files;
  for (const ModelToSave& file : models) {
    files.push_back({file.path, [file](const std::string& temporary) {
                       return WriteModel(*file.model, file.path, temporary);
                     }});
  }
  return WriteFilesAtomically(files);
}

}  // namespace ns
