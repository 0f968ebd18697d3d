"""Bad models, inputs and outputs: status 3, one line naming the file, and the
folder of the results as it was."""

import os
import unittest
import zipfile

import cli

NO_MODELS = ('state_dict', 'eager', 'truncated', 'damaged', 'empty', 'random',
             'zip', 'images', 'missing')


class BadInputTest(cli.CliTest):

  def refuse(self, *arguments, names):
    """Status 3 for all outputs; none appears, an existing one stays."""
    with open(self.path('old.csv'), 'w', encoding='utf-8') as file:
      file.write('old')
    line = self.fail_with(3, *arguments, f'--json={self.path("new.json")}',
                          f'--csv={self.path("old.csv")}', names=names)
    self.assertEqual(os.listdir(self.folder), ['old.csv'])
    with open(self.path('old.csv'), encoding='utf-8') as file:
      self.assertEqual(file.read(), 'old')
    return line

  def refuse_inputs(self, name, model='net', what=()):
    return self.refuse('compare', f'--float={model}_float.pt',
                       f'--quantized={model}_quantized.pt',
                       f'--inputs={name}.pt', names=(name + '.pt', *what))


class BadModelTest(BadInputTest):

  def test_a_float_file_that_is_no_model_is_named(self):
    for name in NO_MODELS:
      with self.subTest(name):
        self.refuse('compare', f'--float={name}.pt',
                    '--quantized=net_quantized.pt', names=f'{name}.pt: ')

  def test_a_quantized_file_that_is_no_model_is_named(self):
    for name in NO_MODELS:
      with self.subTest(name):
        self.refuse('compare', '--float=net_float.pt',
                    f'--quantized={name}.pt', names=f'{name}.pt: ')

  def test_a_folder_is_no_model(self):
    self.refuse('compare', f'--float={cli.CASES}', '--quantized=x.pt',
                names=(cli.CASES, 'folder'))

  def test_a_state_dict_gets_the_way_out(self):
    for name in ('state_dict', 'eager'):
      self.fail_with(3, 'match', f'--float={name}.pt',
                     '--quantized=net_quantized.pt', names='torch.jit.script')

  def test_swapped_models_are_told_from_each_other(self):
    for suffix in ('', '_frozen'):
      self.refuse('compare', f'--float=net_quantized{suffix}.pt',
                  f'--quantized=net_float{suffix}.pt',
                  names=('swap', '--float', '--quantized'))

  def test_models_without_a_common_op_are_unrelated(self):
    self.refuse('compare', '--float=net_float.pt', '--quantized=unrelated.pt',
                names=('in common', '--quantized'))

  def test_a_quantized_input_alone_does_not_relate_two_models(self):
    # Every quantized model quantizes its input: that says nothing.
    self.refuse('compare', '--float=unrelated.pt',
                '--quantized=net_quantized.pt', names='in common')

  def test_an_unknown_method_is_named(self):
    self.refuse(*cli.COMPARE, '--method=encode',
                names=('net_float.pt', "'encode'"))


