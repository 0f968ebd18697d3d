// Finds the scores of classes in what a model returns.
#ifndef NS_ACCURACY_CLASS_SCORES_H_
#define NS_ACCURACY_CLASS_SCORES_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace ns {

// Returns the first tensor of floats, or quantized tensor, in what a model
// returned, dequantized; undefined without one. (OutputTensors of
// ns/batches/output_tensors.h has the order.)
at::Tensor ScoresIn(const c10::IValue& returned);

// Returns whether `of_float` and `of_quantized`, from ScoresIn, look like
// scores of classes: [samples, classes] of the same sizes, with two classes or
// more.
bool AreClassScores(const at::Tensor& of_float, const at::Tensor& of_quantized);

}  // namespace ns

#endif  // NS_ACCURACY_CLASS_SCORES_H_
