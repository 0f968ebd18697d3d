// Holds a lowered model, op by op, against its scalar kernels and against
// LibTorch's ops: lowered_check QUANTIZED INPUTS.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "ir/model/run_on_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"
#include "ns/compare/engines.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/lowering/lowered_ops.h"
#include "passes/ops/op_table.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"
#include "tests/testing/step_through.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using Values = std::vector<c10::IValue>;

// Of float outputs (dynamic ops): relative to the largest value.
constexpr double kFloatTolerance = 1e-5;
// Of codes: roundings of float formulas that differ in their last bit turn one
// in some thousand.
constexpr double kShareOfSteps = 0.002;

// Of steps between codes.
constexpr double kNearTie = 1e-5;

// How outputs of one op differ from LibTorch's.
struct Difference {
  int64_t elements = 0;
  int64_t differing = 0;
  int64_t largest_step = 0;  // of codes
  double largest_float = 0;  // relative to the largest value of the tensor
  double from_tie = 0;       // of what layers round differently: in steps
};

bool SameBits(const c10::IValue& a, const c10::IValue& b) {
  if (!a.isTensor()) {
    return true;
  }
  const at::Tensor& x = a.toTensor();
  const at::Tensor& y = b.toTensor();
  const bool is_quantized = x.is_quantized();
  return x.sizes() == y.sizes() && is_quantized == y.is_quantized() &&
         (is_quantized ? at::equal(x.int_repr(), y.int_repr()) &&
                             x.q_scale() == y.q_scale() &&
                             x.q_zero_point() == y.q_zero_point()
                       : at::equal(x, y));
}

void Accumulate(const at::Tensor& ours, const at::Tensor& theirs,
                Difference& difference) {
  difference.elements += ours.numel();
  if (ours.numel() == 0) {
    return;
  }
  if (!ours.is_quantized()) {
    const double largest = theirs.abs().max().item<double>();
    const double error = (ours - theirs).abs().max().item<double>();
    difference.largest_float =
        std::max(difference.largest_float, error / std::max(largest, 1e-30));
    return;
  }
  const at::Tensor steps =
      (ours.int_repr().to(at::kInt) - theirs.int_repr().to(at::kInt)).abs();
  difference.differing += at::count_nonzero(steps).item<int64_t>();
  difference.largest_step =
      std::max<int64_t>(difference.largest_step, steps.max().item<int>());
}

// How far what was rounded differently is from half a step, at most. LibTorch's
// onednn scales the sum and adds the bias, where fbgemm adds the bias in units
// of the sum and scales then: floats that differ in their last bits, and round
// differently only where they are all but ties.
double DistanceFromTies(const Graph& alone, const at::Tensor& x,
                        const at::Tensor& ours, const at::Tensor& theirs) {
  OutputQParams reals;
  reals.type = kernels::OutputType::kF32;
  double largest = 0;
  for (const Node* node : alone.nodes()) {
    const OpRow* row = FindOp(OpName(*node));
    const bool is_conv =
        row != nullptr && row->weight_form == WeightForm::kPackedConv;
    const bool is_linear =
        row != nullptr && row->weight_form == WeightForm::kPackedLinear;
    if (!is_conv && !is_linear) {
      continue;
    }
    const c10::IValue layer = *ConstantOf(*node->input(1));
    const at::Tensor values =
        is_conv ? layer.toCustomClass<FbgemmConv>()->Run(x, reals)
                : layer.toCustomClass<FbgemmLinear>()->Run(x, reals);
    const at::Tensor steps = values.to(at::kDouble) / ours.q_scale();
    const at::Tensor from_tie =
        (steps - steps.floor() - 0.5).abs() / steps.abs().clamp_min(1.0);
    const at::Tensor differs = ours.int_repr() != theirs.int_repr();
    largest = (from_tie * differs).max().item<double>();
  }
  return largest;
}

bool IsCodes(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() &&
         value.toTensor().is_quantized() &&
         value.toTensor().qscheme() == at::kPerTensorAffine;
}

// One op by itself, lowered, and what it is given: codes come as floats that
// are quantized first, as the graph must tell what a tensor holds.
struct Alone {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Values inputs;

