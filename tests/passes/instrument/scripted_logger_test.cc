#include "passes/instrument/scripted_logger.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Module;

std::string Path() { return TemporaryPath("logger.pt"); }

std::string Saved(const std::string& methods) {
  MakeModule("MyLogger", methods,
             {{"stats", c10::IValue(c10::List<at::Tensor>())}})
      .save(Path());
  return Path();
}

constexpr char kKeepsMeans[] =
    "def forward(self, x: Tensor):\n"
    "    self.stats.append(x.mean())\n"
    "    return x\n";

TEST(ScriptedLoggerTest, EachPlaceGetsACopy) {
  const LoggerFactory factory = OrThrow(LoadScriptedLogger(Saved(kKeepsMeans)));
  Module first(OrThrow(factory({})).toObject());
  Module second(OrThrow(factory({})).toObject());
  first.forward({at::ones({3})});
  EXPECT_THAT(OrThrow(ReadStats(first._ivalue())).toTensorVector(), SizeIs(1));
  EXPECT_THAT(OrThrow(ReadStats(second._ivalue())).toTensorVector(), IsEmpty());
}

TEST(ScriptedLoggerTest, ArityIsThatOfTheFrontEnd) {
  const std::string two = Saved(
      "def forward(self, quantized: Tensor, float: Tensor):\n"
      "    return quantized\n");
  NS_EXPECT_OK(LoadScriptedLogger(two, 2).status());
  EXPECT_THAT(MessageOf(LoadScriptedLogger(two)),
              AllOf(HasSubstr(two), HasSubstr("MyLogger"),
                    HasSubstr("must take one Tensor")));
}

TEST(ScriptedLoggerTest, WhatIsNoLoggerIsRefused) {
  const std::string mute = Saved("def see(self, x: Tensor):\n    return x\n");
  EXPECT_THAT(MessageOf(LoadScriptedLogger(mute)),
              AllOf(HasSubstr(mute), HasSubstr("no method 'forward'")));
  EXPECT_THAT(MessageOf(LoadScriptedLogger("none.pt")), HasSubstr("none.pt"));
}

}  // namespace
}  // namespace ns
