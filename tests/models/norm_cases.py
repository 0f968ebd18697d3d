#!/usr/bin/python3
"""Writes model pairs whose batch norms are not, or not all, folded.

  /usr/bin/python3 tests/models/norm_cases.py --out=DIR [CASE...]

Writes DIR/CASE/float.pt, quantized.pt, inputs.pt (a list of batches) and
answers.json: for each module of the quantized model that computes something, the
SQNR in dB of what it gives, against what the float model has at that place. Plain
hooks tell: a quantized module stands for the float modules from its own name to
that of the next one that the quantized model runs.
"""

import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import copy
import dataclasses
import json
import os
from typing import Any, Callable, Dict, List, Tuple
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx

import case_main
import common
import metrics

SEED = 20221213
# A truthful comparison is above it everywhere; the test asks for 15.
LEAST_DB = 18
CHANNELS = 8


def convolution(dims: int) -> nn.Module:
  kind = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}[dims]
  return kind(CHANNELS, CHANNELS, 3, padding=1)


def norm(dims: int) -> nn.Module:
  kind = {0: nn.BatchNorm1d, 1: nn.BatchNorm1d, 2: nn.BatchNorm2d,
          3: nn.BatchNorm3d}[dims]
  return kind(CHANNELS)


class Chain(nn.Module):
  """Layers one after the other, as "conv relu norm" names them."""

  def __init__(self, layers: str, dims: int, in_place: bool = False) -> None:
    super().__init__()
    makers = {
        'conv': lambda: convolution(dims),
        'linear': lambda: nn.Linear(CHANNELS, CHANNELS),
        'norm': lambda: norm(dims),
        'relu': lambda: nn.ReLU(inplace=in_place),
        'dropout': lambda: nn.Dropout(0.3),
        'quant': tq.QuantStub,
        'dequant': tq.DeQuantStub,
    }
    self.layers = nn.Sequential()
    for i, name in enumerate(layers.split()):
      self.layers.add_module(f'{name}{i}', makers[name]())

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.layers(x)


class InList(nn.Module):
  """Chains in a list, which scripting unrolls."""

  def __init__(self, chains: List[nn.Module]) -> None:
    super().__init__()
    self.chains = nn.ModuleList(chains)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    for chain in self.chains:
      x = chain(x)
    return x


class InLoop(nn.Module):
  """One chain, called again and again, and a head behind it."""

  def __init__(self, chain: nn.Module, head: nn.Module) -> None:
    super().__init__()
    self.chain = chain
    self.head = head

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    for _ in range(x.size(0) // 8):
      x = self.chain(x)
    return self.head(x)


class InIf(nn.Module):
  """A chain for each arm, and a head behind them."""

  def __init__(self, bright: nn.Module, dark: nn.Module,
               head: nn.Module) -> None:
    super().__init__()
    self.bright = bright
    self.dark = dark
    self.head = head

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    if bool(x.mean() > 0):
      x = self.bright(x)
    else:
      x = self.dark(x)
    return self.head(x)


def fx(model: nn.Module, batches: List[torch.Tensor]) -> nn.Module:
  """FX graph mode with its default mapping."""
  return common.fx_pair(model, batches, batches).quantized_model


def fx_dynamic(model: nn.Module, batches: List[torch.Tensor]) -> nn.Module:
  # For everything: what is fused must be mapped alike.
  mapping = tq.QConfigMapping().set_global(tq.default_dynamic_qconfig)
  return common.fx_pair(model, batches, batches, mapping).quantized_model


def dynamic(model: nn.Module, batches: List[torch.Tensor]) -> nn.Module:
  del batches
  return tq.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)


def eager(model: nn.Module, batches: List[torch.Tensor],
          float_norms: bool = True) -> nn.Module:
  """Static; nothing is fused, and norms stay float unless told otherwise."""
  prepared = copy.deepcopy(model)
  prepared.qconfig = tq.get_default_qconfig(common.QCONFIG_BACKEND)
  # A norm or activation between dequantize and quantize has no quantized form
  # there.
  for name, module in prepared.named_modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm) and float_norms:
      module.qconfig = None
  tq.prepare(prepared, inplace=True)
  common.calibrate(prepared, batches)
  converted = tq.convert(prepared)
  # PyTorch 1.13 gives them tensors of one element, which scripts refuse.
  for module in converted.modules():
    if isinstance(module, (nn.quantized.BatchNorm2d, nn.quantized.BatchNorm3d)):
      module.scale = module.scale.reshape([])
      module.zero_point = module.zero_point.reshape([])
  return converted


