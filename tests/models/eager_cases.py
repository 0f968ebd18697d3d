#!/usr/bin/python3
"""Writes the model pairs of PyTorch's own tests of the eager numeric suite.

  /usr/bin/python3 tests/models/eager_cases.py --out=DIR

The models are PyTorch's: they come with python3-torch, for its tests. A pair
is made for both quantized engines, as packed weights belong to one; the network
of the suite's tutorial, resnet18, for onednn. Files of a pair are
DIR/<engine>_<case>_float.pt, _quantized.pt, _float_state.pt and
_quantized_state.pt (their state_dicts), _inputs.pt (a list of batches), and
_answers.txt: what PyTorch's suite says of the pair, a line each:

  stubs conv.stats 46.242374

that is, of compare_model_stub (compare_model_outputs, compare_weights) for this
key the SQNR in dB, over all batches.
"""

import argparse
import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import copy
import os
from typing import Any, Dict, Iterator, List, Tuple
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.ns import _numeric_suite as suite
from torch.ao.nn.quantized import FloatFunctional

import expecttest_stand_in
import metrics
import suites
import vision

expecttest_stand_in.install()

from torch.testing._internal import common_quantization

ENGINES = ('onednn', 'qnnpack')
SEED = 20221213


class HiddenLstm(common_quantization.LSTMwithHiddenDynamicModel):
  """PyTorch's, with the annotation that scripting needs."""

  def forward(self, x: torch.Tensor, hid: Tuple[torch.Tensor, torch.Tensor]):
    x, hid = self.lstm(x, hid)
    return x, hid


class Block(nn.Module):
  """Quantizes inside, so that it takes and returns float tensors."""

  def __init__(self):
    super().__init__()
    self.qconfig = tq.default_qconfig
    self.mod1 = nn.Conv2d(3, 3, 3, bias=False)
    self.mod2 = nn.ReLU()
    self.quant = tq.QuantStub()
    self.dequant = tq.DeQuantStub()

  def forward(self, x):
    return self.dequant(self.mod2(self.mod1(self.quant(x))))


class BlockAndConv(nn.Module):
  """Only the block is quantized."""

  def __init__(self):
    super().__init__()
    self.mod1 = Block()
    self.conv = nn.Conv2d(3, 5, 3, bias=False)

  def forward(self, x):
    return self.conv(self.mod1(x))


class Functionals(nn.Module):
  """All methods of FloatFunctional."""

  def __init__(self):
    super().__init__()
    self.mycat = FloatFunctional()
    self.myadd = FloatFunctional()
    self.mymul = FloatFunctional()
    self.myadd_relu = FloatFunctional()
    self.my_scalar_add = FloatFunctional()
    self.my_scalar_mul = FloatFunctional()
    self.quant = tq.QuantStub()
    self.dequant = tq.DeQuantStub()

  def forward(self, x):
    x = self.quant(x)
    x = self.mycat.cat([x, x, x])
    x = self.myadd.add(x, x)
    x = self.mymul.mul(x, x)
    x = self.myadd_relu.add_relu(x, x)
    x = self.my_scalar_add.add_scalar(x, -0.5)
    x = self.my_scalar_mul.mul_scalar(x, 0.5)
    return self.dequant(x)


# A float model, the quantized one, and batches: tuples of arguments.
Pair = Tuple[nn.Module, nn.Module, List[tuple]]


def static(model: nn.Module, batch: torch.Tensor) -> Pair:
  model.eval()
  if hasattr(model, 'fuse_model'):
    model.fuse_model()
  return model, tq.quantize(model, lambda m, x: m(x), [batch]), [(batch,)]


def dynamic(model: nn.Module, *batch: Any) -> Pair:
  model.eval()
  return model, tq.quantize_dynamic(model), [batch]


def functionals(image: torch.Tensor) -> Pair:
  model = Functionals().eval()
  model.qconfig = tq.get_default_qconfig('fbgemm')
  prepared = tq.prepare(model)
  prepared(image)
  return model, tq.convert(prepared), [(image,)]


