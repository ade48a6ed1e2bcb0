"""How notebooks show a shape: its memory, a cell for each element in it."""

from __future__ import annotations

import html as _html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._shape import Shape

MOST_CELLS = 1024

_STYLE = ("font-family:monospace;font-size:11px;text-align:center;padding:2px 4px;"
          "border:1px solid #8888;")


def _cell(shape: Shape, linear: int) -> str:
    index = shape.index_at(linear)
    if index is None:
        return f'<td style="{_STYLE}background:#8884" title="{linear}: padding">·</td>'
    # One hue for each index along the slowest dimension, so that rows stay visible.
    hue = (index[shape.minor_to_major[-1]] if index else 0) * 47 % 360
    text = ",".join(map(str, index))
    return (f'<td style="{_STYLE}background:hsl({hue} 60% 60% / .35)" '
            f'title="{linear}: ({text})">{text}</td>')


def _facts(shape: Shape) -> str:
    padding = shape.padding_byte_size
    share = f", {padding} of them padding" if padding else ""
    return (f"<code>{_html.escape(str(shape))}</code><br>{shape.byte_size} bytes{share}")


def html(shape: Shape) -> str:
    """The text, the size, and where it is small a table of the memory, from its start on."""
    sizes = shape.physical_dimensions
    count = 1
    for size in sizes:
        count *= size
    if count > MOST_CELLS or count == 0:
        return _facts(shape)
    width = sizes[-1] if sizes else 1
    width = width * (sizes[-2] if len(sizes) > 1 and width < 8 else 1)
    rows = ("".join(_cell(shape, first + i) for i in range(min(width, count - first)))
            for first in range(0, count, width))
    table = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'{_facts(shape)}<table style="border-collapse:collapse">{table}</table>'
