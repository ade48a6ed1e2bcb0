#!/usr/bin/env python3
"""test_mutants.py COMMAND: scripts/mutants, which that is, on a project of one source and one test,
all of whose mutants are written down here with what becomes of them."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

COMMAND = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(COMMAND.parent.parent / "host_tests" / "mutants"))
import trials  # noqa: E402

FILES = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(tiny C)
enable_testing()
add_subdirectory(src)
add_subdirectory(host_tests/tiny)
""",
    "src/CMakeLists.txt": """add_library(relayout_objects OBJECT tiny/clamp.c)
target_include_directories(relayout_objects PUBLIC .)
""",
    "src/tiny/clamp.c": """int clamp(int value);

enum { MOST = 5 };
static int calls;
#define TOO_SMALL(value, least) ((value) < (least))

int clamp(int value) {
  static const int least = 2;
  ++calls;
  if (TOO_SMALL(value, least)) {
    return least;
  }
  for (int i = 3; i <= MOST; ++i) {
    if (i == 4 && value > MOST) {
      return MOST;
    }
  }
  return value;
}

int unused(int value);
int unused(int value) { return -value; }
""",
    "host_tests/tiny/CMakeLists.txt": """add_executable(test_tiny test_tiny.c)
target_link_libraries(test_tiny PRIVATE relayout_objects)
add_test(NAME tiny.clamp COMMAND test_tiny)
add_test(NAME tiny.broken COMMAND test_tiny broken)
""",
    "host_tests/tiny/test_tiny.c": """int clamp(int value);
int main(int count, char **words) {
  (void)words;
  return count > 1 || clamp(1) != 2 || clamp(3) != 3 || clamp(7) != 5;
}
""",
}

# What clamp() becomes, and whether 1, 3 and 7 tell.
SURVIVING = {
    "without ++calls;",
    "for (int i = @3; i <= MOST; ++i) {: 3 - 1",
    "for (int i = @3; i <= MOST; ++i) {: 3 + 1",
    "if (i == @4 && value > MOST) {: 4 + 1",
    "if (i == @4 && value > MOST) {: 4 - 1",
    "i <= MOST -> i < MOST",
    "i == 4 -> i != 4",
    "value > MOST -> value >= MOST",
    "return -value -> 0",
}
KILLED = {
    "return least -> 0",
    "i <= MOST -> i > MOST",
    "i == 4 && value > MOST -> i == 4 || value > MOST",
    "i == 4 && value > MOST -> !(i == 4 && value > MOST)",
    "value > MOST -> value <= MOST",
    "return MOST -> 0",
    "return value -> 0",
}


def mutants(root, *words):
    """The exit code and the lines of the command."""
    made = subprocess.run([sys.executable, COMMAND, "--root", root, "--folders", "src/tiny",
                           "--tests", r"^tiny\.", "--jobs", "2", *words],
                          capture_output=True, text=True, check=False)
    return made.returncode, made.stdout.splitlines() or [made.stderr]


def shown(lines, word):
    """What the mutants with this word in front of them change."""
    return {line.split(": ", 1)[1].rsplit(" (", 1)[0] for line in lines if line.startswith(word)}


class Mutants(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=os.getcwd(), prefix="scratch_"))
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def tearDown(self):
        shutil.rmtree(self.root)

    def test_each_mutant_of_a_file(self):
        code, lines = mutants(self.root)
        self.assertIn("left out, as they do not pass: tiny.broken", lines)
        self.assertEqual(shown(lines, "killed"), KILLED)
        self.assertEqual(shown(lines, "survives"), SURVIVING)
        self.assertIn("7 of 16 killed, 43.8 %; 0 of the others are judged equivalent", lines)
        self.assertEqual(code, 1)
        unreached = [line for line in lines if "(no test comes to it)" in line]
        self.assertEqual(shown(unreached, "survives"), {"return -value -> 0"})

        # One that is judged: a line that names it, and a reason. Nothing is tried again.
        number = next(line.split()[1] for line in lines if "++calls" in line)
        folder = self.root / "host_tests" / "mutants"
        folder.mkdir()
        (folder / "equivalent.txt").write_text(
            "src/tiny/clamp.c clamp: without ++calls;\n  nobody\n  counts\n", encoding="utf-8")
        code, lines = mutants(self.root, "--only", number)
        self.assertEqual(code, 0)
        self.assertEqual(lines[-1], f"  {number} src/tiny/clamp.c:9 clamp: without ++calls;: "
                                    "equivalent, nobody counts")

    def test_what_a_test_did(self):
        bench = trials.Bench(self.root, "bench", self.root / "nothing")
        for words, limit, outcome in ((["true"], 60, ""), (["false"], 60, "fails"),
                                      (["sleep", "60"], 0.1, "hangs"),
                                      (["sh", "-c", "kill -SEGV $$"], 60, "crashes with SIGSEGV")):
            code, _ = bench.run(trials.Test("a.test", words, {}), limit)
            self.assertEqual(trials.outcome(code), outcome)


if __name__ == "__main__":
    if not shutil.which("clang") or not shutil.which("git"):
        print("clang or git is missing")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