def eager_all(model: nn.Module, batches: List[torch.Tensor]) -> nn.Module:
  return eager(model, batches, float_norms=False)


@dataclasses.dataclass
class Case:
  model: Callable[[], nn.Module]
  dims: int
  quantize: Callable[[nn.Module, List[torch.Tensor]], nn.Module]


def chain(layers: str, dims: int, quantize: Callable[..., nn.Module],
          in_place: bool = False) -> Case:
  return Case(lambda: Chain(layers, dims, in_place), dims, quantize)


# A convolution whose norm stays float.
FLOAT_NORM = 'quant conv dequant norm'


CASES = {
    # The relu is fused; the norm behind it is not folded.
    'conv2d_relu_norm': chain('conv relu norm conv', 2, fx),
    'conv2d_relu_in_place_norm': chain('conv relu norm conv', 2, fx, True),
    'conv3d_relu_norm': chain('conv relu norm conv', 3, fx),
    'conv3d_relu_in_place_norm': chain('conv relu norm conv', 3, fx, True),
    'conv1d_relu_norm': chain('conv relu norm conv', 1, fx),
    'linear_relu_norm': chain('linear relu norm linear', 0, fx),
    'conv2d_relu_two_norms': chain('conv relu norm norm conv', 2, fx),
    'conv2d_relu_norm_last': chain('conv conv relu norm', 2, fx),
    'conv3d_relu_norm_last': chain('conv conv relu norm', 3, fx),
    'conv2d_relu_norm_relu': chain('conv relu norm relu conv', 2, fx),
    'conv2d_norm_relu_norm': chain('conv norm relu norm conv', 2, fx),
    'conv2d_relu_dropout_norm': chain('conv relu dropout norm conv', 2, fx),
    'conv2d_relu_norm_in_list': Case(
        lambda: InList([Chain('conv relu norm', 2) for _ in range(3)]), 2, fx),
    # The norm stays as it is behind a dynamic layer.
    'dynamic_norm': chain('linear norm linear norm', 0, dynamic),
    'dynamic_norm_relu': chain('linear norm relu linear', 0, dynamic),
    'dynamic_norm_relu_in_place': chain('linear norm relu linear', 0, dynamic,
                                        True),
    'dynamic_relu_norm': chain('linear relu norm linear', 0, dynamic),
    'dynamic_norm_dropout': chain('linear norm dropout linear', 0, dynamic),
    'dynamic_norm_relu_dropout': chain('linear norm relu dropout linear', 0,
                                       dynamic),
    'dynamic_dropout_norm': chain('linear dropout norm linear', 0, dynamic),
    'dynamic_norm_in_list': Case(
        lambda: InList([Chain('linear norm relu', 0) for _ in range(3)]), 0,
        dynamic),
    'dynamic_norm_in_loop': Case(
        lambda: InLoop(Chain('linear norm', 0), Chain('linear norm', 0)), 0,
        dynamic),
    'dynamic_norm_in_if': Case(
        lambda: InIf(Chain('linear norm', 0), Chain('linear norm relu', 0),
                     Chain('linear norm', 0)), 0, dynamic),
    'fx_dynamic_norm': chain('linear norm linear', 0, fx_dynamic),
    'fx_dynamic_relu_norm': chain('linear relu norm linear', 0, fx_dynamic),
    # The norm stays float behind a quantized layer.
    'eager_float_norm': chain(f'{FLOAT_NORM} {FLOAT_NORM}', 2, eager),
    'eager_float_norm_relu': chain(
        f'{FLOAT_NORM} relu quant conv dequant', 2, eager),
    'eager_float_norm_3d': chain(
        f'{FLOAT_NORM} quant conv dequant', 3, eager),
    'eager_float_norm_linear': chain(
        'quant linear dequant norm quant linear dequant', 0, eager),
    'eager_relu_float_norm': chain(
        'quant conv relu dequant norm quant conv dequant', 2, eager),
    'eager_float_norm_in_list': Case(
        lambda: InList([Chain(FLOAT_NORM, 2) for _ in range(3)]), 2, eager),
    'eager_float_norm_in_loop': Case(
        lambda: InLoop(Chain(FLOAT_NORM, 2), Chain(FLOAT_NORM, 2)), 2, eager),
    'eager_float_norm_in_if': Case(
        lambda: InIf(Chain(FLOAT_NORM, 2), Chain(f'{FLOAT_NORM} relu', 2),
                     Chain(FLOAT_NORM, 2)), 2, eager),
    # A quantized norm of its own.
    'eager_quantized_norm': chain(
        'quant conv norm relu conv norm dequant', 2, eager_all),
    'eager_quantized_relu_norm': chain(
        'quant conv relu norm conv dequant', 2, eager_all),
}


