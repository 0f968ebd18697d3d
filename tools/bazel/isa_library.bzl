"""cc_library for sources that are compiled for one instruction set.

Such a library may only be called where the processor has the instruction set
(passes/kernels/isa.h). The linker keeps one copy of an inline function, and it
may keep the one of this library. So its sources define, and use of the headers
that they include, nothing but functions of an unnamed namespace, static ones,
and templates over a class that is in an unnamed namespace: `nm` shows no weak
symbol (W, V or u) in its objects."""

_AVX2 = ["-mavx2", "-mfma"]
_AVX512 = ["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"]
_AVX512_VNNI = _AVX512 + ["-mavx512vnni"]

# By the names of IsaName in passes/kernels/isa.h, and AVX512-VBMI, which is
# looked for besides.
_FLAGS = {
    "amx": _AVX512_VNNI + ["-mamx-int8", "-mamx-tile"],
    "avx2": _AVX2,
    "avx512": _AVX512,
    "avx512_vbmi": _AVX512 + ["-mavx512vbmi"],
    "avx512_vnni": _AVX512_VNNI,
    "avx_vnni": _AVX2 + ["-mavxvnni"],
}

# A product and a sum are fused where the source says so and nowhere else, as
# every instruction set must give the same bits.
_COMMON_FLAGS = ["-ffp-contract=off"]

def isa_library(name, isa, visibility = ["//visibility:private"], **arguments):
    """A cc_library that is compiled for an instruction set.

    Args:
      name: of the library.
      isa: "avx2", "avx_vnni", "avx512", "avx512_vnni", "avx512_vbmi" or "amx".
      visibility: private unless given: who calls it must choose it first.
      **arguments: what else cc_library takes.
    """
    native.cc_library(
        name = name,
        copts = _FLAGS[isa] + _COMMON_FLAGS,
        visibility = visibility,
        **arguments
    )
