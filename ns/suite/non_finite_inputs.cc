#include "ns/suite/non_finite_inputs.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace ns {
namespace {

constexpr size_t kListedPlaces = 3;

struct NonFinite {
  bool nan = false;
  bool inf = false;
};

void AddNumber(double number, NonFinite& found) {
  found.nan |= std::isnan(number);
  found.inf |= std::isinf(number);
}

// Real or complex values, dense or sparse; others have no NaN, or none that can
// be looked at.
at::Tensor RealValues(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_quantized() ||
      !(tensor.is_floating_point() || tensor.is_complex())) {
    return {};
  }
  const at::Tensor values = tensor.is_sparse() ? tensor._values() : tensor;
  if (values.layout() != at::kStrided || values.numel() == 0) {
    return {};
  }
  const at::Tensor real =
      values.is_complex() ? at::view_as_real(values.resolve_conj()) : values;
  // LibTorch has no aminmax of 16 bits.
  return real.element_size() < 4 ? real.to(at::kFloat) : real;
}

// Whether `values`, of which `min` and `max` are the extremes, are nothing but
// zeros and -inf. -inf alone would mask everything out, which is an accident.
bool IsMask(const at::Tensor& values, double min, double max) {
  return min == -INFINITY && max == 0 &&
         values.eq(0).logical_or(values.isneginf()).all().item<bool>();
}

void AddTensor(const at::Tensor& tensor, NonFinite& found) {
  const at::Tensor values = RealValues(tensor);
  if (!values.defined()) {
    return;
  }
  // The extremes tell without a copy of the values. NaN hides infinities.
  const auto [least, greatest] = at::aminmax(values);
  const auto min = least.item<double>();
  const auto max = greatest.item<double>();
  if (!tensor.is_complex() && IsMask(values, min, max)) {
    return;
  }
  AddNumber(min, found);
  AddNumber(max, found);
  if (std::isnan(min)) {
    found.inf |= at::isinf(values).any().item<bool>();
  }
}

void AddValue(const c10::IValue& value, NonFinite& found) {
  if (value.isTensor()) {
    AddTensor(value.toTensor(), found);
  } else if (value.isDouble()) {
    AddNumber(value.toDouble(), found);
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      AddValue(element, found);
    }
  } else if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      AddValue(element, found);
    }
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      AddValue(entry.value(), found);
    }
  }
}

}  // namespace

NonFiniteInputs::NonFiniteInputs(const c10::FunctionSchema& schema) {
  for (const c10::Argument& argument : schema.arguments()) {
    names_.push_back(argument.name());
  }
}

void NonFiniteInputs::Look(const Batch& batch, int64_t index) {
  const Place name = {index, BatchName(batch, index)};
  for (size_t i = 0; i < batch.arguments.size(); ++i) {
    const size_t place = i + 1;  // behind the module
    LookAt(batch.arguments[i], name,
           place < names_.size() ? names_[place] : absl::StrCat(i));
  }
  std::vector<std::string> keywords;
  for (const auto& [keyword, value] : batch.keywords) {
    keywords.push_back(keyword);
  }
  std::sort(keywords.begin(), keywords.end());
  for (const std::string& keyword : keywords) {
    LookAt(batch.keywords.at(keyword), name, keyword);
  }
}

void NonFiniteInputs::LookAt(const c10::IValue& value, const Place& batch,
                             const std::string& argument) {
  NonFinite found;
  AddValue(value, found);
  if (!found.nan && !found.inf) {
    return;
  }
  has_nan_ |= found.nan;
  has_inf_ |= found.inf;
  ++arguments_found_;
  if (places_.size() < kListedPlaces) {
    places_.push_back(
        {batch.batch, absl::StrCat(batch.text, ", argument '", argument, "'")});
  }
}

std::string NonFiniteInputs::Warning() const {
  if (!found()) {
    return "";
  }
  const char* const what = !has_inf_   ? "NaN"
                           : !has_nan_ ? "infinity"
                                       : "NaN and infinity";
  const size_t more = arguments_found_ - places_.size();
  const std::string places =
      absl::StrJoin(places_, "; ", [](std::string* text, const Place& place) {
        absl::StrAppend(text, place.text);
      });
  return absl::StrCat("inputs hold ", what, ": ", places,
                      more > 0 ? absl::StrCat(" and ", more, " more") : "",
                      "; no culprit is named from their figures");
}

void NonFiniteInputs::Save(ByteWriter& writer) const {
  writer.Integer((has_nan_ ? 1 : 0) | (has_inf_ ? 2 : 0));
  writer.Integer(static_cast<int64_t>(arguments_found_));
  writer.Integer(static_cast<int64_t>(places_.size()));
  for (const Place& place : places_) {
    writer.Integer(place.batch);
    writer.Text(place.text);
  }
}

void NonFiniteInputs::Merge(ByteReader& reader) {
  const int64_t kinds = reader.Integer();
  has_nan_ |= (kinds & 1) != 0;
  has_inf_ |= (kinds & 2) != 0;
  arguments_found_ += static_cast<size_t>(reader.Integer());
  const size_t places = reader.Count();
  for (size_t i = 0; reader.ok() && i < places; ++i) {
    Place place;
    place.batch = reader.Integer();
    place.text = reader.Text();
    places_.push_back(std::move(place));
  }
  std::stable_sort(
      places_.begin(), places_.end(),
      [](const Place& a, const Place& b) { return a.batch < b.batch; });
  places_.resize(std::min(places_.size(), kListedPlaces));
}

std::string NonFiniteWarning(const c10::FunctionSchema& schema,
                             const std::vector<Batch>& batches) {
  NonFiniteInputs inputs(schema);
  for (size_t i = 0; i < batches.size(); ++i) {
    inputs.Look(batches[i], static_cast<int64_t>(i));
  }
  return inputs.Warning();
}

}  // namespace ns
