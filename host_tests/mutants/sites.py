"""Where sources can be mutated, and how: clang's syntax tree is read, and each mutant is a stretch
of a file's text with what stands there instead.

Only what stands in a function's body and in no macro is looked at, and nothing that has to be a
constant: case labels, sizes of arrays, initialisers of static objects, operands of sizeof.
"""
import dataclasses
import json
import pathlib
import re
import subprocess

RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
             "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",), "<<": (">>",),
              ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("&",)}
CONNECTORS = {"&&": ("||",), "||": ("&&",)}
BINARY = {**RELATIONS, **ARITHMETIC, **CONNECTORS}
COMPOUND = {f"{operator}=": tuple(f"{other}=" for other in others)
            for operator, others in ARITHMETIC.items()}
CONSTANT_PARTS = {"ConstantExpr", "UnaryExprOrTypeTraitExpr", "OffsetOfExpr", "StaticAssertDecl",
                  "GenericSelectionExpr", "AtomicExpr", "GCCAsmStmt"}
CONDITIONS = {"IfStmt": 0, "WhileStmt": 0, "DoStmt": 1, "ConditionalOperator": 0}
DELETED = {"CallExpr", "CompoundAssignOperator", "AtomicExpr"}


@dataclasses.dataclass(frozen=True, order=True)
class Mutant:
    """What stands in `path` from byte `begin` to `end`, in a function, and what does instead."""
    path: str
    begin: int
    end: int
    instead: str  # an expression's text; "" for a statement that is left out
    shown: str  # what becomes of what, on one line
    function: str = dataclasses.field(compare=False)
    line: int = dataclasses.field(compare=False)

    def key(self):
        """What names it while the lines around it change."""
        return f"{self.path} {self.function}: {self.shown}"


def one_line(text):
    return " ".join(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S).split())


def top_level(dump):
    """Each declaration of clang's tree as text. They are indented by four blanks."""
    lines = []
    for line in dump:
        if line.startswith("    {"):
            lines = []
        lines.append(line)
        if line.startswith("    }"):
            yield "".join(lines).rstrip().rstrip(",")


FILE = re.compile(r'"file": "([^"]*)"')
INCLUDED_FROM = re.compile(r'"includedFrom": \{\s*"file": "[^"]*"\s*\}')


def functions(command, folder, wanted):
    """Yields (path, tree) of each function with a body that a compiler's command line comes to,
    from files that `wanted` takes. A position names its file where it is not the last one's."""
    words = ["clang", *command, "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True,
                          encoding="latin-1") as clang:
        path = ""
        for text in top_level(clang.stdout):
            files = FILE.findall(INCLUDED_FROM.sub("", text)) if '"file"' in text else []
            if files and re.search(r'"loc": \{\s*("offset": \d+,\s*)?"file"', text[:400]):
                path = files[0]
            if '"kind": "FunctionDecl"' in text[:200] and '"CompoundStmt"' in text and wanted(path):
                yield path, json.loads(text)
            if files:
                path = files[-1]
    if clang.returncode != 0:
        raise RuntimeError(f"clang fails: {' '.join(words)}")


