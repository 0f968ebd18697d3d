#include "ns/saved/activation_files.h"

#include <ATen/ATen.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batches.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ActivationFilesTest : public testing::Test {
 protected:
  ActivationFilesTest() { fs::remove_all(directory_); }

  ActivationFiles Create(int64_t budget = int64_t{1} << 30) const {
    return OrThrow(ActivationFiles::Create({directory_, budget}));
  }

  std::string CreateError() const {
    return MessageOf(ActivationFiles::Create({directory_}));
  }

  std::string Path(const std::string& name) const {
    return absl::StrCat(directory_, "/", name);
  }

  // Files below the directory, sorted, without the marker.
  std::vector<std::string> Files() const {
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      if (entry.is_regular_file()) {
        files.insert(fs::relative(entry.path(), directory_).string());
      }
    }
    EXPECT_EQ(files.erase(".ns_activations"), 1);
    return {files.begin(), files.end()};
  }

  // The tensors of a file.
  std::unordered_map<std::string, c10::IValue> Load(
      const std::string& name) const {
    return OrThrow(LoadBatches(Path(name))).at(0).keywords;
  }

  const std::string directory_ = TemporaryPath("out/activations");
};

TEST_F(ActivationFilesTest, NamesFilesByLayerBatchAndCall) {
  ActivationFiles files = Create();
  const at::Tensor x = at::rand({2, 3});
  NS_ASSERT_OK(files.Save("layer1.0.conv1", 0, 0, {{"float", x}}));
  NS_ASSERT_OK(files.Save("layer1.0.conv1", 12345, 0, {{"float", x}}));
  NS_ASSERT_OK(files.Save("cell", 3, 0, {{"float", x}}));
  NS_ASSERT_OK(files.Save("cell", 3, 1, {{"float", x}}));
  EXPECT_THAT(Files(),
              ElementsAre("cell/batch_0003.pt", "cell/batch_0003_call_0001.pt",
                          "layer1.0.conv1/batch_0000.pt",
                          "layer1.0.conv1/batch_12345.pt"));
}

TEST_F(ActivationFilesTest, KeepsValues) {
  ActivationFiles files = Create();
  const at::Tensor x = at::rand({2, 3}).requires_grad_();
  const at::Tensor q = at::quantize_per_tensor(x.detach(), 0.1, 3, at::kQUInt8);
  NS_ASSERT_OK(files.Save("conv", 0, 0,
                          {{"float", x}, {"quantized", q}, {"shadow", {}}}));
  const auto tensors = Load("conv/batch_0000.pt");
  ASSERT_EQ(tensors.size(), 2);
  EXPECT_TRUE(tensors.at("float").toTensor().equal(x));
  EXPECT_TRUE(tensors.at("quantized").toTensor().equal(q));
}

TEST_F(ActivationFilesTest, SavesOnlyTheBytesOfAView) {
  ActivationFiles files = Create();
  const at::Tensor all = at::rand({1000, 100});
  NS_ASSERT_OK(files.Save("view", 0, 0, {{"float", all[7]}}));
  NS_ASSERT_OK(
      files.Save("expanded", 0, 0, {{"float", at::ones(1).expand(100000)}}));
  EXPECT_LT(files.bytes_written(), 6000);
  EXPECT_TRUE(Load("view/batch_0000.pt").at("float").toTensor().equal(all[7]));
}

TEST_F(ActivationFilesTest, CountsBytesOfWholeFiles) {
  ActivationFiles files = Create();
  NS_ASSERT_OK(files.Save("a", 0, 0, {{"float", at::rand({100})}}));
  NS_ASSERT_OK(files.Save("b", 0, 0, {{"float", at::rand({200})}}));
  EXPECT_EQ(files.bytes_written(), fs::file_size(Path("a/batch_0000.pt")) +
                                       fs::file_size(Path("b/batch_0000.pt")));
  EXPECT_EQ(files.files_left_out(), 0);
}

TEST_F(ActivationFilesTest, LeavesOutWhatDoesNotFitTheBudget) {
  ActivationFiles files = Create(/*budget=*/9000);
  NS_ASSERT_OK(files.Save("large", 0, 0, {{"float", at::rand({10000})}}));
  NS_ASSERT_OK(files.Save("fits", 0, 0, {{"float", at::rand({1000})}}));
  NS_ASSERT_OK(files.Save("fits", 1, 0, {{"float", at::rand({1000})}}));
  // Its values alone would fit.
  const int64_t left = 9000 - files.bytes_written();
  NS_ASSERT_OK(files.Save("close", 0, 0, {{"float", at::rand({left / 4})}}));
  NS_ASSERT_OK(files.Save("small", 1, 0, {{"float", at::rand({10})}}));
  EXPECT_THAT(Files(),
              ElementsAre("fits/batch_0000.pt", "small/batch_0001.pt"));
  EXPECT_EQ(files.files_left_out(), 3);
  EXPECT_LE(files.bytes_written(), 9000);
}

TEST_F(ActivationFilesTest, WritesOneTensorOfTwoNamesOnce) {
  ActivationFiles files = Create(/*budget=*/6000);
  const at::Tensor x = at::rand({1000});
  NS_ASSERT_OK(files.Save("a", 0, 0, {{"float", x}, {"shadow", x}}));
  EXPECT_EQ(files.files_left_out(), 0);
  const auto tensors = Load("a/batch_0000.pt");
  EXPECT_TRUE(tensors.at("float").toTensor().equal(x));
  EXPECT_TRUE(tensors.at("shadow").toTensor().equal(x));
}

