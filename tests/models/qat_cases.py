#!/usr/bin/python3
"""Trains models with fake quantization, as torch.quantization does.

  /usr/bin/python3 tests/models/qat_cases.py --out=DIR

There is a model of each type of module that PyTorch 1.13 trains, and some of
several layers; each is trained for five steps of stochastic gradient descent,
in the last two with frozen batch norms and observers. Files of a model are, in
DIR, <case>_float.pt (scripted, in training), _inputs.pt (the batches of the
steps: input and target), _gradients.pt (of the first step) and _trained.pt
(after the last), both [(dict,)] of what the prepared model's state_dict has
besides fake quantizations, _quantized.pt (scripted) and _outputs.pt (for each batch,
what the quantized model gives). DIR/qat_cases.txt has a line for each:

  conv2d_bn_relu 1 m.0,m.1,m.2

its name, the version of get_default_qat_qconfig, and the chains of modules that
are fused, with ";" between them and "-" for none.
"""

import argparse
import sys

# The source folder may be read-only, and is not the place for caches anyhow.
sys.dont_write_bytecode = True

import copy
import os
from typing import Dict, Iterator, List, NamedTuple, Tuple
import warnings

warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq

SEED = 20261125
STEPS = 5
# From this step on, statistics and ranges stay as they are.
FROZEN = 3


class Case(NamedTuple):
  name: str
  version: int
  model: nn.Module
  shape: Tuple[int, ...]
  chains: List[List[str]]


def case(name: str, *parts: nn.Module, shape: Tuple[int, ...],
         version: int = 1) -> Case:
  """Parts between stubs; several are fused."""
  layer = parts[0] if len(parts) == 1 else nn.Sequential(*parts)
  model = nn.Sequential()
  model.add_module('quant', tq.QuantStub())
  model.add_module('m', layer)
  model.add_module('dequant', tq.DeQuantStub())
  chains = [[f'm.{i}' for i in range(len(parts))]] if len(parts) > 1 else []
  return Case(name, version, model, shape, chains)


class Block(nn.Module):
  """Several layers, one of which is added to what it is given."""

  def __init__(self):
    super().__init__()
    self.quant = tq.QuantStub()
    self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
    self.bn1 = nn.BatchNorm2d(8)
    self.relu1 = nn.ReLU()
    self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
    self.bn2 = nn.BatchNorm2d(8)
    self.add = torch.ao.nn.quantized.FloatFunctional()
    self.relu2 = nn.ReLU()
    self.drop = nn.Dropout(0.0)
    self.fc = nn.Linear(8, 4)
    self.sigmoid = nn.Sigmoid()
    self.dequant = tq.DeQuantStub()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.relu1(self.bn1(self.conv1(self.quant(x))))
    x = self.relu2(self.add.add(self.bn2(self.conv2(x)), x))
    x = self.fc(self.drop(x.mean([2, 3])))
    return self.dequant(self.sigmoid(x))


def cases() -> Iterator[Case]:
  row, image, cube = (4, 4, 9), (4, 4, 8, 8), (4, 4, 5, 6, 6)
  relu = nn.ReLU
  for version in (0, 1):
    name = f'_v{version}'
    yield case('linear' + name, nn.Linear(8, 5), shape=(6, 8), version=version)
    yield case('conv2d_bn_relu' + name, nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6),
               relu(), shape=image, version=version)
  yield case('linear_no_bias', nn.Linear(8, 5, bias=False), shape=(6, 8))
  yield case('linear_relu', nn.Linear(8, 5), relu(), shape=(6, 8))
  yield case('linear_bn1d', nn.Linear(8, 5), nn.BatchNorm1d(5), shape=(6, 8))
  yield case('conv2d', nn.Conv2d(4, 6, 3, padding=1, groups=2), shape=image)
  yield case('conv2d_reflect',
             nn.Conv2d(4, 6, 3, padding=1, padding_mode='reflect'),
             shape=image)
  yield case('conv2d_relu', nn.Conv2d(4, 6, 3, stride=2), relu(), shape=image)
  yield case('conv2d_bn_no_bias', nn.Conv2d(4, 6, 3, bias=False),
             nn.BatchNorm2d(6), shape=image)
  yield case('conv1d_bn', nn.Conv1d(4, 6, 3), nn.BatchNorm1d(6), shape=row)
  yield case('conv1d_bn_relu', nn.Conv1d(4, 6, 3), nn.BatchNorm1d(6), relu(),
             shape=row)
  yield case('conv3d', nn.Conv3d(4, 6, 3), shape=cube)
  yield case('conv3d_relu', nn.Conv3d(4, 6, 3), relu(), shape=cube)
  yield case('conv3d_bn', nn.Conv3d(4, 6, 3), nn.BatchNorm3d(6), shape=cube)
  yield case('conv3d_bn_relu', nn.Conv3d(4, 6, 3), nn.BatchNorm3d(6), relu(),
             shape=cube)
  yield Case('block', 0, Block(), (4, 3, 8, 8),
             [['conv1', 'bn1', 'relu1'], ['conv2', 'bn2']])


