#!/usr/bin/python3
"""Makes the model of tools/docs/debugging.md, a detector that int8 has broken.

  /usr/bin/python3 tools/demo/make_detector.py --out=DIR

Writes float.pt, a small detector with random weights, which returns boxes in
pixels and scores from 0 to 1 in one tensor; quantized.pt, what PyTorch's FX
graph mode makes of it; and inputs.pt, a list of 8 batches of images.
"""

import argparse
import copy
import os
import warnings

import torch
from torch import nn
from torch.ao.quantization import quantize_fx
from torch.ao.quantization import get_default_qconfig_mapping

SEED = 1
BATCHES, SIZE = 8, 32
BOXES, CLASSES = 4, 8
PIXELS = 320  # The size of the images that the boxes are for.


class Block(nn.Module):
  """Halves the size of an image."""

  def __init__(self, inputs: int, outputs: int) -> None:
    super().__init__()
    self.conv = nn.Conv2d(inputs, outputs, 3, stride=2, padding=1)
    self.relu = nn.ReLU()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.relu(self.conv(x))


class Detector(nn.Module):
  """Images [N, 3, H, W] to boxes and scores, [N, 4 + 8, H / 4, W / 4]."""

  def __init__(self) -> None:
    super().__init__()
    self.backbone = nn.Sequential(Block(3, 16), Block(16, 32))
    self.boxes = nn.Conv2d(32, BOXES, 1)
    self.scores = nn.Conv2d(32, CLASSES, 1)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.backbone(x)
    return torch.cat([self.boxes(x), torch.sigmoid(self.scores(x))], 1)


def spread(model: Detector) -> None:
  """Gives the layers values as large as training would; boxes are in pixels."""
  for module in model.modules():
    if isinstance(module, nn.Conv2d):
      nn.init.kaiming_normal_(module.weight, nonlinearity='relu')
      nn.init.uniform_(module.bias, -0.2, 0.2)
  with torch.no_grad():
    model.boxes.weight.mul_(PIXELS / 10)
    model.boxes.bias.copy_(torch.full([BOXES], PIXELS / 2))


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument('--out', metavar='DIR', required=True)
  args = parser.parse_args()
  warnings.filterwarnings('ignore')
  torch.manual_seed(SEED)
  torch.set_num_threads(1)
  torch.backends.quantized.engine = 'onednn'
  model = Detector().eval()
  spread(model)
  batches = [torch.rand(4, 3, SIZE, SIZE) for _ in range(BATCHES)]
  prepared = quantize_fx.prepare_fx(
      copy.deepcopy(model), get_default_qconfig_mapping('fbgemm'),
      (batches[0],))
  with torch.no_grad():
    for batch in batches:
      prepared(batch)
  os.makedirs(args.out, exist_ok=True)
  for name, module in (('float', model),
                       ('quantized', quantize_fx.convert_fx(prepared))):
    torch.jit.script(module).save(os.path.join(args.out, name + '.pt'))
  torch.save(batches, os.path.join(args.out, 'inputs.pt'))


if __name__ == '__main__':
  main()