TEST_F(ActivationFilesTest, SavesNothingWithoutABudget) {
  ActivationFiles files = Create(/*budget=*/0);
  NS_ASSERT_OK(files.Save("a", 0, 0, {{"float", at::rand({1})}}));
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(files.files_left_out(), 1);
  EXPECT_EQ(files.bytes_written(), 0);
}

TEST_F(ActivationFilesTest, ReplacesAnEarlierResult) {
  {
    ActivationFiles files = Create();
    NS_ASSERT_OK(files.Save("a", 0, 0, {{"float", at::rand({1})}}));
    NS_ASSERT_OK(files.Save("b", 0, 2, {{"float", at::rand({1})}}));
  }
  WriteFile(Path("b/batch_0001.pt.17.tmp"), "of a run that was killed");
  WriteFile(Path("b/batch_notes.pt"), "of the user");
  WriteFile(Path("notes.txt"), "of the user");
  fs::create_directory(Path("empty"));
  ActivationFiles files = Create();
  EXPECT_THAT(Files(), ElementsAre("b/batch_notes.pt", "notes.txt"));
  EXPECT_FALSE(fs::exists(Path("a")));
  EXPECT_TRUE(fs::exists(Path("empty")));
  NS_ASSERT_OK(files.Save("c", 0, 0, {{"float", at::rand({1})}}));
  EXPECT_THAT(Files(),
              ElementsAre("b/batch_notes.pt", "c/batch_0000.pt", "notes.txt"));
}

TEST_F(ActivationFilesTest, ClearsNothingBehindLinks) {
  const std::string other = directory_ + "_other";
  fs::create_directories(other);
  WriteFile(other + "/batch_0000.pt", "of somebody else");
  Create();
  fs::create_directory_symlink(other, Path("link"));
  Create();
  EXPECT_TRUE(fs::exists(other + "/batch_0000.pt"));
}

TEST_F(ActivationFilesTest, TakesAnEmptyFolder) {
  fs::create_directories(directory_);
  Create();
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ActivationFilesTest, RefusesAFolderOfOtherFiles) {
  fs::create_directories(directory_);
  WriteFile(Path("thesis.txt"), "");
  EXPECT_THAT(CreateError(),
              StartsWith(directory_ + ": is not empty and holds no "
                                      "activations of an earlier run"));
  EXPECT_TRUE(fs::exists(Path("thesis.txt")));
}

TEST_F(ActivationFilesTest, RefusesWhatIsNoFolder) {
  fs::create_directories(fs::path(directory_).parent_path());
  WriteFile(directory_, "");
  EXPECT_THAT(CreateError(), StartsWith(directory_ + ": is a file"));
  EXPECT_THAT(MessageOf(ActivationFiles::Create({directory_ + "/below"})),
              StartsWith(directory_ + "/below: cannot make the folder: "));
  EXPECT_THAT(MessageOf(ActivationFiles::Create({"/proc/no/such"})),
              StartsWith("/proc/no/such: cannot make the folder: "));
}

TEST_F(ActivationFilesTest, LeavesNoHalfFileOnAFullDisk) {
  ActivationFiles files = Create();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 10000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status =
      files.Save("a", 0, 0, {{"float", at::rand({100000})}});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.message(),
            Path("a/batch_0000.pt") +
                ": cannot write: File too large; make room, or name a file "
                "elsewhere");
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(files.bytes_written(), 0);
}

TEST(LayerFolderTest, KeepsOrdinaryNames) {
  for (const char* name : {"layer1.0.conv1", "fc@2", "a_b-C", "x.quantize"}) {
    EXPECT_EQ(LayerFolder(name), name);
  }
}

TEST(LayerFolderTest, EscapesWhatIsNoSafeName) {
  EXPECT_EQ(LayerFolder(".."), "%2E.");
  EXPECT_EQ(LayerFolder(".ns_activations"), "%2Ens_activations");
  EXPECT_EQ(LayerFolder("../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd");
  EXPECT_EQ(LayerFolder("a b"), "a%20b");
  EXPECT_EQ(LayerFolder("100%"), "100%25");
  EXPECT_EQ(LayerFolder("\xc3\xa9\n"), "%C3%A9%0A");
  EXPECT_EQ(LayerFolder(""), "%");
}

TEST(LayerFolderTest, CutsLongNamesToDifferentOnes) {
  const std::string longest(200, 'x');
  EXPECT_EQ(LayerFolder(longest), longest);
  const std::string first = LayerFolder(longest + "1");
  const std::string second = LayerFolder(longest + "2");
  EXPECT_EQ(first.size(), 200);
  EXPECT_THAT(first, HasSubstr("%~"));
  EXPECT_NE(first, second);
}

TEST_F(ActivationFilesTest, SavesLayersOfAnyName) {
  ActivationFiles files = Create();
  for (const std::string& layer :
       {std::string("../../escape"), std::string(".."), std::string(""),
        std::string(5000, '/'), std::string("a\0b", 3)}) {
    NS_EXPECT_OK(files.Save(layer, 0, 0, {{"float", at::rand({1})}}));
  }
  EXPECT_EQ(Files().size(), 5);
}

}  // namespace
}  // namespace ns
