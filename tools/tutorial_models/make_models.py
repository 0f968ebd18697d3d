#!/usr/bin/python3
"""Makes the models of the tutorial, and what PyTorch's own suite says of them.

  /usr/bin/python3 tools/tutorial_models/make_models.py --out=DIR

Writes to DIR: resnet18.pt, torchvision's float quantizable ResNet18 with random
weights, images.pt, two batches for it, and resnet18_quantized.pt, what Python
makes of it; lstm.pt, the language model of the
tutorial of dynamic quantization, and words.pt, a batch for it; and answers.txt,
which has the figures of torch.ao.ns._numeric_suite on the models that
torch.quantization makes, a line each:

  resnet18 weights conv1.weight 31.66
"""

import argparse
import copy
import os
import sys
import warnings

sys.dont_write_bytecode = True
warnings.filterwarnings('ignore')

import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.ns import _numeric_suite as suite
import torchvision


class LSTMModel(nn.Module):
  """Container module with an encoder, a recurrent module, and a decoder."""

  def __init__(self, ntoken: int, ninp: int, nhid: int, nlayers: int):
    super().__init__()
    self.encoder = nn.Embedding(ntoken, ninp)
    self.rnn = nn.LSTM(ninp, nhid, nlayers)
    self.decoder = nn.Linear(nhid, ntoken)
    nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
    nn.init.uniform_(self.decoder.weight, -0.1, 0.1)
    nn.init.zeros_(self.decoder.bias)

  def forward(self, input: torch.Tensor, hidden: tuple[torch.Tensor,
                                                       torch.Tensor]):
    emb = self.encoder(input)
    output, hidden = self.rnn(emb, hidden)
    return self.decoder(output), hidden


class WholeShadowLogger(suite.ShadowLogger):
  """Keeps all samples of a batch, not just the first."""

  def forward(self, x, y):
    self.stats['quantized'].append(first(x).detach().clone())
    self.stats['float'].append(first(y).detach().clone())


class FirstTensorLogger(suite.OutputLogger):
  """Keeps the first tensor of a tuple, too."""

  def forward(self, x):
    self.stats['tensor_val'].append(first(x).detach().clone())
    return x


def first(value):
  return value[0] if isinstance(value, tuple) else value


def settled(model: nn.Module, batches: list) -> nn.Module:
  """Random norms make deep activations vanish: their statistics are taken."""
  for module in model.modules():
    if isinstance(module, nn.BatchNorm2d):
      module.momentum = None
  model.train()
  with torch.no_grad():
    for batch in batches:
      model(*batch)
  return model.eval()


def sqnr(x: list, y: list) -> float:
  def floats(values):
    return torch.cat([
        (v.dequantize() if v.is_quantized else v).double().flatten()
        for v in values])
  signal, other = floats(x), floats(y)
  return 20 * torch.log10(signal.norm() / (signal - other).norm()).item()


def answers(name: str, model: nn.Module, quantized: nn.Module, batches: list,
            swap_list: list):
  """Lines of answers.txt."""
  weights = suite.compare_weights(model.state_dict(), quantized.state_dict())
  for key, value in weights.items():
    yield name, 'weights', key, sqnr([value['float']], [value['quantized']])
  logged = copy.deepcopy(model), copy.deepcopy(quantized)
  suite.prepare_model_outputs(*logged, FirstTensorLogger)
  stubbed = copy.deepcopy(quantized)
  suite.prepare_model_with_stubs(
      copy.deepcopy(model), stubbed, swap_list, WholeShadowLogger)
  with torch.no_grad():
    for batch in batches:
      for each in (*logged, stubbed):
        each(*batch)
  for key, value in suite.get_matching_activations(*logged).items():
    # Loggers of fused float modules see every output twice.
    repeats = len(value['float']) // len(value['quantized'])
    yield name, 'outputs', key, sqnr(value['float'][::repeats],
                                     value['quantized'])
  for key, value in suite.get_logger_dict(stubbed).items():
    yield name, 'stubs', key, sqnr(value['float'], value['quantized'])


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument('--out', metavar='DIR', required=True)
  out = parser.parse_args().out
  os.makedirs(out, exist_ok=True)
  torch.manual_seed(0)
  torch.set_num_threads(1)
  torch.backends.quantized.engine = 'onednn'

  images = [(torch.rand(2, 3, 64, 64),) for _ in range(2)]
  resnet = settled(torchvision.models.quantization.resnet18(
      weights=None, quantize=False), images)
  torch.jit.script(resnet).save(os.path.join(out, 'resnet18.pt'))
  torch.save(images, os.path.join(out, 'images.pt'))
  fused = copy.deepcopy(resnet)
  fused.fuse_model(is_qat=False)
  fused.qconfig = tq.default_qconfig
  quantized = tq.quantize(
      fused, lambda m, batches: [m(*batch) for batch in batches], [images])
  torch.jit.script(quantized).save(os.path.join(out, 'resnet18_quantized.pt'))
  lines = list(answers('resnet18', fused, quantized, images, [
      torchvision.models.quantization.resnet.QuantizableBasicBlock]))

  lstm = LSTMModel(ntoken=10, ninp=512, nhid=256, nlayers=5).eval()
  words = [(torch.randint(10, (1, 10)),
            (torch.rand(5, 10, 256), torch.rand(5, 10, 256)))]
  torch.jit.script(lstm).save(os.path.join(out, 'lstm.pt'))
  torch.save(words, os.path.join(out, 'words.pt'))
  quantized = tq.quantize_dynamic(lstm, {nn.LSTM, nn.Linear}, dtype=torch.qint8)
  lines += answers('lstm', lstm, quantized, words, [nn.Linear, nn.LSTM])

  with open(os.path.join(out, 'answers.txt'), 'w') as file:
    for name, kind, key, value in lines:
      file.write(f'{name} {kind} {key} {value:.6f}\n')


if __name__ == '__main__':
  main()
