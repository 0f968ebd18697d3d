// Small float models with weights, for tests of quantization.
#ifndef TESTS_TESTING_FLOAT_MODEL_H_
#define TESTS_TESTING_FLOAT_MODEL_H_

#include <string>
#include <vector>

#include "ir/model/model_graph.h"

namespace ns {

// A frozen model whose forward(self, <arguments>) has `body` as its lines, in
// TorchScript. It has these attributes, always with the same values: weights
// `w` of a linear layer, `w1` and `w2` of convolutions over one and two
// dimensions, with windows of 3, and vectors `b`, `gamma` and `beta`. All have
// 3 channels.
ModelGraph FloatModel(const std::vector<std::string>& body,
                      const std::string& arguments = "x: Tensor");

// A call of the layer on `x`, an expression: "torch.linear(x, self.w, self.b)".
std::string LinearOf(const std::string& x);
// With padding, so that sizes stay.
std::string ConvOf(const std::string& x);

}  // namespace ns

#endif  // TESTS_TESTING_FLOAT_MODEL_H_
