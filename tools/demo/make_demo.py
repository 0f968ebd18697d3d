#!/usr/bin/python3
"""Makes the demo: a small residual CNN for MNIST, float and quantized.

Reads the original idx files of MNIST, trains the float model, quantizes it with
PyTorch's FX graph mode, and writes float.pt, quantized.pt, images.pt and
labels.pt. Takes about a minute on two cores.
"""

import argparse
import copy
import gzip
import os
import sys
import time
from typing import List, Tuple

import numpy as np
import torch
from torch import nn
from torch.ao import quantization as tq
from torch.ao.quantization import quantize_fx
from torch.nn import functional as F

SEED = 1
# Mean and standard deviation of the training images, as fractions of white.
MEAN, DEVIATION = 0.1307, 0.3081
TRAIN_BATCH = 128
CALIBRATION_BATCHES, CALIBRATION_BATCH = 16, 64
SAVED_BATCHES, SAVED_BATCH = 8, 32
MIN_ACCURACY = 0.985

IDX_MAGIC = {1: 0x00000801, 3: 0x00000803}


class Block(nn.Module):
  """Two convs and a shortcut around them, as in ResNet-18."""

  def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
    super().__init__()
    self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
    self.bn1 = nn.BatchNorm2d(outputs)
    self.relu = nn.ReLU(inplace=True)
    self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
    self.bn2 = nn.BatchNorm2d(outputs)
    if stride == 1 and inputs == outputs:
      self.downsample = nn.Identity()
    else:
      self.downsample = nn.Sequential(
          nn.Conv2d(inputs, outputs, 1, stride, bias=False),
          nn.BatchNorm2d(outputs))

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    shortcut = self.downsample(x)
    x = self.relu(self.bn1(self.conv1(x)))
    x = self.bn2(self.conv2(x))
    return self.relu(x + shortcut)


class DemoNet(nn.Module):
  """28 x 28 grey images to scores of ten digits."""

  def __init__(self) -> None:
    super().__init__()
    self.conv1 = nn.Conv2d(1, 24, 3, stride=2, padding=1, bias=False)
    self.bn1 = nn.BatchNorm2d(24)
    self.relu = nn.ReLU(inplace=True)
    self.layer1 = Block(24, 24)
    self.layer2 = Block(24, 48, stride=2)
    self.avgpool = nn.AdaptiveAvgPool2d(1)
    self.fc = nn.Linear(48, 10)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.relu(self.bn1(self.conv1(x)))
    x = self.layer2(self.layer1(x))
    return self.fc(torch.flatten(self.avgpool(x), 1))


def read_idx(folder: str, name: str) -> np.ndarray:
  """The array of unsigned bytes in `folder`/`name`, or in `name`.gz there."""
  path = os.path.join(folder, name)
  if os.path.exists(path):
    with open(path, 'rb') as file:
      data = file.read()
  elif os.path.exists(path + '.gz'):
    with gzip.open(path + '.gz', 'rb') as file:
      data = file.read()
  else:
    sys.exit(f'make_demo: {folder}: neither {name} nor {name}.gz is there; '
             'pass --mnist with the folder of the idx files')
  magic = int.from_bytes(data[:4], 'big')
  rank = magic & 0xff
  if IDX_MAGIC.get(rank) != magic:
    sys.exit(f'make_demo: {path}: starts with {magic:#010x}; '
             'expected an idx file of bytes')
  shape = np.frombuffer(data, '>u4', rank, offset=4)
  values = np.frombuffer(data, np.uint8, offset=4 + 4 * rank)
  if values.size != shape.prod(dtype=np.int64):
    sys.exit(f'make_demo: {path}: holds {values.size} values and its header '
             f'says {shape.tolist()}')
  return values.reshape(shape.tolist())


def read_split(folder: str, split: str) -> Tuple[torch.Tensor, torch.Tensor]:
  """Normalized images [N, 1, 28, 28] and labels [N] of 'train' or 't10k'."""
  images = read_idx(folder, f'{split}-images-idx3-ubyte')
  labels = read_idx(folder, f'{split}-labels-idx1-ubyte')
  scaled = torch.from_numpy(images.astype(np.float32) / 255).unsqueeze(1)
  return ((scaled - MEAN) / DEVIATION,
          torch.from_numpy(labels.astype(np.int64)))


