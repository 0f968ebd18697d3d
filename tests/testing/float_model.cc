#include "tests/testing/float_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {

ModelGraph FloatModel(const std::vector<std::string>& body,
                      const std::string& arguments) {
  at::Generator generator = at::detail::createCPUGenerator(3);
  const auto values = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, generator);
  };
  std::string source = absl::StrCat("def forward(self, ", arguments, "):\n");
  for (const std::string& line : body) {
    absl::StrAppend(&source, "  ", line, "\n");
  }
  return OrThrow(
      ModelGraph::FromModule(MakeModule("M", source,
                                        {{"w", values({3, 3})},
                                         {"w1", values({3, 3, 3})},
                                         {"w2", values({3, 3, 3, 3})},
                                         {"b", values({3})},
                                         {"gamma", values({3})},
                                         {"beta", values({3})}})));
}

std::string LinearOf(const std::string& x) {
  return absl::StrCat("torch.linear(", x, ", self.w, self.b)");
}

std::string ConvOf(const std::string& x) {
  return absl::StrCat("torch.conv2d(", x, ", self.w2, self.b, [1, 1], [1, 1])");
}

}  // namespace ns
