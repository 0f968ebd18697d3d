// Describes the JSON of what a comparison is judged by: limits, a baseline, the
// accuracy on labelled samples, agreement, and scores; and of which samples.
#ifndef NS_REPORT_JSON_LIMITS_MAP_H_
#define NS_REPORT_JSON_LIMITS_MAP_H_

#include "ir/json/json_map.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/result/accuracy.h"
#include "ns/result/class_agreement.h"
#include "ns/result/compared_samples.h"
#include "ns/result/limit_check.h"
#include "ns/result/task_score.h"

namespace ns {

template <typename Io>
void Map(Io& io, LimitCheck& check) {
  io.Named("limit", check.kind, LimitName, LimitKindNamed,
           "the name of a limit, such as \"fail-below\"");
  io.Optional("layer", check.layer);
  io.Optional("output", check.output);
  io.Optional("figure", check.figure);
  io("value", check.value);
  io("bound", check.bound);
  io.When(check.kind == LimitKind::kMaxDrop ||
              check.kind == LimitKind::kMaxOutputDrop,
          "tolerance", check.tolerance);
  io("passed", check.passed);
}

template <typename Io>
void Map(Io& io, BaselineLayers& baseline) {
  io("path", baseline.path);
  io("new", baseline.added);
  io("vanished", baseline.vanished);
}

template <typename Io>
void Map(Io& io, Flip& flip) {
  io("batch", flip.batch);
  io("sample", flip.sample);
  io("label", flip.label);
  io("float", flip.float_class);
  io("quantized", flip.quantized_class);
  io("float_margin", flip.float_margin);
  io("quantized_margin", flip.quantized_margin);
}

template <typename Io>
void Map(Io& io, Accuracy& accuracy) {
  io("samples", accuracy.samples);
  io("float_top1", accuracy.float_top1);
  io("quantized_top1", accuracy.quantized_top1);
  io("agreement", accuracy.agreement);
  io("difference", accuracy.difference);
  io.Pair("interval", accuracy.lowest_difference, accuracy.highest_difference);
  io("lost", accuracy.lost);
  io("won", accuracy.won);
  io("flipped", accuracy.flipped);
  io("flips", accuracy.flips);
}

template <typename Io>
void Map(Io& io, ClassAgreement& agreement) {
  io("samples", agreement.samples);
  io("classes", agreement.classes);
  io("flipped", agreement.flipped);
  io("top1", agreement.top1);
  io.Optional("top5", agreement.top5);
  io("float_confidence", agreement.float_confidence);
  io("quantized_confidence", agreement.quantized_confidence);
  io("confidence_drift", agreement.confidence_drift);
}

template <typename Io>
void Map(Io& io, ComparedSamples& samples) {
  io("chosen", samples.chosen);
  io("samples", samples.samples);
  io("total", samples.total);
}

template <typename Io>
void Map(Io& io, TaskScore& score) {
  io("name", score.name);
  io("float", score.of_float);
  io("quantized", score.of_quantized);
  io("difference", score.difference);
}

}  // namespace ns

#endif  // NS_REPORT_JSON_LIMITS_MAP_H_
