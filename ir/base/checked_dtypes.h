// Makes ops in TorchScript throw where a number is given as a dtype that does
// not exist.
#ifndef IR_BASE_CHECKED_DTYPES_H_
#define IR_BASE_CHECKED_DTYPES_H_

namespace ns {

// Replaces the operators of LibTorch that take a dtype. In TorchScript, a dtype
// is an integer, and LibTorch reads the facts of a dtype without a check: a
// model with quantize_per_tensor(x, 0.1, 64, -2) ends the process, also while
// its constants are folded. Afterwards, this is an exception. Everything else
// is computed as before.
//
// ns and ns_opt call it when they start. Programs of yours call it before they
// load models that others may have changed; later calls do nothing. Any thread
// may call it.
void CheckDtypes();

}  // namespace ns

#endif  // IR_BASE_CHECKED_DTYPES_H_
