#include "ir/model/attach_attribute.h"

#include <torch/csrc/jit/api/module.h>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(AttachAttributeTest, TakesTheFirstFreeNumber) {
  torch::jit::Module module("M");
  EXPECT_EQ(AttachAttribute(module, "ns_x_", 1.5), "ns_x_0");
  EXPECT_EQ(AttachAttribute(module, "ns_x_", 2.5), "ns_x_1");
  EXPECT_EQ(AttachAttribute(module, "ns_y_", 3.5), "ns_y_0");
  EXPECT_EQ(AttachAttribute(module, "ns_x_", 4.5, /*first=*/7), "ns_x_7");
  EXPECT_EQ(FreeAttributeName(module, "ns_x_"), "ns_x_2");
  EXPECT_EQ(module.attr("ns_x_1").toDouble(), 2.5);
}

TEST(AttachAttributeTest, OnlyItsOwnNamesTakeNumbers) {
  torch::jit::Module module("M");
  for (const char* name : {"ns_x_1", "ns_x_00", "ns_x_", "ns_x_2b", "y_ns_x_0",
                           "ns_x_-1", "ns_x_99999999999"}) {
    module.register_attribute(name, c10::FloatType::get(), 1.5);
  }
  EXPECT_EQ(FreeAttributeName(module, "ns_x_"), "ns_x_0");
  EXPECT_EQ(FreeAttributeName(module, "ns_x_", 1), "ns_x_2");
}

}  // namespace
}  // namespace ns
