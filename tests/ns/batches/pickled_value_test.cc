#include "ns/batches/pickled_value.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Kind = PickleValue::Kind;
using Part = std::shared_ptr<const PickleValue>;
using Parts = std::vector<Part>;

Part Of(PickleValue value) {
  return std::make_shared<const PickleValue>(std::move(value));
}

Part Container(Kind kind, Parts items) {
  PickleValue value;
  value.kind = kind;
  value.items = std::move(items);
  return Of(value);
}
Part Tuple(Parts items) { return Container(Kind::kTuple, std::move(items)); }
Part List(Parts items) { return Container(Kind::kList, std::move(items)); }
Part Dict(Parts items) { return Container(Kind::kDict, std::move(items)); }

Part Int(int64_t integer) {
  PickleValue value;
  value.kind = Kind::kInt;
  value.integer = integer;
  return Of(value);
}

Part Float(double number) {
  PickleValue value;
  value.kind = Kind::kFloat;
  value.number = number;
  return Of(value);
}

Part Texts(Kind kind, const std::string& text) {
  PickleValue value;
  value.kind = kind;
  value.text = text;
  return Of(value);
}
Part Text(const std::string& text) { return Texts(Kind::kString, text); }
Part Global(const std::string& name) { return Texts(Kind::kGlobal, name); }

Part Call(const std::string& function, Parts arguments, Parts assigned = {}) {
  PickleValue value;
  value.kind = Kind::kCall;
  value.items = {Global(function), Tuple(std::move(arguments))};
  value.assigned = std::move(assigned);
  return Of(value);
}

Part Ints(const std::vector<int64_t>& integers) {
  Parts items;
  for (const int64_t integer : integers) {
    items.push_back(Int(integer));
  }
  return Tuple(std::move(items));
}

Part Storage(const std::string& type, const std::string& key) {
  return Container(Kind::kPersistentId,
                   {Tuple({Text("storage"), Global("torch." + type), Text(key),
                           Text("cuda:3"), Int(6)})});
}

// A tensor of 2 by 3 from element 1 of the storage on.
Part Tensor(const std::string& key) {
  return Call(
      "torch._utils._rebuild_tensor_v2",
      {Storage("FloatStorage", key), Int(1), Ints({2, 3}), Ints({3, 1})});
}

Part QuantizedTensor(Part quantizer) {
  return Call("torch._utils._rebuild_qtensor",
              {Storage("QInt8Storage", "q"), Int(0), Ints({2, 3}), Ints({3, 1}),
               std::move(quantizer)});
}

// Makes ones, and notes what was asked for.
class NotingMaker final : public TensorMaker {
 public:
  absl::StatusOr<at::Tensor> Make(const PickledTensor& pickled,
                                  const PickledQuantizer* quantizer) override {
    if (pickled.storage == "lost") {
      return absl::InvalidArgumentError("holds a tensor without its storage");
    }
    tensors.push_back(pickled);
    if (quantizer != nullptr) {
      quantizers.push_back(*quantizer);
    }
    return at::ones(pickled.sizes);
  }

  std::vector<PickledTensor> tensors;
  std::vector<PickledQuantizer> quantizers;
};

class ConvertPickledTest : public ::testing::Test {
 protected:
  c10::IValue Convert(const Part& value) {
    return OrThrow(ConvertPickled(*value, maker_));
  }

  std::string ErrorOf(const Part& value) {
    return MessageOf(ConvertPickled(*value, maker_));
  }

  NotingMaker maker_;
};

TEST_F(ConvertPickledTest, ScalarsAreWhatTheyAre) {
  EXPECT_TRUE(Convert(Of({})).isNone());
  PickleValue yes;
  yes.kind = Kind::kBool;
  yes.integer = 1;
  EXPECT_TRUE(Convert(Of(yes)).toBool());
  EXPECT_EQ(Convert(Int(int64_t{1} << 40)).toInt(), int64_t{1} << 40);
  EXPECT_EQ(Convert(Float(1.5)).toDouble(), 1.5);
  EXPECT_EQ(Convert(Text("mask")).toStringRef(), "mask");
}

TEST_F(ConvertPickledTest, ContainersHoldAnything) {
  const c10::IValue tuple = Convert(Tuple({Int(1), List({Text("a")})}));
  ASSERT_THAT(tuple.toTupleRef().elements(), SizeIs(2));
  EXPECT_EQ(tuple.toTupleRef().elements()[1].toListRef()[0].toStringRef(), "a");
  const c10::IValue dict = Convert(Dict({Text("x"), Int(2), Int(7), Of({})}));
  EXPECT_EQ(dict.toGenericDict().at("x").toInt(), 2);
  EXPECT_TRUE(dict.toGenericDict().at(int64_t{7}).isNone());
}

