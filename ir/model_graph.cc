#include "ir/model_graph.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/lower_tuples.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/export.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/atomic_file.h"
#include "ir/drop_exception_checks.h"
#include "ir/file_writer.h"
#include "ir/fold_attributes.h"
#include "ir/follow_writes.h"
#include "ir/module_file.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;

// Ops that compute tensors: not control flow, and not the dequantizing of one
// value for each of its users, which is one thing.
bool IsTensorOp(const Node& node) {
  return !node.kind().is_prim() && node.kind() != c10::aten::dequantize &&
         TensorOutput(node) != nullptr;
}

// Calls `visit` with every tensor op of `block`, inside control flow too.
template <typename Visit>
void ForEachTensorOp(Block* block, const Visit& visit) {
  for (Node* node : block->nodes()) {
    if (IsTensorOp(*node)) {
      visit(node);
    }
    for (Block* inner : node->blocks()) {
      ForEachTensorOp(inner, visit);
    }
  }
}

int64_t CountNodesButConstants(const Block& block) {
  int64_t count = 0;
  for (const Node* node : block.nodes()) {
    count += node->kind() == c10::prim::Constant ? 0 : 1;
    for (const Block* inner : node->blocks()) {
      count += CountNodesButConstants(*inner);
    }
  }
  return count;
}

// Computes all that depends on constants alone. LibTorch, which asks an alias
// analysis of values that it has since replaced, stops at one place or another
// from run to run, and the same model would be another graph each time.
void PropagateAllConstants(std::shared_ptr<Graph>& graph) {
  int64_t before = 0;
  do {
    before = CountNodesButConstants(*graph->block());
  } while (torch::jit::ConstantPropagation(graph,
                                           /*ignore_custom_classes=*/true) &&
           CountNodesButConstants(*graph->block()) < before);
}

// Freezes `module`. LibTorch merges equal ops on equal values meanwhile; they
// are layers of their own here, and need not be equal in the other model. So
// each has a number while it lasts.
void FreezeKeepingEqualOps(Module& module, const std::string& method) {
  const c10::Symbol number = c10::Symbol::attr("ns_number");
  int64_t next = 0;
  ForEachTensorOp(module.get_method(method).graph()->block(),
                  [&](Node* node) { node->i_(number, next++); });
  std::vector<std::string> preserved;
  if (method != "forward") {
    preserved.push_back(method);
  }
  torch::jit::freeze_module_inplace(&module, preserved);
  std::shared_ptr<Graph> graph = module.get_method(method).graph();
  PropagateAllConstants(graph);
  ForEachTensorOp(graph->block(), [&](Node* node) {
    if (node->hasAttribute(number)) {
      node->removeAttribute(number);
    }
  });
}

// Turns attributes into constants and drops what inference never runs.
void Freeze(Module& module, const std::string& method) {
  std::shared_ptr<Graph> graph = module.get_method(method).graph();
  if (LeafCalls(*graph).empty()) {
    FreezeKeepingEqualOps(module, method);
    graph = module.get_method(method).graph();
    FoldAttributes(module, *graph);
  } else {
    FoldAttributes(module, *graph);
    PropagateAllConstants(graph);
  }
  DropExceptionChecks(*graph);
  torch::jit::LowerSimpleTuples(graph);
  FollowWrites(*graph);
  torch::jit::EliminateDeadCode(graph);
}

// Writes the file `temporary`, which is to be `path`.
absl::Status WriteModel(const ModelGraph& model, const std::string& path,
                        const std::string& temporary) {
  const std::string what =
      model.source().empty()
          ? absl::StrCat(path, ": cannot save")
          : absl::StrCat(model.source(), ": cannot save it as ", path);
  FileWriter file(temporary);
  NS_RETURN_IF_ERROR(CatchTorchErrors(what, [&] {
    torch::jit::ExportModule(model.module(),
                             [&](const void* bytes, size_t count) {
                               file.Write(bytes, count);
                               return count;
                             });
  }));
  const absl::Status status = file.Close();
  return status.ok() ? status
                     : absl::InvalidArgumentError(
                           absl::StrCat(path, ": ", status.message()));
}

}  // namespace

ModelGraph::ModelGraph(const Module& module, std::string method)
    : module_(module),
      method_(std::move(method)),
      graph_(module_.get_method(method_).graph()) {}

absl::StatusOr<ModelGraph> ModelGraph::FromModule(
    const Module& module, const ModelGraphOptions& options) {
  if (!module.find_method(options.method)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the module has no method '", options.method, "'"));
  }
  absl::StatusOr<Module> copy = CatchTorchErrors("copying the module", [&] {
    Module clone = module.clone(/*inplace=*/true);
    clone.eval();
    return clone;
  });
  NS_RETURN_IF_ERROR(copy.status());
  NS_RETURN_IF_ERROR(InlineModules(
      *copy, *copy->get_method(options.method).graph(), options.is_leaf));
  NS_RETURN_IF_ERROR(CatchTorchErrors("freezing the module",
                                      [&] { Freeze(*copy, options.method); }));
  return ModelGraph(*copy, options.method);
}

absl::StatusOr<ModelGraph> ModelGraph::FromFile(
    absl::string_view path, const ModelGraphOptions& options) {
  NS_ASSIGN_OR_RETURN(Module module, LoadModule(path));
  absl::StatusOr<ModelGraph> graph = FromModule(module, options);
  if (!graph.ok()) {
    return absl::Status(graph.status().code(),
                        absl::StrCat(path, ": ", graph.status().message()));
  }
  graph->source_ = std::string(path);
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
    ModelGraph copy(module_.clone(/*inplace=*/true), method_);
    copy.source_ = source_;
    return copy;
  });
}

absl::StatusOr<c10::IValue> ModelGraph::Run(
    const std::vector<c10::IValue>& arguments,
    const torch::jit::Kwargs& keywords) {
  return CatchTorchErrors(absl::StrCat("running '", method_, "'"), [&] {
    c10::InferenceMode inference;
    torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
    return module_.get_method(method_)(arguments, keywords);
  });
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