def settle(model: nn.Module) -> None:
  """Gives norms statistics and parameters that matter."""
  for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
      module.running_mean.uniform_(-0.5, 0.5)
      module.running_var.uniform_(0.5, 2)
      nn.init.uniform_(module.weight, 0.5, 1.5)
      nn.init.uniform_(module.bias, -0.5, 0.5)


def plain(tensors: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
  """Without what is inside of fake quantizations."""
  return {name: tensor.detach().clone() for name, tensor in tensors.items()
          if 'fake_quant' not in name and 'post_process' not in name}


def freeze_norms(model: nn.Module) -> None:
  """As the function freeze_bn_stats does, which leaves out LinearBn1d."""
  for module in model.modules():
    if hasattr(module, 'freeze_bn_stats'):
      module.freeze_bn_stats()


def train(model: nn.Module, batches: List[tuple]) -> Dict[str, torch.Tensor]:
  """Returns the gradients of the first step."""
  optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
  gradients = {}
  for step, (x, target) in enumerate(batches):
    if step == FROZEN:
      model.apply(tq.disable_observer)
      freeze_norms(model)
    optimizer.zero_grad()
    loss = (model(x) - target).square().mean()
    loss.backward()
    if step == 0:
      gradients = plain({name: parameter.grad
                         for name, parameter in model.named_parameters()})
    optimizer.step()
  return gradients


def write(each: Case, out: str) -> str:
  path = os.path.join(out, each.name)
  settle(each.model)
  model = each.model.train()
  torch.jit.script(model).save(path + '_float.pt')
  if each.chains:
    model = tq.fuse_modules_qat(model, each.chains)
  model.qconfig = tq.get_default_qat_qconfig('fbgemm', each.version)
  model = tq.prepare_qat(model)
  with torch.no_grad():
    target = copy.deepcopy(model)(torch.randn(each.shape))
  batches = [(torch.randn(each.shape), torch.randn(target.shape))
             for _ in range(STEPS)]
  torch.save(batches, path + '_inputs.pt')
  torch.save([(train(model, batches),)], path + '_gradients.pt')
  torch.save([(plain(model.state_dict()),)], path + '_trained.pt')
  quantized = tq.convert(model.eval())
  torch.jit.script(quantized).save(path + '_quantized.pt')
  with torch.no_grad():
    torch.save([(quantized(x),) for x, _ in batches], path + '_outputs.pt')
  chains = ';'.join(','.join(chain) for chain in each.chains)
  return f'{each.name} {each.version} {chains or "-"}\n'


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('--out', metavar='DIR', required=True)
  out = parser.parse_args().out
  os.makedirs(out, exist_ok=True)
  torch.set_num_threads(1)
  torch.backends.quantized.engine = 'onednn'
  torch.manual_seed(SEED)
  lines = [write(each, out) for each in cases()]
  with open(os.path.join(out, 'qat_cases.txt'), 'w') as file:
    file.writelines(lines)


if __name__ == '__main__':
  main()