TEST_F(ConvertPickledTest, ObjectsOfPyTorchAreWhatTheyStandFor) {
  const c10::IValue ordered = Convert(Call(
      "collections.OrderedDict", {}, {Text("b"), Int(1), Text("a"), Int(2)}));
  EXPECT_EQ(ordered.toGenericDict().at("a").toInt(), 2);
  EXPECT_EQ(Convert(Call("torch.Size", {Ints({2, 3})})).toIntVector(),
            (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(Convert(Global("torch.float16")).toScalarType(), at::kHalf);
  EXPECT_TRUE(
      Convert(Call("torch.device", {Text("cuda")})).toDevice().is_cpu());
}

TEST_F(ConvertPickledTest, TensorsAreWindowsIntoStorages) {
  for (const Part& tensor :
       {Tensor("0"), Call("torch._utils._rebuild_parameter", {Tensor("0")}),
        Call("torch._tensor._rebuild_from_type_v2",
             {Global("torch._utils._rebuild_tensor_v2"),
              Global("torch.nn.parameter.Parameter"), Tensor("0")->items[1],
              Dict({})})}) {
    maker_.tensors.clear();
    EXPECT_TRUE(Convert(tensor).isTensor());
    ASSERT_THAT(maker_.tensors, SizeIs(1));
    EXPECT_EQ(maker_.tensors[0].storage, "0");
    EXPECT_EQ(maker_.tensors[0].dtype, at::kFloat);
    EXPECT_EQ(maker_.tensors[0].offset, 1);
    EXPECT_THAT(maker_.tensors[0].sizes, ElementsAre(2, 3));
    EXPECT_THAT(maker_.tensors[0].strides, ElementsAre(3, 1));
    EXPECT_THAT(maker_.quantizers, IsEmpty());
  }
}

TEST_F(ConvertPickledTest, QuantizedTensorsHaveQuantizers) {
  Convert(QuantizedTensor(
      Tuple({Global("torch.per_tensor_affine"), Float(0.5), Int(-3)})));
  Convert(QuantizedTensor(
      Tuple({Global("torch.per_channel_affine"), Tensor("scales"),
             Tensor("zero_points"), Int(1)})));
  ASSERT_THAT(maker_.quantizers, SizeIs(2));
  EXPECT_EQ(maker_.quantizers[0].scale, 0.5);
  EXPECT_EQ(maker_.quantizers[0].zero_point, -3);
  EXPECT_EQ(maker_.quantizers[1].scheme, c10::kPerChannelAffine);
  EXPECT_EQ(maker_.quantizers[1].axis, 1);
  EXPECT_TRUE(maker_.quantizers[1].scales.defined());
}

// Of 2^30 places, each is the same list.
TEST_F(ConvertPickledTest, SharedValuesAreConvertedOnceAndShared) {
  const Part tensor = Tensor("0");
  const c10::IValue pair = Convert(Tuple({tensor, tensor}));
  EXPECT_THAT(maker_.tensors, SizeIs(1));
  EXPECT_TRUE(pair.toTupleRef().elements()[0].toTensor().is_same(
      pair.toTupleRef().elements()[1].toTensor()));
  Part nested = List({Int(1)});
  for (int i = 0; i < 30; ++i) {
    nested = List({nested, nested});
  }
  EXPECT_THAT(Convert(nested).toListRef(), SizeIs(2));
}

TEST_F(ConvertPickledTest, WhatTorchScriptLacksIsNamed) {
  const auto is_named = [](const std::string& what) {
    return AllOf(HasSubstr("holds " + what),
                 EndsWith("; save tensors, numbers, strings, and tuples, lists "
                          "and dicts of them"));
  };
  EXPECT_THAT(ErrorOf(Texts(Kind::kBytes, "x")), is_named("bytes"));
  EXPECT_THAT(ErrorOf(Global("os.system")), is_named("a os.system"));
  EXPECT_THAT(ErrorOf(Call("os.system", {Text("true")})),
              is_named("a os.system"));
  EXPECT_THAT(ErrorOf(Call("numpy.core.multiarray._reconstruct", {})),
              is_named("a NumPy value"));
  EXPECT_THAT(ErrorOf(Storage("FloatStorage", "0")),
              is_named("a storage without a tensor"));
  EXPECT_THAT(ErrorOf(Dict({Ints({1, 2}), Int(1)})),
              is_named("a dict with a key of type Tuple[int, int]"));
  EXPECT_THAT(ErrorOf(Call("torch._tensor._rebuild_from_type_v2",
                           {Global("torch._utils._rebuild_tensor_v2"),
                            Global("my.Subclass"), Ints({})})),
              is_named("a my.Subclass"));
  // Also deep inside.
  EXPECT_THAT(ErrorOf(List({Dict({Text("x"), Tuple({Global("my.Class")})})})),
              is_named("a my.Class"));
}

TEST_F(ConvertPickledTest, DamagedTensorsAreErrors) {
  const auto rebuilt = [](Parts arguments) {
    return Call("torch._utils._rebuild_tensor_v2", std::move(arguments));
  };
  const Part storage = Storage("FloatStorage", "0");
  const Part sizes = Ints({2});
  for (const Part& damaged :
       {rebuilt({}), rebuilt({storage, Int(0), sizes}),
        rebuilt({Int(0), Int(0), sizes, sizes}),
        rebuilt({storage, Float(0), sizes, sizes}),
        rebuilt({storage, Int(0), Int(2), sizes}),
        rebuilt({storage, Int(0), sizes, Tuple({Text("1")})}),
        rebuilt({Container(Kind::kPersistentId, {Text("0")}), Int(0), sizes,
                 sizes}),
        Container(Kind::kCall, {Global("torch.Size"), Int(1)}),
        QuantizedTensor(Ints({})), QuantizedTensor(Ints({1, 2})),
        QuantizedTensor(Tuple({Global("torch.per_tensor_affine"), Int(1)})),
        QuantizedTensor(Tuple(
            {Global("torch.per_channel_affine"), Int(1), Int(1), Int(0)})),
        QuantizedTensor(
            Tuple({Global("torch.no_such_scheme"), Float(1), Int(0)}))}) {
    EXPECT_THAT(ErrorOf(damaged), AllOf(HasSubstr("holds a damaged "),
                                        EndsWith("; save it again")));
  }
  EXPECT_THAT(
      ErrorOf(rebuilt({Storage("NoStorage", "0"), Int(0), sizes, sizes})),
      HasSubstr("holds a torch.NoStorage"));
}

TEST_F(ConvertPickledTest, ErrorsOfTheMakerAreHandedOn) {
  EXPECT_EQ(ErrorOf(List({Tensor("0"), Tensor("lost")})),
            "holds a tensor without its storage");
}

}  // namespace
}  // namespace ns
