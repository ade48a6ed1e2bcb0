"""bench/kernel_code.py reads launches, assembly and bounds; what it tells of them was worked out by
hand. No compiler is needed: scripts stand in for them.
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import kernel_code

SASS = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR6][R2.64] ;
        /*0020*/                   LDG.E.U8 R0, desc[UR6][R16.64+0x10] ;
        /*0030*/                   LDG.E R0, desc[UR6][R16.64+0x10] ;
        /*0040*/                   LDS.U16 R9, [R3] ;
        /*0050*/              @P1  STS.64 [R3], R4 ;
        /*0060*/                   STG.E.64 desc[UR6][R2.64], R4 ;
        /*0070*/                   STL [R1], R0 ;
        /*0080*/                   BRA `(.L_x_1) ;
        /*0090*/                   NOP;
"""
MESSAGES = """
(W)  send.dc0 (8|M0) r1 r127 null:0 0x0 0x024844FD {A@1,$0} // wr:1h+0, rd:4; oword block read x8 //
(W)  send.dc0 (2|M0) r6 r7 null:0 0x0 0x02110802 {A@7} // wr:1+0, rd:1; byte gathering read 32b //
     send.dc1 (16|M0) r4 r6 null:0 0x0 0x04205E01 {A@1} // wr:2+0, rd:2; untyped read with xy //
     send.dc1 (16|M16) null r2 r4:2 0x0 0x04025EFE {A@1} // wr:2+2, rd:0; untyped write with x //
     send.dc1 (16|M0) null r2 r4:2 0x0 0x080691FE {A@3} // wr:4+2, rd:0; a64 dword scatter write //
(f0) send.dc0 (8|M0) r3 r2 null:0 0x0 0x021104FE {A@2} // wr:1+0, rd:1; byte gathering read 16b //
     send.dc0 (8|M0) r3 r2 null:0 0x0 0x021104FF {A@2} // wr:1+0, rd:1; hword scratch read x4 //
"""
LSC = """
(W)     load.ugm.d64x3t.a64.ca.ca (1|M0)  r3:1  [r2:1]   {A@1,$15} // ex_desc:0x0; desc:0x218A780
        load.ugm.d32x4.a64 (32|M0)  r8:4        [r12:4]  {A@1,$7} // ex_desc:0x0; desc:0x8401580
        load.slm.d16u32.a32 (32|M0)  r24:2      [r20:4]  {A@1,$4} // ex_desc:0x0; desc:0x8200B80
(~f0.0) store.ugm.d8u32.a64 (32|M0)  [r6:2] r8:8         {A@2,$0} // ex_desc:0x0; desc:0x440E1704
        store.ugm.d64x2.a32.wb.wb (32|M0)  ss[a0.2][r6:2] r8:8 {A@2} // ex_desc:a0.2
"""
AMD = ["s_load_dwordx4", "global_load_dwordx4", "global_load_ubyte_d16_hi", "global_store_b64",
       "ds_read2_b32", "ds_read2st64_b32", "ds_store_2addr_b64", "ds_write_b8",
       "scratch_load_dword", "v_add_u32"]
# What stands in for clang knows one of AMD's processors, and for ocloc one of Intel's, for which it
# compiles twice.
CLANG = """for word; do
  [ "$last" = -o ] && to=$word
  [ "$word" = -print-supported-cpus ] && echo gfx90a && exit
  last=$word
done
/bin/cat >"$to" <<'end'
\tglobal_store_dwordx4 v[0:1], v[2:5], off
\ts_nop 0
\ts_endpgm
; NumSgprs: 84
; NumVgprs: 70
; TotalNumVgprs: 74
; ScratchSize: 16
; LDSByteSize: 4096 bytes/workgroup (compile time only)
; Occupancy: 4
    .vgpr_spill_count: 3
end
"""
OCLOC = r"""[ $2 = --help ] && echo dg2-g10 && exit 1
cd "$IGC_DumpToCustomDir"
echo '//.spill size 3680' >x_simd8_entry_0001.asm
echo '!1 = !{!"privateMemoryPerWI", i32 0}' >x_codegen.ll
/bin/sleep 0.1
/bin/cat >x_1_simd32_entry_0001.asm <<'end'
//.thread_config numGRF=256, numAcc=4
//.instCount 70
        load.ugm.d32x4.a64 (32|M0)  r8:4        [r12:4]  {A@1,$7} // ex_desc:0x0; desc:0x8401580
end
/bin/cat >x_codegen_1.ll <<'end'
@copy.staged = addrspace(3) global [256 x <4 x i32>] undef, align 16
!1 = !{!"privateMemoryPerWI", i32 272}
end
"""
NO_ACCESSES = {"loads": {}, "stores": {}, "local_loads": {}, "local_stores": {},
               "uniform_loads": 0, "private_accesses": 0}


