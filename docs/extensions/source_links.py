"""source_links.py: links to files of the source lead to pages of the site, never to bare files.

Markdown of the source is shown by the page that includes it; a sample's or an example's code gets a
page of its own, coloured.
"""
import os
from html import escape
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CLexer
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

# The pages that include a file of the source, and where a file is shown.
INCLUDED = {"architecture": "ARCHITECTURE.md", "changes": "CHANGELOG.md",
            "contributing": "CONTRIBUTING.md", "performance": "bench/RESULTS.md",
            "security": "SECURITY.md"}
SHOWN = {file: page for page, file in INCLUDED.items()} | {
    "README.md": "index", "python/README.md": "python", "bench/README.md": "howto/measure"}


def root():
    return Path(os.environ["RELAYOUT_DOCS_ROOT"])


def file_of(env, node):
    """The file of the source that a link names, relative to the source's root; or None."""
    page = node["refdoc"]
    name = node["reftarget"].split("#")[0]
    folders = [Path(env.doc2path(page)).parent]
    if page in INCLUDED:
        folders.insert(0, (root() / INCLUDED[page]).parent)
    for folder in folders:
        file = (folder / name).resolve()
        if file.exists() and root() in file.parents:
            return file.relative_to(root()).as_posix()
    return None


def link_to_source(app, page, file, content):
    """To the page that source_pages makes of a program."""
    if not hasattr(app.env, "relayout_sources"):
        app.env.relayout_sources = set()
    app.env.relayout_sources.add(file)
    uri = app.builder.get_relative_uri(page, "sources/" + file)
    return nodes.reference("", "", content, internal=True, refuri=uri)


def replace_downloads(app, document):
    """MyST has links to files that it knows nothing of download these."""
    page = app.env.docname
    for download in list(document.findall(addnodes.download_reference)):
        file = file_of(app.env, {"refdoc": page, "reftarget": download["reftarget"]})
        if file is not None and file.endswith(".c"):
            words = nodes.inline("", "", *download.children)
            download.replace_self(link_to_source(app, page, file, words))


def link_to_page(app, env, node, content):
    file = file_of(env, node)
    if file is None:
        return None
    if file in SHOWN:
        target = node["reftarget"].partition("#")[2]
        return make_refnode(app.builder, node["refdoc"], SHOWN[file], target, content)
    if file.startswith("docs/") and file.endswith(".md"):
        return make_refnode(app.builder, node["refdoc"], file[5:-3], "", content)
    if (root() / file).suffix == ".c" and (root() / file).is_file():
        return link_to_source(app, node["refdoc"], file, content)
    return nodes.literal("", content.astext())  # a folder or a script: its name says where it is


def source_pages(app):
    """A page for each program that is linked."""
    for file in sorted(getattr(app.env, "relayout_sources", ())):
        code = highlight((root() / file).read_text(), CLexer(), HtmlFormatter())
        body = f"<section><h1>{escape(file)}</h1>{code}</section>"
        yield "sources/" + file, {"title": file, "body": body, "toc": ""}, "page.html"


def setup(app):
    app.connect("doctree-read", replace_downloads)
    app.connect("missing-reference", link_to_page)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": False}
