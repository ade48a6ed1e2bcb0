# conf.py: how Sphinx makes the site. scripts/docs runs it, with RELAYOUT_DOCS_WORK, the folder that
# has Doxygen's XML, and RELAYOUT, the command that draws pictures of memory.
import os
import re
import sys
from pathlib import Path

root = Path(os.environ["RELAYOUT_DOCS_ROOT"])
sys.path.insert(0, str(root / "docs" / "extensions"))
sys.path.insert(0, str(root / "python"))

numbers = re.findall(r"#define RELAYOUT_VERSION_[A-Z]+ (\d+)",
                     (root / "include/relayout/version.h").read_text())
project = "relayout"
version = release = ".".join(numbers)

extensions = ["breathe", "header_pages", "manual_page", "memory_picture", "myst_parser",
              "source_links", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# The package's docstrings are read without its module, and without what it is used with.
autodoc_mock_imports = ["relayout._library", "ml_dtypes", "numpy"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

breathe_projects = {"relayout": str(Path(os.environ["RELAYOUT_DOCS_WORK"]) / "xml")}
breathe_default_project = "relayout"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

highlight_language = "none"  # of what stands in headers' comments

html_theme = "furo"
html_title = f"relayout {release}"
html_copy_source = False
html_show_copyright = False