def check(found, expected):
    if found != expected:
        sys.exit(f"{found!r} is not {expected!r}")


def test_accesses():
    opcodes = kernel_code.SASS.findall(SASS)
    check(len(opcodes), 10)
    check(kernel_code.counts_by_width(kernel_code.sass_accesses(opcodes)),
          {"loads": {16: 1, 4: 1, 1: 1}, "stores": {8: 1}, "local_loads": {2: 1},
           "local_stores": {8: 1}, "uniform_loads": 0, "private_accesses": 1})
    check(kernel_code.counts_by_width(kernel_code.message_accesses(MESSAGES)),
          {"loads": {8: 1}, "stores": {4: 1}, "local_loads": {2: 1}, "local_stores": {4: 1},
           "uniform_loads": 2, "private_accesses": 1})
    check(kernel_code.counts_by_width(kernel_code.lsc_accesses(LSC)),
          {"loads": {16: 1}, "stores": {1: 1}, "local_loads": {2: 1}, "local_stores": {},
           "uniform_loads": 1, "private_accesses": 1})
    check(kernel_code.counts_by_width(kernel_code.amd_accesses(AMD)),
          {"loads": {16: 1, 1: 1}, "stores": {8: 1}, "local_loads": {8: 2},
           "local_stores": {16: 1, 1: 1}, "uniform_loads": 1, "private_accesses": 1})
    check(kernel_code.counts_by_width([]), NO_ACCESSES)


def test_occupancy():
    # 83 registers are 88, so that 5 warps fit in each quarter's 16384: 2 groups of 8 warps of 64.
    check(kernel_code.nvidia_occupancy("sm_90", 83, 16384, 256), 0.25)
    check(kernel_code.nvidia_occupancy("sm_90", 32, 0, 256), 1)
    check(kernel_code.nvidia_occupancy("sm_90", 32, 0, 32), 0.5)  # no more than 32 groups
    # 227 KiB at most are for a group; 3 groups of 64 KiB fit, with 1 KiB each for the system.
    check(kernel_code.nvidia_occupancy("sm_90", 32, 64 << 10, 256), 3 * 8 / 64)
    check(kernel_code.nvidia_occupancy("sm_80", 200, 0, 1024), 0)  # a group does not fit
    # 8 threads a group; 20 KiB take 24, which fit 5 times into 128.
    check(kernel_code.intel_occupancy("dg2", 128, 20 << 10, 256, 32), 5 * 8 / 128)
    check(kernel_code.intel_occupancy("pvc", 256, 0, 256, 16), 1)
    check(kernel_code.intel_occupancy("dg2", 128, 0, 256, 8), 1)


def write_launch(folder, case, options, local=()):
    os.makedirs(folder)
    with open(os.path.join(folder, "launch.json"), "w", encoding="utf-8") as file:
        json.dump({"kernel": "copy", "options": options, "case": case, "from": "a", "to": "b",
                   "group_size": 256,
                   "arguments": [{"kind": "local", "bytes": size} for size in local]}, file)
    with open(os.path.join(folder, "source.cl"), "w", encoding="utf-8") as file:
        file.write("__kernel void copy() {}")


def test_variants():
    write_launch("captured/000-copy", "one", "-DWORD_BYTES=4 -DCHANGES=0", [100, 28])
    write_launch("captured/001-copy", "same", "-DWORD_BYTES=4 -DCHANGES=0")
    write_launch("captured/002-copy", "two", "-DWORD_BYTES=4 -DCHANGES=0 -DTABLE")
    write_launch("captured/003-copy", "three", "-DWORD_BYTES=8 -DCHANGES=0")
    found = kernel_code.find_variants(["captured"])
    check([variant.case for variant in found], ["one", "two", "three"])
    check(found[0].local, 128)
    kernel_code.name_by_options(found)
    check([variant.differs for variant in found],
          ["WORD_BYTES=4", "WORD_BYTES=4 TABLE=", "WORD_BYTES=8"])
    check([variant.case for variant in kernel_code.one_of_each(found)], ["one", "three"])
    check(len(kernel_code.find_variants(["captured/002-copy"])), 1)
    try:
        kernel_code.find_variants([os.devnull])
    except kernel_code.Failed:
        return
    sys.exit("a folder without launches was taken")


