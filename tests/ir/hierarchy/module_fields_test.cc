#include "ir/hierarchy/module_fields.h"

#include <ATen/Functions.h>

#include "gtest/gtest.h"
#include "ir/hierarchy/make_module.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// A module with a stride as a constant, and padding as an attribute.
Module Layer() {
  Module layer = NewModule("a.Layer");
  layer.type()->addConstant("stride", c10::IValue(2));
  layer.register_attribute("padding", c10::IntType::get(), 1);
  layer.register_parameter("weight", at::ones({2}), /*is_buffer=*/false);
  return layer;
}

TEST(ModuleFieldsTest, ReadsAttributesAndConstants) {
  const Module layer = Layer();
  EXPECT_EQ(FieldOf(layer, "stride")->toInt(), 2);
  EXPECT_EQ(FieldOf(layer, "padding")->toInt(), 1);
  EXPECT_FALSE(FieldOf(layer, "dilation").has_value());
}

TEST(ModuleFieldsTest, CopiesWhatIsNeitherTensorNorThereAlready) {
  Module copy = NewModule("a.Copy");
  copy.register_attribute("padding", c10::IntType::get(), 7);
  CopyFields(Layer(), copy);
  EXPECT_EQ(FieldOf(copy, "stride")->toInt(), 2);
  EXPECT_EQ(FieldOf(copy, "padding")->toInt(), 7);
  EXPECT_FALSE(copy.hasattr("weight"));
}

TEST(ModuleFieldsTest, AnAttributeOfTheNameOfAConstantIsThereAlready) {
  Module copy = NewModule("a.Copy");
  copy.register_attribute("stride", c10::IntType::get(), 9);
  copy.type()->addConstant("padding", c10::IValue(8));
  CopyFields(Layer(), copy);
  EXPECT_EQ(FieldOf(copy, "stride")->toInt(), 9);
  EXPECT_EQ(FieldOf(copy, "padding")->toInt(), 8);
}

}  // namespace
}  // namespace ns
