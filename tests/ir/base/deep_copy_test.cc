#include "ir/base/deep_copy.h"

#include <ATen/Functions.h>
#include <ATen/core/jit_type.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

c10::IValue Copied(const c10::IValue& value) {
  return DeepCopier().Copy(value);
}

TEST(DeepCopyTest, ViewsOfOneStorageStayDifferent) {
  const at::Tensor x = at::rand({3, 2});
  const std::vector<at::Tensor> rows = x.unbind();
  const c10::IValue copy = Copied(rows);
  ASSERT_EQ(copy.toTensorVector().size(), 3);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(copy.toTensorVector()[i].equal(rows[i]));
  }
  EXPECT_TRUE(copy.type()->isSubtypeOf(*c10::ListType::ofTensors()));
  const c10::IValue pair = Copied(c10::ivalue::Tuple::create({x, x.t()}));
  EXPECT_TRUE(pair.toTupleRef().elements()[1].toTensor().equal(x.t()));
}

TEST(DeepCopyTest, WritesToTheCopyDoNotReachTheOriginal) {
  const at::Tensor x = at::rand({2, 3});
  const at::Tensor before = x.clone();
  c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
  dict.insert("x", c10::ivalue::Tuple::create({1, x}));
  dict.insert("n", std::vector<int64_t>{1, 2});
  const c10::impl::GenericDict copy = Copied(dict).toGenericDict();
  copy.at("x").toTupleRef().elements()[1].toTensor().zero_();
  copy.at("n").toIntList().push_back(3);
  EXPECT_TRUE(x.equal(before));
  EXPECT_EQ(dict.at("n").toIntList().size(), 2);
  EXPECT_EQ(copy.at("x").toTupleRef().elements()[0].toInt(), 1);
}

TEST(DeepCopyTest, WhatStandsTwiceIsCopiedOnce) {
  const at::Tensor x = at::rand({2});
  DeepCopier copier;
  const at::Tensor first = copier.Copy(x).toTensor();
  EXPECT_TRUE(first.is_same(copier.Copy(x).toTensor()));
  EXPECT_FALSE(first.is_same(x));
  const c10::impl::GenericList list(c10::AnyType::get());
  EXPECT_TRUE(copier.Copy(list).is(copier.Copy(list)));
  // Temporaries may have the same address one after the other.
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(copier.Copy(at::full({1}, i)).toTensor().item<int>(), i);
  }
}

TEST(DeepCopyTest, TensorsKeepWhatTheyAre) {
  const at::Tensor image =
      at::rand({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_EQ(Copied(image).toTensor().strides(), image.strides());
  const at::Tensor quantized =
      at::quantize_per_tensor(image, 0.5, 3, at::kQUInt8);
  EXPECT_TRUE(Copied(quantized).toTensor().equal(quantized));
  const at::Tensor parameter = at::rand({2}).requires_grad_();
  EXPECT_TRUE(Copied(parameter).toTensor().requires_grad());
  EXPECT_TRUE(Copied(parameter).toTensor().is_leaf());
  EXPECT_FALSE(Copied(at::Tensor()).toTensor().defined());
}

TEST(DeepCopyTest, NamedTuplesKeepTheirNames) {
  const auto type = c10::TupleType::createNamed(
      c10::QualifiedName("Pair"), std::vector<std::string>{"a", "b"},
      {c10::IntType::get(), c10::TensorType::get()});
  const c10::IValue copy =
      Copied(c10::ivalue::Tuple::createNamed({1, at::ones({2})}, type));
  EXPECT_EQ(*copy.type(), *type);
}

}  // namespace
}  // namespace ns