def closing(text, position):
    """Behind the parenthesis that closes what opens at the first one from `position` on."""
    depth = 0
    for i in range(position, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0 and text[i] == ")":
            return i + 1
    raise ValueError("a parenthesis is open")


class Finder:
    """Collects the mutants of one function."""

    def __init__(self, path, text, function):
        self.path, self.text, self.function = path, text, function
        self.found = set()

    def extent(self, node):
        """First byte and the one behind; None for what a macro's text holds."""
        begin, end = node["range"]["begin"], node["range"]["end"]
        if "offset" not in begin and "expansionLoc" not in begin:
            return None
        first, last = begin.get("expansionLoc", begin), end.get("expansionLoc", end)
        if first is not begin and last is not end and first["offset"] == last["offset"]:
            # A macro without arguments is a name like any other; its inside is not looked at.
            return None
        stop = last["offset"] + last["tokLen"]
        if last is not end and self.text[stop:].lstrip()[:1] == "(":
            stop = closing(self.text, stop)
        return first["offset"], stop

    def operand(self, node):
        """As extent, but a macro that makes up all of it counts with its arguments."""
        begin, end = node["range"]["begin"], node["range"]["end"]
        if "expansionLoc" in begin and "expansionLoc" in end:
            first, last = begin["expansionLoc"], end["expansionLoc"]
            if first["offset"] == last["offset"] and not first.get("isMacroArgExpansion"):
                stop = last["offset"] + last["tokLen"]
                if self.text[stop:].lstrip()[:1] == "(":
                    stop = closing(self.text, stop)
                return first["offset"], stop
        return self.extent(node)

    def add(self, extent, instead, shown=None):
        begin, end = extent
        original = self.text[begin:end]
        if "\n#" in original:
            return
        shown = shown or f"{one_line(original)} -> {one_line(instead)}"
        self.found.add(Mutant(self.path, begin, end, one_line(instead), shown, self.function,
                              self.text.count("\n", 0, begin) + 1))

    def operators(self, node, others):
        """The binary operator's text with others in its place."""
        extent, (left, right) = self.extent(node), node["inner"]
        left, right = self.operand(left), self.operand(right)
        if not extent or not left or not right:
            return
        between = self.text[left[1]:right[0]]
        if between.strip() != node["opcode"] or not extent[0] <= left[0] < right[1] <= extent[1]:
            return
        for other in others[node["opcode"]]:
            self.add(extent, f"{self.text[extent[0]:left[1]]} {other} "
                             f"{self.text[right[0]:extent[1]]}")

    def binary(self, node):
        opcode = node["opcode"]
        types = [part.get("type", {}) for part in (node, *node["inner"])]
        names = [kind.get("desugaredQualType", kind.get("qualType", "")) for kind in types]
        if opcode in ARITHMETIC and any("*" in name or "[" in name for name in names):
            if opcode not in "+-" or "*" not in names[0]:
                return  # no product of pointers
        if opcode in ("%", "*", "/", "<<", ">>", "&", "|", "^") and any("vector" in name
                                                                       for name in names):
            return
        if opcode in BINARY:
            self.operators(node, BINARY)

    def condition(self, node):
        """A condition that is no comparison is negated: comparisons are turned round as such."""
        extent = self.operand(node)
        inside = node
        while inside["kind"] in ("ImplicitCastExpr", "ParenExpr"):
            inside = inside["inner"][0]
        if extent and inside.get("opcode") not in RELATIONS:
            self.add(extent, f"!({self.text[extent[0]:extent[1]]})")

    def returned(self, node):
        value = node["inner"][0]
        extent = self.operand(value)
        name = value["type"].get("desugaredQualType", value["type"]["qualType"])
        if not extent or "struct" in name or "vector" in name or "union" in name:
            return
        text = self.text[extent[0]:extent[1]]
        if name in ("_Bool", "bool") or text in ("true", "false"):
            self.add(extent, f"!({text})", f"return {one_line(text)} -> !({one_line(text)})")
        elif text not in ("0", "NULL", "RELAYOUT_OK"):
            self.add(extent, "0", f"return {one_line(text)} -> 0")

    def constant(self, node):
        extent = self.extent(node)
        if extent:
            text = self.text[extent[0]:extent[1]]
            self.add(extent, f"({text} + 1)", f"{self.around(extent)}: {text} + 1")
            if node["value"] != "0":
                self.add(extent, f"({text} - 1)", f"{self.around(extent)}: {text} - 1")

    def around(self, extent):
        """The line that a number stands in, with a mark in front of the number."""
        begin = self.text.rfind("\n", 0, extent[0]) + 1
        end = self.text.find("\n", extent[1])
        return one_line(self.text[begin:extent[0]] + "@" + self.text[extent[0]:end])

    def statement(self, node):
        """Calls and assignments are left out."""
        extent = self.operand(node)
        if extent and (node["kind"] in DELETED or node.get("opcode") in ("=", "++", "--")):
            self.add(extent, "", f"without {one_line(self.text[extent[0]:extent[1]])};")

    def walk(self, node):
        kind = node.get("kind")
        if kind is None or kind in CONSTANT_PARTS:
            return
        if kind == "VarDecl" and node.get("storageClass") == "static":
            return
        inner = node.get("inner", [])
        if kind == "CompoundStmt":
            for child in inner:
                self.statement(child)
        elif kind == "BinaryOperator":
            self.binary(node)
        elif kind == "CompoundAssignOperator" and "*" not in node["type"]["qualType"]:
            self.operators(node, COMPOUND)
        elif kind == "IntegerLiteral":
            self.constant(node)
        elif kind == "ReturnStmt" and inner:
            self.returned(node)
        if kind in CONDITIONS and len(inner) > CONDITIONS[kind]:
            self.condition(inner[CONDITIONS[kind]])
        for child in inner:
            if kind == "ImplicitCastExpr" and node.get("castKind") == "NullToPointer":
                continue
            self.walk(child)


def find(commands, root, folders):
    """All mutants of the files below these folders of `root`, sorted. `commands` are the arguments
    of compilers that are run in the folder beside them."""
    root = pathlib.Path(root).resolve()
    texts, found = {}, set()

    def relative(path, folder):
        try:
            return (pathlib.Path(folder) / path).resolve().relative_to(root).as_posix()
        except ValueError:
            return None

    for arguments, folder in commands:
        def wanted(path, folder=folder):
            name = relative(path, folder)
            return name is not None and any(name.startswith(f"{part}/") for part in folders)
        for path, tree in functions(arguments, folder, wanted):
            name = relative(path, folder)
            if name not in texts:
                texts[name] = (root / name).read_text(encoding="latin-1")
            finder = Finder(name, texts[name], tree["name"])
            for part in tree["inner"]:
                if part["kind"] == "CompoundStmt":
                    finder.walk(part)
            found |= finder.found
    return sorted(found)
