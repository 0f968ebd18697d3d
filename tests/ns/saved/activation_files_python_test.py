"""Python reads saved activations.

  activation_files_python_test.py SAVE_ACTIVATIONS
"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import torch

SAVE = os.path.abspath(sys.argv[1])
X = torch.arange(24.0).reshape(2, 3, 4)


class ActivationFilesTest(unittest.TestCase):

  @classmethod
  def setUpClass(cls):
    folder = tempfile.TemporaryDirectory()
    cls.addClassCleanup(folder.cleanup)
    cls.folder = folder.name + '/new/folder'
    subprocess.run([SAVE, cls.folder], check=True)

  def load(self, layer, file):
    path = os.path.join(self.folder, urllib.parse.quote(layer, safe='@'), file)
    return torch.load(path)

  def assert_same(self, actual, expected):
    self.assertEqual(actual.dtype, expected.dtype)
    self.assertEqual(actual.qscheme() if actual.is_quantized else None,
                     expected.qscheme() if expected.is_quantized else None)
    self.assertTrue(torch.equal(actual, expected))

  def test_names_give_layers_back(self):
    names = os.listdir(self.folder)
    self.assertEqual(
        {urllib.parse.unquote(name) for name in names if name[0] != '.'},
        {'layer1/conv', 'channels', 'dtypes'})
    self.assertEqual(len(glob.glob(self.folder + '/*/batch_*.pt')), 3)

  def test_reads_dicts_of_tensors(self):
    saved = self.load('layer1/conv', 'batch_0003.pt')
    self.assertIs(type(saved), dict)
    self.assertEqual(list(saved), ['float', 'quantized', 'shadow'])
    self.assert_same(saved['float'], X)
    self.assert_same(saved['shadow'], X.transpose(1, 2))

  def test_files_need_no_code_of_torchscript(self):
    saved = torch.load(self.folder + '/dtypes/batch_0000.pt',
                       weights_only=True)
    self.assertEqual(len(saved), 6)

  def test_reads_quantized_tensors(self):
    saved = self.load('layer1/conv', 'batch_0003.pt')['quantized']
    self.assert_same(saved,
                     torch.quantize_per_tensor(X, 0.5, 3, torch.quint8))
    self.assertEqual((saved.q_scale(), saved.q_zero_point()), (0.5, 3))
    saved = self.load('channels', 'batch_0000_call_0001.pt')
    expected = torch.quantize_per_channel(
        X, torch.arange(1.0, 4.0).double(), torch.arange(3), 1, torch.qint8)
    self.assert_same(saved['int8'], expected)
    self.assertEqual(saved['int8'].q_per_channel_axis(), 1)
    self.assertTrue(torch.equal(saved['int8'].dequantize(),
                                expected.dequantize()))
    self.assert_same(
        saved['view'],
        torch.quantize_per_tensor(X, 2.0, 0, torch.qint32)[1])

  def test_reads_other_tensors(self):
    saved = self.load('dtypes', 'batch_0000.pt')
    self.assert_same(saved['empty'], torch.empty(0, 3))
    self.assert_same(saved['scalar'], torch.tensor(2.5).double())
    self.assert_same(saved['half'], X.half())
    self.assert_same(saved['long'], torch.arange(3))
    self.assert_same(saved['bool'], X > 5)
    self.assertFalse(saved['grad'].requires_grad)


if __name__ == '__main__':
  unittest.main(argv=sys.argv[:1])
