"""python -m relayout: the command of the same name, as it was installed with the package."""

from __future__ import annotations

import os
import pathlib
import sys
import sysconfig
from collections.abc import Iterator

_NAME = "relayout" + (sysconfig.get_config_var("EXE") or "")


def _places() -> Iterator[pathlib.Path]:
    """Where installers put commands: beside the interpreter, the user's, and `pip --target`'s."""
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")):
        yield pathlib.Path(sysconfig.get_path("scripts", scheme))
    yield pathlib.Path(__file__).parent.parent / "bin"


def main() -> None:
    """Becomes the command."""
    for place in reversed([*_places()]):
        if (place / _NAME).is_file():
            os.execv(place / _NAME, [str(place / _NAME), *sys.argv[1:]])
    sys.exit("relayout: the command is not installed beside the package")


if __name__ == "__main__":
    main()
