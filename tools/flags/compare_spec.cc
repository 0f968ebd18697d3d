#include "tools/flags/compare_spec.h"

#include "tools/flags/limit_flags.h"
#include "tools/flags/run_flags.h"
#include "tools/flags/shard_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs"),
    {"float", "PATH",
     "the float model, saved by torch.jit.save, or its state_dict, saved by "
     "torch.save"},
    {"quantized", "PATH", "the quantized model made from it, likewise"},
    kInputsFlag,
    {"inputs-b", "PATHS",
     "a second data set, such as real inputs where --inputs are "
     "representative: activations and outputs on it stand beside those on "
     "--inputs, with the layers whose values have another range"},
    {"labels", "PATH",
     "the classes of the inputs, torch.save of a list of one tensor of "
     "integers for each batch: tells top-1 of both models and which samples "
     "flip"},
    {"score", "NAME=PATH",
     "figures of the task, such as mAP, of both models, several with commas or "
     "flags: modules saved by torch.jit.save with update(outputs, labels), "
     "called for each batch, and compute() -> float; a higher score is better. "
     "--labels may then be of any type",
     true},
    {"max-batches", "N", "stop after N batches"},
    {"samples", "LIST",
     "compare only these: flipped (the models' top-1 differs), worst:8 (lowest "
     "SQNR of the first output), or numbers with commas, counted from 0 over "
     "all batches; the first two run the models once more"},
    Heading("what to compare"),
    {"what", "LIST",
     "any of weights, activations, shadows, kernel, stubs, outputs, with "
     "commas; default: weights, with --inputs the first three"},
    {"reference", "DIR",
     "compare with the activations in this folder, of a device or another "
     "runtime, and do not run the float model: LAYER.npy, LAYER.pt, or what "
     "--save-activations writes"},
    {"emulate", "NAME",
     "compute what another processor would: fbgemm-avx2 is fbgemm without "
     "VNNI, where sums of products saturate, fbgemm-vnni with it, and exact "
     "never saturates; tells what saturates in each layer, or without --inputs "
     "what can. Also --numerics, as in ns lower",
     false, "numerics"},
    {"swap", "TYPES",
     "for stubs: types of float modules to run beside the quantized ones, with "
     "commas"},
    {"modules", "TYPES",
     "for outputs: types of modules to compare, with commas; default: those of "
     "PyTorch's suite"},
    {"metric", "NAME=PATH",
     "figures of your own, several with commas or flags: modules saved by "
     "torch.jit.save with forward(float: Tensor, quantized: Tensor) -> float, "
     "called on each pair of compared values",
     true},
    Heading("more figures"),
    {"per-channel", "", "name the worst output channels of each layer"},
    {"parts", "",
     "with shadows: tell what quantizing the weight alone, and the activations "
     "alone, does to each layer (slower; --html does, too)"},
    {"suggest", "",
     "with shadows: try other ranges, weights and biases in the worst layers, "
     "and each of the layers that matter most in float, and report what each "
     "gains (runs the quantized model up to seven times more)"},
    {"outliers", "",
     "tell how large the largest errors of each layer are, and what part of "
     "the whole error they make up (slower)"},
    {"histograms", "",
     "put into the JSON how values, errors and weights are distributed"},
    {"time", "",
     "measure how long each layer takes in both models, by themselves, on the "
     "first batch, and report which layers are slower than in float"},
    {"fingerprints", "",
     "hash the bits of each activation, for ns diff to find the first layer in "
     "which two machines or versions differ (with --exact)"},
    {"coverage", "", "tell what is quantized, and why the rest is not"},
    {"source", "", "show where each layer is in the code of the model"},
    Heading("output"),
    {"json", "PATH", "write the results as JSON; - is standard output"},
    {"csv", "PATH", "write the results as CSV; - is standard output"},
    {"html", "PATH",
     "write the report there, one file for a browser; - is standard output"},
    {"graph", "",
     "put the graphs of both models, the processor and hashes of all files "
     "into the JSON, as --html does"},
    kJunitFlag,
    {"save-activations", "DIR",
     "keep the compared values there: for each layer and batch a file for "
     "torch.load"},
    {"save-budget", "BYTES",
     "how much --save-activations may write, as 500M or 2G; default 1G"},
    {"sort", "ORDER",
     "rows by graph (execution, default), error (worst first) or, with --time, "
     "time (longest first)"},
    {"top", "N", "only the N worst rows, worst first"},
    {"quiet", "", "no table, no progress"},
    Heading("limits, which end with exit status 1"),
    kFailBelowFlag,
    kFailBelowOutputFlag,
    kMaxClipFlag,
    kMaxDeadChannelsFlag,
    kMaxScoreDropFlag,
    kMaxUnmatchedFlag,
    kBaselineFlag,
    kMaxDropFlag,
    kMaxOutputDropFlag,
    kEarlyStopFlag,
    Heading("matching"),
    {"matching", "MODE", "aligned (default) or strict, as PyTorch's suite"},
    {"names", "MODEL",
     "whose names the layers get: quantized (default) or float"},
    {"leaf", "TYPES",
     "module types and script functions that are one op, with commas"},
    {"relate", "PAIRS",
     "ops, or types of --leaf, that are the same: A=B, with commas"},
    {"unmatchable", "OPS",
     "ops, or types of modules whose ops, are never matched, with commas"},
    {"io-type", "TYPES",
     "what ops of your own take and return, for shadows: OP=float, OP=int8 or "
     "OP=either, with commas"},
    Heading("advanced"),
    {"method", "NAME", "the method to compare; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can run the "
     "model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the models, with commas"},
    {"threads", "N", "threads within one op; default: all that it may use"},
    {"exact", "",
     "run float convolutions as they stand, not folded and fused (slower)"},
    Heading("several machines"),
    kShardFlag,
    kSaveShardFlag,
    kResumeFlag,
    kSaveEveryFlag,
};

constexpr absl::string_view kPositionals[] = {"float", "quantized", "inputs"};

constexpr CommandSpec kSpec = {
    "compare",
    "compares weights, activations and shadows of two models, layer by layer",
    "ns compare FLOAT QUANTIZED [INPUTS] [--flag=value ...]",
    "The table goes to standard output. SQNR is 20 log10(|x| / |x - y|) in "
    "dB:\n"
    "higher is better, int8 weights give 30 to 50, and 'exact' is no "
    "difference.\n"
    "'activations' runs each model on its own values, so that errors add up.\n"
    "'shadows' runs each float layer on the quantized model's inputs: this is\n"
    "the error of the layer alone. 'stubs' does the same for whole modules,\n"
    "such as a residual block. 'outputs' compares what modules and the models\n"
    "return, each model on its own values. 'kernel' compares each quantized\n"
    "op with a reference that dequantizes, computes in float and quantizes:\n"
    "what the kernel adds to the error of quantization. To see what it costs "
    "the\n"
    "task, add --labels=tools/demo/labels.pt --score=top1=tools/demo/top1.pt "
    "to\n"
    "the example; --samples=worst:8 compares the samples with the largest "
    "error.\n",
    kFlags,
    "ns compare tools/demo/float.pt tools/demo/quantized.pt "
    "tools/demo/images.pt",
    kPositionals,
};

}  // namespace

const CommandSpec& CompareSpec() { return kSpec; }

}  // namespace ns
