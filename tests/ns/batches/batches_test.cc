#include "ns/batches/batches.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A file that make_batches.py wrote.
std::string File(absl::string_view name) {
  return absl::StrCat("tests/ns/batches/batch_files/", name, ".pt");
}

std::vector<Batch> Load(absl::string_view name) {
  auto batches = LoadBatches(File(name));
  EXPECT_TRUE(batches.ok()) << batches.status();
  return batches.ok() ? *std::move(batches) : std::vector<Batch>();
}

// The one positional argument of batch `index`.
at::Tensor TensorOf(const std::vector<Batch>& batches, size_t index) {
  const Batch& batch = batches.at(index);
  EXPECT_EQ(batch.arguments.size(), 1);
  EXPECT_TRUE(batch.keywords.empty());
  return batch.arguments.at(0).toTensor();
}

// make_batches.py's counting().
at::Tensor Counting(at::IntArrayRef shape) {
  return at::arange(c10::multiply_integers(shape), at::kFloat).reshape(shape);
}

// One line that names the file, without a full stop.
void ExpectError(const std::string& path, absl::string_view what) {
  const absl::Status status = LoadBatches(path).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith(path + ": "), HasSubstr(std::string(what)),
                    Not(HasSubstr("\n")), Not(EndsWith("."))));
}

TEST(LoadBatchesTest, ReadsListsOfTensors) {
  const auto one = Load("one");
  ASSERT_EQ(one.size(), 1);
  EXPECT_TRUE(TensorOf(one, 0).equal(Counting({3})));
  const auto two = Load("two");
  ASSERT_EQ(two.size(), 2);
  EXPECT_TRUE(TensorOf(two, 1).equal(Counting({2, 2})));
}

TEST(LoadBatchesTest, ReadsListsThatPythonWritesInSeveralParts) {
  const auto batches = Load("many");
  ASSERT_EQ(batches.size(), 2500);
  EXPECT_EQ(TensorOf(batches, 2499).item<float>(), 2499);
}

TEST(LoadBatchesTest, ReadsOneTensorAsOneBatch) {
  const auto batches = Load("tensor");
  ASSERT_EQ(batches.size(), 1);
  EXPECT_TRUE(TensorOf(batches, 0).equal(Counting({3})));
}

TEST(LoadBatchesTest, ReadsTuplesAsPositionalArguments) {
  const auto batches = Load("tuples");
  ASSERT_EQ(batches.size(), 2);
  ASSERT_EQ(batches[1].arguments.size(), 2);
  EXPECT_TRUE(batches[1].arguments[0].toTensor().equal(Counting({3})));
  EXPECT_EQ(batches[1].arguments[1].toInt(), 8);
  EXPECT_EQ(Load("tuple1").at(0).arguments.size(), 1);
  EXPECT_TRUE(Load("no_arguments").at(0).arguments.empty());
}

TEST(LoadBatchesTest, ReadsScalars) {
  const auto arguments = Load("long_tuple").at(0).arguments;
  ASSERT_EQ(arguments.size(), 6);
  EXPECT_EQ(arguments[1].toInt(), 1);
  EXPECT_EQ(arguments[2].toDouble(), 2.5);
  EXPECT_TRUE(arguments[3].toBool());
  EXPECT_TRUE(arguments[4].isNone());
  EXPECT_EQ(arguments[5].toStringRef(), "text");
}

TEST(LoadBatchesTest, ReadsIntegersOfEveryWidth) {
  const int64_t expected[] = {0,
                              -1,
                              255,
                              256,
                              65536,
                              -(int64_t{1} << 31),
                              int64_t{1} << 31,
                              -(int64_t{1} << 40),
                              int64_t{1} << 62,
                              std::numeric_limits<int64_t>::min(),
                              128};
  const auto arguments = Load("integers").at(0).arguments;
  ASSERT_EQ(arguments.size(), std::size(expected));
  for (size_t i = 0; i < arguments.size(); ++i) {
    EXPECT_EQ(arguments[i].toInt(), expected[i]) << i;
  }
}

