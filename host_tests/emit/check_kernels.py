"""What `relayout emit kernel` prints is right, and its language's compilers take it.

    check_kernels.py KERNEL_CASES CC CXX RUN_OPENCL values|compiles LANGUAGE [PLATFORM]

KERNEL_CASES writes the kernels of some relayouts of the conformance suite, and what the oracle says
that they write. values: runs them. C's functions are compiled by CC, and by clang where it is
installed; CUDA's kernels run as C++ by cuda_emulation.h; OpenCL's on the first device of a platform
with PLATFORM in its name, by RUN_OPENCL. compiles: a compiler of the language takes the text. In
both modes the line `launch:` of each kernel is JSON that says what the library says. Exits with 77
where a compiler or a device is missing.
"""
import json
import os
import re
import shutil
import struct
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
from programs import find, run

HERE = os.path.dirname(os.path.abspath(__file__))
# What CUDA's and HIP's headers declare, for clang without them.
DECLARED = """
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(count) __attribute__((launch_bounds(count)))
struct declared_coordinate { unsigned x; };
extern __device__ declared_coordinate threadIdx, blockIdx;
extern "C" __device__ void __syncthreads(void);
extern "C" __device__ int __clz(int);
extern "C" __device__ int __clzll(long long);
"""


def kernels_of(folder):
    """(global size, local size, arguments, name, text) of each kernel."""
    with open(os.path.join(folder, "cases"), "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        count, = struct.unpack_from("Q", data, at)
        at += 8
        for _ in range(count):
            global_size, local_size, arguments, name, length = struct.unpack_from("QQQ80sQ", data,
                                                                                  at)
            at += struct.calcsize("QQQ80sQ")
            yield (global_size, local_size, arguments, name.rstrip(b"\0").decode(),
                   data[at:at + length].decode())
            at += length
        source, destination = struct.unpack_from("QQ", data, at)
        at += 32 + source + 2 * destination


def check_launches(folder, language):
    roles = ["destination", "destination_offset", "source", "source_offset"]
    for global_size, local_size, count, name, text in kernels_of(folder):
        comment = text[:text.index("*/")]
        line, = re.findall(r"^launch: (.*)$", comment, re.MULTILINE)
        launch = json.loads(line)
        assert launch["name"] == name, line
        assert launch["global"] == [global_size] and launch["local"] == [local_size], line
        names = [argument["name"] for argument in launch["arguments"]]
        assert names == (["source", "destination"] if language == "c" else roles[:count]), line
        assert all(argument["value"] == 0 for argument in launch["arguments"]
                   if argument["type"] == "ulong"), line


def run_as_c(folder, compiler, options):
    program = os.path.join(folder, "run_kernels")
    run(compiler, *options, f'-DEMITTED="{folder}/emitted"', "-I", folder,
        os.path.join(HERE, "run_kernels.c"), "-o", program)
    run(program, os.path.join(folder, "cases"))


def check_values(folder, language, compilers, run_opencl, platform):
    c_compiler, cpp_compiler = compilers
    if language == "c":
        clang = shutil.which("clang")
        for compiler in [c_compiler] + ([clang] if clang else []):
            run_as_c(folder, compiler, ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"])
    elif language == "cuda":
        run_as_c(folder, cpp_compiler, ["-x", "c++", "-std=c++11", "-O1", "-fno-strict-aliasing"])
    else:
        run(run_opencl, os.path.join(folder, "cases"), platform, may_skip=True)
        log = os.environ.get("OCLGRIND_LOG", "")
        if os.path.exists(log) and os.path.getsize(log) > 0:
            with open(log, encoding="utf-8") as file:
                sys.exit(file.read()[:4000])


def compile_offloaded(folder, language, target):
    declared = os.path.join(folder, "declared.h")
    source = os.path.join(folder, "emitted")
    clang = find("clang")
    with open(declared, "w", encoding="ascii") as file:
        file.write(DECLARED)
    run(clang, "-x", language, "--cuda-device-only", "-nogpuinc", "-nogpulib", *target,
        "-include", declared, "-std=c++14", "-Wno-unknown-cuda-version", "-O1", "-S", source,
        "-o", source + ".s")


def compile_text(folder, language):
    source = os.path.join(folder, "emitted")
    if language == "opencl":
        for version in ("1.2", "2.0", "3.0"):
            run(find("clang"), "-x", "cl", "-target", "spir64", "-Xclang",
                "-finclude-default-header", f"-cl-std=CL{version}",
                f"-D__OPENCL_VERSION__={version.replace('.', '')}0", "-D__ENDIAN_LITTLE__=1",
                "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                "-Wno-unused-parameter", source)
    elif language == "nvcc":
        run(find("nvcc"), "-x", "cu", "-std=c++14", "-ptx", source, "-o", source + ".ptx")
    elif language == "cuda":
        compile_offloaded(folder, "cuda", ["--cuda-gpu-arch=sm_70"])
    else:
        compile_offloaded(folder, "hip", ["--offload-arch=gfx90a"])


def main():
    cases, c_compiler, cpp_compiler, run_opencl, mode, language, *platform = sys.argv[1:]
    if os.path.exists(os.environ.get("OCLGRIND_LOG", "")):
        os.remove(os.environ["OCLGRIND_LOG"])
    with tempfile.TemporaryDirectory() as folder:
        run(cases, "cuda" if language == "nvcc" else language, folder)
        check_launches(folder, language)
        if mode == "values":
            check_values(folder, language, (c_compiler, cpp_compiler), run_opencl,
                         *(platform or [None]))
        else:
            compile_text(folder, language)


main()
