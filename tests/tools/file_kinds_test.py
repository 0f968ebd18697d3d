"""Files of other tools: what they are, and the way out. Inputs from NumPy."""

import io
import unittest
import zipfile

import numpy
import torch

import cli


class Net(torch.nn.Module):

  def __init__(self):
    super().__init__()
    self.fc = torch.nn.Linear(4, 3)

  def forward(self, x):
    return self.fc(x)


class Two(torch.nn.Module):

  def forward(self, x, y):
    return x + 2 * y


def saved(value):
  buffer = io.BytesIO()
  torch.save(value, buffer)
  return buffer.getvalue()


def archive(*names):
  buffer = io.BytesIO()
  with zipfile.ZipFile(buffer, 'w') as file:
    for name in names:
      file.writestr(name, b'{}')
  return buffer.getvalue()


def onnx_model():
  buffer = io.BytesIO()
  torch.onnx.export(Net(), torch.zeros(1, 4), buffer)
  return buffer.getvalue()


def npz():
  buffer = io.BytesIO()
  numpy.savez(buffer, x=numpy.zeros(3))
  return buffer.getvalue()


# The bytes of a file, and what is said of it as a model.
MODELS = {
    'onnx': (onnx_model(), ('ONNX', 'torch.jit.save')),
    'pt2': (archive('archive/version', 'serialized_exported_program.json'),
            ('torch.export', 'torch.jit.trace')),
    'new pt2': (archive('m/archive_format', 'm/models/model.json',
                        'm/data/weights/weight_0'),
                ('torch.export', 'torch.jit.trace')),
    'aoti': (archive('m/archive_format', 'm/data/aotinductor/model/x.so'),
             ('AOTInductor',)),
    'safetensors': (b'\x3a\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[1],'
                    b'"data_offsets":[0,4]}}' + bytes(4),
                    ('safetensors', 'without code')),
    'gguf': (b'GGUF\3\0\0\0' + bytes(32), ('GGUF',)),
    'tflite': (b'\x1c\0\0\0TFL3' + bytes(32), ('TensorFlow Lite',)),
    'hdf5': (b'\x89HDF\r\n\x1a\n' + bytes(32), ('HDF5',)),
    'npz': (npz(), ('.npz',)),
    'png': (b'\x89PNG\r\n\x1a\n' + bytes(32), ('image', 'PNG')),
    'jpeg': (b'\xff\xd8\xff\xe0' + bytes(32), ('image', 'JPEG')),
    'html': (b'\n<!DOCTYPE html><html>404</html>', ('HTML', 'download')),
    'lfs': (b'version https://git-lfs.github.com/spec/v1\noid sha256:0\n',
            ('Git LFS', 'git lfs pull')),
    'gzip': (b'\x1f\x8b\x08' + bytes(32), ('gzip', 'gunzip')),
    'module': (saved(Net()), ('object of type', 'Net', 'torch.jit.script')),
    'state_dict': (saved(Net().state_dict()), ('state_dict',)),
    'checkpoint': (saved({'epoch': 3, 'state_dict': Net().state_dict()}),
                   ('checkpoint', "'state_dict'")),
    'tensor': (saved(torch.zeros(3)), ('tensor',)),
    'batches': (saved([torch.zeros(3)]), ('list', 'sample inputs')),
}

# Those that are not for torch.save's reader to judge.
NOT_INPUTS = {
    'onnx': 'ONNX', 'pt2': 'torch.export', 'aoti': 'AOTInductor',
    'safetensors': 'safetensors', 'png': '[N, C, H, W]', 'html': 'HTML',
    'lfs': 'git lfs pull', 'gzip': 'gunzip',
}


