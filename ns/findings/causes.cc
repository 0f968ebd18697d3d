#include "ns/findings/causes.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {
namespace {

constexpr CauseRow kRows[] = {
    {ErrorCause::kNone, "none", false,
     "No layer stands out. What the model loses is spread over its layers, or "
     "it loses nothing to speak of.",
     "Every layer has 30 dB or more by itself.",
     "Where the outputs are still too far off, more bits help, or training: "
     "ns search finds the layers that are worth float, and ns quantize "
     "--mode=qat trains the model to compute with rounded values.",
     "All layers of a deep network have 35 dB by themselves, and its outputs "
     "20 dB."},
    {ErrorCause::kAxisOrder, "axis-order", false,
     "Two axes of a value are in the other order than in the float model: "
     "batches and time, as where batch_first was forgotten, or height and "
     "width. What follows computes along the wrong axis.",
     "The value has 10 dB or more with the two axes changed back, and 20 dB "
     "less as it is, or another shape.",
     "Give the quantized model the batch_first and the transposes of the float "
     "one, or quantize the float model again: ns quantize keeps its axes.",
     "'attention.linear_Q has its axes 0 and 1 exchanged: it has -2.3 dB, and "
     "38.1 dB with them changed back'."},
    {ErrorCause::kBias, "bias", false,
     "The bias of the quantized layer is not that of the float layer, or it "
     "has none.",
     "The difference between the two biases explains a quarter or more of the "
     "layer's own error. Quantizers correct biases on purpose; such a "
     "correction makes the error smaller and is not reported.",
     "Quantize the float model again. A bias is lost where a batch norm was "
     "folded by hand, or where weights were copied without it.",
     "'its bias is off by 0.8 (root of the mean square)'."},
    {ErrorCause::kClipping, "clipping", true,
     "Values lie beyond the ends of the quantized range, and become its ends.",
     "Part of the values have the lowest or the highest of the 256 quantized "
     "values, while float values go on beyond them.",
     "Calibrate on batches that are like those of use, and on more of them. "
     "Where a few values are far from the rest, ns quantize chooses the range "
     "with the least error by default; --observer=minmax clips nothing.",
     "'2.3 % of its values are clipped to its range, which is -2 to 1.9 where "
     "the float values are -4.1 to 3.9'."},
    {ErrorCause::kCoarseSquares, "coarse-squares", true,
     "A product, such as the square of a value, is quantized, and a root, a "
     "logarithm or a division reads it or a sum of it. Squares spread twice as "
     "far as their values in dB, so that the small ones are lost in the steps "
     "of the large ones; and near zero these ops make large errors of small "
     "ones.",
     "The accumulated SQNR of the root, logarithm or division is 10 dB or more "
     "below that of all that flows into it.",
     "Keep the product, and what sums it up, in float. ns quantize does so by "
     "itself.",
     "'sqrt after it has 18.9 dB, and what flows into it 32.4 dB'."},
    {ErrorCause::kDeadChannels, "dead-channels", true,
     "Some channels have one quantized value, where the float ones have "
     "several: they are smaller than a step of the range. The SQNR of the "
     "whole tensor does not show it.",
     "More than 5 % of the channels are dead, no other cause explains it, and "
     "the layer that reads them loses 10 dB or more by that; or they are in an "
     "output of the model.",
     "Keep the layer and what reads it in float. Where channels are small by "
     "their unit, such as scores beside boxes, give them a layer of their own.",
     "'2 of its 12 channels have one value, and several in the float model'."},
    {ErrorCause::kInputMismatch, "input-mismatch", true,
     "The inputs are not those that the model was calibrated for: their values "
     "are several times as large, or as small.",
     "The point where an input is quantized clips more than a fifth of it, or "
     "uses less than a sixteenth of its range.",
     "Normalize the inputs as those of calibration were: images from 0 to 1, "
     "for instance, instead of from 0 to 255. If these inputs are right, "
     "quantize the model with them.",
     "'the inputs go from 0 to 255, which is 126 times as wide as the range "
     "that the model was calibrated for'."},
    {ErrorCause::kKernel, "kernel", false,
     "The kernel of the quantized op does not compute what a reference kernel "
     "computes of the same values.",
     "--what=kernel shows an SQNR far below that of rounding: one step in a "
     "few values is normal.",
     "Use another engine (--engine), or report it to the engine's authors with "
     "what ns repro writes. ns lower replaces the ops by kernels of this "
     "library.",
     "'its kernel has 12.0 dB against a reference kernel'."},
    {ErrorCause::kNeverCalibrated, "never-calibrated", false,
     "Observers saw no values before the model was converted.",
     "Scales are 1 and zero points are 0, with which observers start.",
     "Run the prepared model on sample inputs before it is converted, or let "
     "ns quantize do both.",
     "'all 6 quantized activations have scale 1 and zero point 0'."},
    {ErrorCause::kNonFinite, "non-finite", false,
     "The quantized layer gives NaN or infinities where the float layer gives "
     "numbers, or it turns infinities into numbers.",
     "Counts of NaN and infinities differ between the two models at that "
     "layer.",
     "Keep the layer in float. Attention masks of -inf become the lowest value "
     "of a range when they are quantized: apply them in float.",
     "'it turns infinities into numbers, such as those of an attention mask, "
     "which its float form keeps'."},
    {ErrorCause::kOutlierChannel, "outlier-channel", true,
     "A few channels have values that are many times larger than those of the "
     "others. They set the range, and the other channels are lost in its "
     "steps. The SQNR of the whole tensor does not show it, since the large "
     "channels have nearly all of its power.",
     "The median of the channels' SQNR is more than 15 dB below that of the "
     "tensor, more than a quarter of the channels have less than 3 dB, and the "
     "layer that reads them loses 10 dB or more by that; or they are in an "
     "output of the model.",
     "After a layer norm or a linear layer, --smooth moves the large channels "
     "into the weights that read them; between convolutions, --equalize does. "
     "ns quantize keeps a layer in float where an output of the model would "
     "lose its channels otherwise.",
     "'63 of its 64 channels have less than 3 dB, in a range that a few others "
     "need'."},
    {ErrorCause::kRange, "range", true,
     "The quantized range is so wide that the values use few of its 256 steps.",
     "The range is four or more times as wide as the float values need.",
     "Calibrate again on batches that are like those of use: one outlier in "
     "calibration makes such a range. --observer=histogram and mse leave "
     "outliers out. Pools and means have the range of their input: keep these "
     "in float.",
     "'its scale, 0.31, makes a range 13.0 times as wide as its values need'."},
    {ErrorCause::kRecurrentState, "recurrent-state", true,
     "A value that is handed on from step to step is rounded in each of them, "
     "and the errors add up.",
     "The SQNR of the layer falls by 10 dB or more from the first trip of its "
     "loop, or the first call of its module, to the last.",
     "Keep the state in float: quantize only the weights, with --mode=dynamic, "
     "or keep the layers that compute the state in float.",
     "'it has 32.0 dB in the first of 12 steps, and 14.0 dB in the last'."},
    {ErrorCause::kReducedRange, "reduced-range", true,
     "All activations have 7 bits: their ranges are twice as wide as the "
     "values need, so that sums of products cannot saturate on processors "
     "without VNNI. That costs up to 6 dB at each of them.",
     "No zero point is above 127, and most ranges are about twice as wide as "
     "their values; no layer stands out.",
     "ns quantize gives 7 bits only to activations whose sums could saturate, "
     "and 8 to all others. On processors with VNNI sums are exact: "
     "--target=fbgemm-vnni or --target=qnnpack.",
     "A model by PyTorch's default for fbgemm has 21.6 dB, and 28.3 dB by ns "
     "quantize."},
    {ErrorCause::kRescaled, "rescaled", true,
     "Factors were moved from layers into those that read them, by "
     "equalization or smoothing. That is no fault: layers differ from the "
     "float model one by one, and together they compute the same.",
     "What some layers lose by themselves, the layers behind them take back, "
     "and no other layer stands out.",
     "Compare with the float model that was rescaled: ns quantize --out-float "
     "writes it.",
     "After --smooth, a layer norm has -7 dB and the model 33 dB."},
    {ErrorCause::kRounding, "rounding", true,
     "The values lose this by rounding to 8 bits, in a range that fits. It is "
     "what quantization costs.",
     "The error is that of uniform rounding, scale^2 / 12, and the range is no "
     "wider than the values need.",
     "Where that is too much, keep the layer in float, or train the model: "
     "--mode=qat. ns search finds the layers for which float is worth its "
     "time.",
     "A layer with a few large values and many small ones has 25 dB."},
    {ErrorCause::kSaturation, "saturation", false,
     "On the processor that is emulated, sums of two products saturate in 16 "
     "bits.",
     "--emulate shows how many outputs differ from those of exact sums.",
     "Quantize with activations of 7 bits for such processors: "
     "--target=fbgemm-avx2.",
     "'saturating sums cost it 8.2 dB on fbgemm-avx2'."},
    {ErrorCause::kSharedScale, "shared-scale", true,
     "One scale is used at several places whose values are of different sizes. "
     "The smaller ones are left with few steps.",
     "Two places have the same scale and zero point to the last digit, and one "
     "of them needs a range that is less than an eighth as wide.",
     "Give each place an observer of its own: in eager mode, one "
     "FloatFunctional for each call. ns quantize observes each value by "
     "itself.",
     "'its scale, 0.31, is that of add, whose values are 40 times as large'."},
    {ErrorCause::kSharedWeight, "shared-weight", true,
     "One module is called several times, and what follows one of the calls "
     "was folded into its weight.",
     "The quantized weight is the float one times a factor for each output "
     "channel, and another call of the same module has that weight.",
     "Do not fold a norm into a module that is called several times: give each "
     "call a module of its own. ns quantize folds each call by itself.",
     "One convolution with two batch norms, of which one was folded."},
    {ErrorCause::kSwapped, "swapped", false,
     "The layer has the weight of another layer, or runs at another place.",
     "The quantized weight is near the float weight of another layer and far "
     "from its own.",
     "Load the right weights, or call the layers in the order of the float "
     "model.",
     "'it has the weight of layer2.0.conv1'."},
    {ErrorCause::kTrainingMode, "training-mode", true,
     "The file was saved in training mode. ns evaluates it, but where it is "
     "used, dropout drops values and batch norms use the statistics of each "
     "batch.",
     "The file says so of a module whose code asks for it, and no layer stands "
     "out.",
     "Call model.eval() before torch.jit.save, or after torch.jit.load.",
     "A model with dropout gives other outputs each time that it runs."},
    {ErrorCause::kUnbalancedInputs, "unbalanced-inputs", false,
     "Inputs of very different size are concatenated, and share one range. The "
     "smaller ones are lost in its steps. The SQNR of the result does not show "
     "it, since the larger inputs have nearly all of its power.",
     "The ranges of the inputs differ by a factor of 16 or more, and the range "
     "leaves a smaller one less than 10 dB.",
     "Keep the concatenation in float, or concatenate after dequantizing. ns "
     "quantize does so by itself.",
     "Scores from 0 to 1 beside boxes from 0 to 640: every score becomes 0."},
    {ErrorCause::kUnexplained, "unexplained", true,
     "None of what was measured is large enough to explain the error.",
     "The shares of weight, bias, rounding and clipping are all small.",
     "--what=weights,activations,shadows,kernel shows whether the kernel does "
     "it, and ns repro writes a small module that shows the error.",
     "'neither weight, bias, scale nor clipping explains it'."},
    {ErrorCause::kUnpaired, "unpaired", false,
     "One model has an op before the layer that the other does not have.",
     "The accumulated SQNR falls where the inputs of the two layers do not "
     "correspond.",
     "Compare with the float model that was quantized: the two are different "
     "models there.",
     "The float model has a ReLU before the layer, and the quantized one has "
     "none: the accumulated SQNR falls from 28 to 3 dB."},
    {ErrorCause::kWeight, "weight", true,
     "The quantized weight is far from the float one.",
     "Its own SQNR is low, or the weight was measured to make a quarter or "
     "more of the layer's error.",
     "Quantize weights with a scale for each channel. --adaround chooses the "
     "rounding that the outputs need, and bias correction makes up for what "
     "rounding shifts. Below 10 dB it is another weight: quantize the float "
     "model again.",
     "'its weight has 19.4 dB and makes 88.0 % of the error'."},
};

}  // namespace

absl::Span<const CauseRow> Causes() { return kRows; }

const CauseRow& RowOf(ErrorCause cause) {
  return *absl::c_find_if(
      kRows, [cause](const CauseRow& row) { return row.cause == cause; });
}

const CauseRow* FindCause(absl::string_view name) {
  const auto* const row = absl::c_find_if(
      kRows, [name](const CauseRow& row) { return row.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

absl::string_view ErrorCauseName(ErrorCause cause) { return RowOf(cause).name; }

bool IsMatterOfDegree(ErrorCause cause) {
  return RowOf(cause).is_matter_of_degree;
}

}  // namespace ns
