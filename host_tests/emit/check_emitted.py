"""What `relayout emit index` prints is right, and its language's compilers take it.

    check_emitted.py EMIT_CASES CC CXX values|compiles LANGUAGE

EMIT_CASES writes the text of random shapes, with what the oracle says of their indices. values:
runs the text on all of them. Languages near C run as C or C++, with their own words as macros;
c++ is the text of c as C++.
WGSL's heads and declarations are turned into C++'s first; its expressions stay as they are. Python
runs itself. compiles: a compiler of the language takes the text. Exits with 77 where none is
installed.
"""
import array
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
from programs import find, run

HERE = os.path.dirname(os.path.abspath(__file__))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion",
            "-Werror", "-Wno-long-long"]
WORDS = {"opencl": "OPENCL", "cuda": "CUDA", "hip": "CUDA", "metal": "METAL", "glsl": "GLSL",
         "wgsl": "GLSL"}
QUALIFIERS = ["-D__host__=__attribute__((host))", "-D__device__=__attribute__((device))",
              "-D__forceinline__=inline __attribute__((always_inline))"]


def as_c_of_wgsl(text):
    """WGSL's heads and declarations as C++'s; expressions and statements are the same in both."""
    def head(match):
        name, arguments, result = match.groups()
        arguments = re.sub(r"(\w+): ptr<function, array<u32, \d+>>", r"uint *\1_of", arguments)
        arguments = re.sub(r"(\w+): u32", r"uint \1", arguments)
        return f"static {'uint' if result == 'u32' else 'bool'} {name}({arguments}) {{"
    text = re.sub(r"fn (\w+)\(([^{]*)\) -> (u32|bool) \{", head, text)
    text = text.replace("(*indices)[", "indices_of[")
    return re.sub(r"\b(let|const) ", "const uint ", text)


def run_as_c(folder, language, compiler, options):
    program = os.path.join(folder, "run_cases")
    words = [f"-DWORDS_OF_{WORDS[language]}"] if language in WORDS else []
    run(compiler, *WARNINGS, *options, *words, f'-DEMITTED="{folder}/emitted"', "-I", folder,
        os.path.join(HERE, "run_cases.c"), "-o", program)
    run(program, os.path.join(folder, "cases"))


def run_as_python(folder):
    functions = {}
    with open(os.path.join(folder, "emitted"), encoding="ascii") as file:
        exec(compile(file.read(), "emitted", "exec"), functions)
    numbers = array.array("q")
    with open(os.path.join(folder, "cases"), "rb") as file:
        numbers.frombytes(file.read())
    place = shape = 0
    while place < len(numbers):
        rank, count = numbers[place:place + 2]
        at, inverse = functions[f"shape_{shape}"], functions[f"shape_{shape}_inverse"]
        place += 2
        for _ in range(count):
            *index, linear = numbers[place:place + rank + 1]
            assert at(*index) == linear, (shape, index, linear)
            place += rank + 1
        count, place = numbers[place], place + 1
        for _ in range(count):
            linear, is_element, *index = numbers[place:place + rank + 2]
            assert inverse(linear) == (tuple(index) if is_element else None), (shape, linear)
            place += rank + 2
        shape += 1


def check_values(folder, language, c_compiler, cpp_compiler):
    emitted = os.path.join(folder, "emitted")
    if language == "python":
        run_as_python(folder)
        return
    if language == "wgsl":
        with open(emitted, encoding="ascii") as file:
            text = as_c_of_wgsl(file.read())
        with open(emitted, "w", encoding="ascii") as file:
            file.write(text)
    if language in ("c", "opencl"):
        run_as_c(folder, language, c_compiler, ["-std=c99", "-Wno-unused-function"])
    else:
        unused = ["-Wno-unused-parameter"] if language in ("glsl", "wgsl") else []
        run_as_c(folder, language, cpp_compiler,
                 ["-x", "c++", "-std=c++11", "-Wno-unused-function", *unused])


def write_uses(folder, before, arguments):
    """A kernel that calls all functions, behind their text."""
    source = os.path.join(folder, "used")
    with open(os.path.join(folder, "emitted"), encoding="ascii") as file:
        text = file.read()
    ranks = [head.count("long i") for head in re.findall(r"shape_\d+\((.*?)\) \{", text, re.DOTALL)]
    with open(source, "w", encoding="ascii") as file:
        file.write(f"{text}\n{before} void use({arguments}) {{\n")
        for shape, rank in enumerate(ranks):
            listed = ", ".join(f"x[{d}]" for d in range(rank))
            file.write(f"  x[9] += shape_{shape}({listed}) + shape_{shape}_inverse(x[8], x);\n")
        file.write("}\n")
    return source


def compile_offloaded(folder, language, target):
    clang = find("clang")
    source = write_uses(folder, "__attribute__((global))", "long long *x")
    run(clang, "-x", language, "--cuda-device-only", "-nogpuinc", "-nogpulib", *target,
        *QUALIFIERS, "-std=c++14", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-cuda-version",
        "-O1", "-S", source, "-o", source + ".s")


def compile_glsl(folder):
    validator = find("glslangValidator")
    with open(os.path.join(folder, "emitted"), encoding="ascii") as file:
        text = file.read()
    for number, version in enumerate(("330", "450", "300 es")):
        source = os.path.join(folder, f"shader{number}.vert")
        with open(source, "w", encoding="ascii") as file:
            file.write(f"#version {version}\n{text}\nvoid main() {{ gl_Position = "
                       "vec4(float(shape_0_elements)); }\n")
        run(validator, source)


def compile_text(folder, language):
    emitted = os.path.join(folder, "emitted")
    if language == "opencl":
        for version in ("1.2", "2.0", "3.0"):
            run(find("clang"), "-x", "cl", "-target", "spir64", "-Xclang",
                "-finclude-default-header", f"-cl-std=CL{version}", "-fsyntax-only", "-Wall",
                "-Wextra", "-Werror", "-Wno-unused-function", emitted)
    elif language == "cuda":
        compile_offloaded(folder, "cuda", ["--cuda-gpu-arch=sm_70"])
    elif language == "hip":
        compile_offloaded(folder, "hip", ["--offload-arch=gfx90a"])
    elif language == "glsl":
        compile_glsl(folder)
    else:
        naga = find("naga")
        source = os.path.join(folder, "emitted.wgsl")
        os.rename(emitted, source)
        run(naga, source)


def main():
    cases, c_compiler, cpp_compiler, mode, language = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        run(cases, language.replace("++", ""), folder)
        if mode == "values":
            check_values(folder, language, c_compiler, cpp_compiler)
        else:
            compile_text(folder, language)


main()
