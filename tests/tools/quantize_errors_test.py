"""`ns quantize`: wrong usage and bad input, one line and no file."""

import unittest

from quantizing import NET
from quantizing import QuantizeTest


class ErrorTest(QuantizeTest):

  def wrong(self, *flags, names, command=NET):
    self.fail_with(2, *command, *flags, names=names)
    self.assertEqual(self.files(), [])

  def refuse(self, *flags, names):
    self.fail_with(3, 'quantize', *flags, names=names)
    self.assertEqual(self.files(), [])

  def test_what_is_missing_is_named(self):
    float_flag, out = '--float=net_float.pt', self.out()
    self.wrong(names='--out')
    self.wrong(out, '--inputs=images.pt', command=('quantize',),
               names=('--float', '--prepared'))
    self.wrong(float_flag, out, command=('quantize',),
               names=('--mode=static', '--inputs', '--mode=dynamic'))
    self.wrong(float_flag, out, '--mode=dynamic', '--max-batches=2',
               command=('quantize',), names=('--max-batches', '--inputs'))

  def test_choices_name_what_is_allowed(self):
    out = self.out()
    self.wrong(out, '--mode=int4', names=('--mode=int4', 'weight-only'))
    self.wrong(out, '--backend=tpu', names=('--backend=tpu', 'qnnpack'))
    self.wrong(out, '--observer=best', names=('--observer=best', 'entropy'))
    self.wrong(out, '--compat=torch-2', names=('--compat=torch-2',
                                               'torch-1.13'))
    self.wrong(out, '--keep=', names='--keep')
    self.wrong(out, '--keep=a,,b', names='--keep')

  def test_an_observer_is_not_what_others_say(self):
    out = self.out()
    self.wrong(out, '--observer=minmax', '--compat=torch-1.13',
               names=('--observer', '--compat'))
    self.wrong(out, '--observer=minmax', '--qconfig=a.json',
               names=('--observer', '--qconfig'))
    self.wrong(out, '--headroom=2', '--qconfig=a.json',
               names=('--headroom', '--qconfig'))
    self.wrong(out, '--headroom=0.5', names=('--headroom=0.5', '1 or more'))
    self.wrong(out, '--headroom=wide', names='--headroom=wide')
    self.wrong(out, '--headroom=2', '--eager', names=('--headroom', '--eager'))
    for mode in ('dynamic', 'weight-only'):
      for flag in ('--observer=minmax', '--headroom=2'):
        self.wrong(out, flag, f'--mode={mode}',
                   names=(flag.split('=')[0], f'--mode={mode}'))

  def test_prepared_models_are_what_they_are(self):
    out = self.out()
    for flag in ('--keep=fc', '--observer=mse', '--qconfig=a.json',
                 '--emit-qconfig=b.json', '--leaf=Gate'):
      self.wrong('--prepared=p.pt', out, flag, command=('quantize',),
                 names=(flag.split('=')[0], '--prepared'))
    for mode in ('dynamic', 'weight-only'):
      self.wrong('--prepared=p.pt', out, f'--mode={mode}',
                 command=('quantize',), names=('--prepared', f'--mode={mode}'))
    self.wrong('--prepared=a.pt,b.pt', out, names=('--prepared', '2 files'))

  def test_no_output_is_another_file(self):
    q = self.path('q.pt')
    for flag in ('prepared', 'json', 'emit-qconfig'):
      self.wrong(self.out(), f'--{flag}={q}', names=(f'--{flag}', 'overwrite'))
    self.wrong('--out=net_float.pt', names=('--out', '--float'))
    self.wrong('--out=images.pt', names=('--out', '--inputs'))
    self.wrong(self.out(), '--qconfig=m.json', '--emit-qconfig=m.json',
               names=('--emit-qconfig', '--qconfig'))
    for flag in ('out', 'prepared', 'emit-qconfig'):
      other = () if flag == 'out' else (self.out(),)
      self.wrong(*other, f'--{flag}=-', names=f'--{flag}=-')

  def test_bad_models_are_named(self):
    out = self.out()
    for name in ('empty', 'random', 'state_dict', 'truncated', 'missing'):
      self.refuse(f'--float={name}.pt', '--inputs=images.pt', out,
                  names=name + '.pt')
    self.refuse('--float=net_quantized.pt', '--inputs=images.pt', out,
                names=('net_quantized.pt', 'quantized'))
    self.refuse('--float=net_quantized.pt', '--mode=dynamic', out,
                names=('net_quantized.pt', 'quantized'))
    self.refuse('--float=net_float.pt', '--inputs=images.pt', out,
                '--method=backward', names=('net_float.pt', 'backward'))

  def test_bad_batches_are_named(self):
    for name in ('no_batches', 'wrong_shape', 'wrong_rank', 'text', 'pairs',
                 'unknown_keyword', 'truncated_inputs', 'missing'):
      self.refuse('--float=net_float.pt', f'--inputs={name}.pt', self.out(),
                  names=name + '.pt')
    self.refuse('--float=net_float.pt', '--inputs=second_wrong.pt', self.out(),
                names=('second_wrong.pt', 'batch 1'))

  def test_batches_that_show_nothing_are_refused(self):
    self.refuse('--float=net_float.pt', '--inputs=no_rows.pt', self.out(),
                names='net_float.pt')

  def test_unwritable_outputs_are_found_before_any_work(self):
    for flag in ('prepared', 'emit-qconfig', 'json'):
      self.refuse(*NET[1:], self.out(), f'--{flag}=/absent/file',
                  names='/absent')
    self.refuse(*NET[1:], '--out=/absent/q.pt', names='/absent')

  def test_old_files_stay_when_it_fails(self):
    for name in ('q.pt', 'p.pt', 'r.json'):
      self.write(name, 'old')
    self.fail_with(3, 'quantize', '--float=net_float.pt', self.out(),
                   '--inputs=second_wrong.pt',
                   f'--prepared={self.path("p.pt")}',
                   f'--json={self.path("r.json")}', names='second_wrong.pt')
    self.assertEqual(self.files(), ['p.pt', 'q.pt', 'r.json'])
    for name in self.files():
      self.assertEqual(self.read(name), b'old')


if __name__ == '__main__':
  unittest.main()
