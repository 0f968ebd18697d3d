#include "tools/flags/quantize_spec.h"

#include "tools/flags/quantizing_flags.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs and output"),
    kFloatFlag,
    kInputsFlag,
    {"out", "PATH", "where the quantized model goes"},
    {"out-float", "PATH",
     "where the float model goes that the quantized one is to be compared "
     "with: "
     "with the factors moved, where --smooth or --equalize did so, or the "
     "default for poor outputs"},
    {"max-batches", "N", "stop after N batches"},
    {"json", "PATH", "write the report as JSON; - is standard output"},
    {"quiet", "", "no table, no progress"},
    Heading("how to quantize"),
    {"mode", "NAME",
     "static (default): activations by what the batches show; dynamic: by the "
     "range of each at run time; weight-only: in float; qat: static, and the "
     "model is trained to compute well with rounded values"},
    {"target", "NAME",
     "where the model will run: fbgemm-avx2 (default of fbgemm and x86) or "
     "onednn-avx2, any server; fbgemm-vnni or onednn, servers with VNNI; "
     "qnnpack; ns (recommended for models that ns lower --fewer-roundings "
     "makes), any server, with 8 bits everywhere. Where sums could saturate "
     "there, activations or weights get 7 "
     "bits, whichever costs the layers less on batches held back; with "
     "--qconfig, the target only says what errors are, for fbgemm and x86"},
    {"budget", "DB",
     "the least SQNR of the outputs, 20dB: a search as that of ns search, on "
     "this machine, chooses what stays in float, such that the model is fast "
     "and keeps it; with --mode=static"},
    kKeepFlag,
    {"qconfig", "PATH", "a qconfig mapping as JSON instead of the defaults"},
    {"emit-qconfig", "PATH",
     "write the mapping that was used, for --qconfig; --keep is not in it"},
    Heading("ranges and corrections"),
    {"observer", "KIND",
     "of activations: mse (default), minmax, moving-average, histogram, "
     "percentile, entropy, or auto: of minmax, mse and percentile the one with "
     "which the layers lose least on batches held back"},
    {"headroom", "X",
     "activations get a range X times that of calibration, for data with "
     "larger values: 1 or more; default 1, or what 3 to 16 batches of "
     "different size show to be needed"},
    {"bias-correction", "NAME",
     "fast: biases make up for what rounding weights shifts; sequential: layer "
     "by layer, for what the layers before shift, too; best (default): the "
     "better of both in each layer; none. Each is kept where it helps on "
     "batches held back"},
    {"equalize", "",
     "move factors between consecutive layers, so that the channels of their "
     "weights have like ranges, where that helps on batches held back"},
    {"smooth", "",
     "move large channels behind layer norms into the weights of the linear "
     "layers that read them, where that helps"},
    {"adaround", "N",
     "round weights up or down as the outputs of their layer need it, found in "
     "N steps a layer (1000 are enough for most), where that helps on batches "
     "held back"},
    {"allow-dead", "",
     "quantize layers, too, that cost the outputs much, or in whose range many "
     "channels of an output are lost"},
    Heading("training, with --mode=qat"),
    {"labels", "PATH",
     "qat: the classes of the inputs, torch.save of a list of one tensor of "
     "integers for each batch; without it, the float model is the teacher"},
    {"epochs", "N", "qat: how often the batches are trained on; default 3"},
    {"lr", "NUMBER",
     "qat: the learning rate of the first step, which falls to 0; default "
     "3e-4, for sgd 1e-2"},
    {"optimizer", "NAME", "qat: adam (default), or sgd with momentum 0.9"},
    {"held-out", "N",
     "qat: the last N batches are not trained on; the figures are of them; "
     "default a tenth"},
    {"seed", "N", "qat: says in which order the batches come; default 0"},
    {"checkpoint", "PATH",
     "qat: where the state of the training is kept, from which the same "
     "command goes on when it was killed; default: beside --out"},
    Heading("the way of PyTorch"),
    kBackendFlag,
    {"compat", "VERSION",
     "torch-1.13: the scales, zero points and weights of prepare_fx and "
     "convert_fx"},
    {"reference", "",
     "write the reference graph: quantize and dequantize around float ops"},
    {"prepared", "PATHS",
     "with --float: keep the observed model there; without: convert it, "
     "several with commas as one"},
    {"eager", "",
     "quantize module by module, as torch.ao.quantization.quantize does: from "
     "QuantStub to DeQuantStub; the modules and their names stay"},
    Heading("advanced"),
    kMethodFlag,
    kLeafFlag,
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
    {"threads", "N", "threads within one op; default: all that it may use"},
};

constexpr absl::string_view kPositionals[] = {"float", "inputs"};

constexpr CommandSpec kSpec = {
    "quantize",
    "makes a quantized model of a float one",
    "ns quantize FLOAT [INPUTS] --out=PATH [--flag=value ...]",
    "Batch norms are folded, activations observed on the batches, and layers "
    "replaced by\n"
    "quantized ops. The result needs LibTorch's ops alone: torch.jit.load "
    "reads it. The\n"
    "table has each layer's scales and zero points and the rule that chose its "
    "qconfig,\n"
    "what stayed float and why, and the SQNR of the outputs on the batches: "
    "20 log10\n"
    "(|x| / |x - y|) in dB, x float and y quantized.\n\n"
    "--prepared keeps the observed model, to be converted later, after more "
    "calibration\n"
    "with --inputs. Several that were prepared alike, each calibrated on a "
    "part of the\n"
    "batches by a process of its own, are converted as one:\n"
    "  ns quantize --float=F.pt --inputs=I0.pt --prepared=P0.pt --out=Q0.pt\n"
    "  ns quantize --float=F.pt --inputs=I1.pt --prepared=P1.pt --out=Q1.pt\n"
    "  ns quantize --prepared=P0.pt,P1.pt --out=Q.pt\n\n"
    "--budget chooses what stays in float by a search, as ns search does. A "
    "budget that no\n"
    "recipe keeps ends with exit status 1 and the best that can be had:\n"
    "  ns quantize --float=F.pt --inputs=I.pt --budget=20dB --out=Q.pt\n\n"
    "--mode=qat calibrates and then trains, for models that calibration alone "
    "costs too\n"
    "much:\n"
    "  ns quantize --mode=qat --float=F.pt --inputs=I.pt --labels=L.pt "
    "--out=Q.pt\n",
    kFlags,
    "ns quantize tools/demo/float.pt tools/demo/images.pt -o quantized.pt",
    kPositionals,
};

}  // namespace

const CommandSpec& QuantizeSpec() { return kSpec; }

}  // namespace ns
