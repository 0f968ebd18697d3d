#include "tests/ns/quantization/eager/two_linears.h"

#include <ATen/Functions.h>

#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/stubs.h"
#include "tests/testing/modules.h"

namespace ns {

using ::torch::jit::Module;

Module TwoLinears() {
  return MakeModel({{"quant", QuantStub()},
                    {"a", Linear(at::randn({4, 3}))},
                    {"b", Linear(at::randn({2, 4}))},
                    {"dequant", DeQuantStub()}},
                   {"y = self.a.forward(self.quant.forward(x))",
                    "return self.dequant.forward(self.b.forward(y))"});
}

std::string TypeAt(const Module& model, const std::string& name) {
  return TypeNameOf(model.attr(name).toModule());
}

at::Tensor OutputOf(Module model, const at::Tensor& x) {
  return model.forward({x}).toTensor();
}

}  // namespace ns
