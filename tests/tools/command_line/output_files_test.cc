#include "tools/command_line/output_files.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/files/atomic_file.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Path(const std::string& name) {
  return ::testing::TempDir() + "/" + name;
}

ModelGraph Model() {
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"})));
}

TEST(OutputFilesTest, WritesModelsAndTexts) {
  EXPECT_TRUE(WriteFilesAtomically({ModelFile(Model(), Path("model.pt"), {}),
                                    TextFile("text", Path("text"))})
                  .ok());
  EXPECT_TRUE(ModelGraph::FromFile(Path("model.pt")).ok());
  std::ifstream file(Path("text"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "text");
}

TEST(OutputFilesTest, ErrorsNameThePath) {
  const std::string missing = Path("missing/file");
  for (const FileToWrite& file :
       {ModelFile(Model(), missing, {}), TextFile("text", missing)}) {
    const absl::Status status = file.write(missing + ".1.tmp");
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()), HasSubstr(missing + ":"));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr(".1.tmp")));
  }
}

}  // namespace
}  // namespace ns
