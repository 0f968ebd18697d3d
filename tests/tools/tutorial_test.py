#!/usr/bin/python3
"""Holds what the tutorial prints to what PyTorch's own suite says.

  tutorial_test.py TUTORIAL ANSWERS.txt FILE...

TUTORIAL is //tools:tutorial, FILEs its arguments, and ANSWERS.txt what
tools/tutorial_models/make_models.py wrote.
"""

import subprocess
import sys
import unittest

# The weights of recurrent layers: PyTorch's suite has the hidden-to-hidden one
# alone, and ours the input-to-hidden one, too.
TOLERANCE_DB = 0.02


def printed(text: str) -> dict:
  """SQNR by model, kind and key."""
  figures = {}
  model = kind = ''
  for line in text.splitlines():
    words = line.split()
    if line.startswith('=='):
      model = 'resnet18' if 'ResNet18' in line else 'lstm'
    elif line and not line.startswith(' '):
      kind = words[0].rstrip(':')
    elif line.endswith(' dB'):
      figures[model, kind, words[0]] = float(words[1])
  return figures


def answered(path: str) -> dict:
  with open(path) as file:
    rows = [line.split() for line in file]
  return {(model, kind, key): float(value) for model, kind, key, value in rows}


class TutorialTest(unittest.TestCase):

  def test_keys_and_figures_are_those_of_pytorch(self):
    tutorial, answers, *files = ARGUMENTS
    text = subprocess.run([tutorial] + files, check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    ours, theirs = printed(text), answered(answers)
    self.assertEqual(len(theirs), 21 + 30 + 8 + 7 + 3 + 2)
    self.assertEqual(sorted(ours), sorted(theirs))
    for key, value in theirs.items():
      self.assertAlmostEqual(ours[key], value, delta=TOLERANCE_DB, msg=key)
    self.assertIn('a logger of our own has counted: 30', text)

  def test_wrong_use_is_said(self):
    run = subprocess.run([ARGUMENTS[0]], text=True, stderr=subprocess.PIPE)
    self.assertEqual(run.returncode, 1)
    self.assertIn('give RESNET.pt IMAGES.pt LSTM.pt WORDS.pt', run.stderr)


if __name__ == '__main__':
  ARGUMENTS = sys.argv[1:]
  unittest.main(argv=sys.argv[:1])