def test_bounds():
    with open("bounds", "w", encoding="utf-8") as file:
        file.write("# a comment\n* * spill <= 0\ncopy dg? simd >= 16 # another\n")
    bounds = kernel_code.read_bounds("bounds")
    row = {"launch": "7", "kernel": "copy", "case": "one", "target": "dg2", "spill": 0, "simd": 16}
    check(kernel_code.broken_bounds([row, {**row, "kernel": "fill", "simd": 8},
                                     {**row, "target": "pvc", "simd": 8}], bounds), [])
    check(kernel_code.broken_bounds([{**row, "spill": 4, "simd": 8}], bounds),
          ["7 (one) on dg2: spill 4, not <= 0", "7 (one) on dg2: simd 8, not >= 16"])
    check(kernel_code.broken_bounds([{**row, "failed": "no"}], bounds), ["7 (one) on dg2: no"])
    for wrong in "copy dg2 simd >= x", "copy dg2 simd > 1", "copy dg2 sim >= 1", "copy dg2 simd":
        with open("bounds", "w", encoding="utf-8") as file:
            file.write(wrong)
        try:
            kernel_code.read_bounds("bounds")
        except kernel_code.Failed:
            continue
        sys.exit(f"'{wrong}' was taken as a bound")


def write_command(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def run(*words):
    """The command, which finds nothing but the stand-ins."""
    made = subprocess.run([sys.executable, os.path.join(sys.argv[1], "kernel_code.py"), *words],
                          env={"PATH": "", "KERNEL_CODE_TOOLS": ""}, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return made.returncode, made.stdout


def test_command():
    check(run("captured", "--targets", "dg3")[0], 1)
    os.makedirs("tools/usr/share/doc/libclc-99")
    write_command("tools/usr/lib/llvm-99/bin/clang", CLANG)
    write_command("tools/usr/bin/ocloc", OCLOC)
    write_command("tools/bin/ptxas", """case $1 in
--help) echo sm_90 ;;
--version) echo release 1.2 ;;
*) echo 'Used 40 registers, 128 bytes smem, 16 bytes stack frame, 8 bytes spill stores' ;;
esac
""")
    write_command("tools/bin/nvdisasm", f"/bin/cat <<'end'\n{SASS}\nend\n")
    words = ["captured", "--tools", "tools", "--targets", "sm_90"]
    code, text = run(*words, "--few", "--check", "--json", "code.json")
    check(code, 1)
    check(text.splitlines()[-5:],
          ["000-copy (one) on sm_90: spill 8, not <= 0",
           "000-copy (one) on sm_90: private 16, not <= 0",
           "003-copy (three) on sm_90: spill 8, not <= 0",
           "003-copy (three) on sm_90: private 16, not <= 0", "2 rows, 4 bounds broken"])
    with open("code.json", encoding="utf-8") as file:
        row = json.load(file)[0]
    check([row[key] for key in ("instructions", "registers", "local", "simd", "occupancy")],
          [9, 40, 256, 32, 0.75])  # 12 warps fit in a quarter: 6 groups of 8 warps
    write_command("tools/bin/ptxas", "[ $1 = --help ] && echo sm_90 || exit 3\n")
    check(run(*words)[0], 1)
    code, text = run("captured/000-copy", "--tools", "tools", "--targets", "dg2,gfx90a,gfx942,pvc",
                     "--json", "code.json", "--keep", "kept")
    check(code, 0)
    check([line for line in text.splitlines() if "left out" in line],
          ["left out: pvc: unknown to ocloc with IGC", "left out: gfx942: unknown to clang 99"])
    with open("code.json", encoding="utf-8") as file:
        intel, amd = json.load(file)
    # The last try counts. Local memory is the kernel's 4096 and 128 of its argument.
    check([intel[key] for key in ("simd", "tries", "instructions", "registers", "spill", "private",
                                  "local", "occupancy", "loads")],
          [32, 2, 70, 256, 0, 272, 4224, 1, {"16": 1}])
    check([amd[key] for key in ("instructions", "registers", "scalar_registers", "spill",
                                "private", "local", "simd", "occupancy", "stores")],
          [2, 74, 84, 12, 16, 4224, 64, 0.5, {"16": 1}])
    check(os.path.exists("kept/000-copy/Intel/dg2/kernel.asm"), True)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    for test in test_accesses, test_occupancy, test_variants, test_bounds, test_command:
        test()
        print(f"{test.__name__}: ok")
    os.chdir("/")
