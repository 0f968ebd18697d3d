#include "passes/registry/pass_registry.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/base/status.h"
#include "ir/flatten/inline_modules.h"
#include "ir/model/loading_passes.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/matching/graph_matcher.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/layers/fold_batch_norms.h"
#include "passes/quantization/observe/insert_observers.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_json.h"
#include "passes/quantization/rescale/equalize_layers.h"
#include "passes/quantization/rescale/smooth_layers.h"
#include "passes/registry/pair_passes.h"
#include "passes/registry/rewrite_passes.h"

namespace ns {
namespace {

using PassOr = absl::StatusOr<std::unique_ptr<Pass>>;
using PairPassOr = absl::StatusOr<std::unique_ptr<PairPass>>;

// Makes a pass that takes no options.
template <typename P>
PassOr Make(const PassOptions& /*options*/) {
  return std::make_unique<P>();
}

PassOr MakeInlineModules(const PassOptions& options) {
  const std::string leaves = options.Text("leaf");
  const std::vector<std::string> types =
      absl::StrSplit(leaves, '+', absl::SkipEmpty());
  return std::make_unique<InlineModulesPass>(types.empty() ? nullptr
                                                           : LeafTypes(types));
}

PassOr MakeEqualizeLayers(const PassOptions& options) {
  EqualizeLayers::Options made;
  made.clamps = options.Text("clamps") == "keep"
                    ? EqualizeLayers::Clamps::kKeep
                    : EqualizeLayers::Clamps::kRescale;
  return std::make_unique<EqualizeLayers>(std::move(made));
}

PassOr MakeFoldReferenceQuantization(const PassOptions& options) {
  FoldReferenceQuantization::Options made;
  made.ns_ops = options.Flag("ns-ops");
  return std::make_unique<FoldReferenceQuantization>(made);
}

PassOr MakeQuantizeDynamic(const PassOptions& options) {
  QuantizeDynamic::Options made;
  made.mapping = DefaultDynamicMapping();
  made.reduce_range = options.Flag("reduce-range");
  return std::make_unique<QuantizeDynamic>(std::move(made));
}

PassOr MakeInsertObservers(const PassOptions& options) {
  ObserverPlanOptions made;
  made.compat = options.Flag("compat");
  made.reference = options.Flag("reference");
  NS_ASSIGN_OR_RETURN(const Backend backend,
                      BackendNamed(options.Text("backend")));
  const std::string path = options.Text("qconfig");
  if (path.empty()) {
    made.mapping = GetDefaultQConfigMapping(backend);
  } else {
    NS_ASSIGN_OR_RETURN(made.mapping, ReadQConfigMapping(path));
  }
  return std::make_unique<InsertObservers>(std::move(made));
}

PassOr MakeLowerToFbgemm(const PassOptions& options) {
  LowerToFbgemmOptions made;
  made.fuse = options.Flag("fuse");
  made.fuse_sums = options.Flag("fuse-sums");
  made.numerics = *kernels::FindSaturationMode(options.Text("numerics"));
  return std::make_unique<LowerToFbgemm>(made);
}

PassOr MakeSmoothLayers(const PassOptions& options) {
  const std::string exponent = options.Text("exponent");
  double number = 0;
  if (!absl::SimpleAtod(exponent, &number) || !(number >= 0 && number <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option 'exponent' is '", exponent, "'; use a number from 0 to 1"));
  }
  SmoothLayers::Options made;
  made.exponent = number;
  return std::make_unique<SmoothLayers>(std::move(made));
}

PairPassOr MakeMatch(const PassOptions& options) {
  MatchOptions made;
  made.mode = options.Text("matching") == "strict" ? MatchingMode::kStrict
                                                   : MatchingMode::kAligned;
  return std::make_unique<MatchPass>(std::move(made));
}

PairPassOr MakeAddLoggers(const PassOptions& options) {
  LoggerOptions made;
  made.should_log_inputs = options.Flag("log-inputs");
  return std::make_unique<AddLoggersPass>(std::move(made));
}

PairPassOr MakeAddShadowLoggers(const PassOptions& options) {
  LoggerOptions made;
  made.should_log_inputs = options.Flag("log-inputs");
  made.guard_shadows = options.Flag("guard");
  return std::make_unique<AddShadowLoggersPass>(std::move(made));
}

PairPassOr MakePairModels(const PassOptions& options) {
  PairPlan plan;
  plan.activations = options.Flag("activations");
  plan.shadows = options.Flag("shadows");
  plan.kernels = options.Flag("kernels");
  plan.guard_shadows = options.Flag("guard");
  plan.exact = options.Flag("exact");
  return std::make_unique<PairModelsPass>(std::move(plan));
}

constexpr char kFlag[] = "true|false";

constexpr PassOption kEqualizing[] = {
    {"clamps", "rescale|keep", "rescale",
     "whether clamps between layers get a bound for each channel, or keep "
     "theirs"}};
constexpr PassOption kFolding[] = {
    {"ns-ops", kFlag, "true",
     "whether ns ops take the place of what LibTorch has no quantized kernel "
     "for"}};
constexpr PassOption kInlining[] = {
    {"leaf", "TYPE+TYPE", "", "types of modules whose calls stay"}};
constexpr PassOption kObserving[] = {
    {"backend", "BACKEND", "fbgemm",
     "whose default qconfigs are used: fbgemm, x86, onednn, qnnpack"},
    {"qconfig", "PATH", "", "a file of qconfigs in place of the default ones"},
    {"compat", kFlag, "false",
     "whether observers are where PyTorch 1.13 has them"},
    {"reference", kFlag, "false",
     "whether ops stay float between quantize and dequantize"}};
constexpr PassOption kLowering[] = {
    {"numerics", "exact|fbgemm-vnni|fbgemm-avx2", "exact",
     "whose sums the kernels compute"},
    {"fuse", kFlag, "true", "whether fuse-lowered runs, too"},
    {"fuse-sums", kFlag, "false", "whether fuse-sums runs, too"}};
constexpr PassOption kDynamic[] = {
    {"reduce-range", kFlag, "true", "whether inputs get 7 bits"}};
constexpr PassOption kSmoothing[] = {
    {"exponent", "NUMBER", "0.5",
     "how much moves from values into weights, from 0 to 1"}};
constexpr PassOption kMatching[] = {
    {"matching", "aligned|strict", "aligned",
     "whether ops without a counterpart are passed over, or an error"}};
constexpr PassOption kLogging[] = {
    {"log-inputs", kFlag, "false", "whether inputs are logged, too"}};
constexpr PassOption kShadowing[] = {
    {"log-inputs", kFlag, "false", "whether inputs are logged, too"},
    {"guard", kFlag, "true",
     "whether a shadow that fails is left out, or ends the run"}};
constexpr PassOption kPairing[] = {
    {"activations", kFlag, "true",
     "whether the values of both models are compared"},
    {"shadows", kFlag, "false",
     "whether float subgraphs run on the quantized model's inputs"},
    {"kernels", kFlag, "false",
     "whether quantized ops are compared with what they compute in float"},
    {"guard", kFlag, "true",
     "whether a shadow that fails is left out, or ends the run"},
    // Who looks at a graph wants to see the ops that were there.
    {"exact", kFlag, "true", "whether float convolutions stay as they are"}};

constexpr PassEntry kPasses[] = {
    {"add-loggers", "logs the values of matched subgraphs of both models",
     nullptr, &MakeAddLoggers, kLogging},
    {"add-shadow-loggers",
     "runs float subgraphs on the quantized model's inputs, and logs both",
     nullptr, &MakeAddShadowLoggers, kShadowing},
    {"convert-observers",
     "puts quantize and dequantize in the place of calibrated observers",
     &Make<ConvertObserversPass>, nullptr},
    {"count-saturation", "lets lowered layers count the outputs that saturate",
     &Make<CountSaturationPass>, nullptr},
    {"drop-exception-checks", "removes checks that only raise exceptions",
     &Make<DropExceptionChecksPass>, nullptr},
    {"drop-roundings",
     "drops roundings of lowered ops that nothing needs; outputs change",
     &Make<DropRoundingsPass>, nullptr},
    {"eliminate-dead-code", "removes nodes whose outputs nothing uses",
     &Make<EliminateDeadCodePass>, nullptr},
    {"equalize-layers",
     "gives the weights of consecutive layers the same range in each channel",
     &MakeEqualizeLayers, nullptr, kEqualizing},
    {"explicit-convolutions",
     "gives convolutions constant numbers for their padding",
     &Make<ExplicitConvolutionsPass>, nullptr},
    {"fold-attributes", "turns attributes that never change into constants",
     &Make<FoldAttributesPass>, nullptr},
    {"fold-batch-norms",
     "folds batch norms into the convolutions and linear layers before them",
     &Make<FoldBatchNorms>, nullptr},
    {"fold-reference-quantization",
     "turns dequantize, float op, quantize into quantized ops",
     &MakeFoldReferenceQuantization, nullptr, kFolding},
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
    {"inline-modules", "replaces calls of modules by their code",
     &MakeInlineModules, nullptr, kInlining},
    {"insert-observers", "puts observers where values will be quantized",
     &MakeInsertObservers, nullptr, kObserving},
    {"linear-of-addmm", "makes linear layers of addmm with a constant weight",
     &Make<LinearOfAddmmPass>, nullptr},
    {"lower-to-fbgemm", "replaces quantized ops by ns kernels",
     &MakeLowerToFbgemm, nullptr, kLowering},
    {"lower-tuples", "removes tuples that are made and taken apart",
     &Make<LowerTuplesPass>, nullptr},
    {"match", "finds matching subgraphs of both models", nullptr, &MakeMatch,
     kMatching},
    {"pair-models", "makes one model that runs both and compares them", nullptr,
     &MakePairModels, kPairing},
    {"quantize-dynamic",
     "makes dynamically quantized ops of linear and recurrent layers, and "
     "packs embeddings",
     &MakeQuantizeDynamic, nullptr, kDynamic},
    {"replace-futures", "replaces futures whose forks are inlined by values",
     &Make<ReplaceFuturesPass>, nullptr},
    {"smooth-layers", "moves large values behind layer norms into weights",
     &MakeSmoothLayers, nullptr, kSmoothing},
    {"take-slow-paths", "lets attention modules compute layer by layer",
     &Make<TakeSlowPathsPass>, nullptr},
};

}  // namespace

absl::Span<const PassEntry> AllPasses() { return kPasses; }

}  // namespace ns