  void Add(const torch::jit::Value& original, const c10::IValue& value,
           std::vector<torch::jit::Value*>& arguments) {
    if (original.node()->kind() == c10::prim::Constant) {
      arguments.push_back(graph
                              ->insertNode(graph->createClone(
                                  const_cast<Node*>(original.node()),
                                  [](torch::jit::Value* v) { return v; }))
                              ->output());
      return;
    }
    torch::jit::Value* input = graph->addInput();
    input->setType(original.type());
    if (!IsCodes(value)) {
      arguments.push_back(input);
      inputs.push_back(value);
      return;
    }
    const at::Tensor& codes = value.toTensor();
    inputs.push_back(codes.dequantize());
    arguments.push_back(
        graph->insert(c10::aten::quantize_per_tensor,
                      {input, codes.q_scale(), codes.q_zero_point(),
                       static_cast<int64_t>(codes.scalar_type())}));
  }
};

// Null when the op is not lowered.
std::optional<Alone> LowerAlone(const Node& node, const Values& values) {
  Alone alone;
  std::vector<torch::jit::Value*> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    alone.Add(*node.input(i), values[i], arguments);
  }
  Node* copy =
      alone.graph->create(node.kind(), arguments, node.outputs().size());
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    copy->output(i)->setType(node.output(i)->type());
    alone.graph->registerOutput(copy->output(i));
  }
  alone.graph->insertNode(copy);
  PassContext context;
  if (!RunOnGraph(LowerToFbgemm(), alone.graph, context).ok() ||
      !context.remarks().empty()) {
    return std::nullopt;
  }
  return alone;
}

// Runs `model` on `batch` with `see`.
absl::StatusOr<Values> Step(const ModelGraph& model, Batch batch,
                            const SeeOp& see) {
  NS_RETURN_IF_ERROR(FitBatch(
      model.module().get_method(model.method()).function().getSchema(), batch));
  Values inputs = {model.module()._ivalue()};
  inputs.insert(inputs.end(), batch.arguments.begin(), batch.arguments.end());
  for (size_t i = inputs.size(); i < model.graph().inputs().size(); ++i) {
    const std::string name = model.graph().inputs()[i]->debugName();
    const auto found = std::find_if(
        batch.keywords.begin(), batch.keywords.end(), [&](const auto& keyword) {
          return absl::StartsWith(name, keyword.first);
        });
    if (found == batch.keywords.end()) {
      return absl::InvalidArgumentError(absl::StrCat("no input ", name));
    }
    inputs.push_back(found->second);
  }
  return StepThrough(model.graph(), inputs, see);
}

// Every op of ours gives the bits that its scalar kernel gives.
absl::Status CheckScalar(const ModelGraph& lowered, const Batch& batch) {
  int64_t ops = 0;
  std::string culprit;
  NS_RETURN_IF_ERROR(
      Step(lowered, batch,
           [&](const Node& node, const Values& inputs, const Values& outputs) {
             if (!IsLoweredOp(OpName(node))) {
               return;
             }
             ++ops;
             const kernels::ScopedIsa scalar(kernels::Isa::kScalar);
             torch::jit::Stack stack = inputs;
             node.getOperation()(stack);
             if (!SameBits(outputs.at(0), stack.at(0)) && culprit.empty()) {
               culprit = absl::StrCat(OpName(node), " %", NodeName(node));
             }
           })
          .status());
  std::printf("%lld ops run as their scalar kernels\n",
              static_cast<long long>(ops));
  return culprit.empty() ? absl::OkStatus()
                         : absl::FailedPreconditionError(absl::StrCat(
                               culprit, " differs from its scalar kernel"));
}

// Every op that is lowered by itself gives LibTorch's codes, to one step.
absl::Status CheckAgainstLibTorch(const ModelGraph& quantized,
                                  const Batch& batch) {
  std::map<std::string, Difference> differences;
  NS_RETURN_IF_ERROR(
      Step(quantized, batch,
           [&](const Node& node, const Values& inputs, const Values& outputs) {
             if (!FindLowering(OpName(node)).ok() ||
                 !outputs.at(0).isTensor()) {
               return;
             }
             const std::optional<Alone> alone = LowerAlone(node, inputs);
             if (!alone) {
               return;
             }
             const Values ours =
                 StepThrough(*alone->graph, alone->inputs,
                             [](const Node&, const Values&, const Values&) {});
             Difference& difference =
                 differences[std::string(FindOp(OpName(node))->op)];
             const at::Tensor y = ours.at(0).toTensor();
             Accumulate(y, outputs.at(0).toTensor(), difference);
             if (y.is_quantized() && difference.differing > 0) {
               difference.from_tie = std::max(
                   difference.from_tie,
                   DistanceFromTies(*alone->graph, inputs.at(0).toTensor(), y,
                                    outputs.at(0).toTensor()));
             }
           })
          .status());
  std::string culprit;
  for (const auto& [op, d] : differences) {
    std::printf(
        "%-40s %10lld elements, %lld off, by up to %lld; %.1e; ties to %.1e\n",
        op.c_str(), static_cast<long long>(d.elements),
        static_cast<long long>(d.differing),
        static_cast<long long>(d.largest_step), d.largest_float, d.from_tie);
    if (d.largest_step > 1 || d.from_tie > kNearTie ||
        d.differing > kShareOfSteps * d.elements + 1 ||
        d.largest_float > kFloatTolerance) {
      culprit = op;
    }
  }
  return culprit.empty() ? absl::OkStatus()
                         : absl::FailedPreconditionError(
                               absl::StrCat(culprit, " differs from LibTorch"));
}

