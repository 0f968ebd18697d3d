#include "ns/batches/write_torch_save.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/batches.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(WriteTorchSaveTest, WritesWhatLoadBatchesReads) {
  const std::string path = TemporaryPath("batches.pt");
  const at::Tensor x =
      at::rand({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor q = at::quantize_per_tensor(x, 0.5, 3, at::kQUInt8);
  const at::Tensor channels = at::quantize_per_channel(
      x, at::rand({3}) + 0.1, at::ones({3}, at::kLong), 1, at::kQInt8);
  const auto batch = c10::ivalue::Tuple::create(
      {x, q, channels, 7, 0.5, true, c10::IValue(), "text"});
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(batch);
  EXPECT_EQ(OrThrow(WriteTorchSave(path, list)),
            std::filesystem::file_size(path));

  const std::vector<Batch> read = OrThrow(LoadBatches(path));
  ASSERT_EQ(read.size(), 1);
  const auto& arguments = read[0].arguments;
  ASSERT_EQ(arguments.size(), 8);
  EXPECT_TRUE(arguments[0].toTensor().equal(x));
  EXPECT_EQ(arguments[0].toTensor().strides(), x.strides());
  EXPECT_TRUE(arguments[1].toTensor().equal(q));
  EXPECT_TRUE(arguments[2].toTensor().equal(channels));
  EXPECT_EQ(arguments[3].toInt(), 7);
  EXPECT_EQ(arguments[4].toDouble(), 0.5);
  EXPECT_TRUE(arguments[5].toBool());
  EXPECT_TRUE(arguments[6].isNone());
  EXPECT_EQ(arguments[7].toStringRef(), "text");
}

TEST(WriteTorchSaveTest, WritesASharedStorageOnce) {
  const std::string path = TemporaryPath("views.pt");
  c10::impl::GenericList list(c10::AnyType::get());
  for (const at::Tensor& row : at::rand({64, 1000}).unbind()) {
    list.push_back(row);
  }
  const int64_t bytes = OrThrow(WriteTorchSave(path, list));
  EXPECT_LT(bytes, 64 * 1000 * 4 + 10000);
  EXPECT_EQ(OrThrow(LoadBatches(path)).size(), 64);
}

// torch.load(weights_only=True) refuses what is marked by `torch.jit._pickle`.
TEST(WriteTorchSaveTest, TypedListsArePlainLists) {
  const std::string path = TemporaryPath("lists.pt");
  c10::impl::GenericDict named(c10::StringType::get(), c10::AnyType::get());
  named.insert("sizes", std::vector<int64_t>{1, 2});
  named.insert("factors", std::vector<double>{0.5});
  named.insert("flags", c10::List<bool>({true}));
  const at::Tensor x = at::rand({2});
  const auto batch = c10::ivalue::Tuple::create(
      {std::vector<at::Tensor>{x, x}, c10::IValue(named),
       c10::List<std::vector<int64_t>>({{3}, {4, 5}})});
  c10::impl::GenericList list(c10::AnyType::get());
  list.push_back(batch);
  OrThrow(WriteTorchSave(path, list));

  EXPECT_THAT(ReadFile(path), Not(HasSubstr("torch.jit._pickle")));
  const std::vector<Batch> read = OrThrow(LoadBatches(path));
  ASSERT_EQ(read.size(), 1);
  const auto& arguments = read[0].arguments;
  ASSERT_EQ(arguments.size(), 3);
  EXPECT_TRUE(arguments[0].toListRef()[1].toTensor().equal(x));
  const auto dict = arguments[1].toGenericDict();
  EXPECT_EQ(dict.at("sizes").toListRef()[1].toInt(), 2);
  EXPECT_EQ(dict.at("factors").toListRef()[0].toDouble(), 0.5);
  EXPECT_TRUE(dict.at("flags").toListRef()[0].toBool());
  EXPECT_EQ(arguments[2].toListRef()[1].toListRef()[1].toInt(), 5);
}

TEST(WriteTorchSaveTest, SaysWhyItCannotWrite) {
  EXPECT_EQ(MessageOf(WriteTorchSave("no/such/folder/x.pt", at::ones({2}))),
            "cannot write: No such file or directory; name a file elsewhere");
  EXPECT_EQ(MessageOf(WriteTorchSave("/dev/full", at::ones({2}))),
            "cannot write: No space left on device; make room, or name a file "
            "elsewhere");
  // Larger than any buffer.
  EXPECT_EQ(MessageOf(WriteTorchSave("/dev/full", at::ones({1 << 20}))),
            "cannot write: No space left on device; make room, or name a file "
            "elsewhere");
}

TEST(WriteTorchSaveTest, RefusesWhatHasNoPickle) {
  EXPECT_THAT(MessageOf(WriteTorchSave(
                  TemporaryPath("stream.pt"),
                  c10::IValue(at::make_generator<at::CPUGeneratorImpl>()))),
              StartsWith("cannot write: "));
}

}  // namespace
}  // namespace ns
