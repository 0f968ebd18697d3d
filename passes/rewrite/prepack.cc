#include "passes/rewrite/prepack.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

c10::IValue OptionalTensor(const at::Tensor& tensor) {
  return tensor.defined() ? c10::IValue(tensor.detach()) : c10::IValue();
}

}  // namespace

absl::Status CheckLayerWeight(const at::Tensor& weight) {
  if (weight.scalar_type() != at::kQInt8) {
    return Refusal(absl::StrCat("its weight has quantized values of type ",
                                c10::toString(weight.scalar_type()),
                                "; quantized layers take QInt8"));
  }
  if (weight.qscheme() != c10::kPerTensorAffine &&
      weight.qscheme() != c10::kPerChannelAffine) {
    return Refusal("its weight is quantized with float zero points");
  }
  if (weight.qscheme() == c10::kPerChannelAffine &&
      weight.q_per_channel_axis() != 0) {
    return Refusal(absl::StrCat(
        "its weight has a scale for each slice of dimension ",
        weight.q_per_channel_axis(), "; quantized layers take dimension 0"));
  }
  return absl::OkStatus();
}

absl::StatusOr<c10::IValue> Prepack(absl::string_view op,
                                    std::vector<c10::IValue> arguments) {
  NS_RETURN_IF_ERROR(RefusalOf(
      "its weight cannot be packed", CatchTorchErrors([&] {
        c10::Dispatcher::singleton()
            .findSchemaOrThrow(absl::StrCat("quantized::", op).c_str(), "")
            .callBoxed(&arguments);
      })));
  return std::move(arguments.front());
}

absl::StatusOr<c10::IValue> PrepackLinear(const at::Tensor& weight,
                                          const at::Tensor& bias) {
  NS_RETURN_IF_ERROR(CheckLayerWeight(weight));
  if (bias.defined() && bias.scalar_type() != at::kFloat) {
    return Refusal(absl::StrCat("its bias is of type ",
                                c10::toString(bias.scalar_type()),
                                "; quantized layers take Float"));
  }
  return Prepack("linear_prepack", {weight, OptionalTensor(bias)});
}

absl::StatusOr<c10::IValue> PrepackCell(const RecurrentCell& cell,
                                        bool reduce_range) {
  NS_ASSIGN_OR_RETURN(c10::IValue ih, PrepackLinear(cell.w_ih, cell.b_ih));
  NS_ASSIGN_OR_RETURN(c10::IValue hh, PrepackLinear(cell.w_hh, cell.b_hh));
  return Prepack("make_quantized_cell_params_dynamic",
                 {std::move(ih), std::move(hh), cell.b_ih.detach(),
                  cell.b_hh.detach(), reduce_range});
}

absl::StatusOr<c10::IValue> PrepackEmbedding(const at::Tensor& table) {
  const bool is_byte = table.scalar_type() == at::kQUInt8;
  if (!is_byte && table.scalar_type() != at::kQUInt4x2) {
    return Refusal(
        absl::StrCat("its weight has quantized values of type ",
                     c10::toString(table.scalar_type()),
                     "; quantized embeddings take QUInt8 and QUInt4x2"));
  }
  if (table.qscheme() != c10::kPerChannelAffineFloatQParams ||
      table.q_per_channel_axis() != 0) {
    return Refusal(
        "its weight does not have a scale and a float zero point for each row");
  }
  // Two elements share a byte, and LibTorch would add one to each row.
  if (!is_byte && table.size(1) % 2 != 0) {
    return Refusal(absl::StrCat("its rows have ", table.size(1),
                                " elements; rows of 4 bits need an even "
                                "number"));
  }
  return Prepack("embedding_bag_prepack", {table});
}

}  // namespace ns
