#include "ns/repro/layer_repro_files.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/repro/layer_repro_fixture.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using LayerReproFilesTest = LayerReproTest;

TEST_F(LayerReproFilesTest, FilesHoldTheLayersAndTheirInputs) {
  const LayerRepro repro = Repro("conv", {at::randn({1, 3, 8, 8})});
  const std::string folder = TemporaryPath("repro");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto files = OrThrow(WriteLayerRepro(repro, "onednn", folder));
  ASSERT_THAT(files, SizeIs(4));
  for (const WrittenFile& file : files) {
    EXPECT_EQ(file.bytes,
              static_cast<int64_t>(std::filesystem::file_size(file.path)));
    EXPECT_GT(file.bytes, 0);
  }
  torch::jit::Module loaded = torch::jit::load(files[0].path);
  loaded.eval();
  EXPECT_TRUE(loaded.forward({repro.inputs[0]})
                  .toTensor()
                  .allclose(FloatConv(repro.inputs[0])
                                .narrow(1, repro.channels.begin,
                                        repro.channels.size())));
  EXPECT_THAT(ReadFile(files[3].path), HasSubstr("LAYER = 'conv'"));
  EXPECT_EQ(NeedsOpLibrary(repro.layers), "");
}

TEST_F(LayerReproFilesTest, NothingIsWrittenWhereOneFileCannotBe) {
  const LayerRepro repro = Repro("conv", {at::randn({1, 3, 8, 8})});
  const std::string folder = TemporaryPath("blocked");
  std::filesystem::remove_all(folder);
  // A folder has the name of the last file.
  std::filesystem::create_directories(folder + "/repro.py");
  EXPECT_FALSE(WriteLayerRepro(repro, "onednn", folder).ok());
  for (const std::string& path : ReproPaths(folder)) {
    EXPECT_EQ(std::filesystem::exists(path), absl::EndsWith(path, "/repro.py"))
        << path;
  }
}

TEST_F(LayerReproFilesTest, OnlyFilesOfAReproMayBeReplaced) {
  const std::string folder = TemporaryPath("taken");
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(CheckIsReproFolder(folder).ok());
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(CheckIsReproFolder(folder).ok());
  for (const std::string& path : ReproPaths(folder)) {
    std::ofstream(path) << "import torch\n";
    EXPECT_THAT(std::string(CheckIsReproFolder(folder).message()),
                HasSubstr(path + " exists"));
    std::filesystem::remove(path);
  }
  const LayerRepro repro = Repro("conv", {at::randn({1, 3, 8, 8})});
  OrThrow(WriteLayerRepro(repro, "onednn", folder));
  EXPECT_TRUE(CheckIsReproFolder(folder).ok());
}

}  // namespace
}  // namespace ns