def make_cases(engine: str) -> Dict[str, Pair]:
  models = common_quantization
  image = torch.rand(1, 3, 10, 10)
  rows = torch.rand(2, 5)
  hidden = (torch.rand(1, 1, 2), torch.rand(1, 1, 2))
  return {
      'conv': static(models.AnnotatedConvModel(engine), image),
      # Weights per channel have no transposed kernel: qnnpack's defaults.
      'conv_transpose': static(
          models.AnnotatedConvTransposeModel('qnnpack'), image),
      'conv_bn_relu': static(models.AnnotatedConvBnReLUModel(engine), image),
      'linear': static(models.AnnotatedSingleLayerLinearModel(engine), rows),
      'two_linears': static(models.AnnotatedTwoLayerLinearModel(), rows),
      'submodule': static(BlockAndConv(), image),
      'functionals': functionals(image),
      'linear_dynamic': dynamic(
          models.SingleLayerLinearDynamicModel(engine), rows),
      'lstm_dynamic': dynamic(
          HiddenLstm(engine), torch.rand(1, 1, 2), hidden),
  }


def tutorial() -> Pair:
  pair = vision.resnet18_eager()
  return (pair.reference_float, pair.quantized_model,
          [(batch,) for batch in pair.batches])


SWAP_LIST = [
    nn.Conv2d, nn.intrinsic.ConvReLU2d, nn.ConvTranspose2d, nn.Linear, nn.LSTM,
    Block, FloatFunctional,
]
TUTORIAL_SWAP_LIST = [
    vision.torchvision.models.quantization.resnet.QuantizableBasicBlock]


class WholeShadowLogger(suite.ShadowLogger):
  """Keeps all samples of a batch, not just the first."""

  def forward(self, x, y):
    self.stats['quantized'].append(first_tensor(x).detach().clone())
    self.stats['float'].append(first_tensor(y).detach().clone())


def answers(pair: Pair,
            swap_list: List[type]) -> Iterator[Tuple[str, str, Any]]:
  """What PyTorch's suite says of the pair: kind, key, SQNR."""
  model, quantized, batches = pair
  weights = suite.compare_weights(model.state_dict(), quantized.state_dict())
  for key, value in weights.items():
    yield 'weights', key, sqnr([value['float']], [value['quantized']])

  stubbed = copy.deepcopy(quantized)
  suite.prepare_model_with_stubs(
      copy.deepcopy(model), stubbed, swap_list, WholeShadowLogger)
  run(stubbed, batches)
  for key, value in suite.get_logger_dict(stubbed).items():
    yield 'stubs', key, sqnr(value['float'], value['quantized'])

  logged = copy.deepcopy(model), copy.deepcopy(quantized)
  suite.prepare_model_outputs(*logged, suites.EagerCopyingLogger)
  for module in logged:
    run(module, batches)
  for key, value in suite.get_matching_activations(*logged).items():
    # Loggers of fused float modules see every output twice.
    repeats = len(value['float']) // len(value['quantized'])
    yield 'outputs', key, sqnr(value['float'][::repeats], value['quantized'])


def run(model: nn.Module, batches: List[tuple]) -> None:
  with torch.no_grad():
    for batch in batches:
      model(*batch)


def sqnr(x: List[Any], y: List[Any]) -> Any:
  pairs = [(first_tensor(a), first_tensor(b)) for a, b in zip(x, y)]
  return metrics.number(metrics.pool(pairs).sqnr_db())


def first_tensor(value: Any) -> torch.Tensor:
  return value[0] if isinstance(value, tuple) else value


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('--out', metavar='DIR', required=True)
  out = parser.parse_args().out
  os.makedirs(out, exist_ok=True)
  torch.set_num_threads(1)
  for engine in ENGINES:
    torch.backends.quantized.engine = engine
    torch.manual_seed(SEED)
    for name, pair in make_cases(engine).items():
      write(os.path.join(out, engine + '_' + name), pair, SWAP_LIST)
  torch.backends.quantized.engine = 'onednn'
  write(os.path.join(out, 'onednn_resnet18'), tutorial(), TUTORIAL_SWAP_LIST)


def write(stem: str, pair: Pair, swap_list: List[type]) -> None:
  model, quantized, batches = pair
  torch.jit.script(model).save(stem + '_float.pt')
  torch.jit.script(quantized).save(stem + '_quantized.pt')
  torch.save(model.state_dict(), stem + '_float_state.pt')
  torch.save(quantized.state_dict(), stem + '_quantized_state.pt')
  torch.save(batches, stem + '_inputs.pt')
  with open(stem + '_answers.txt', 'w') as file:
    for kind, key, value in answers(pair, swap_list):
      file.write(f'{kind} {key} {value}\n')


if __name__ == '__main__':
  main()