def batch(dims: int, rows: int, shift: float) -> torch.Tensor:
  sizes = [rows, CHANNELS] + [6] * dims
  return torch.randn(sizes) + shift


def make(case: Case) -> Tuple[nn.Module, nn.Module, List[torch.Tensor]]:
  """The float model, the quantized one and batches, which take all arms."""
  model = case.model()
  shapes = [(16, 0.2), (24, -0.2), (16, 0.2), (24, -0.2)]
  calibration = [batch(case.dims, *shape) for shape in shapes]
  common.settle_norms(model, calibration)
  return (model, case.quantize(copy.deepcopy(model), calibration),
          [batch(case.dims, *shape) for shape in shapes])


# Names of modules with what they gave in each call, in order of first calls.
Outputs = Dict[str, List[torch.Tensor]]

PLUMBING = (tq.QuantStub, tq.DeQuantStub, nn.quantized.Quantize,
            nn.quantized.DeQuantize, nn.Identity, nn.Dropout)


def outputs_of(model: nn.Module, batches: List[torch.Tensor]) -> Outputs:
  outputs: Outputs = {}

  def log(name: str) -> Callable[..., None]:
    # Copies: what comes behind may work in place.
    return lambda module, args, result: outputs.setdefault(name, []).append(
        metrics.as_float64(result).clone())

  hooks = [
      module.register_forward_hook(log(name))
      for name, module in model.named_modules()
      if not isinstance(module, PLUMBING) and is_leaf(module)]
  common.calibrate(model, batches)
  for hook in hooks:
    hook.remove()
  return outputs


def is_leaf(module: nn.Module) -> bool:
  """True for a layer; packed parameters and fused parts are modules, too."""
  kind = type(module).__module__
  if kind.endswith('linear') and 'PackedParams' in type(module).__name__:
    return False
  return not list(module.children()) or 'quantized' in kind


def answers(model: nn.Module, quantized: nn.Module,
            batches: List[torch.Tensor]) -> Dict[str, float]:
  of_float = outputs_of(model, batches)
  of_quantized = outputs_of(quantized, batches)
  result = {}
  end = None
  for name in of_float:
    if name in of_quantized:
      end = name
    result.setdefault(end, []).append(name)
  sqnr = {}
  for name, covered in result.items():
    pairs = list(zip(of_float[covered[-1]], of_quantized[name]))
    sqnr[name] = metrics.number(metrics.pool(pairs).sqnr_db())
  if set(sqnr) != set(of_quantized):
    raise ValueError(f'not in the float model: {set(of_quantized) - set(sqnr)}')
  return sqnr


def write(name: str, case: Case, out: str) -> None:
  model, quantized, batches = make(case)
  sqnr = answers(model, quantized, batches)
  low = {layer: db for layer, db in sqnr.items() if float(db) < LEAST_DB}
  if low:
    raise ValueError(f'{name} is ill conditioned: {low}')
  for stem, module in (('float', model), ('quantized', quantized)):
    torch.jit.script(module).save(os.path.join(out, stem + '.pt'))
  torch.save(batches, os.path.join(out, 'inputs.pt'))
  with open(os.path.join(out, 'answers.json'), 'w') as file:
    json.dump(sqnr, file, indent=1)


if __name__ == '__main__':
  case_main.case_main(__doc__, CASES, SEED, write)
