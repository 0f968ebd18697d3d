#include "ns/engine_check/run_engine_case.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/pass_context.h"
#include "ir/hierarchy/make_module.h"
#include "ir/model/model_graph.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/runtime/marking_allocator.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// Returns Python of a case as TorchScript compiles it.
std::string InTorchScript(absl::string_view python) {
  return absl::StrReplaceAll(
      python, {{"torch.ops.", "ops."},
               {"torch.quint8", absl::StrCat(static_cast<int>(at::kQUInt8))},
               {"torch.qint8", absl::StrCat(static_cast<int>(at::kQInt8))}});
}

// Returns the method `name` of the tensors of `engine_case`, with `lines` and
// then "return `result`".
std::string Method(const EngineCase& engine_case, absl::string_view name,
                   const std::vector<std::string>& lines,
                   absl::string_view result) {
  std::string text = absl::StrCat("def ", name, "(self");
  for (const CaseTensor& tensor : engine_case.tensors) {
    absl::StrAppend(&text, ", ", tensor.name, ": Tensor");
  }
  absl::StrAppend(&text, "):\n");
  for (const std::string& line : lines) {
    absl::StrAppend(&text, "    ", InTorchScript(line), "\n");
  }
  return absl::StrCat(text, "    return ", InTorchScript(result), "\n");
}

// Returns the lines of the call. Those to be lowered quantize the inputs first,
// so that passes know that they are quantized: their codes stay.
std::vector<std::string> CallLines(const EngineCase& engine_case,
                                   bool lowered) {
  std::vector<std::string> lines;
  if (!engine_case.pack.empty()) {
    for (const std::string& name : engine_case.packed) {
      lines.push_back(absl::StrCat(name, " = self.", name));
    }
  }
  for (const CaseTensor& tensor : engine_case.tensors) {
    if (lowered && tensor.kind == CaseTensor::Kind::kQuint8) {
      lines.push_back(absl::StrCat(tensor.name,
                                   " = torch.ops.aten.quantize_per_tensor(",
                                   tensor.name, ".dequantize(), ", tensor.scale,
                                   ", ", tensor.zero_point, ", torch.quint8)"));
    }
  }
  lines.insert(lines.end(), engine_case.call.begin(), engine_case.call.end());
  return lines;
}

absl::Status Lower(const EngineCase& engine_case, ModelGraph& model) {
  PassContext context;
  NS_RETURN_IF_ERROR(LowerToFbgemm().Run(model, context).status());
  const bool has_op =
      AnyNode(model.graph().block(), [&](const torch::jit::Node* node) {
        return engine_case.op == node->kind().toQualString();
      });
  return has_op ? absl::UnimplementedError(
                      absl::StrCat(engine_case.op, " has no kernel of ns"))
                : absl::OkStatus();
}

// Returns the model that makes the call.
absl::StatusOr<ModelGraph> CallOf(const EngineCase& engine_case,
                                  const std::vector<c10::IValue>& tensors,
                                  bool lowered) {
  Module module = NewModule("EngineCase");
  if (!engine_case.pack.empty()) {
    Module packer = NewModule("Packer");
    NS_RETURN_IF_ERROR(DefineMethods(
        packer, Method(engine_case, "pack", {}, engine_case.pack)));
    for (const std::string& name : engine_case.packed) {
      NS_ASSIGN_OR_RETURN(const c10::IValue packed, CatchTorchErrors([&] {
                            return packer.get_method("pack")(tensors);
                          }));
      module.register_attribute(name, packed.type(), packed);
    }
  }
  NS_RETURN_IF_ERROR(DefineMethods(
      module,
      Method(engine_case, "forward", CallLines(engine_case, lowered), "y")));
  NS_ASSIGN_OR_RETURN(ModelGraph model, ModelGraph::FromModule(module));
  if (lowered) {
    NS_RETURN_IF_ERROR(Lower(engine_case, model));
  }
  return model;
}

absl::StatusOr<at::Tensor> Reference(const EngineCase& engine_case,
                                     const std::vector<c10::IValue>& tensors) {
  Module module = NewModule("Reference");
  NS_RETURN_IF_ERROR(DefineMethods(
      module, Method(engine_case, "forward", engine_case.reference, "z")));
  return CatchTorchErrors([&] {
    const c10::InferenceMode inference;
    return module.forward(tensors).toTensor();
  });
}

// How one output compares with the reference.
struct Error {
  double steps = 0;
  double share = 0;
};

Error ErrorOf(const at::Tensor& output, const at::Tensor& reference) {
  if (output.sizes() != reference.sizes()) {
    return {std::numeric_limits<double>::infinity(), 1};
  }
  at::Tensor steps;
  if (output.is_quantized()) {
    const at::Tensor expected =
        at::quantize_per_tensor(reference, output.q_scale(),
                                output.q_zero_point(), output.scalar_type());
    steps = output.int_repr()
                .to(at::kFloat)
                .sub(expected.int_repr().to(at::kFloat))
                .abs();
  } else {
    constexpr double kSteps = 127;
    const double largest = reference.abs().max().item<double>();
    steps = output.sub(reference).abs().mul(kSteps / largest);
  }
  steps = steps.nan_to_num(std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::infinity());
  // A little more than rounding makes, for those of float.
  constexpr double kRounding = 1.01;
  return {steps.max().item<double>(),
          steps.gt(kRounding).to(at::kDouble).mean().item<double>()};
}

std::string Bytes(const at::Tensor& tensor) {
  const at::Tensor plain =
      (tensor.is_quantized() ? tensor.int_repr() : tensor).contiguous();
  return std::string(static_cast<const char*>(plain.data_ptr()),
                     plain.nbytes());
}

}  // namespace

bool IsFaulty(const CaseOutcome& outcome) {
  return outcome.share > 0 || outcome.outputs > 1 || outcome.overruns > 0;
}

absl::StatusOr<CaseOutcome> RunEngineCase(const EngineCase& engine_case,
                                          const CaseRuns& runs) {
  MarkTensorMemory();
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  const std::vector<at::Tensor> tensors = CaseTensors(engine_case);
  const std::vector<c10::IValue> arguments(tensors.begin(), tensors.end());
  NS_ASSIGN_OR_RETURN(ModelGraph call,
                      CallOf(engine_case, arguments, runs.lowered));
  NS_ASSIGN_OR_RETURN(const at::Tensor reference,
                      Reference(engine_case, arguments));
  CaseOutcome outcome;
  std::set<std::string> outputs;
  const int64_t overruns = OverwrittenMarks();
  for (const int threads : {1, runs.threads}) {
    at::set_num_threads(threads);
    for (int i = 0; i < runs.repeats; ++i) {
      const absl::StatusOr<c10::IValue> value = call.Run(arguments);
      if (!value.ok() && outputs.empty()) {
        return value.status();
      }
      // A call that fails after an equal one that did not is another output.
      outputs.insert(value.ok() ? Bytes(value->toTensor()) : "");
      const Error error =
          value.ok() ? ErrorOf(value->toTensor(), reference) : Error();
      outcome.steps = std::max(outcome.steps, error.steps);
      outcome.share = std::max(outcome.share, error.share);
    }
    outcome.outputs = static_cast<int64_t>(outputs.size());
    outcome.overruns = OverwrittenMarks() - overruns;
    if (IsFaulty(outcome)) {
      outcome.needs_threads = threads > 1;
      break;
    }
  }
  return outcome;
}

}  // namespace ns