TEST(LoadBatchesTest, ReadsDictsAsKeywordArguments) {
  const auto one = Load("dict1");
  ASSERT_EQ(one.at(0).keywords.size(), 1);
  EXPECT_TRUE(one[0].keywords.at("x").toTensor().equal(Counting({2})));
  EXPECT_TRUE(one[0].arguments.empty());
  EXPECT_EQ(Load("dict2").at(0).keywords.at("y").toInt(), 3);
  EXPECT_EQ(Load("top_dict").at(0).keywords.size(), 1);
  const auto ordered = Load("ordered_dict");
  ASSERT_EQ(ordered.size(), 2);
  EXPECT_EQ(ordered[0].keywords.size(), 1);
  EXPECT_EQ(ordered[1].keywords.size(), 2);
}

TEST(LoadBatchesTest, ReadsNestedContainersOfOneAndMoreElements) {
  const auto arguments = Load("nested_lists").at(0).arguments;
  ASSERT_EQ(arguments.size(), 3);
  EXPECT_TRUE(arguments[0].toListRef()[0].toTensor().equal(Counting({2})));
  EXPECT_EQ(arguments[1].toListRef()[0].toListRef()[0].toInt(), 1);
  EXPECT_EQ(arguments[1].toListRef()[1].toListRef()[1].toInt(), 3);
  EXPECT_EQ(arguments[2].toGenericDict().at("k").toListRef()[0].toDouble(),
            1.5);
}

TEST(LoadBatchesTest, ReadsEveryDtype) {
  const auto arguments = Load("dtypes").at(0).arguments;
  const at::ScalarType dtypes[] = {
      at::kLong,   at::kInt,          at::kShort,        at::kChar,
      at::kByte,   at::kBool,         at::kHalf,         at::kBFloat16,
      at::kDouble, at::kComplexFloat, at::kComplexDouble};
  ASSERT_EQ(arguments.size(), std::size(dtypes));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const at::Tensor& tensor = arguments[i].toTensor();
    EXPECT_EQ(tensor.scalar_type(), dtypes[i]);
    EXPECT_TRUE(tensor.equal(Counting({3}).to(dtypes[i]))) << dtypes[i];
  }
}

