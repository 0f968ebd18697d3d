#include "ns/quantization/report/quantize_json.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/quantization/report/summaries.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSmall[] = R"json({
  "schema": "ns.quantize/1",
  "float": "f.pt",
  "out": "q.pt",
  "mode": "static",
  "backend": "fbgemm",
  "batches": 2,
  "layers": [
    {
      "name": "conv1",
      "op": "aten::conv2d",
      "qconfig": "static 0..127 mse, int8 weight per channel",
      "rule": "global",
      "activation_bits": 7,
      "weight_bits": 8,
      "inputs": [
        {
          "scale": 0.5,
          "zero_point": 64,
          "min": -32.0,
          "max": 31.5
        }
      ],
      "output": {
        "scale": 0.0123456,
        "zero_point": 0,
        "min": 0.0,
        "max": 1.5678912
      },
      "weight": {
        "scheme": "per_channel_symmetric",
        "scales": [0.25, 0.125]
      }
    }
  ],
  "stayed_float": [
    {
      "name": "log",
      "op": "aten::log",
      "reason": "has no int8 form"
    }
  ],
  "tried": [],
  "unused_rules": [],
  "warnings": [],
  "output_sqnr_db": [
    {
      "name": "output",
      "sqnr_db": 30.25
    }
  ]
}
)json";

TEST(QuantizeJsonTest, HasWhatBecameOfEachLayer) {
  QuantizeSummary summary = SmallSummary();
  summary.report.layers.resize(1);
  EXPECT_EQ(QuantizeJson(summary), kSmall);
}

TEST(QuantizeJsonTest, WhatALayerLacksIsAbsent) {
  QuantizeSummary summary = SmallSummary();
  summary.report.layers = {summary.report.layers[2]};
  EXPECT_THAT(QuantizeJson(summary), HasSubstr(R"json(
      "rule": "module name 'fc'",
      "inputs": [],
      "weight": {
        "scheme": "per_tensor_symmetric",
        "scales": [0.001]
      }
    }
  ],)json"));
}

TEST(QuantizeJsonTest, MethodsThatWereTriedHaveTheirFigures) {
  QuantizeSummary summary = SmallSummary();
  summary.report.tried = {
      {"conv1", "bias correction", 31.5, 33.25, ""},
      {"fc", "bias correction", 31, 30, "it gains nothing"}};
  EXPECT_THAT(QuantizeJson(summary), HasSubstr(R"json(
  "tried": [
    {
      "layer": "conv1",
      "method": "bias correction",
      "sqnr_db_without": 31.5,
      "sqnr_db_with": 33.25,
      "kept": true
    },
    {
      "layer": "fc",
      "method": "bias correction",
      "sqnr_db_without": 31.0,
      "sqnr_db_with": 30.0,
      "kept": false,
      "reason": "it gains nothing"
    }
  ],)json"));
}

TEST(QuantizeJsonTest, PreparedModelsTakeThePlaceOfTheFloatOne) {
  QuantizeSummary summary = SmallSummary();
  summary.float_path = "";
  summary.prepared_paths = {"a.pt", "b.pt"};
  EXPECT_THAT(QuantizeJson(summary), HasSubstr(R"json(
  "float": "",
  "prepared": [
    "a.pt",
    "b.pt"
  ],
  "out": "q.pt",)json"));
}

TEST(QuantizeJsonTest, HeadroomsAreThereWhereTheyAreKnown) {
  QuantizeSummary summary = SmallSummary();
  EXPECT_THAT(QuantizeJson(summary), Not(HasSubstr("headroom")));
  summary.report.layers[0].output->headroom = 1.25;
  summary.headroom = HeadroomTrial{3, 1.25, 20.5, 24.5};
  EXPECT_THAT(QuantizeJson(summary), AllOf(HasSubstr(R"json(
        "max": 1.5678912,
        "headroom": 1.25
      })json"),
                                           HasSubstr(R"json(
  "headroom": {
    "factor": 1.25,
    "batch": 3,
    "sqnr_db_without": 20.5,
    "sqnr_db_with": 24.5,
    "kept": true
  },)json")));
}

TEST(QuantizeJsonTest, ABudgetHasWhatTheSearchFound) {
  QuantizeSummary summary = SmallSummary();
  EXPECT_THAT(QuantizeJson(summary), Not(HasSubstr("\"budget\"")));
  summary.budget = BudgetReport{20, 20.25, 20.5, 8, 9, 7, 1769, 3680};
  EXPECT_THAT(QuantizeJson(summary), HasSubstr("\"budget\": {\n"
                                               "    \"sqnr_db\": 20.0,\n"
                                               "    \"predicted_db\": 20.25,\n"
                                               "    \"measured_db\": 20.5,\n"
                                               "    \"batches\": 8,\n"
                                               "    \"layers\": 9,\n"
                                               "    \"int8_layers\": 7,\n"
                                               "    \"time_us\": 1769.0,\n"
                                               "    \"float_time_us\": 3680.0\n"
                                               "  }"));
}

TEST(QuantizeJsonTest, OutputsAreAbsentWhereNothingRan) {
  QuantizeSummary summary = SmallSummary();
  summary.batches = 0;
  summary.outputs.clear();
  EXPECT_THAT(QuantizeJson(summary), Not(HasSubstr("output_sqnr_db")));
}

TEST(QuantizeJsonTest, RulesWarningsAndInfinitiesAreStrings) {
  QuantizeSummary summary = SmallSummary();
  summary.report.unused_rules = {"module name 'fd': none"};
  summary.report.warnings = {"conv1 saw nan"};
  summary.outputs[0].sqnr_db = std::numeric_limits<double>::infinity();
  summary.outputs.push_back({"output[1]", 3, true});
  EXPECT_THAT(QuantizeJson(summary), HasSubstr(R"json(
  "unused_rules": [
    "module name 'fd': none"
  ],
  "warnings": [
    "conv1 saw nan"
  ],
  "output_sqnr_db": [
    {
      "name": "output",
      "sqnr_db": "inf"
    },
    {
      "name": "output[1]",
      "sqnr_db": 3.0,
      "integers": true
    }
  ])json"));
}

}  // namespace
}  // namespace ns
