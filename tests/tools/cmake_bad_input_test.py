"""The error messages of tools/cmake where the machine lacks something:
cmake_bad_input_test.py SOURCES_CMAKE."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.dirname(os.path.realpath(sys.argv.pop()))
# Compiles the libraries that pretend to be LibTorch.
COMPILER = 'g++'

# The constructor that shows with which ABI LibTorch was built.
C10 = """
#include <string>
namespace c10 {
struct SourceLocation { const char* a; const char* b; unsigned c; };
struct Error { Error(SourceLocation, std::string); };
Error::Error(SourceLocation, std::string) {}
}
"""

VERSION = """
#define TORCH_VERSION_MAJOR {}
#define TORCH_VERSION_MINOR {}
#define TORCH_VERSION_PATCH 0
"""


def write(path, text):
  os.makedirs(os.path.dirname(path), exist_ok=True)
  with open(path, 'w', encoding='utf-8') as file:
    file.write(text)


def compile_library(path, source, *flags):
  os.makedirs(os.path.dirname(path), exist_ok=True)
  subprocess.run(
      [COMPILER, '-shared', '-fPIC', f'-Wl,-soname,{os.path.basename(path)}',
       '-o', path, '-x', 'c++', '-', '-x', 'none', *flags],
      check=True, input=source, text=True)


class CMakeBadInputTest(unittest.TestCase):

  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.folder = folder.name

  def make_libtorch(self, version=(1, 13), c10_flags=(), cpu=('', ())):
    """Returns a directory that looks like a LibTorch to tools/cmake."""
    home = os.path.join(self.folder, 'libtorch')
    write(home + '/include/torch/csrc/jit/ir/ir.h', '')
    write(home + '/include/torch/csrc/api/include/torch/version.h',
          VERSION.format(*version))
    compile_library(home + '/lib/libc10.so', C10, *c10_flags)
    source, flags = cpu
    compile_library(home + '/lib/libtorch_cpu.so', source, *flags)
    return home

  def configure(self, *arguments, environment=None):
    """The output of CMake, which has to fail without writing build files."""
    build = tempfile.mkdtemp(dir=self.folder)
    done = subprocess.run(
        ['cmake', '-S', FOLDER, '-B', build,
         f'-DCMAKE_CXX_COMPILER={COMPILER}', *arguments],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env={**os.environ, **(environment or {})})
    self.assertNotEqual(done.returncode, 0, done.stdout)
    self.assertFalse(os.path.exists(build + '/Makefile'))
    return done.stdout

  def expect_line(self, line, *arguments, **keywords):
    output = self.configure(*arguments, **keywords)
    self.assertIn(line, [l.strip() for l in output.splitlines()], output)

  def test_directory_that_is_not_libtorch(self):
    line = (f'LIBTORCH={self.folder} has no include/torch/csrc/jit/ir/ir.h; '
            'name an unpacked LibTorch or the torch folder of a Python install')
    self.expect_line(line, f'-DLIBTORCH={self.folder}')
    self.expect_line(line, environment={'LIBTORCH': self.folder})

  def test_libtorch_without_libraries(self):
    home = self.make_libtorch()
    os.remove(home + '/lib/libtorch_cpu.so')
    self.expect_line(
        f'LIBTORCH={home} has no lib/libtorch_cpu.so and lib/libc10.so; '
        'name an unpacked LibTorch or the torch folder of a Python install',
        f'-DLIBTORCH={home}')

  def test_no_libtorch(self):
    self.expect_line(
        f'no LibTorch found: python3 has no torch, and {self.folder}/include '
        'no torch/csrc/jit/ir/ir.h; pass -DLIBTORCH=DIR (name an unpacked '
        'LibTorch or the torch folder of a Python install), or install it '
        'with: apt-get install libtorch-dev, or: pip install torch',
        f'-DNS_SYSTEM={self.folder}', '-DNS_PYTHON3=/bin/false',
        environment={'LIBTORCH': ''})

  def test_finds_the_torch_of_python(self):
    # A torch that python3 would import, too old to be used.
    home = self.make_libtorch(version=(1, 12))
    write(home + '/__init__.py', '')
    os.rename(home, self.folder + '/torch')
    self.expect_line(
        f'LIBTORCH={self.folder}/torch is 1.12.0; use LibTorch 1.13 or later',
        environment={'LIBTORCH': '', 'PYTHONPATH': self.folder})

  def test_old_libtorch(self):
    home = self.make_libtorch(version=(1, 12))
    self.expect_line(f'LIBTORCH={home} is 1.12.0; use LibTorch 1.13 or later',
                     f'-DLIBTORCH={home}')

  def test_libtorch_of_unknown_version(self):
    home = self.make_libtorch(version=('X', 'Y'))
    self.expect_line(
        f'LIBTORCH={home} is an unknown version; use LibTorch 1.13 or later',
        f'-DLIBTORCH={home}')

  def test_libtorch_without_cxx11_abi(self):
    home = self.make_libtorch(c10_flags=['-D_GLIBCXX_USE_CXX11_ABI=0'])
    self.expect_line(
        f'LIBTORCH={home} was built without the cxx11 ABI, abseil was built '
        'with it; use the cxx11-abi zip of pytorch.org, or a wheel of torch '
        '2.7 or later', f'-DLIBTORCH={home}')

  def test_libtorch_for_cuda_without_cuda(self):
    cuda = os.path.join(self.folder, 'libcudart.so.12')
    compile_library(cuda, 'extern "C" void cudaFree() {}')
    home = self.make_libtorch(cpu=(
        'extern "C" void cudaFree(); void Free() { cudaFree(); }', [cuda]))
    os.remove(cuda)
    self.expect_line(
        f'{home}/lib/libtorch_cpu.so needs libcudart.so.12, not '
        'found; install it (for CUDA, its run time), or a LibTorch for the '
        'CPU: pip install torch --index-url '
        'https://download.pytorch.org/whl/cpu', f'-DLIBTORCH={home}')

  def test_unsupported_compilers(self):
    for compiler, version in ('GNU', '11.4'), ('Clang', '13.0'), ('Intel', '9'):
      with self.subTest(compiler):
        self.expect_line(
            f'{shutil.which(COMPILER)} is {compiler} {version}; use g++ 12 or '
            'later, or clang 14 or later: cmake -DCMAKE_CXX_COMPILER=g++-12 '
            '...',
            '-DCMAKE_CXX_COMPILER_ID_RUN=1', '-DCMAKE_CXX_COMPILER_FORCED=1',
            f'-DCMAKE_CXX_COMPILER_ID={compiler}',
            f'-DCMAKE_CXX_COMPILER_VERSION={version}')

  def test_missing_libraries_name_their_package(self):
    home = f'-DLIBTORCH={self.make_libtorch()}'
    no_headers = ['-DCMAKE_FIND_ROOT_PATH=' + self.folder,
                  '-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY']
    self.expect_line(
        'abseil not found; install it with: apt-get install libabsl-dev',
        home, *no_headers)
    abseil = '-DNS_ABSEIL_INCLUDE=/usr/include'
    self.expect_line(
        'isa-l not found; install it with: apt-get install libisal-dev',
        home, *no_headers, abseil)
    self.expect_line(
        "LLVM's headers and libLLVMSupport.a not found; install them with: "
        'apt-get install llvm-dev', home, *no_headers, abseil,
        '-DNS_ISAL_INCLUDE=/usr/include', f'-DNS_SYSTEM={self.folder}')


if __name__ == '__main__':
  unittest.main()
