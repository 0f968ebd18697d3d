#include "passes/instrument/logger_writes.h"

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/runtime/loggers/logger.h"
#include "passes/runtime/loggers/output_logger.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

// The object of a module with this body of `forward`, and with a method that it
// may call.
c10::IValue Scripted(const std::string& body) {
  const std::string source = absl::StrCat(
      "def halve(self, y: Tensor) -> Tensor:\n"
      "    return y.mul_(0.5)\n"
      "def forward(self, x: Tensor) -> Tensor:\n    ",
      body, "\n    return x\n");
  return MakeModule("MyLogger", source,
                    {{"stats", c10::List<at::Tensor>()},
                     {"named", c10::Dict<std::string, at::Tensor>()},
                     {"count", int64_t{0}},
                     {"peak", at::zeros({1})}})
      ._ivalue();
}

TEST(LoggerWritesTest, LoggersThatKeepAndCountDoNotWrite) {
  for (const char* body :
       {"pass", "self.stats.append(x)", "self.stats.append(x.max().detach())",
        "self.count += 1", "self.peak = torch.max(self.peak, x.max())",
        "self.stats += [x, x * 0.5]", "self.stats[0] = x",
        "self.named['last'] = x", "self.stats.clear()",
        "if x.dim() > 1:\n        self.stats.append(x[0])"}) {
    EXPECT_FALSE(MayWriteToTensors(Scripted(body))) << body;
  }
}

TEST(LoggerWritesTest, OpsInPlaceWrite) {
  for (const char* body : {"x.relu_()", "x *= 0.5", "x[0] = 1.0",
                           "x.view(-1)[0] = 1.0", "torch.tanh(x, out=x)",
                           "self.halve(x)", "for y in [x]:\n        y.zero_()",
                           // It may have kept the tensor of an earlier call.
                           "self.stats.append(x)\n    self.stats[0].zero_()",
                           "self.peak.copy_(x.max())"}) {
    EXPECT_TRUE(MayWriteToTensors(Scripted(body))) << body;
  }
}

class PlainLogger : public torch::CustomClassHolder {
 public:
  void Forward(const at::Tensor&) {}
};

class DerivedLogger : public Logger {
 public:
  void Forward(const at::Tensor&) {}
  void Clear() override {}
};

TORCH_LIBRARY(logger_writes_test, library) {
  library.class_<PlainLogger>("PlainLogger")
      .def("forward", &PlainLogger::Forward);
  library.class_<DerivedLogger>("DerivedLogger")
      .def("forward", &DerivedLogger::Forward);
}

TEST(LoggerWritesTest, ClassesWriteUnlessTheyAreLoggers) {
  EXPECT_FALSE(
      MayWriteToTensors(c10::IValue(c10::make_intrusive<OutputLogger>())));
  EXPECT_FALSE(
      MayWriteToTensors(c10::IValue(c10::make_intrusive<DerivedLogger>())));
  EXPECT_TRUE(
      MayWriteToTensors(c10::IValue(c10::make_intrusive<PlainLogger>())));
  // What a scripted logger calls is not known either.
  EXPECT_TRUE(MayWriteToTensors(
      MakeModule("MyLogger",
                 "def forward(self, x: Tensor):\n    self.inner.forward(x)\n",
                 {{"inner", c10::IValue(c10::make_intrusive<PlainLogger>())}})
          ._ivalue()));
}

}  // namespace
}  // namespace ns
