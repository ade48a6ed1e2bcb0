"""header_pages.py: has the pages that Breathe makes of headers say what types there are before they
say what functions do with them, and macros last; and lists all of them under "On this page".
"""
from docutils import nodes
from sphinx import addnodes

ORDER = {"typedef": 0, "enum": 1, "struct": 2, "define": 4}
FUNCTIONS = 3
AFTER_COLLECTORS = 900  # of Sphinx's own, which make the list of a page's sections


def place_of(block):
    """Where a block of a header's page belongs; None for what is said of the header itself."""
    kind = block.get("objtype") if isinstance(block, (nodes.container, addnodes.desc)) else None
    return None if kind is None else ORDER.get(kind, FUNCTIONS)


def order(app, document):
    for section in document.findall(nodes.section):
        told, blocks = [], []
        marks = []  # of Sphinx's index, each of which belongs to the block that follows
        for child in section.children:
            place = place_of(child)
            if isinstance(child, addnodes.index):
                marks.append(child)
            elif place is None:
                told += marks + [child]
                marks = []
            else:
                blocks.append((place, marks + [child]))
                marks = []
        if any(place is not None for place, _ in blocks):
            blocks.sort(key=lambda block: block[0])
            section.children = told + [node for _, group in blocks for node in group] + marks
    for rubric in list(document.findall(nodes.rubric)):
        if rubric.astext() == "Public Members":
            rubric.parent.remove(rubric)


def entry(page, identifier, name):
    reference = nodes.reference("", "", nodes.literal("", name), internal=True, refuri=page,
                                anchorname="#" + identifier)
    return nodes.list_item("", addnodes.compact_paragraph("", "", reference))


def list_symbols(app, document):
    page = app.env.docname
    if not page.startswith("reference/api/"):
        return
    entries, listed = [], set()
    for described in document.findall(addnodes.desc):
        signature = described.next_node(addnodes.desc_signature)
        name = signature["ids"][0] if signature and signature["ids"] else ""
        name = name.removeprefix("c.")
        if name and "." not in name and name not in listed:  # no member of a struct
            listed.add(name)
            entries.append(entry(page, signature["ids"][0], name))
    toc = app.env.tocs[page]
    if entries and len(toc):
        toc[0] += nodes.bullet_list("", *entries)


def setup(app):
    app.connect("doctree-read", order)
    app.connect("doctree-read", list_symbols, priority=AFTER_COLLECTORS)
    return {"parallel_read_safe": True}
