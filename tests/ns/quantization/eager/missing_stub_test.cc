#include "ns/quantization/eager/missing_stub.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

std::string MissingStubOf(const std::vector<std::string>& body) {
  const ModelGraph flat = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()},
                 {"a", QuantizedLinear(at::ones({2, 2}), /*relu=*/false)},
                 {"b", QuantizedLinear(at::ones({2, 2}), /*relu=*/false)},
                 {"dequant", DeQuantize()}},
                body)));
  return DescribeMissingStub(flat.graph());
}

TEST(MissingStubTest, NamesTheFirstModule) {
  EXPECT_EQ(MissingStubOf({"x = self.a.forward(self.quant.forward(x))",
                           "x = self.dequant.forward(x).transpose(0, 1)",
                           "x = self.b.forward(x)",
                           "return self.dequant.forward(x)"}),
            "module 'b' (quantized::linear) is given values in float; put a "
            "QuantStub before it, or let it stay float");
  EXPECT_EQ(MissingStubOf({"x = self.a.forward(x)",
                           "x = self.b.forward(self.dequant.forward(x))",
                           "return self.dequant.forward(x)"})
                .substr(0, 10),
            "module 'a'");
}

TEST(MissingStubTest, IsEmptyWhereAllHaveStubs) {
  EXPECT_EQ(MissingStubOf({"x = self.a.forward(self.quant.forward(x))",
                           "return self.dequant.forward(self.b.forward(x))"}),
            "");
}

}  // namespace
}  // namespace ns
