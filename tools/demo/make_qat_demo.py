#!/usr/bin/python3
"""Makes and measures the demo of training: a small net for Fashion-MNIST.

  make_qat_demo.py --out=DIR              batches to train on, and their labels
  make_qat_demo.py --out=DIR --train      and fashion_float.pt, in a minute
  make_qat_demo.py --out=DIR --measure=A.pt,B.pt   how well models classify

The convolutions of the net are separable, as in MobileNet: each first filters
its channels one by one. One scale for all channels of such a weight, as qnnpack
has it, costs accuracy, which training wins back. How much it costs differs from
one training of the float model to the next, also with the same seed.
"""

import argparse
import os
import sys
import time
from typing import List

import torch
from torch import nn
from torch.nn import functional as F

from make_demo import read_idx

DATA = '/usr/share/datasets/fashion-mnist'  # Debian's dataset-fashion-mnist
SEED = 0
# Mean and standard deviation of the training images, as fractions of white.
MEAN, DEVIATION = 0.286, 0.353
EPOCHS, TRAIN_BATCH, RATE = 4, 128, 0.2
SAVED_BATCHES, SAVED_BATCH, TEST_BATCH = 400, 64, 100


class Separable(nn.Module):

  def __init__(self, inputs: int, outputs: int, stride: int) -> None:
    super().__init__()
    self.filter = nn.Conv2d(inputs, inputs, 3, stride, padding=1,
                            groups=inputs, bias=False)
    self.bn1 = nn.BatchNorm2d(inputs)
    self.relu1 = nn.ReLU6()
    self.mix = nn.Conv2d(inputs, outputs, 1, bias=False)
    self.bn2 = nn.BatchNorm2d(outputs)
    self.relu2 = nn.ReLU6()

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.relu1(self.bn1(self.filter(x)))
    return self.relu2(self.bn2(self.mix(x)))


class FashionNet(nn.Module):
  """28 x 28 grey images to scores of ten kinds of clothes."""

  def __init__(self) -> None:
    super().__init__()
    self.conv = nn.Conv2d(1, 16, 3, stride=2, padding=1, bias=False)
    self.bn = nn.BatchNorm2d(16)
    self.relu = nn.ReLU6()
    self.blocks = nn.Sequential(
        Separable(16, 32, 1), Separable(32, 48, 2), Separable(48, 48, 1),
        Separable(48, 64, 2), Separable(64, 64, 1))
    self.fc = nn.Linear(64, 10)

  def forward(self, x: torch.Tensor) -> torch.Tensor:
    x = self.blocks(self.relu(self.bn(self.conv(x))))
    return self.fc(x.mean((2, 3)))


def read_split(folder: str, split: str):
  """Normalized images [N, 1, 28, 28] and labels [N] of 'train' or 't10k'."""
  images, labels = (
      torch.from_numpy(read_idx(folder, f'{split}-{name}-ubyte').copy())
      for name in ('images-idx3', 'labels-idx1'))
  scaled = images.float().unsqueeze(1) / 255
  return (scaled - MEAN) / DEVIATION, labels.long()


def train(model: nn.Module, images: torch.Tensor, labels: torch.Tensor) -> None:
  optimizer = torch.optim.SGD(model.parameters(), RATE, momentum=0.9,
                              weight_decay=1e-4)
  steps = len(images) // TRAIN_BATCH
  schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE,
                                                 total_steps=EPOCHS * steps)
  start = time.time()
  for epoch in range(EPOCHS):
    order = torch.randperm(len(images))
    for step in range(steps):
      chosen = order[step * TRAIN_BATCH:(step + 1) * TRAIN_BATCH]
      loss = F.cross_entropy(model(images[chosen]), labels[chosen])
      optimizer.zero_grad()
      loss.backward()
      optimizer.step()
      schedule.step()
    print(f'epoch {epoch + 1} of {EPOCHS}: {time.time() - start:.0f} s',
          file=sys.stderr)
  model.eval()


def batches_of(tensor: torch.Tensor, size: int) -> List[torch.Tensor]:
  """Clones, as torch.save writes whole storages."""
  return [batch.clone() for batch in tensor.split(size)]


def accuracy(path: str, images: torch.Tensor, labels: torch.Tensor) -> float:
  model = torch.jit.load(path)
  right = 0
  with torch.no_grad():
    for image, label in zip(images.split(TEST_BATCH), labels.split(TEST_BATCH)):
      right += int((model(image).argmax(1) == label).sum())
  return right / len(labels)


def main() -> None:
  parser = argparse.ArgumentParser(
      description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
  parser.add_argument('--data', default=DATA, metavar='DIR',
                      help='folder of the four idx files, plain or .gz')
  parser.add_argument('--out', required=True, metavar='DIR')
  parser.add_argument('--train', action='store_true')
  parser.add_argument('--measure', default='', metavar='MODELS')
  parser.add_argument('--engine', default='qnnpack')
  args = parser.parse_args()

  torch.set_num_threads(2)
  torch.manual_seed(SEED)
  torch.backends.quantized.engine = args.engine
  os.makedirs(args.out, exist_ok=True)
  def out(name: str) -> str:
    return os.path.join(args.out, name)
  test_images, test_labels = read_split(args.data, 't10k')
  if args.measure:
    for path in args.measure.split(','):
      print(f'{path}: {accuracy(path, test_images, test_labels):.2%} of the '
            'test images')
    return
  images, labels = read_split(args.data, 'train')
  if args.train:
    model = FashionNet()
    train(model, images, labels)
    torch.jit.script(model).save(out('fashion_float.pt'))
  chosen = torch.randperm(len(images))[:SAVED_BATCHES * SAVED_BATCH]
  torch.save(batches_of(images[chosen], SAVED_BATCH), out('images.pt'))
  torch.save(batches_of(labels[chosen], SAVED_BATCH), out('labels.pt'))


if __name__ == '__main__':
  main()
