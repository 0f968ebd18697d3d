#include "passes/registry/pass_registry.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/inline_modules.h"
#include "ir/loading_passes.h"
#include "ir/status.h"
#include "passes/instrument/pair_models.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/matching/graph_matcher.h"
#include "passes/quantization/convert_observers.h"
#include "passes/quantization/default_qconfigs.h"
#include "passes/quantization/equalize_layers.h"
#include "passes/quantization/fold_batch_norms.h"
#include "passes/quantization/insert_observers.h"
#include "passes/quantization/qconfig_json.h"
#include "passes/quantization/quantize_dynamic.h"
#include "passes/quantization/smooth_layers.h"
#include "passes/registry/pair_passes.h"
#include "passes/registry/rewrite_passes.h"

namespace ns {
namespace {

using PassOr = absl::StatusOr<std::unique_ptr<Pass>>;
using PairPassOr = absl::StatusOr<std::unique_ptr<PairPass>>;

// Makes a pass that takes no options.
template <typename P>
PassOr Make(PassOptions& options) {
  NS_RETURN_IF_ERROR(options.Check());
  return std::make_unique<P>();
}

PassOr MakeInlineModules(PassOptions& options) {
  const std::string leaves = options.Text("leaf", "");
  NS_RETURN_IF_ERROR(options.Check());
  const std::vector<std::string> types =
      absl::StrSplit(leaves, '+', absl::SkipEmpty());
  return std::make_unique<InlineModulesPass>(types.empty() ? nullptr
                                                           : LeafTypes(types));
}

PassOr MakeEqualizeLayers(PassOptions& options) {
  EqualizeLayers::Options made;
  const std::string clamps = options.Choice("clamps", {"rescale", "keep"});
  NS_RETURN_IF_ERROR(options.Check());
  made.clamps = clamps == "keep" ? EqualizeLayers::Clamps::kKeep
                                 : EqualizeLayers::Clamps::kRescale;
  return std::make_unique<EqualizeLayers>(std::move(made));
}

PassOr MakeFoldReferenceQuantization(PassOptions& options) {
  FoldReferenceQuantization::Options made;
  made.ns_ops = options.Flag("ns-ops", made.ns_ops);
  NS_RETURN_IF_ERROR(options.Check());
  return std::make_unique<FoldReferenceQuantization>(made);
}

PassOr MakeQuantizeDynamic(PassOptions& options) {
  QuantizeDynamic::Options made;
  made.mapping = DefaultDynamicMapping();
  made.reduce_range = options.Flag("reduce-range", made.reduce_range);
  NS_RETURN_IF_ERROR(options.Check());
  return std::make_unique<QuantizeDynamic>(std::move(made));
}

PassOr MakeInsertObservers(PassOptions& options) {
  ObserverPlanOptions made;
  const std::string backend = options.Text("backend", "fbgemm");
  const std::string path = options.Text("qconfig", "");
  made.compat = options.Flag("compat", made.compat);
  made.reference = options.Flag("reference", made.reference);
  NS_RETURN_IF_ERROR(options.Check());
  NS_ASSIGN_OR_RETURN(const Backend named, BackendNamed(backend));
  if (path.empty()) {
    made.mapping = GetDefaultQConfigMapping(named);
  } else {
    NS_ASSIGN_OR_RETURN(made.mapping, ReadQConfigMapping(path));
  }
  return std::make_unique<InsertObservers>(std::move(made));
}

PassOr MakeLowerToFbgemm(PassOptions& options) {
  LowerToFbgemmOptions made;
  const std::string numerics =
      options.Choice("numerics", {"exact", "fbgemm-vnni", "fbgemm-avx2"});
  made.fuse = options.Flag("fuse", true);
  made.fuse_sums = options.Flag("fuse-sums", false);
  NS_RETURN_IF_ERROR(options.Check());
  made.numerics = *kernels::FindSaturationMode(numerics);
  return std::make_unique<LowerToFbgemm>(made);
}

PassOr MakeSmoothLayers(PassOptions& options) {
  const std::string exponent = options.Text("exponent", "0.5");
  NS_RETURN_IF_ERROR(options.Check());
  double number = 0;
  if (!absl::SimpleAtod(exponent, &number) || !(number >= 0 && number <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option 'exponent' is '", exponent, "'; use a number from 0 to 1"));
  }
  SmoothLayers::Options made;
  made.exponent = number;
  return std::make_unique<SmoothLayers>(std::move(made));
}

PairPassOr MakeMatch(PassOptions& options) {
  MatchOptions made;
  const std::string mode = options.Choice("matching", {"aligned", "strict"});
  NS_RETURN_IF_ERROR(options.Check());
  made.mode = mode == "strict" ? MatchingMode::kStrict : MatchingMode::kAligned;
  return std::make_unique<MatchPass>(std::move(made));
}

PairPassOr MakeAddLoggers(PassOptions& options) {
  LoggerOptions made;
  made.should_log_inputs = options.Flag("log-inputs", made.should_log_inputs);
  NS_RETURN_IF_ERROR(options.Check());
  return std::make_unique<AddLoggersPass>(std::move(made));
}

PairPassOr MakeAddShadowLoggers(PassOptions& options) {
  LoggerOptions made;
  made.should_log_inputs = options.Flag("log-inputs", made.should_log_inputs);
  made.guard_shadows = options.Flag("guard", made.guard_shadows);
  NS_RETURN_IF_ERROR(options.Check());
  return std::make_unique<AddShadowLoggersPass>(std::move(made));
}

PairPassOr MakePairModels(PassOptions& options) {
  PairPlan plan;
  plan.activations = options.Flag("activations", plan.activations);
  plan.shadows = options.Flag("shadows", plan.shadows);
  plan.kernels = options.Flag("kernels", plan.kernels);
  plan.guard_shadows = options.Flag("guard", plan.guard_shadows);
  // Who looks at a graph wants to see the ops that were there.
  plan.exact = options.Flag("exact", true);
  NS_RETURN_IF_ERROR(options.Check());
  return std::make_unique<PairModelsPass>(std::move(plan));
}

constexpr PassEntry kPasses[] = {
    {"add-loggers",
     "logs the values of matched subgraphs of both models {log-inputs}",
     nullptr, &MakeAddLoggers},
    {"add-shadow-loggers",
     "runs float subgraphs on the quantized model's inputs, and logs both "
     "{log-inputs, guard}",
     nullptr, &MakeAddShadowLoggers},
    {"convert-observers",
     "puts quantize and dequantize in the place of calibrated observers",
     &Make<ConvertObserversPass>, nullptr},
    {"count-saturation", "lets lowered layers count the outputs that saturate",
     &Make<CountSaturationPass>, nullptr},
    {"drop-exception-checks", "removes checks that only raise exceptions",
     &Make<DropExceptionChecksPass>, nullptr},
    {"eliminate-dead-code", "removes nodes whose outputs nothing uses",
     &Make<EliminateDeadCodePass>, nullptr},
    {"equalize-layers",
     "gives the weights of consecutive layers the same range in each channel "
     "{clamps=rescale|keep}",
     &MakeEqualizeLayers, nullptr},
    {"explicit-convolutions",
     "gives convolutions constant numbers for their padding",
     &Make<ExplicitConvolutionsPass>, nullptr},
    {"fold-attributes", "turns attributes that never change into constants",
     &Make<FoldAttributesPass>, nullptr},
    {"fold-batch-norms",
     "folds batch norms into the convolutions and linear layers before them",
     &Make<FoldBatchNorms>, nullptr},
    {"fold-reference-quantization",
     "turns dequantize, float op, quantize into quantized ops {ns-ops}",
     &MakeFoldReferenceQuantization, nullptr},
    {"follow-writes",
     "makes what ops in place wrote be used through their results",
     &Make<FollowWritesPass>, nullptr},
    {"freeze", "turns parameters into constants, and folds constants",
     &Make<FreezePass>, nullptr},
    {"fuse-float-convs",
     "folds batch norms into float 2d convolutions; values stay within 1e-4",
     &Make<FuseFloatConvsPass>, nullptr},
    {"fuse-lowered", "moves activations into lowered layers",
     &Make<FuseLoweredPass>, nullptr},
    {"fuse-sums",
     "moves sums into the lowered convolutions before them; outputs change",
     &Make<FuseSumsPass>, nullptr},
    {"inline-modules",
     "replaces calls of modules by their code {leaf=TYPE+TYPE}",
     &MakeInlineModules, nullptr},
    {"insert-observers",
     "puts observers where values will be quantized {backend, qconfig, compat}",
     &MakeInsertObservers, nullptr},
    {"lower-to-fbgemm",
     "replaces quantized ops by ns kernels "
     "{numerics=exact|fbgemm-vnni|fbgemm-avx2, fuse, fuse-sums}",
     &MakeLowerToFbgemm, nullptr},
    {"lower-tuples", "removes tuples that are made and taken apart",
     &Make<LowerTuplesPass>, nullptr},
    {"match",
     "finds matching subgraphs of both models {matching=aligned|strict}",
     nullptr, &MakeMatch},
    {"pair-models",
     "makes one model that runs both and compares them "
     "{activations, shadows, kernels, guard, exact}",
     nullptr, &MakePairModels},
    {"quantize-dynamic",
     "makes dynamically quantized ops of linear and recurrent layers, and "
     "packs "
     "embeddings {reduce-range}",
     &MakeQuantizeDynamic, nullptr},
    {"replace-futures", "replaces futures whose forks are inlined by values",
     &Make<ReplaceFuturesPass>, nullptr},
    {"smooth-layers",
     "moves large values behind layer norms into weights {exponent}",
     &MakeSmoothLayers, nullptr},
    {"take-slow-paths", "lets attention modules compute layer by layer",
     &Make<TakeSlowPathsPass>, nullptr},
};

}  // namespace

absl::Span<const PassEntry> AllPasses() { return kPasses; }

}  // namespace ns
