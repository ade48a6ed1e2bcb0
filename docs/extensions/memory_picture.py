"""memory_picture.py: the directive `memory SHAPE`, which draws what `relayout shape SHAPE` prints:
a small array, and its memory. Cells of one tile have one colour on both sides; padding is grey.
"""
import html
import os
import re
import subprocess

from docutils import nodes
from docutils.parsers.rst import Directive

CELL, GAP, LEFT, LINE = 26, 10, 12, 24
COLOURS = ["#8ecae6", "#ffd166", "#b5e48c", "#f4acb7", "#cdb4db", "#ffb480", "#a3e4d7", "#d9c29c"]
PADDING = "#d0d0d0"


def sections_of(text):
    """The rows of the array, each a list of cells, with an empty one before each further plane;
    and the memory, a list of innermost tiles."""
    array, memory = [], []
    into = None
    for line in text.splitlines():
        if line.startswith("the array"):
            into = array
        elif line.startswith("its memory"):
            into = memory
        elif into is array and re.match(r"  [pz] = ", line) and array:
            array.append([])
        elif into is array and re.match(r"    [y ] \| ", line):
            array.append(line.split("|", 1)[1].split())
        elif into is memory and line.strip():
            memory += [tile.split() for tile in line.split(" | ")]
    return array, memory


def tile_cells(shape):
    """Cells of a tile of the first level; 0 without tiles."""
    first = re.search(r"T\(([\d*,]+)\)", shape)
    cells = 1
    for size in first.group(1).split(",") if first else []:
        cells *= 1 if size == "*" else int(size)
    return cells if first else 0


def is_element(cell):
    return re.fullmatch(r"[a-z]{1,2}", cell) is not None


def cell_at(x, y, name, colour):
    return (f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{colour}" '
            f'stroke="#555"/><text x="{x + CELL / 2}" y="{y + CELL / 2 + 5}" '
            f'text-anchor="middle">{html.escape(name)}</text>')


def draw(shape, text):
    array, memory = sections_of(text)
    if not memory:
        raise ValueError(f"relayout shape draws no memory of {shape}")
    whole = tile_cells(shape)
    colours, place = {}, 0
    for cell in (cell for tile in memory for cell in tile):
        colours[cell] = COLOURS[place // whole % len(COLOURS)] if whole else COLOURS[0]
        place += 1

    def colour_of(cell):
        return colours[cell] if is_element(cell) else PADDING

    parts, y, right = [], 8, 0
    for row in array:
        for column, cell in enumerate(row):
            parts.append(cell_at(LEFT + column * CELL, y, cell, colour_of(cell)))
        right = max(right, LEFT + len(row) * CELL)
        y += CELL if row else GAP
    y += CELL if array else 0
    x = LEFT
    for number, tile in enumerate(memory):
        if x > LEFT and x + len(tile) * CELL > LEFT + LINE * CELL:
            x, y = LEFT, y + CELL + GAP
        for cell in tile:
            if x + CELL > LEFT + LINE * CELL:
                x, y = LEFT, y + CELL + GAP
            parts.append(cell_at(x, y, cell, colour_of(cell)))
            x += CELL
            right = max(right, x)
        x += GAP if number + 1 < len(memory) else 0
    label = html.escape(f"{shape}, as an array and in memory")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
            f'viewBox="0 0 {right + LEFT} {y + CELL + 8}" width="{right + LEFT}" '
            f'style="max-width:100%;height:auto;background:#fff" font-size="14" '
            f'font-family="monospace">{"".join(parts)}</svg>')


class Memory(Directive):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        shape = self.arguments[0]
        shown = subprocess.run([os.environ["RELAYOUT"], "shape", shape], capture_output=True,
                               text=True)
        if shown.returncode != 0:
            raise self.error(shown.stderr)
        picture = nodes.raw("", draw(shape, shown.stdout), format="html")
        caption = nodes.caption("", "", nodes.literal("", shape))
        return [nodes.figure("", picture, caption)]


def setup(app):
    app.add_directive("memory", Memory)
    return {"parallel_read_safe": True}