TEST(LoadBatchesTest, ReadsDtypesSizesAndDevices) {
  const auto arguments = Load("dtype").at(0).arguments;
  ASSERT_EQ(arguments.size(), 3);
  EXPECT_EQ(arguments[0].toScalarType(), at::kHalf);
  EXPECT_EQ(arguments[1].toIntVector(), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(arguments[2].toDevice().is_cpu());
}

TEST(LoadBatchesTest, KeepsStrides) {
  const at::Tensor image = TensorOf(Load("channels_last"), 0);
  EXPECT_TRUE(image.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(image.equal(Counting({2, 3, 4, 5})));
  const at::Tensor expanded = TensorOf(Load("expanded"), 0);
  EXPECT_EQ(expanded.strides(), at::IntArrayRef({0, 1}));
  EXPECT_TRUE(expanded.equal(at::ones({2, 3})));
}

TEST(LoadBatchesTest, ViewsShareTheirStorage) {
  const auto batches = Load("views");
  const at::Tensor row = TensorOf(batches, 0);
  const at::Tensor gaps = TensorOf(batches, 1);
  EXPECT_TRUE(row.equal(Counting({4, 6})[1]));
  EXPECT_TRUE(gaps.equal(Counting({4, 6}).slice(1, 0, 6, 2)));
  EXPECT_TRUE(row.storage().is_alias_of(gaps.storage()));
}

TEST(LoadBatchesTest, ReadsEmptyAndScalarTensors) {
  const auto batches = Load("empty_tensor");
  EXPECT_EQ(TensorOf(batches, 0).sizes(), at::IntArrayRef({0, 3}));
  EXPECT_EQ(TensorOf(batches, 1).item<float>(), 5);
}

TEST(LoadBatchesTest, ReadsQuantizedTensors) {
  const auto per_tensor = Load("per_tensor");
  const at::Tensor q = TensorOf(per_tensor, 0);
  EXPECT_TRUE(
      q.equal(at::quantize_per_tensor(Counting({3}), 0.5, 3, at::kQUInt8)));
  EXPECT_EQ(q.q_zero_point(), 3);
  EXPECT_EQ(TensorOf(per_tensor, 1).scalar_type(), at::kQInt32);

  const auto per_channel = Load("per_channel");
  for (const int64_t axis : {0, 1}) {
    const at::Tensor channels = TensorOf(per_channel, axis);
    const int64_t count = axis == 0 ? 2 : 3;
    EXPECT_EQ(channels.q_per_channel_axis(), axis);
    EXPECT_TRUE(channels.equal(at::quantize_per_channel(
        Counting({2, 3}), at::arange(1.0, count + 1.0, at::kDouble),
        at::zeros({count}, at::kLong), axis, at::kQInt8)));
  }
}

TEST(LoadBatchesTest, DropsGradientsAndPythonAttributes) {
  for (const char* name :
       {"parameter", "grad", "attribute", "script_forward"}) {
    const at::Tensor tensor = TensorOf(Load(name), 0);
    EXPECT_FALSE(tensor.requires_grad()) << name;
    EXPECT_EQ(tensor[1].item<float>(), 1) << name;
  }
}

TEST(LoadBatchesTest, ReadsOneTensorTwice) {
  const auto batches = Load("repeated");
  ASSERT_EQ(batches.size(), 2);
  EXPECT_TRUE(TensorOf(batches, 0).is_same(TensorOf(batches, 1)));
}

TEST(LoadBatchesTest, ReadsNewerPickleProtocols) {
  for (const char* name : {"protocol3", "protocol4", "protocol5"}) {
    const auto arguments = Load(name).at(0).arguments;
    ASSERT_EQ(arguments.size(), 3);
    EXPECT_TRUE(arguments[0].toTensor().equal(Counting({2})));
    EXPECT_EQ(arguments[1].toStringRef(), "text");
    EXPECT_EQ(arguments[2].toInt(), int64_t{1} << 40);
  }
}

TEST(LoadBatchesTest, ReadsTorchScriptAttributes) {
  const auto batches = Load("script_batches");
  ASSERT_EQ(batches.size(), 2);
  EXPECT_TRUE(TensorOf(batches, 1).equal(Counting({3})));
  const auto tuples = Load("script_tuples");
  ASSERT_EQ(tuples.size(), 1);
  EXPECT_EQ(tuples[0].arguments.size(), 2);
}

TEST(LoadBatchesTest, RunsForwardOfTorchScript) {
  const auto batches = Load("script_forward");
  ASSERT_EQ(batches.size(), 2);
  EXPECT_TRUE(TensorOf(batches, 1).equal(Counting({3}) * 2));
  const auto dicts = Load("script_dicts");
  ASSERT_EQ(dicts.size(), 2);
  EXPECT_TRUE(dicts[1].keywords.at("x").toTensor().equal(at::zeros({2})));
}

TEST(LoadBatchesTest, RefusesWhatIsNoListOfBatches) {
  ExpectError(File("empty_list"), "holds no batches");
  ExpectError(File("list_in_list"), "element 1 is a list of 1; a batch is");
  ExpectError(File("number_in_list"), "element 1 is an int; a batch is");
  ExpectError(File("top_tuple"), "holds a tuple; put it into a list");
  ExpectError(File("number"), "holds an int");
  ExpectError(File("int_key"), "element 0 is a dict with a key that is an int");
  ExpectError(File("state_dict"), "the key '0.weight'");
}

TEST(LoadBatchesTest, NamesWhatItCannotRead) {
  ExpectError(File("numpy_array"),
              "holds a NumPy value (numpy.core.multiarray._reconstruct)");
  ExpectError(File("numpy_scalar"), "numpy.core.multiarray.scalar");
  ExpectError(File("named_tuple"), "holds a __main__.Point");
  ExpectError(File("module"), "holds a torch.nn.modules.linear.Linear");
  ExpectError(File("bytes"), "holds a _codecs.encode");
  ExpectError(File("set"), "set");
  ExpectError(File("sparse"), "torch._utils._rebuild_sparse_tensor");
  ExpectError(File("tuple_key"), "a dict with a key of type Tuple[int, int]");
  ExpectError(File("huge_integer"), "an integer of more than 64 bits");
  ExpectError(File("nested"), "nests more than 100 deep");
  ExpectError(File("cycle"), "a container that contains itself");
}

}  // namespace
}  // namespace ns
