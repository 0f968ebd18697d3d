#include "ns/n_shadows/prepare_n_shadows_model.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/verifier.h"
#include "ns/n_shadows/candidate_logger.h"
#include "ns/n_shadows/shadow_attributes.h"
#include "passes/instrument/candidates/candidate_activations.h"
#include "passes/instrument/candidates/insert_candidate.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/kernel_support.h"

namespace ns {
namespace {

class Preparer {
 public:
  Preparer(ModelGraph model, const QConfigMultiMapping& mapping,
           const NShadowsOptions& options)
      : result_{std::move(model), {}}, mapping_(mapping), options_(options) {}

  absl::StatusOr<NShadowsModel> Run() {
    const std::vector<FloatSubgraph> subgraphs =
        FindFloatSubgraphs(result_.model.graph(), options_.relations);
    for (size_t i = 0; i < subgraphs.size(); ++i) {
      NS_RETURN_IF_ERROR(Shadow(subgraphs[i], static_cast<int>(i)));
    }
    AttachCandidateNames(result_.model.module(), candidate_names_);
    NS_RETURN_IF_ERROR(VerifyGraph(result_.model.graph()));
    return std::move(result_);
  }

 private:
  // The qconfig of mapping i at i; absent where it has none, or none that
  // works.
  absl::StatusOr<std::vector<OptionalQConfig>> CandidatesOf(
      const FloatSubgraph& subgraph) {
    std::vector<OptionalQConfig> candidates;
    for (const QConfigMapping& mapping : mapping_.mappings()) {
      QConfigChoice choice = mapping.Choose(subgraph);
      if (choice.qconfig) {
        absl::Status status =
            CheckKernel(*choice.qconfig, subgraph.op, subgraph.family);
        if (!status.ok() && choice.names_target) {
          return status;
        }
        if (options_.check) {
          status.Update(options_.check(subgraph, *choice.qconfig));
        }
        if (!status.ok()) {
          Skip(subgraph, *choice.qconfig, status);
          choice.qconfig.reset();
        }
      }
      candidates.push_back(choice.qconfig);
    }
    return candidates;
  }

  absl::Status Shadow(const FloatSubgraph& subgraph, int index) {
    NS_ASSIGN_OR_RETURN(const std::vector<OptionalQConfig> candidates,
                        CandidatesOf(subgraph));
    if (std::none_of(candidates.begin(), candidates.end(),
                     [](const OptionalQConfig& c) { return c.has_value(); })) {
      return absl::OkStatus();
    }
    CandidateInserter inserter(result_.model, subgraph, next_quantizer_);
    NS_RETURN_IF_ERROR(inserter.LogFloat(
        MakeFloatLogger(), ShadowLoggerInfo(subgraph, {index, 0})));
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (!candidates[i]) {
        continue;
      }
      const ShadowIndex shadow = {index, static_cast<int>(i) + 1};
      const LoggerInfo info = ShadowLoggerInfo(subgraph, shadow);
      NS_ASSIGN_OR_RETURN(const c10::IValue logger,
                          MakeCandidateLogger(options_.logger, info));
      const absl::Status status = inserter.Insert(*candidates[i], logger, info);
      if (IsRefusal(status)) {
        Skip(subgraph, *candidates[i], status);
        continue;
      }
      NS_RETURN_IF_ERROR(status);
      candidate_names_[ShadowModelName(shadow)] = QConfigName(*candidates[i]);
    }
    return absl::OkStatus();
  }

  void Skip(const FloatSubgraph& subgraph, const QConfig& qconfig,
            const absl::Status& status) {
    result_.skipped.push_back(
        {subgraph.name, QConfigName(qconfig), std::string(status.message())});
  }

  NShadowsModel result_;
  const QConfigMultiMapping& mapping_;
  const NShadowsOptions& options_;
  int next_quantizer_ = 0;
  std::map<std::string, std::string> candidate_names_;
};

}  // namespace

absl::StatusOr<NShadowsModel> PrepareNShadowsModel(
    const ModelGraph& model, const QConfigMultiMapping& mapping,
    const NShadowsOptions& options) {
  for (const QConfigMapping& one : mapping.mappings()) {
    NS_RETURN_IF_ERROR(one.Validate());
  }
  if (AttachedCandidateNames(model.module())) {
    return absl::InvalidArgumentError(
        "the model is an n-shadows model already; prepare the float model");
  }
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  return Preparer(std::move(copy), mapping, options).Run();
}

absl::Status ConvertNShadowsModel(torch::jit::Module& module) {
  if (!AttachedCandidateNames(module)) {
    return absl::InvalidArgumentError(
        "the module is no n-shadows model; make one with "
        "PrepareNShadowsModel");
  }
  const std::vector<ActivationQuantizerPtr> quantizers =
      AttachedQuantizers(module);
  bool has_static = false;
  bool is_calibrated = false;
  for (const ActivationQuantizerPtr& quantizer : quantizers) {
    has_static |= quantizer->NeedsValues();
    is_calibrated |= quantizer->values_seen() > 0;
  }
  if (has_static && !is_calibrated) {
    return absl::FailedPreconditionError(
        "the n-shadows model was not calibrated; run it on sample batches "
        "before it is converted");
  }
  return CatchTorchErrors("converting an n-shadows model", [&] {
    for (const ActivationQuantizerPtr& quantizer : quantizers) {
      quantizer->Convert();
    }
  });
}

}  // namespace ns