class FileKindsTest(cli.CliTest):

  def write(self, name, content):
    with open(self.path(name), 'wb') as file:
      file.write(content)
    return self.path(name)

  def test_what_a_file_is_that_is_no_model(self):
    for name, (content, words) in MODELS.items():
      path = self.write('model.pt', content)
      with self.subTest(name):
        self.fail_with(3, 'match', path, 'net_quantized.pt',
                       names=(path, *words))

  def test_what_a_file_is_that_holds_no_batches(self):
    for name, word in NOT_INPUTS.items():
      path = self.write('inputs.pt', MODELS[name][0])
      with self.subTest(name):
        self.fail_with(3, *cli.COMPARE, f'--inputs={path}', names=(path, word))

  def test_cut_files_are_said_to_be_cut(self):
    for name in ('npz', 'module', 'new pt2'):
      content = MODELS[name][0]
      path = self.write('cut.pt', content[:len(content) // 2])
      with self.subTest(name):
        self.fail_with(3, 'match', path, 'net_quantized.pt', names='truncated')


class NumpyInputsTest(cli.CliTest):

  def quantized_net(self):
    torch.jit.script(Net()).save(self.path('net.pt'))
    self.succeed('quantize', 'net.pt', 'random:5,4', '-o', 'q.pt', '--quiet',
                 cwd=self.folder)

  def compare(self, *inputs):
    return self.succeed('compare', 'net.pt', 'q.pt', *inputs, '--json=-',
                        cwd=self.folder)[0]

  def figures(self, *inputs):
    return [line for line in self.compare(*inputs).splitlines()
            if 'sqnr_db' in line]

  def test_npy_is_a_batch(self):
    self.quantized_net()
    batches = [torch.randn(5, 4), torch.randn(5, 4)]
    torch.save(batches, self.path('saved.pt'))
    for i, batch in enumerate(batches):
      numpy.save(self.path(f'{i}.npy'), batch.numpy())
    figures = self.figures('saved.pt')
    self.assertGreater(len(figures), 2)
    self.assertEqual(self.figures('0.npy', '1.npy'), figures)
    self.assertEqual(self.figures('--inputs=0.npy,1.npy'), figures)

  def test_npz_is_a_batch_of_arguments(self):
    self.quantized_net()
    x = torch.randn(5, 4).numpy()
    torch.save([torch.from_numpy(x)], self.path('saved.pt'))
    figures = self.figures('saved.pt')
    for save in (numpy.savez, numpy.savez_compressed):
      save(self.path('named.npz'), x=x)
      save(self.path('unnamed.npz'), x)
      save(self.path('fortran.npz'), numpy.asfortranarray(x))
      for name in ('named', 'unnamed', 'fortran'):
        self.assertEqual(self.figures(f'{name}.npz'), figures)

  def test_npz_names_are_arguments(self):
    self.quantized_net()
    numpy.savez(self.path('wrong.npz'), z=numpy.zeros((5, 4), 'float32'))
    self.fail_with(3, 'compare', 'net.pt', 'q.pt', 'wrong.npz',
                   names=('wrong.npz', "'z'"), cwd=self.folder)

  def test_damaged_arrays_are_refused(self):
    self.quantized_net()
    content = bytearray(npz())
    content[content.index(b'NUMPY') + 140] ^= 0xff
    with open(self.path('bad.npz'), 'wb') as file:
      file.write(content)
    self.fail_with(3, 'compare', 'net.pt', 'q.pt', 'bad.npz',
                   names=('bad.npz', 'array x'), cwd=self.folder)
    numpy.savez(self.path('texts.npz'), x=numpy.array(['a']))
    self.fail_with(3, 'compare', 'net.pt', 'q.pt', 'texts.npz',
                   names=('texts.npz', 'array x'), cwd=self.folder)


class RandomInputsTest(cli.CliTest):

  def test_a_first_look_needs_no_data(self):
    arguments = ('compare', 'net_float.pt', 'net_quantized.pt')
    shape = ','.join(map(str, torch.load(cli.CASES + '/images.pt')[0].shape))
    output, error = self.succeed(*arguments, f'random:{shape}')
    self.assertIn('random numbers', error)
    self.assertIn('8 batches', output)
    # The same each time, and in each process.
    again, _ = self.succeed(*arguments, f'--inputs=random:{shape}')
    self.assertEqual(again, output)
    output, _ = self.succeed(*arguments, f'random:{shape}', '--max-batches=2',
                             '--json=-', '--quiet')
    self.assertIn(f'"random:{shape}"', output)
    self.assertIn('"batches": 2', output)

  def test_arguments_have_types_and_limits(self):
    script = torch.jit.script(Two())
    script.save(self.path('two.pt'))
    self.fail_with(3, 'compare', 'two.pt', 'two.pt', 'random:2,3',
                   names=('2 arguments', 'has 1'), cwd=self.folder)

  def test_wrong_specs_name_the_part(self):
    for spec, word in (('random:', "''"), ('random:0,3', "'0'"),
                       ('random:3,x', "'x'"), ('random:3:int7', "'int7'"),
                       ('random:3:int64:0', "'0'"),
                       ('random:3:uint8:300', "'300'"),
                       ('random:3:float32:2', "'2'"),
                       ('random:3:int64:2:1', 'more than'),
                       ('random:99999999,99999999', 'too many')):
      with self.subTest(spec):
        self.fail_with(3, *cli.COMPARE, f'--inputs={spec}',
                       names=(spec, word, 'random:1,3,224,224'))


if __name__ == '__main__':
  unittest.main()
