"""Runs tests on mutants: which mutants a test comes to, and which of them it fails on."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

CRASHES = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL}
MOST_FILE_BYTES = 4 << 30
# What changes what a test has to say of its outcome, or who else has to run.
UNUSABLE = {"PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "WILL_FAIL", "FIXTURES_REQUIRED",
            "DEPENDS", "DISABLED"}


class Test:
    """A test as ctest knows it, what it takes and which mutants it comes to."""

    def __init__(self, name, command, environment):
        self.name, self.command, self.environment = name, command, environment
        self.seconds, self.reached = 0.0, frozenset()

    def layer(self):
        return self.name.split(".")[0]


def listed(build, chosen, left_out):
    """The tests of a build whose names match the one expression and not the other."""
    made = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                          capture_output=True, text=True).stdout
    tests = []
    for entry in json.loads(made)["tests"]:
        properties = {part["name"]: part["value"] for part in entry.get("properties", ())}
        if UNUSABLE & properties.keys() or "command" not in entry:
            continue
        if chosen.search(entry["name"]) and not left_out.search(entry["name"]):
            variables = dict(part.split("=", 1) for part in properties.get("ENVIRONMENT", ()))
            tests.append(Test(entry["name"], entry["command"], variables))
    return tests


class Bench:
    """Where one test runs at a time: a folder, and caches that no other test sees."""

    def __init__(self, work, name, pocl):
        self.folder, self.pristine = work / name, pocl
        self.pocl, self.busy = self.folder / "pocl", self.folder / "busy"
        if self.busy.exists() or not self.pocl.is_dir():
            self.restore()

    def restore(self):
        """What drivers have compiled so far, as it was before any mutant ran."""
        shutil.rmtree(self.pocl, ignore_errors=True)
        if self.pristine.is_dir():
            shutil.copytree(self.pristine, self.pocl)
        self.pocl.mkdir(parents=True, exist_ok=True)
        self.busy.unlink(missing_ok=True)

    def environment(self, test, more):
        variables = {**os.environ, **test.environment, **more}
        variables["XDG_CACHE_HOME"] = str(self.folder / "cache")
        variables["TMPDIR"] = str(self.folder / "run")
        group = pathlib.Path(variables.get("POCL_CACHE_DIR", "direct")).name
        variables["POCL_CACHE_DIR"] = str(self.pocl / group)
        return variables

    def run(self, test, limit, most_seconds=None, **more):
        """The exit code, or None past so many seconds; and the processor's seconds that it took, as
        others that run beside it take none of these. It ends by a signal past the most of them."""
        for name in ("run", "cache"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir(parents=True)
        self.busy.touch()
        with open(self.folder / "test.log", "wb") as log, subprocess.Popen(
                test.command, cwd=self.folder / "run", env=self.environment(test, more),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True) as process:
            if most_seconds is not None:
                limits = most_seconds, resource.RLIM_INFINITY
                resource.prlimit(process.pid, resource.RLIMIT_CPU, limits)
            code, seconds = wait_for(process, limit)
            end_group(process)
        if (code is None or code < 0) and "POCL_CACHE_DIR" in test.environment:
            self.restore()  # it may have been compiling
        self.busy.unlink(missing_ok=True)
        return code, seconds


def limit_processes():
    """What this process starts leaves no cores, and no file that fills the disk."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))


def wait_for(process, limit):
    """The exit code and the processor's seconds of a process and those that it waited for; None and
    the limit where it is still there after so many."""
    end = time.monotonic() + limit
    while True:
        found, status, usage = os.wait4(process.pid, os.WNOHANG)
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            return None, limit
        time.sleep(0.002)


def end_group(process):
    """Ends the test and whatever it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def outcome(code):
    """In a word: what a mutant did to a test; "" where nothing."""
    if code is None:
        return "hangs"
    if code in CRASHES:
        return f"crashes with {signal.Signals(-code).name}"
    return "" if code == 0 else "fails"


def measure(bench, test, count, longest):
    """Runs a test on no mutant, and notes which of `count` mutants it comes to. Returns whether the
    test passes, or takes longer than that."""
    path = bench.folder / "reached"
    path.write_bytes(bytes(count))
    code, test.seconds = bench.run(test, 10 * longest, int(longest) + 1,
                                   RELAYOUT_MUTANTS_REACHED=str(path))
    test.reached = frozenset(i for i, byte in enumerate(path.read_bytes()) if byte)
    return code == 0 or test.seconds > longest


def try_mutant(bench, test, number):
    """What a mutant does to a test."""
    code, seconds = bench.run(test, 10 * test.seconds + 20, RELAYOUT_MUTANT=str(number))
    return outcome(code), seconds
