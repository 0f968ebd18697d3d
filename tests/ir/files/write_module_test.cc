#include "ir/files/write_module.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/module_file.h"
#include "ir/hierarchy/make_module.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

torch::jit::Module Relu() {
  torch::jit::Module module = NewModule("Relu");
  NS_EXPECT_OK(DefineMethods(module,
                             "def forward(self, x: Tensor) -> Tensor:\n"
                             "    return torch.relu(x)\n"));
  return module;
}

TEST(WriteModuleTest, ProvenanceComesBack) {
  const std::string path = TemporaryPath("model.pt");
  const std::string text = R"({"tool": "ns", "note": "\u00e9"})";
  NS_EXPECT_OK(WriteModule(Relu(), {"cannot save", path}, path, text));
  EXPECT_EQ(OrThrow(ReadProvenance(path)), text);
  EXPECT_TRUE(OrThrow(LoadModule(path)).find_method("forward"));
}

TEST(WriteModuleTest, FilesNeedNotHaveOne) {
  const std::string path = TemporaryPath("model.pt");
  NS_EXPECT_OK(WriteModule(Relu(), {"cannot save", path}, path));
  EXPECT_EQ(OrThrow(ReadProvenance(path)), "");
}

TEST(WriteModuleTest, ErrorsNameTheFile) {
  const std::string path = "/no/such/folder/model.pt";
  EXPECT_THAT(
      std::string(WriteModule(Relu(), {"cannot save", "m.pt"}, path).message()),
      HasSubstr("m.pt: "));
  EXPECT_THAT(std::string(ReadProvenance(path).status().message()),
              HasSubstr(path));
}

}  // namespace
}  // namespace ns
