// Makes an LSTM of linear layers and sums, which can be observed and quantized
// one by one.
#ifndef NS_QUANTIZATION_EAGER_QUANTIZABLE_LSTM_H_
#define NS_QUANTIZATION_EAGER_QUANTIZABLE_LSTM_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"

namespace ns {

// The class of the module that is made, and that of what `Convert` makes of it.
inline constexpr char kQuantizableLstm[] =
    "torch.ao.nn.quantizable.modules.rnn.LSTM";
inline constexpr char kQuantizedLstm[] =
    "torch.ao.nn.quantized.modules.rnn.LSTM";

// Returns a module that computes what `lstm`, a scripted torch.nn.LSTM, does
// with a batch of sequences (reference: torch.ao.nn.quantizable.LSTM). Its
// modules have PyTorch's names: "layers.0.layer_fw.cell.igates" is the linear
// layer of the inputs of the first layer, and with `hgates`, `gates`,
// `fgate_cx`, `igate_cgate`, `fgate_cx_igate_cgate` and `ogate_cy` computes
//
//   i, f, g, o = gates.add(igates(x), hgates(h)).chunk(4, 1)
//   c' = fgate_cx_igate_cgate.add(fgate_cx.mul(sigmoid(f), c),
//                                 igate_cgate.mul(sigmoid(i), tanh(g)))
//   h' = ogate_cy.mul(sigmoid(o), tanh(c'))
//
// It has the parameters of `lstm`, the same tensors. Dropout between layers is
// left out. Error: another module, such as a traced LSTM, and one with
// projections.
absl::StatusOr<torch::jit::Module> QuantizableLstm(
    const torch::jit::Module& lstm);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QUANTIZABLE_LSTM_H_
