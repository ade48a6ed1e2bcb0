"""source_links.py: links to Markdown files of the source that are no pages of the site, such as
bench/RESULTS.md, lead to copies of these files.
"""
import os
from pathlib import Path

from sphinx import addnodes


def link_to_copy(app, env, node, content):
    page = Path(env.doc2path(node["refdoc"]))
    file = (page.parent / node["reftarget"].split("#")[0]).resolve()
    if not file.is_file() or Path(os.environ["RELAYOUT_DOCS_ROOT"]) not in file.parents:
        return None
    copy = env.dlfiles.add_file(node["refdoc"], str(file))
    return addnodes.download_reference("", "", content, reftarget=str(file), filename=copy)


def setup(app):
    app.connect("missing-reference", link_to_copy)
    return {"parallel_read_safe": True}
