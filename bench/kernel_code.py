#!/usr/bin/env python3
"""Tells what GPUs' own compilers make of kernels, without a GPU: one row a kernel variant and GPU.

    bench/kernel_code.py --capture build/release/bench/capture_launches --json code.json
    bench/kernel_code.py captured/003-relayout_transpose_4 --targets dg2 --keep code
    bench/kernel_code.py captured --check               against bench/kernel_code.bounds

It reads what `capture_launches` wrote, launch.json and source.cl, or has it write every kernel
that the suites use. Launches of the same program are one variant. bench/README.md says what
compiles, and where to get it; --tools names a folder with packages that were unpacked instead of
installed. Tools that are missing are told, and their GPUs or columns left out.

Columns: instructions; registers of a work-item (AMD's vector registers) or, on Intel, of a thread;
bytes that a thread of Intel's or a work-item spills; private memory of a work-item; local memory of
a group; SIMD width, or work-items of a warp or wave; occupancy, which is how many of the threads
that the GPU has room for registers and local memory allow; and memory accesses by the bytes of a
work-item: `16:4 4:20` are 4 of 16 bytes and 20 of 4. Uniform loads are one for all work-items of a
thread. An access of Intel's that serves half the work-items counts as one, and those to DG2's
private memory as any other. The counts are of the code, not of what a launch runs of it.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

SKIPPED = 77  # an exit code, as of all tests that lack something
NO_DEVICE = 5  # of the project's programs
OLDEST_CLANG = 17  # earlier ones leave in memory what those of today keep in registers
SIZES = ("loads", "stores", "local_loads", "local_stores")
FIGURES = ("instructions", "registers", "spill", "private", "local", "simd", "occupancy")


class Failed(Exception):
    pass


# ---- Variants ------------------------------------------------------------------------------------

class Variant:
    """A program and the kernel that is launched of it."""

    def __init__(self, folder):
        with open(os.path.join(folder, "launch.json"), encoding="utf-8") as file:
            launch = json.load(file)
        self.source = os.path.abspath(os.path.join(folder, "source.cl"))
        with open(self.source, encoding="utf-8") as file:
            self.text = file.read()
        self.folder = os.path.basename(os.path.abspath(folder))
        # relayout_transpose_4 is one of the transpose kernels: that of words of four bytes.
        self.kernel = re.sub(r"^relayout_(\w+)_\d+$", r"\1", launch["kernel"])
        self.options = launch["options"].split()
        self.case = launch.get("case") or self.folder
        self.relayout = f"{launch.get('from', '')} to {launch.get('to', '')}"
        self.group = launch["group_size"]
        self.local = sum(argument["bytes"] for argument in launch.get("arguments", [])
                         if argument["kind"] == "local")

    def defines(self):
        return dict(re.match(r"-D(\w+)=?(.*)", option).groups() for option in self.options
                    if option.startswith("-D"))


def find_variants(folders):
    """Each program once, with the first launch of it, which may be a folder's own or in one of its
    folders."""
    found = {}
    for folder in folders:
        launches = sorted(glob.glob(os.path.join(glob.escape(folder), "**", "launch.json"),
                                    recursive=True))
        if not launches:
            raise Failed(f"there is no captured launch in '{folder}'")
        for launch in launches:
            variant = Variant(os.path.dirname(launch))
            found.setdefault((variant.kernel, variant.text, *variant.options), variant)
    return list(found.values())


def capture(program, folder, *more):
    """Every program of the suites; False where there is no OpenCL device to plan for."""
    made = subprocess.run([program, folder, "--suite", "all", "--sources", *more], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if made.returncode not in (0, NO_DEVICE):
        raise Failed(f"{program} failed: {made.stdout[-300:]}")
    return made.returncode == 0


def one_of_each(variants):
    """The first of each kernel for words of a size, where elements change and where they do not."""
    chosen = {}
    for variant in variants:
        defines = variant.defines()
        chosen.setdefault((variant.kernel, defines.get("WORD_BYTES"), defines.get("CHANGES")),
                          variant)
    return list(chosen.values())


def name_by_options(variants):
    """Names each variant by the options in which it differs from others of its kernel."""
    for variant in variants:
        others = [other.defines() for other in variants if other.kernel == variant.kernel]
        variant.differs = " ".join(
            f"{name}={value}" for name, value in variant.defines().items()
            if any(other.get(name) != value for other in others))


# ---- Tools ---------------------------------------------------------------------------------------

class Tools:
    """Commands and libraries, from the folders named and then from the system's."""

    def __init__(self, folders):
        self.roots = [os.path.abspath(folder) for folder in folders] + ["/", "/usr/local/cuda"]

    def paths(self, *patterns):
        return [path for root in self.roots for pattern in patterns
                for path in sorted(glob.glob(os.path.join(root, pattern)))]

    def find(self, name):
        found = self.paths(f"usr/bin/{name}", f"bin/{name}", f"nvidia/*/bin/{name}")
        return next((path for path in found if os.access(path, os.X_OK)), shutil.which(name))

    def clangs(self):
        """For each version of which clang and libclc are there, the newest first: the version,
        clang and the folder of libclc's bitcode. Bitcode is for the clang of its own version."""
        clangs = {int(re.search(r"llvm-(\d+)", path)[1]): path
                  for path in reversed(self.paths("usr/lib/llvm-*/bin/clang"))}
        bitcode = {int(path.rsplit("-", 1)[1]): os.path.join(path.split("usr/share")[0],
                                                             "usr/lib/clc")
                   for path in reversed(self.paths("usr/share/doc/libclc-[0-9][0-9]"))}
        return [(version, clangs[version], bitcode[version])
                for version in sorted(clangs.keys() & bitcode.keys(), reverse=True)]

    def run(self, words, may_fail=False, **environment):
        """What a command prints; libraries come from where the command does."""
        libraries = []
        root = next((root for root in self.roots if words[0].startswith(root + os.sep)), None)
        if root is not None:
            libraries = glob.glob(os.path.join(root, "usr/lib/*-linux-gnu"))
            libraries += glob.glob(os.path.join(root, "usr/lib/llvm-*/lib"))
        variables = {**os.environ, **environment}
        if libraries:
            variables["LD_LIBRARY_PATH"] = ":".join(libraries)
        made = subprocess.run(words, env=variables, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        text = made.stdout.decode(errors="replace")
        if made.returncode != 0 and not may_fail:
            raise Failed(f"{os.path.basename(words[0])} failed: {' '.join(text.split())[:300]}")
        return text


def checked_clang(clang):
    if clang is None:
        raise Failed(f"clang and libclc, both of one version from {OLDEST_CLANG} on, not found")
    return clang


def compile_by_clang(tools, clang, bitcode, target, processor, variant, path, *more):
    """Assembly of a variant by clang, with what the driver's compilers define themselves."""
    version_of_language = ["-D__OPENCL_VERSION__=120", "-D__ENDIAN_LITTLE__=1"]
    words = [clang, "-x", "cl", "-target", target, "-nogpulib", "-O3", *variant.options,
             *version_of_language]
    for option in ("-finclude-default-header", "-mlink-builtin-bitcode", bitcode, "-target-cpu",
                   processor, *more):
        words += ["-Xclang", option]
    tools.run([*words, "-S", "-o", path, variant.source])


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def number(pattern, text, missing=0):
    found = re.search(pattern, text)
    return int(found[1]) if found else missing


def counts_by_width(accesses):
    """From (kind, bytes) pairs, of each kind how many of each width."""
    counted = {kind: collections.Counter() for kind in SIZES}
    others = collections.Counter()
    for kind, width in accesses:
        if kind in counted:
            counted[kind][width] += 1
        else:
            others[kind] += 1
    widths = {kind: dict(sorted(counter.items(), reverse=True))
              for kind, counter in counted.items()}
    return {**widths, "uniform_loads": others["uniform_loads"],
            "private_accesses": others["private_accesses"]}


# ---- NVIDIA: clang to PTX, ptxas, nvdisasm -------------------------------------------------------

# What an SM has: warps, groups, 32-bit registers, bytes of local memory, and what each group takes
# of these for the system. From the CUDA programming guide's table of compute capabilities.
NVIDIA = {"sm_75": (32, 16, 65536, 64 << 10, 0), "sm_80": (64, 32, 65536, 164 << 10, 1024),
          "sm_86": (48, 16, 65536, 100 << 10, 1024), "sm_89": (48, 24, 65536, 100 << 10, 1024),
          "sm_90": (64, 32, 65536, 228 << 10, 1024), "sm_100": (64, 32, 65536, 228 << 10, 1024)}
WARP, WARPS_TOGETHER, REGISTERS_TOGETHER = 32, 4, 256
SASS = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", re.MULTILINE)
SASS_KINDS = {"LDG": "loads", "LD": "loads", "STG": "stores", "ST": "stores",
              "LDS": "local_loads", "STS": "local_stores", "LDL": "private_accesses",
              "STL": "private_accesses"}
SASS_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def nvidia_occupancy(target, registers, local, group):
    warps, groups, all_registers, all_local, of_system = NVIDIA[target]
    of_group = -(-group // WARP)
    of_warp = -(-max(registers, 1) * WARP // REGISTERS_TOGETHER) * REGISTERS_TOGETHER
    by_registers = all_registers // WARPS_TOGETHER // of_warp * WARPS_TOGETHER // of_group
    by_local = all_local // (local + of_system) if local + of_system else groups
    return min(warps // of_group, groups, by_registers, by_local) * of_group / warps


def sass_accesses(opcodes):
    for opcode in opcodes:
        name, *parts = opcode.split(".")
        if name in SASS_KINDS:
            yield SASS_KINDS[name], next((SASS_WIDTHS[part] for part in parts
                                          if part in SASS_WIDTHS), 4)


class Nvidia:
    known = list(NVIDIA)

    def __init__(self, tools, targets, clang):
        self.tools = tools
        self.ptxas, self.nvdisasm = tools.find("ptxas"), tools.find("nvdisasm")
        if self.ptxas is None:
            raise Failed("ptxas not found")
        self.version, self.clang, folder = checked_clang(clang)
        self.bitcode = os.path.join(folder, "nvptx64--nvidiacl.bc")
        names = re.findall(r"sm_\d+", tools.run([self.ptxas, "--help"]))
        self.targets = [target for target in targets if target in names]

    def describe(self):
        release = re.search(r"release ([\d.]+)", self.tools.run([self.ptxas, "--version"]))[1]
        counted = "" if self.nvdisasm else "; nvdisasm not found, so that nothing is counted"
        return f"clang {self.version} to PTX, ptxas {release}{counted}"

    def compile(self, variant, folder):
        ptx = os.path.join(folder, "kernel.ptx")
        compile_by_clang(self.tools, self.clang, self.bitcode, "nvptx64-nvidia-nvcl", "sm_80",
                         variant, ptx, "-target-feature", "+ptx70")
        return {target: self.assemble(target, variant, ptx, folder) for target in self.targets}

    def assemble(self, target, variant, ptx, folder):
        cubin = os.path.join(folder, target + ".cubin")
        told = self.tools.run([self.ptxas, "-v", "-arch", target, ptx, "-o", cubin])
        registers = number(r"Used (\d+) registers", told)
        local = number(r"(\d+) bytes smem", told) + variant.local
        counted = self.count(cubin) if self.nvdisasm else {}
        return {"registers": registers, "spill": number(r"(\d+) bytes spill stores", told),
                "private": number(r"(\d+) bytes stack frame", told), "local": local, "simd": WARP,
                "occupancy": nvidia_occupancy(target, registers, local, variant.group), **counted}

    def count(self, cubin):
        sass = self.tools.run([self.nvdisasm, "-c", "-ndf", cubin])
        with open(os.path.splitext(cubin)[0] + ".sass", "w", encoding="utf-8") as file:
            file.write(sass)
        opcodes = [opcode for opcode in SASS.findall(sass) if opcode != "NOP"]
        return {"instructions": len(opcodes), **counts_by_width(sass_accesses(opcodes))}


# ---- Intel: ocloc --------------------------------------------------------------------------------

# ocloc's name; threads that share local memory, bytes of that.
INTEL = {"dg2": ("dg2-g10", 128, 128 << 10), "pvc": ("pvc", 64, 128 << 10),
         "mtl": ("mtl-u", 128, 128 << 10), "lnl": ("lnl-m", 64, 128 << 10),
         "bmg": ("bmg-g21", 64, 128 << 10)}
USUAL_REGISTERS = 128  # with more of them there are half as many threads
LOCAL_STEPS = [0] + [kib << 10 for kib in (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128)]
LSC = re.compile(r"^(?:(\(W\S*\))|\(\S+\))?\s+(load|store)\S*\.(ugm|slm)\.d(\d+)(?:u32)?"
                 r"(?:x(\d+))?(t?)\S*\s+\((\d+)\|\w+\)\s+(.*)", re.MULTILINE)
SEND = re.compile(r"^(?:(\(W\S*\))|\(\S+\))?\s+sends?c?\.dc\d\s+\((\d+)\|\w+\).*?(0x[0-9A-F]+)\s+\{"
                  r".*?// wr:\S+, rd:\d+; (.*?) //", re.MULTILINE)
MESSAGE_WIDTHS = {"8b": 1, "16b": 2, "32b": 4, "x": 4, "xy": 8, "xyz": 12, "xyzw": 16}
LOCAL_SURFACE = 0xfe


def lsc_accesses(text):
    """Loads and stores as Xe-HPC has them: d32x4 moves 4 times 32 bits."""
    for always, what, memory, bits, elements, block, lanes, operands in LSC.findall(text):
        if "ss[" in operands:
            yield "private_accesses", 0
        elif block or (always and int(lanes) <= 2):
            yield "uniform_" + what + "s", 0
        else:
            yield (("local_" if memory == "slm" else "") + what + "s",
                   int(bits) // 8 * int(elements or 1))


def message_accesses(text):
    """Loads and stores as messages to the data cache; the last byte of a descriptor names the
    surface."""
    for always, lanes, descriptor, message in SEND.findall(text):
        what = "loads" if "read" in message else "stores"
        width = message.split()[-1]
        if "scratch" in message:
            yield "private_accesses", 0
        elif "block" in message or (always and int(lanes) <= 2):
            yield "uniform_" + what, 0
        else:
            is_local = int(descriptor, 16) & 0xff == LOCAL_SURFACE and "a64" not in message
            width = MESSAGE_WIDTHS.get(width) or {"byte": 1, "qword": 8}.get(
                next((word for word in message.split() if word in ("byte", "qword")), ""), 4)
            yield ("local_" if is_local else "") + what, width


def intel_occupancy(target, registers, local, group, simd):
    _, threads, all_local = INTEL[target]
    threads = threads * USUAL_REGISTERS // max(registers, USUAL_REGISTERS)
    of_group = -(-group // simd)
    taken = next((step for step in LOCAL_STEPS if step >= local), all_local)
    groups = min(threads // of_group, all_local // taken if taken else threads)
    return groups * of_group / threads


def by_time(folder, pattern):
    return sorted(glob.glob(os.path.join(glob.escape(folder), pattern)), key=os.path.getmtime)


class Intel:
    known = list(INTEL)

    def __init__(self, tools, targets, _):
        self.tools, self.ocloc = tools, tools.find("ocloc")
        if self.ocloc is None:
            raise Failed("ocloc not found")
        help_text = tools.run([self.ocloc, "compile", "--help"], may_fail=True)
        self.targets = [target for target in targets
                        if re.search(rf"\b{INTEL[target][0]}\b", help_text)]

    def describe(self):
        return "ocloc with IGC"

    def compile(self, variant, folder):
        return {target: self.compile_for(target, variant, os.path.join(folder, target))
                for target in self.targets}

    def compile_for(self, target, variant, folder):
        os.makedirs(folder)
        self.tools.run([self.ocloc, "compile", "-q", "-file", variant.source, "-device",
                        INTEL[target][0], "-options", " ".join(variant.options), "-out_dir",
                        folder, "-output", "kernel", "-output_no_suffix"],
                       IGC_ShaderDumpEnable="1", IGC_DumpToCustomDir=folder + os.sep)
        # A width that spills is given up, and another tried, also by other means: the last counts.
        tries = by_time(folder, "*_entry_*.asm")
        codes = by_time(folder, "*_codegen*.ll")
        if not tries or not codes:
            raise Failed("ocloc left no assembly")
        shutil.copy(tries[-1], os.path.join(folder, "kernel.asm"))
        simd = number(r"_simd(\d+)_entry", os.path.basename(tries[-1]))
        return {"tries": len(tries), "simd": simd,
                **self.figures(target, variant, simd, read(tries[-1]), read(codes[-1]))}

    def figures(self, target, variant, simd, assembly, code):
        registers = number(r"numGRF=(\d+)", assembly)
        local = variant.local + sum(
            int(count) * int(lanes or 1) * int(bits) // 8 for count, lanes, bits in
            re.findall(r"addrspace\(3\) global \[(\d+) x (?:<(\d+) x )?i(\d+)", code))
        return {"instructions": number(r"//\.instCount (\d+)", assembly), "registers": registers,
                "spill": number(r"//\.spill size (\d+)", assembly),
                "private": number(r'"privateMemoryPerWI", i32 (\d+)', code), "local": local,
                "occupancy": intel_occupancy(target, registers, local, variant.group, simd),
                **counts_by_width([*lsc_accesses(assembly), *message_accesses(assembly)])}


# ---- AMD: clang ----------------------------------------------------------------------------------

# Waves that a SIMD unit can hold, work-items of one.
AMD = {"gfx90a": (8, 64), "gfx942": (8, 64), "gfx1030": (16, 32), "gfx1100": (16, 32)}
AMD_ACCESS = re.compile(r"^(global|flat|ds|s|scratch|buffer)_(load|store|read|write)(\w*)")
AMD_WIDTHS = {"ubyte": 1, "sbyte": 1, "u8": 1, "i8": 1, "byte": 1, "b8": 1, "ushort": 2,
              "sshort": 2, "short": 2, "u16": 2, "i16": 2, "b16": 2, "dword": 4, "b32": 4,
              "dwordx2": 8, "b64": 8, "dwordx3": 12, "b96": 12, "dwordx4": 16, "b128": 16}


def amd_accesses(opcodes):
    for opcode in opcodes:
        found = AMD_ACCESS.match(opcode)
        if not found:
            continue
        space, what, rest = found.groups()
        kind = "loads" if what in ("load", "read") else "stores"
        parts = [part for part in rest.split("_") if part in AMD_WIDTHS]
        width = AMD_WIDTHS[parts[-1]] if parts else 4
        if space in ("scratch", "buffer"):
            yield "private_accesses", 0
        elif space == "s":
            yield "uniform_" + kind, 0
        elif space == "ds":
            is_double = rest.startswith(("2_", "2st64_", "_2addr_"))
            yield "local_" + kind, 2 * width if is_double else width
        else:
            yield kind, width


class Amd:
    known = list(AMD)

    def __init__(self, tools, targets, clang):
        self.tools = tools
        self.version, self.clang, self.folder = checked_clang(clang)
        names = tools.run([self.clang, "-target", "amdgcn-amd-amdhsa", "-nogpulib",
                           "-print-supported-cpus"])
        self.targets = [target for target in targets if re.search(rf"\b{target}\b", names)]

    def describe(self):
        return f"clang {self.version}"

    def compile(self, variant, folder):
        return {target: self.compile_for(target, variant, os.path.join(folder, target + ".s"))
                for target in self.targets}

    def compile_for(self, target, variant, path):
        own = os.path.join(self.folder, f"{target}-amdgcn--.bc")
        bitcode = own if os.path.exists(own) else os.path.join(self.folder, "amdgcn--amdhsa.bc")
        compile_by_clang(self.tools, self.clang, bitcode, "amdgcn-amd-amdhsa", target, variant,
                         path)
        text = read(path)
        opcodes = [opcode for opcode in re.findall(r"^\t([a-z]\w+)", text, re.MULTILINE)
                   if opcode not in ("s_nop", "s_code_end")]
        waves, lanes = AMD[target]
        return {"instructions": len(opcodes),
                "registers": number(r"; TotalNumVgprs: (\d+)", text,
                                    number(r"; NumVgprs: (\d+)", text)),
                "scalar_registers": number(r"; NumSgprs: (\d+)", text),
                "spill": 4 * number(r"\.vgpr_spill_count: +(\d+)", text),
                "private": number(r"; ScratchSize: (\d+)", text),
                "local": number(r"; LDSByteSize: (\d+)", text) + variant.local, "simd": lanes,
                "occupancy": number(r"; Occupancy: (\d+)", text) / waves,
                **counts_by_width(amd_accesses(opcodes))}


BACK_ENDS = (Nvidia, Intel, Amd)
USUAL_TARGETS = ["sm_80", "sm_90", "sm_100", "dg2", "pvc", "mtl", "lnl", "bmg", "gfx90a", "gfx942",
                 "gfx1100"]


# ---- All of them ---------------------------------------------------------------------------------

def find_back_ends(tools, targets, clang):
    """The back ends whose tools are there, and a line for each that is not."""
    clangs = tools.clangs()
    chosen = next((found for found in clangs
                   if (found[0] >= OLDEST_CLANG if clang is None else found[0] == clang)), None)
    found, missing = [], []
    for kind in BACK_ENDS:
        wanted = [target for target in targets if target in kind.known]
        if not wanted:
            continue
        try:
            made = kind(tools, wanted, chosen)
        except Failed as failure:
            missing.append(f"{', '.join(wanted)}: {failure}")
            continue
        unknown = [target for target in wanted if target not in made.targets]
        if unknown:
            missing.append(f"{', '.join(unknown)}: unknown to {made.describe()}")
        if made.targets:
            found.append(made)
    return found, missing


def compile_all(variants, back_ends, folder, jobs):
    """The rows of one variant after the other."""

    def work(number_of, variant, back_end):
        place = os.path.join(folder, f"{number_of:03}-{variant.kernel}",
                             type(back_end).__name__)
        os.makedirs(place)
        try:
            return back_end.compile(variant, place)
        except Failed as failure:
            return {target: {"failed": str(failure)} for target in back_end.targets}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [(variant, [pool.submit(work, number_of, variant, back_end)
                            for back_end in back_ends])
                 for number_of, variant in enumerate(variants)]
        for variant, made in parts:
            yield [{"kernel": variant.kernel, "case": variant.case, "differs": variant.differs,
                    "relayout": variant.relayout, "launch": variant.folder, "target": target,
                    **figures}
                   for part in made for target, figures in part.result().items()]


# ---- What people read ----------------------------------------------------------------------------

def text_of(name, value):
    if value is None:
        return ""
    if isinstance(value, dict):
        return " ".join(f"{width}:{count}" for width, count in value.items()) or "-"
    return f"{value:.0%}" if name == "occupancy" else str(value)


def print_columns(rows, indent=""):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print((indent + "  ".join(cell.ljust(width)
                                  for cell, width in zip(row, widths))).rstrip())


def print_rows(rows):
    """Those of one variant."""
    names = FIGURES + SIZES + ("uniform_loads", "private_accesses")
    first = rows[0]
    print(f"\n{first['launch']}: {first['case']}, {first['relayout']}\n  {first['differs']}")
    lines = [["", *(name.replace("_", " ") for name in names)]]
    for row in rows:
        lines.append([row["target"], row["failed"]] + [""] * (len(names) - 1) if "failed" in row
                     else [row["target"], *(text_of(name, row.get(name)) for name in names)])
    print_columns(lines, "  ")
    sys.stdout.flush()


def summary_of(rows):
    """The usual and the worst of a kernel's variants on one GPU, as cells."""
    made = [row for row in rows if "failed" not in row]

    def over(reduce, name, show="{:.0f}"):
        values = [row[name] for row in made if name in row]
        return show.format(reduce(values)) if values else ""

    most = max(made, key=lambda row: row.get("instructions", 0), default={"launch": ""})
    return [rows[0]["kernel"], rows[0]["target"], str(len(rows)),
            over(statistics.median, "instructions"), over(max, "instructions"), most["launch"],
            over(statistics.median, "registers"), over(max, "registers"),
            over(statistics.median, "occupancy", "{:.0%}"), over(min, "occupancy", "{:.0%}"),
            over(min, "simd"), str(sum(row["spill"] > 0 for row in made)),
            str(sum(row["private"] > 0 for row in made)), str(len(rows) - len(made))]


def print_summary(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["kernel"], row["target"]].append(row)
    print()
    print_columns([["kernel", "GPU", "variants", "instructions", "most", "in", "registers", "most",
                    "occupancy", "least", "SIMD least", "spilling", "with private", "failed"],
                   *(summary_of(of_kernel) for _, of_kernel in
                     sorted(groups.items(), key=lambda item: item[0][0]))])


# ---- Bounds --------------------------------------------------------------------------------------

def read_bounds(path):
    """Lines of a kernel, a target, a figure, <= or >=, a number; patterns as of file names."""
    bounds = []
    for place, line in enumerate(read(path).splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if (len(words) != 5 or words[2] not in FIGURES or words[3] not in ("<=", ">=") or
                not re.fullmatch(r"\d+(\.\d+)?", words[4])):
            raise Failed(f"{path}:{place}: '{line}' is no bound")
        bounds.append((*words[:4], float(words[4])))
    return bounds


def broken_bounds(rows, bounds):
    broken = []
    for row in rows:
        name = f"{row['launch']} ({row['case']}) on {row['target']}"
        if "failed" in row:
            broken.append(f"{name}: {row['failed']}")
            continue
        for kernel, target, figure, relation, bound in bounds:
            if fnmatch.fnmatch(row["kernel"], kernel) and fnmatch.fnmatch(row["target"], target):
                value = row.get(figure, bound)
                if value > bound if relation == "<=" else value < bound:
                    broken.append(f"{name}: {figure} {value:g}, not {relation} {bound:g}")
    return broken


# ---- The command ---------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="captured launches")
    parser.add_argument("--capture", metavar="PROGRAM",
                        help="capture_launches, which captures all suites' instead")
    parser.add_argument("--targets", default=",".join(USUAL_TARGETS),
                        help="GPUs, with commas; %(default)s when left out")
    parser.add_argument("--tools", action="append", metavar="FOLDER",
                        default=os.environ.get("KERNEL_CODE_TOOLS", "").split(":"),
                        help="where packages are unpacked; also from KERNEL_CODE_TOOLS")
    parser.add_argument("--clang", type=int, metavar="VERSION", help="instead of the newest")
    parser.add_argument("--json", metavar="FILE", help="writes the rows there")
    parser.add_argument("--keep", metavar="FOLDER", help="keeps assembly and all else there")
    parser.add_argument("--summary", action="store_true", help="prints no row of its own")
    parser.add_argument("--few", action="store_true",
                        help="one variant of each kernel and size of words")
    parser.add_argument("--check", action="store_true", help="fails where a bound is broken")
    parser.add_argument("--bounds", metavar="FILE",
                        default=os.path.splitext(os.path.abspath(__file__))[0] + ".bounds")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    asked = parser.parse_args()
    if bool(asked.folders) == bool(asked.capture):
        parser.error("either a FOLDER or --capture is wanted")
    return asked


def check(rows, bounds):
    broken = broken_bounds(rows, bounds)
    print()
    for line in broken:
        print(line)
    print(f"{len(rows)} rows, {len(broken)} bounds broken")
    return 1 if broken else 0


def main():
    asked = parse_arguments()
    targets = asked.targets.split(",")
    known = [target for kind in BACK_ENDS for target in kind.known]
    for target in targets:
        if target not in known:
            raise Failed(f"'{target}' is no target; there are {', '.join(known)}")
    bounds = read_bounds(asked.bounds) if asked.check else []
    tools = Tools([folder for folder in asked.tools if folder])
    back_ends, missing = find_back_ends(tools, targets, asked.clang)
    for back_end in back_ends:
        print(f"{', '.join(back_end.targets)}: {back_end.describe()}")
    for line in missing:
        print(f"left out: {line}")
    if not back_ends:
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        captured = os.path.join(temporary, "captured")
        if asked.capture and not capture(asked.capture, captured):
            return SKIPPED
        variants = find_variants(asked.folders or [captured])
        variants = one_of_each(variants) if asked.few else variants
        name_by_options(variants)
        rows = []
        for made in compile_all(variants, back_ends, asked.keep or temporary, asked.jobs):
            rows += made
            if not asked.summary:
                print_rows(made)
    print_summary(rows)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return check(rows, bounds) if asked.check else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError, json.JSONDecodeError, KeyError) as failure:
        sys.exit(f"kernel_code.py: {failure}")