class DamagedFileTest(BadInputTest):

  def flip_bit_of_largest_record(self, name):
    """Writes a copy with a flipped bit; returns its path and the record."""
    with open(os.path.join(cli.CASES, name + '.pt'), 'rb') as file:
      data = bytearray(file.read())
    info, content = max((pair for pair in self.records(name)
                         if '/data/' in pair[0].filename),
                        key=lambda pair: len(pair[1]))
    data[data.index(content) + len(content) // 2] ^= 1
    path = self.path('damaged.pt')
    with open(path, 'wb') as file:
      file.write(data)
    return path, 'data/' + info.filename.rsplit('/', 1)[1]

  def records(self, name):
    with zipfile.ZipFile(os.path.join(cli.CASES, name + '.pt')) as archive:
      return [(info, archive.read(info)) for info in archive.infolist()]


class DamagedModelTest(DamagedFileTest):

  def rewrite(self, name, record, change):
    """Writes the model again, with checksums that fit what `change` makes of
    one record; returns the new file."""
    path = self.path('damaged.pt')
    with zipfile.ZipFile(path, 'w') as archive:
      for info, content in self.records(name):
        if info.filename.endswith('/' + record):
          content = change(content)
        archive.writestr(info.filename, content)
    return path

  def refuse_quantized(self, path, *names):
    for command in (('match', '--float=net_float.pt', f'--quantized={path}'),
                    ('compare', '--float=net_float.pt',
                     f'--quantized={path}', '--inputs=images.pt'),
                    ('lower', f'--in={path}', f'--out={self.path("out.pt")}')):
      self.fail_with(3, *command, names=(path + ': ', 'is damaged', *names))
      self.assertNotIn('out.pt', os.listdir(self.folder))

  def test_a_flipped_bit_of_a_weight_is_no_bad_quantization(self):
    path, record = self.flip_bit_of_largest_record('net_quantized')
    self.refuse_quantized(path, record)

  def test_a_record_that_is_too_short_is_not_read_beyond_its_end(self):
    for name in ('net_quantized', 'net_quantized_frozen'):
      for info, content in self.records(name):
        record = info.filename.split('/', 1)[1]
        if record.startswith(('data/', 'constants/')):
          path = self.rewrite(name, record, lambda old: old[:-1])
          self.fail_with(3, 'match', '--float=net_float.pt',
                         f'--quantized={path}',
                         names=(path + ': is damaged', record,
                                f'{len(content) - 1} bytes'))

  def test_convolutions_that_would_divide_by_zero(self):
    zeros = b'X\x05\x00\x00\x00zeros'  # The padding mode, behind the groups.

    def no_groups(pickle):
      self.assertIn(b'K\x01' + zeros, pickle)
      return pickle.replace(b'K\x01' + zeros, b'K\x00' + zeros)

    self.refuse_quantized(self.rewrite('net_quantized', 'data.pkl', no_groups),
                          '0 groups')
    # A kernel of 3, then the stride.
    stride = b'K\x03K\x03\x86q%cK\x01K\x01\x86'

    def no_stride(pickle):
      found = [number for number in range(256)
               if stride % number in pickle]
      self.assertTrue(found)
      old = stride % found[0]
      return pickle.replace(old, old.replace(b'K\x01', b'K\x00', 1))

    self.refuse_quantized(self.rewrite('net_quantized', 'data.pkl', no_stride),
                          'stride')


  def test_code_that_libtorch_would_crash_on(self):
    record = next(info.filename.split('/', 1)[1]
                  for info, content in self.records('net_quantized')
                  if info.filename.endswith('.py') and
                  b'  training : bool' in content)
    for line, name in ((b'y = 1', 'without a type'),
                       (b'__parameters__ : int', 'without a value'),
                       (b'y : ' + 50_000 * b'List[', 'nests more than'),
                       (b'y : Final[int] = ' + 100_000 * b'(',
                        'nests more than')):
      path = self.rewrite(
          'net_quantized', record,
          lambda code, line=line: code.replace(
              b'  training : bool', b'  ' + line + b'\n  training : bool'))
      self.fail_with(3, 'match', '--float=net_float.pt', f'--quantized={path}',
                     names=(path + ': is damaged', record, name))

  def test_dtypes_that_do_not_exist(self):
    record = next(info.filename.split('/', 1)[1]
                  for info, content in self.records('net_quantized')
                  if info.filename.endswith('.py') and
                  b'torch.quantize_per_tensor(' in content)
    out = f'--out={self.path("out")}'
    path = self.rewrite('net_quantized', record,
                        lambda code: code.replace(b', 13)', b', -2)'))
    pair = ('--float=net_float.pt', f'--quantized={path}')
    inputs = '--inputs=images.pt'
    for command in (('compare', *pair, inputs), ('repro', *pair, inputs, out),
                    ('sensitivity', '--float=' + path, inputs)):
      self.fail_with(3, *command, names='no dtype with the number -2')
    # These run no op.
    for command in (('match', *pair),
                    ('lower', f'--in={path}',
                     f'--out={self.path("lowered.pt")}'),
                    ('instrument', *pair, f'--out-float={self.path("f.pt")}',
                     f'--out-quantized={self.path("logged.pt")}')):
      self.assertIn(cli.run(*command).returncode, (0, 3), command[0])

  def test_places_in_the_source_that_libtorch_would_crash_on(self):
    record = next(info.filename.split('/', 1)[1]
                  for info, _ in self.records('net_quantized')
                  if info.filename.endswith('.debug_pkl'))
    for content in (b'\x80\x02X\xff\xff\xff\xff', b'\x80\x02K\x01.',
                    b'?' * 99):
      path = self.rewrite('net_quantized', record,
                          lambda old, content=content: content)
      self.fail_with(3, 'match', '--float=net_float.pt', f'--quantized={path}',
                     names=(path + ': is damaged', record))


class DamagedDataTest(DamagedFileTest):

  def test_a_flipped_bit_of_the_inputs(self):
    path, record = self.flip_bit_of_largest_record('images')
    for command in (cli.COMPARE, ('quantize', '--float=net_float.pt',
                                  f'--out={self.path("out.pt")}')):
      self.fail_with(3, *command, f'--inputs={path}',
                     names=(path + ': ', 'is damaged', record))
    self.assertEqual(os.listdir(self.folder), ['damaged.pt'])

  def test_a_flipped_bit_of_the_labels(self):
    path, record = self.flip_bit_of_largest_record('rows')
    self.fail_with(3, *cli.COMPARE, '--inputs=images.pt', f'--labels={path}',
                   names=(path + ': ', 'is damaged', record))

  def test_a_flipped_bit_of_a_state_dict(self):
    path, record = self.flip_bit_of_largest_record('net_float_state')
    self.fail_with(3, 'compare', f'--float={path}',
                   '--quantized=net_quantized_state.pt',
                   names=(path + ': ', 'is damaged', record))


class BadBatchTest(BadInputTest):

  def test_files_that_hold_no_batches_are_named(self):
    for name in ('missing', 'empty', 'random', 'truncated_inputs', 'zip',
                 'damaged', 'state_dict', 'eager', 'net_float', 'no_batches'):
      with self.subTest(name):
        self.refuse_inputs(name)

  def test_a_folder_holds_no_batches(self):
    self.refuse(*cli.COMPARE, f'--inputs={cli.CASES}', names='folder')

  def test_a_bad_second_file_is_named(self):
    self.refuse(*cli.COMPARE, '--inputs=images.pt,missing.pt',
                names='missing.pt')

  def test_zero_batches_say_what_to_save(self):
    self.refuse_inputs('no_batches', what=('no batches', 'torch.save'))

  def test_the_number_of_arguments_is_compared(self):
    self.refuse_inputs('two_arguments', what=('takes 1 argument', 'has 2'))
    self.refuse_inputs('no_arguments', what=('takes 1 argument', 'has 0'))
    self.refuse_inputs('images', model='two',
                       what=('takes 2 arguments', 'has 1'))

  def test_keywords_are_those_of_the_method(self):
    self.refuse_inputs('unknown_keyword', what=("'image'", 'are x'))

  def test_arguments_have_the_declared_type(self):
    self.refuse_inputs('text', what=("'x'", 'str', 'Tensor'))

  def test_shapes_that_do_not_fit_name_the_file(self):
    self.refuse_inputs('wrong_shape', what=('3 channels',))
    self.refuse_inputs('wrong_rank')

  def test_dtypes_that_do_not_fit_name_the_file(self):
    self.refuse_inputs('float64', what=('double',))
    self.refuse_inputs('int64', what=('long',))

  def test_a_later_bad_batch_is_named_by_its_number(self):
    self.refuse_inputs('second_wrong', what=('batch 1',))


class BadOutputTest(BadInputTest):

  def test_a_folder_that_is_not_there(self):
    path = self.path('nowhere/a.json')
    self.fail_with(3, *cli.COMPARE, f'--json={path}', names=path)
    self.assertEqual(os.listdir(self.folder), [])

  def test_a_folder_instead_of_a_file_is_found_before_the_work(self):
    os.mkdir(self.path('folder'))
    self.fail_with(3, *cli.COMPARE, f'--json={self.path("folder")}',
                   f'--csv={self.path("a.csv")}', names=self.path('folder'))
    self.fail_with(3, *cli.COMPARE, f'--csv={self.path("folder")}',
                   f'--json={self.path("a.json")}', names=self.path('folder'))
    self.assertEqual(os.listdir(self.folder), ['folder'])

  def test_instrument_writes_both_models_or_none(self):
    os.mkdir(self.path('folder'))
    self.fail_with(3, 'instrument', *cli.COMPARE[1:],
                   f'--out-float={self.path("a.pt")}',
                   f'--out-quantized={self.path("folder")}',
                   names=self.path('folder'))
    self.assertEqual(os.listdir(self.folder), ['folder'])

  def test_instrument_refuses_what_compare_refuses(self):
    for a, b in (('net_quantized', 'net_float'), ('net_float', 'unrelated'),
                 ('net_float', 'empty'), ('state_dict', 'net_quantized')):
      with self.subTest(a=a, b=b):
        self.fail_with(3, 'instrument', f'--float={a}.pt',
                       f'--quantized={b}.pt', f'--out-float={self.path("a")}',
                       f'--out-quantized={self.path("b")}')
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == '__main__':
  unittest.main()
