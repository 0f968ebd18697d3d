#include "ir/graph/source_line.h"

#include <torch/csrc/jit/frontend/source_range.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Source;
using ::torch::jit::SourceRange;

// The second of two lines, of which the first is line 10 of `file`.
SourceRange SecondLineOf(const std::string& file) {
  const auto source = std::make_shared<Source>(
      std::string("first\nsecond\n"), c10::optional<std::string>(file), 10);
  return SourceRange(source, 6, 12);
}

class SourceLineTest : public ::testing::Test {
 protected:
  SourceLineTest() {
    torch::jit::parseIR(R"(
graph(%x : Tensor, %c : bool):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %d : Tensor = aten::neg(%a)
      -> (%d)
    block1():
      -> (%a)
  return (%b))",
                        graph_.get());
    relu_ = *graph_->nodes().begin();
    if_ = relu_->next();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Node* relu_;
  Node* if_;
};

TEST_F(SourceLineTest, IsThatOfTheRange) {
  EXPECT_FALSE(SourceLineOf(*relu_).has_value());
  relu_->setSourceRange(SecondLineOf("/src/net.py"));
  EXPECT_EQ(SourceLineOf(*relu_), (SourceLine{"/src/net.py", 11}));
}

TEST_F(SourceLineTest, CodeThatASavedModelHasIsNoCodeOfTheUser) {
  relu_->setSourceRange(SecondLineOf("code/__torch__/net.py"));
  EXPECT_FALSE(SourceLineOf(*relu_).has_value());
}

TEST_F(SourceLineTest, LinesOfTheLibraryBecomeThatOfTheCall) {
  const std::string library = "/usr/lib/python3/dist-packages/torch/nn/a.py";
  relu_->setSourceRange(SecondLineOf("/src/net.py"));
  if_->setSourceRange(SecondLineOf("/src/block.py"));
  Node* const neg = *if_->blocks()[0]->nodes().begin();
  neg->setSourceRange(SecondLineOf(library));
  TakeLineOfCall(*if_, *relu_);
  EXPECT_EQ(SourceLineOf(*if_)->file, "/src/block.py");
  EXPECT_EQ(SourceLineOf(*neg)->file, "/src/net.py");
}

// What is printed inline has lost the line of the call of the library's
// function; that of the call around it is known.
TEST_F(SourceLineTest, ACallWithoutALineTakesNone) {
  relu_->setSourceRange(SecondLineOf("/site-packages/torch/nn/functional.py"));
  TakeLineOfCall(*relu_, *if_);
  EXPECT_TRUE(SourceLineOf(*relu_).has_value());
  if_->setSourceRange(SecondLineOf("/src/net.py"));
  TakeLineOfCall(*relu_, *if_);
  EXPECT_EQ(SourceLineOf(*relu_)->file, "/src/net.py");
  Node* const neg = *if_->blocks()[0]->nodes().begin();
  TakeLineOfCall(*neg, *if_);
  EXPECT_EQ(SourceLineOf(*neg)->file, "/src/net.py");
}

TEST(IsLibraryFileTest, KnowsWherePyTorchIs) {
  for (const char* file :
       {"/usr/lib/python3/dist-packages/torch/nn/modules/conv.py",
        "/env/lib/python3.9/site-packages/torch/functional.py",
        "/src/pytorch/torch/nn/functional.py",
        "C:\\Python39\\Lib\\site-packages\\torch\\nn\\modules\\conv.py",
        "/src/pytorch/torch/ao/nn/quantized/modules/linear.py"}) {
    EXPECT_TRUE(IsLibraryFile(file)) << file;
  }
  for (const char* file :
       {"/usr/lib/python3/dist-packages/torchvision/models/resnet.py",
        "/src/net.py", "/src/torch/_exp/unet.py", "<eval_with_key>.3",
        "torch.py"}) {
    EXPECT_FALSE(IsLibraryFile(file)) << file;
  }
}

}  // namespace
}  // namespace ns