absl::StatusOr<ModelGraph> Lowered(const ModelGraph& quantized,
                                   kernels::SaturationMode numerics) {
  NS_ASSIGN_OR_RETURN(ModelGraph lowered, quantized.Clone());
  LowerToFbgemmOptions options;
  options.numerics = numerics;
  PassContext context;
  NS_RETURN_IF_ERROR(LowerToFbgemm(options).Run(lowered, context).status());
  const int64_t count = CountLoweredOps(lowered.graph());
  std::printf("%s: %lld ops lowered\n", kernels::SaturationModeName(numerics),
              static_cast<long long>(count));
  for (const PassRemark& remark : context.remarks()) {
    std::printf("  kept %s %s: %s\n", remark.name.c_str(), remark.op.c_str(),
                remark.reason.c_str());
  }
  if (count == 0) {
    return absl::FailedPreconditionError("nothing is lowered");
  }
  return lowered;
}

absl::Status CheckSaved(ModelGraph& lowered, Batch batch,
                        const std::string& path) {
  NS_RETURN_IF_ERROR(lowered.Save(path));
  NS_ASSIGN_OR_RETURN(ModelGraph loaded, ModelGraph::FromFile(path));
  NS_RETURN_IF_ERROR(FitBatch(
      lowered.module().get_method(lowered.method()).function().getSchema(),
      batch));
  NS_ASSIGN_OR_RETURN(const c10::IValue saved,
                      lowered.Run(batch.arguments, batch.keywords));
  NS_ASSIGN_OR_RETURN(const c10::IValue again,
                      loaded.Run(batch.arguments, batch.keywords));
  return SameBits(saved, again) ? absl::OkStatus()
                                : absl::FailedPreconditionError(
                                      "a saved model computes something else");
}

// Bazel gives each test a folder of its own: others of this program run at the
// same time.
std::string TestFolder() {
  const char* folder = std::getenv("TEST_TMPDIR");
  return folder != nullptr ? folder
                           : std::filesystem::temp_directory_path().string();
}

absl::Status Check(const std::string& path, const std::string& inputs) {
  NS_ASSIGN_OR_RETURN(const ModelGraph quantized, ModelGraph::FromFile(path));
  NS_ASSIGN_OR_RETURN(const BatchReader reader, BatchReader::Open({inputs}));
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> batches, reader.ReadAll());
  const Batch& batch = batches.at(0);
  NS_RETURN_IF_ERROR(CheckAgainstLibTorch(quantized, batch));
  for (const auto numerics :
       {kernels::SaturationMode::kExact, kernels::SaturationMode::kFbgemmVnni,
        kernels::SaturationMode::kFbgemmAvx2}) {
    NS_ASSIGN_OR_RETURN(ModelGraph lowered, Lowered(quantized, numerics));
    NS_RETURN_IF_ERROR(CheckScalar(lowered, batch));
    const std::string saved =
        absl::StrCat(TestFolder(), "/lowered_",
                     kernels::SaturationModeName(numerics), ".pt");
    NS_RETURN_IF_ERROR(CheckSaved(lowered, batch, saved));
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: lowered_check QUANTIZED INPUTS\n", stderr);
    return 2;
  }
  const c10::InferenceMode inference;
  const absl::Status status =
      WithEngine("", [&] { return Check(argv[1], argv[2]); });
  if (!status.ok()) {
    std::printf("FAILED: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) { return ns::Main(argc, argv); }