def train(model: nn.Module, images: torch.Tensor, labels: torch.Tensor,
          epochs: int) -> None:
  model.train()
  optimizer = torch.optim.AdamW(model.parameters(), weight_decay=0.01)
  steps = len(images) // TRAIN_BATCH
  schedule = torch.optim.lr_scheduler.OneCycleLR(
      optimizer, max_lr=0.01, total_steps=epochs * steps)
  for epoch in range(epochs):
    start, total = time.monotonic(), 0.0
    order = torch.randperm(len(images))
    for step in range(steps):
      chosen = order[step * TRAIN_BATCH:(step + 1) * TRAIN_BATCH]
      loss = F.cross_entropy(model(images[chosen]), labels[chosen])
      optimizer.zero_grad()
      loss.backward()
      optimizer.step()
      schedule.step()
      total += loss.item()
    print(f'epoch {epoch + 1}/{epochs}: loss {total / steps:.4f}, '
          f'{time.monotonic() - start:.0f} s', file=sys.stderr)
  model.eval()


def quantize(model: nn.Module, batches: List[torch.Tensor]) -> nn.Module:
  """Post-training static quantization, calibrated on `batches`."""
  prepared = quantize_fx.prepare_fx(
      copy.deepcopy(model), tq.get_default_qconfig_mapping('fbgemm'),
      (batches[0],))
  with torch.no_grad():
    for batch in batches:
      prepared(batch)
  return quantize_fx.convert_fx(prepared)


def accuracy(path: str, images: torch.Tensor, labels: torch.Tensor) -> float:
  """Fraction of `images` that the model saved at `path` gets right."""
  model = torch.jit.load(path)
  right = 0
  with torch.no_grad():
    for image, label in zip(images.split(500), labels.split(500)):
      right += int((model(image).argmax(1) == label).sum())
  return right / len(labels)


def batches_of(tensor: torch.Tensor, count: int,
               size: int) -> List[torch.Tensor]:
  """The first `count` batches; clones, as torch.save writes whole storages."""
  return [batch.clone() for batch in tensor[:count * size].split(size)]


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
  parser.add_argument('--mnist', required=True, metavar='DIR',
                      help='folder of the four idx files, plain or .gz')
  parser.add_argument('--out', required=True, metavar='DIR',
                      help='folder to write the four .pt files to')
  parser.add_argument('--epochs', type=int, default=5)
  parser.add_argument('--threads', type=int, default=2)
  args = parser.parse_args()

  torch.set_num_threads(args.threads)
  torch.manual_seed(SEED)
  torch.backends.quantized.engine = 'onednn'
  train_images, train_labels = read_split(args.mnist, 'train')
  test_images, test_labels = read_split(args.mnist, 't10k')

  model = DemoNet()
  print(f'{sum(p.numel() for p in model.parameters())} parameters',
        file=sys.stderr)
  train(model, train_images, train_labels, args.epochs)
  quantized = quantize(model, batches_of(train_images, CALIBRATION_BATCHES,
                                         CALIBRATION_BATCH))

  os.makedirs(args.out, exist_ok=True)
  def out(name: str) -> str:
    return os.path.join(args.out, name)
  torch.jit.script(model).save(out('float.pt'))
  torch.jit.script(quantized).save(out('quantized.pt'))
  torch.save(batches_of(test_images, SAVED_BATCHES, SAVED_BATCH),
             out('images.pt'))
  torch.save(batches_of(test_labels, SAVED_BATCHES, SAVED_BATCH),
             out('labels.pt'))

  float_accuracy = accuracy(out('float.pt'), test_images, test_labels)
  quantized_accuracy = accuracy(out('quantized.pt'), test_images, test_labels)
  print(f'test accuracy: float {float_accuracy:.2%}, '
        f'quantized {quantized_accuracy:.2%}')
  if min(float_accuracy, quantized_accuracy) < MIN_ACCURACY:
    sys.exit(f'make_demo: an accuracy is below {MIN_ACCURACY:.1%}; '
             'train longer with --epochs')


if __name__ == '__main__':
  main()
