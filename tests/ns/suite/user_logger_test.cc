#include <ATen/Functions.h>
#include <torch/custom_class.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/suite/numeric_suite.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/logger_info.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::SizeIs;

// A logger as a user would write it: it keeps the greatest value of each
// tensor.
class PeakLogger : public torch::CustomClassHolder {
 public:
  explicit PeakLogger(std::string layer) : layer_(std::move(layer)) {}

  at::Tensor Forward(const at::Tensor& x) {
    peaks_.push_back(x.max());
    return x;
  }
  std::vector<at::Tensor> Peaks() const { return peaks_; }
  const std::string& layer() const { return layer_; }

 private:
  std::string layer_;
  std::vector<at::Tensor> peaks_;
};

// Overwrites what it is given.
class ZeroingLogger : public torch::CustomClassHolder {
 public:
  void Forward(const at::Tensor& x) {
    ++calls_;
    x.zero_();
  }
  int calls() const { return calls_; }

 private:
  int calls_ = 0;
};

TORCH_LIBRARY(user_logger_test, library) {
  library.class_<ZeroingLogger>("ZeroingLogger")
      .def("forward", &ZeroingLogger::Forward);
  library.class_<PeakLogger>("PeakLogger")
      .def(torch::init<std::string>())
      .def("forward", &PeakLogger::Forward)
      .def("get_stats", [](const c10::intrusive_ptr<PeakLogger>& self) {
        return self->Peaks();
      });
}

TEST(UserLoggerTest, AClassOfTheUsersOwnLogsBothModels) {
  const at::Tensor weight = at::eye(2);
  const torch::jit::Module module =
      MakeModel({{"fc", Linear(weight)}}, {"return self.fc.forward(x)"});
  const ModelGraph a = OrThrow(ModelGraph::FromModule(module));
  std::vector<c10::intrusive_ptr<PeakLogger>> made;
  LoggerOptions options;
  options.logger = [&](const LoggerInfo& info) -> absl::StatusOr<c10::IValue> {
    made.push_back(c10::make_intrusive<PeakLogger>(info.layer));
    return c10::IValue(made.back());
  };
  LoggedModels logged = OrThrow(AddLoggers("a", a, "b", a, options));
  for (ModelGraph* model : {&logged.a, &logged.b}) {
    const at::Tensor x = at::tensor({1.0F, 3.0F}).reshape({1, 2});
    EXPECT_TRUE(OrThrow(model->Run({x})).toTensor().equal(x));
  }
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(made[0]->layer(), "fc");
  EXPECT_EQ(made[0]->Peaks().at(0).item<float>(), 3);

  ExtractLoggerInfoOptions of_class;
  of_class.logger_class = "PeakLogger";
  const Results results = OrThrow(
      ExtractLoggerInfo({logged.a.module(), logged.b.module()}, of_class));
  const ResultsByModel& fc = results.Find("fc")->at(kNodeOutputResult);
  for (const std::string name : {"a", "b"}) {
    ASSERT_THAT(fc.at(name).at(0).values, SizeIs(1));
    EXPECT_EQ(fc.at(name).at(0).values[0].item<float>(), 3);
  }
}

TEST(UserLoggerTest, ALoggerThatWritesDoesNotChangeTheModel) {
  const torch::jit::Module module = MakeModel(
      {{"fc", Linear(at::eye(2))}}, {"return self.fc.forward(x).relu()"});
  const ModelGraph a = OrThrow(ModelGraph::FromModule(module));
  std::vector<c10::intrusive_ptr<ZeroingLogger>> made;
  LoggerOptions options;
  options.should_log_inputs = true;
  options.logger = [&](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    made.push_back(c10::make_intrusive<ZeroingLogger>());
    return c10::IValue(made.back());
  };
  LoggedModels logged = OrThrow(AddLoggers("a", a, "b", a, options));
  ModelGraph shadowed = OrThrow(a.Clone());
  OrThrow(AddShadowLoggers("a", a, "b", shadowed,
                           OrThrow(MatchSubgraphs(a, shadowed)), options));
  for (ModelGraph* model : {&logged.a, &logged.b, &shadowed}) {
    const at::Tensor x = at::tensor({1.0F, 3.0F}).reshape({1, 2});
    EXPECT_TRUE(OrThrow(model->Run({x.clone()})).toTensor().equal(x));
  }
  for (const auto& logger : made) {
    EXPECT_EQ(logger->calls(), 1);
  }
}

}  // namespace
}  // namespace ns
