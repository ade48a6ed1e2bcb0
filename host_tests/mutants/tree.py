"""A copy of the sources in which mutants are switched by a number, built once for all of them.

Every mutant is an expression or a statement behind `rlt_mutant_is(number)` (mutant.h). Lines stay
where they are, so that what does not compile names the line of the mutant to leave out.
"""
import collections
import json
import pathlib
import re
import shlex
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "add_library(relayout_objects OBJECT"


def expression(number, mutant, inside):
    return f"(rlt_mutant_is({number}) ? ({mutant.instead}) : ({inside}))"


def statement(number, inside):
    return f"if (!rlt_mutant_is({number})) {inside}"


def is_condition(mutant, text):
    return mutant.instead == f"!({text})"


def switched(text, mutants):
    """The text of a file with its mutants: a dictionary from numbers."""
    order = sorted(mutants.items(), key=lambda entry: (entry[1].begin, -entry[1].end,
                                                       entry[1].instead != "", entry[0]))

    def render(begin, end, entries):
        """What stands from `begin` to `end`, where these mutants lie."""
        made, at = [], begin
        while entries:
            number, mutant = entries[0]
            inner = [entry for entry in entries[1:] if entry[1].begin < mutant.end]
            entries = entries[1 + len(inner):]
            made.append(text[at:mutant.begin])
            inside = render(mutant.begin, mutant.end, inner)
            if mutant.instead == "":
                made.append(statement(number, inside))
            else:
                if is_condition(mutant, " ".join(text[mutant.begin:mutant.end].split())):
                    inside = f"!!({inside})"  # both of the same type
                made.append(expression(number, mutant, inside))
            at = mutant.end
        return "".join(made) + text[at:end]

    return '#include "mutant.h"\n#line 1\n' + render(0, len(text), order)


def write_if_other(path, data):
    """Writes a file unless it is that already, so that nothing is compiled in vain."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Tree:
    """The copy in `work`/source of the files that git tracks in `root`, and its build."""

    def __init__(self, root, work, sanitize=False):
        self.root, self.source, self.build = root, work / "source", work / "build"
        self.work, self.sanitize = work, sanitize

    def tracked(self):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard"], cwd=self.root, check=True,
                                capture_output=True).stdout.decode().split("\0")
        return [name for name in listed if name and (self.root / name).is_file()]

    def copy(self, mutants):
        """Copies the files, those with mutants switched."""
        of_file = collections.defaultdict(dict)
        for number, mutant in mutants.items():
            of_file[mutant.path][number] = mutant
        names = self.tracked()
        for name in names:
            data = (self.root / name).read_bytes()
            if name in of_file:
                data = switched(data.decode("latin-1"), of_file[name]).encode("latin-1")
            elif name == "src/CMakeLists.txt":
                data = data.replace(LIBRARY.encode(), f"{LIBRARY} mutant.c".encode(), 1)
            write_if_other(self.source / name, data)
            shutil.copymode(self.root / name, self.source / name)
        for name in ("mutant.h", "mutant.c"):
            write_if_other(self.source / "src" / name, (HERE / name).read_bytes())
        kept = {self.source / name for name in names}
        kept |= {self.source / "src" / name for name in ("mutant.h", "mutant.c")}
        for path in self.source.rglob("*"):
            if path.is_file() and path not in kept:
                path.unlink()

    def configure(self):
        words = ["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-w", "-DRELAYOUT_BUILD_SAMPLES=OFF",
                 "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                 f"-DRELAYOUT_POCL_CACHE={self.root / 'build' / 'pocl'}"]
        if self.sanitize:
            words += ["-DCMAKE_C_FLAGS_RELEASE=-O1 -g1 -DNDEBUG",
                      "-DRELAYOUT_SANITIZE=address,undefined"]
        if shutil.which("ccache"):
            words.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        with open(self.work / "configure.log", "w", encoding="utf-8") as log:
            subprocess.run(words, check=True, stdout=log, stderr=log)

    def compilations(self, folders, most=4):
        """The arguments that clang takes for each source in these folders, and where it runs. Of a
        source that is compiled many times a few are taken, evenly."""
        commands = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        of_source = collections.defaultdict(list)
        for command in commands:
            name = pathlib.Path(command["file"]).resolve()
            if any(name.is_relative_to(self.source / folder) for folder in folders):
                words = [word for word in shlex.split(command["command"])[1:]
                         if word.startswith(("-D", "-I", "-m", "-std")) or "/include" in word
                         or word == "-isystem"]
                of_source[str(name)].append(([*words, str(name)], command["directory"]))
        chosen = []
        for name in sorted(of_source):
            ways = of_source[name]
            step = -(-len(ways) // most)
            chosen += ways[::step]
        return chosen

    def make(self, mutants, targets, jobs):
        """Copies and builds. Returns the mutants that compile."""
        names = {number: f"{number} {mutant.key()}" for number, mutant in mutants.items()}
        kept = self.work / "uncompilable.txt"
        known = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
        mutants = {number: mutant for number, mutant in mutants.items()
                   if names[number] not in known}
        self.copy(mutants)
        self.configure()
        while True:
            made = subprocess.run(["cmake", "--build", self.build, "-j", str(jobs), "--target",
                                   *targets, "--", "-k", "0"], text=True, capture_output=True,
                                  check=False)
            log = made.stdout + made.stderr
            (self.work / "build.log").write_text(log, encoding="utf-8")
            if made.returncode == 0:
                return mutants
            wrong = self.blamed(mutants, log)
            if not wrong:
                raise RuntimeError(f"the mutants do not build: see {self.work / 'build.log'}")
            for number in wrong:
                del mutants[number]
            known += [names[number] for number in sorted(wrong)]
            kept.write_text("".join(f"{name}\n" for name in known), encoding="utf-8")
            self.copy(mutants)

    def blamed(self, mutants, log):
        """The numbers of the mutants at lines that a compiler calls wrong."""
        wrong = set()
        for path, line in re.findall(r"^([^\s:]+):(\d+):\d+: (?:fatal )?error:", log, flags=re.M):
            at = (self.build / path).resolve()
            if not at.is_relative_to(self.source):
                continue
            name = at.relative_to(self.source).as_posix()
            here = {number: mutant for number, mutant in mutants.items() if mutant.path == name}
            text = (self.root / name).read_text(encoding="latin-1") if here else ""
            for number, mutant in here.items():
                last = mutant.line + text.count("\n", mutant.begin, mutant.end)
                if mutant.line <= int(line) <= last:
                    wrong.add(number)
        return wrong
