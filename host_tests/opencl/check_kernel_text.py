"""The kernels' text is portable: compilers that the tests' drivers are not made of take it too.

    check_kernel_text.py BENCH_FOLDER CAPTURE_LAUNCHES text|spirv [--all]

text: clang compiles it as OpenCL C 1.2, 2.0 and 3.0 without a warning. spirv: clang and llvm-spirv
of one version make SPIR-V of it, which spirv-val passes. Of the variants that the benchmark's
suites use, one for each kernel, size of words, and whether elements change, the versions of OpenCL
C in turns; --all: each variant by each version, those of other schedules and of sides that begin
anywhere, and as many specialised ones as without. Exits with 77 where a tool is missing.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import kernel_code

OTHERS = (("--offered",), ("--unaligned",))
VERSIONS = ("1.2", "2.0", "3.0")
# A variant has parameters, functions and constants that others use. To OpenCL C comparisons are
# ints, and clang takes one of two constants behind `&&` for a forgotten `&`.
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-unused-parameter",
            "-Wno-unused-function", "-Wno-unused-const-variable", "-Wno-constant-logical-operand")


class Missing(Exception):
    pass


def find(name):
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed")
    return found


def frontend(clang, variant, version):
    """As drivers call it, which define the version of OpenCL themselves."""
    options = [option for option in variant.options
               if option != "-w" and not option.startswith("-cl-std=")]
    return [clang, "-x", "cl", "-target", "spir64", "-Xclang", "-finclude-default-header",
            f"-cl-std=CL{version}", f"-D__OPENCL_VERSION__={version.replace('.', '')}0",
            "-D__ENDIAN_LITTLE__=1", *options, variant.source]


class Text:
    """Any clang from 12 on, the first to know OpenCL C 3.0."""
    def __init__(self):
        self.clang = find("clang")

    def steps(self, variant, versions, _):
        return [[*frontend(self.clang, variant, version), "-fsyntax-only", *WARNINGS]
                for version in versions]


class Spirv:
    """SPIR-V 1.2, the newest that OpenCL 2.2 takes, of code that is not optimised: what optimisers
    make does not hang on the text."""
    def __init__(self):
        self.validator = find("spirv-val")
        versions = [int(re.search(r"\d+$", path)[0]) for folder in os.get_exec_path()
                    for path in glob.glob(os.path.join(glob.escape(folder), "llvm-spirv-[0-9]*"))]
        both = [version for version in versions if shutil.which(f"clang-{version}")]
        if not both:
            raise Missing("clang and llvm-spirv of one version are not installed")
        self.clang = find(f"clang-{max(both)}")
        self.translator = find(f"llvm-spirv-{max(both)}")

    def steps(self, variant, _, folder):
        bitcode, spirv = (os.path.join(folder, "kernel." + form) for form in ("bc", "spv"))
        return [[*frontend(self.clang, variant, "1.2"), "-w", "-O0", "-emit-llvm", "-c", "-o",
                 bitcode],
                [self.translator, "--spirv-max-version=1.2", bitcode, "-o", spirv],
                [self.validator, "--target-env", "opencl1.2", spirv]]


def capture_variants(program, folder, everything):
    def captured(*more):
        made = os.path.join(folder, "-".join(["launches", *more]))
        if not kernel_code.capture(program, made, *more):
            raise Missing("there is no OpenCL device to plan for")
        return made

    if not everything:
        return kernel_code.one_of_each(kernel_code.find_variants([captured()]))
    variants = kernel_code.find_variants([captured(*more) for more in ((), *OTHERS)])
    specialized = kernel_code.find_variants([captured("--specialize")])
    return [*variants, *kernel_code.one_of_each(specialized)]


def check(tools, variant, versions, folder):
    """What the first step that fails has to say."""
    for step in tools.steps(variant, versions, folder):
        made = subprocess.run(step, text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if made.returncode != 0:
            return f"{variant.relayout}\n{' '.join(step)}\n{made.stdout[:2000]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench")
    parser.add_argument("capture")
    parser.add_argument("form", choices=("text", "spirv"))
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            tools = {"text": Text, "spirv": Spirv}[asked.form]()
            variants = capture_variants(asked.capture, folder, asked.all)
        except Missing as missing:
            print(missing)
            return kernel_code.SKIPPED
        failures = []
        for number, variant in enumerate(variants):
            versions = VERSIONS if asked.all else VERSIONS[number % len(VERSIONS):][:1]
            told = check(tools, variant, versions, folder)
            failures += [told] if told is not None else []
    for told in failures:
        print(told)
    print(f"{len(variants)} variants, {len(failures)} failures")
    return 1 if failures or not variants else 0


if __name__ == "__main__":
    sys.exit(main())
