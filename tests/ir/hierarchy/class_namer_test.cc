#include "ir/hierarchy/class_namer.h"

#include <torch/csrc/jit/api/module.h>

#include <memory>

#include "gtest/gtest.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

TEST(ClassNamerTest, NamesDifferAndStandForTheSame) {
  const torch::jit::CompilationUnit unit;
  ClassNamer namer;
  const c10::QualifiedName first = namer.Name("__torch__.nn.Linear", unit);
  const c10::QualifiedName second = namer.Name(first, unit);
  EXPECT_NE(first, second);
  for (const c10::QualifiedName& name : {first, second}) {
    EXPECT_EQ(UnmangledTypeName(name.qualifiedName()), "nn.Linear");
  }
}

TEST(ClassNamerTest, NamesThatTheUnitHasAreLeftOut) {
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  ClassNamer first;
  const torch::jit::Module taken(first.Name("__torch__.Linear", *unit), unit);
  ClassNamer second;
  EXPECT_NE(second.Name("__torch__.Linear", *unit), *taken.type()->name());
}

// Files come out alike in each run.
TEST(ClassNamerTest, TwoNamersGiveTheSameNames) {
  const torch::jit::CompilationUnit unit;
  EXPECT_EQ(ClassNamer().Name("__torch__.Linear", unit),
            ClassNamer().Name("__torch__.Linear", unit));
}

}  // namespace
}  // namespace ns
