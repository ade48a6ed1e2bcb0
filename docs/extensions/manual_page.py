"""manual_page.py: the directive `manual_page NAME`, which shows docs/man/NAME.1 as a part of the
site: its sections, paragraphs and lists as mandoc's HTML has them, the names of other pages links.
"""
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from docutils.parsers.rst import Directive

# What mandoc's classes of inline elements become. Others are text.
INLINE = {"Fl": nodes.literal, "Li": nodes.literal, "Nm": nodes.literal, "Ic": nodes.literal,
          "Pa": nodes.literal, "Ev": nodes.literal, "Ar": nodes.emphasis}


def blank(text):
    """The text, white space made single blanks."""
    return re.sub(r"\s+", " ", text or "")


def inline_of(element):
    """The element's text and what is marked in it."""
    made = [nodes.Text(blank(element.text))]
    for child in element:
        name = child.get("class", "").split(" ")[0]
        text = "".join(child.itertext())
        if name == "Xr":
            page = re.sub(r"\(1\)$", "", text.strip())
            made.append(nodes.reference("", text, refuri=page + ".html", internal=True))
        elif name in INLINE:
            made.append(INLINE[name]("", blank(text)))
        else:
            made += inline_of(child)
        made.append(nodes.Text(blank(child.tail)))
    return made


def list_of(element):
    """A <dl> of terms and what is said of each."""
    made = nodes.definition_list()
    terms = []
    for child in element:
        if child.tag == "dt":
            terms.append(nodes.term("", "", *inline_of(child)))
        else:
            made += nodes.definition_list_item(
                "", *terms, nodes.definition("", *blocks_of(child)))
            terms = []
    return made


def synopsis_of(table):
    """A <table> of one row: a command and its words."""
    words = [word for cell in table.iter("td") for word in inline_of(cell) + [nodes.Text(" ")]]
    return nodes.paragraph("", "", *words[:-1])


def section_of(element):
    heading = element[0]
    title = blank("".join(heading.itertext()))
    title = title.capitalize() if title.isupper() else title
    made = nodes.section("", nodes.title("", title), ids=[nodes.make_id(title)], names=[])
    made += blocks_of(element, skip=1)
    return made


def blocks_of(element, skip=0):
    """What stands in the element, loose text among it, as paragraphs, lists and sections."""
    made = []
    loose = nodes.paragraph()

    def end_paragraph():
        nonlocal loose
        if loose.astext().strip():
            made.append(loose)
        loose = nodes.paragraph()

    if element.text and not skip:
        loose += nodes.Text(blank(element.text))
    for child in list(element)[skip:]:
        if child.tag in ("section", "table", "dl", "p", "div"):
            end_paragraph()
        if child.tag == "section":
            made.append(section_of(child))
        elif child.tag == "table":
            made.append(synopsis_of(child))
        elif child.tag == "dl":
            made.append(list_of(child))
        elif child.tag == "p":
            made.append(nodes.paragraph("", "", *inline_of(child)))
        elif child.tag == "div" and "Bd-indent" in child.get("class", ""):
            made.append(nodes.literal_block("", blank("".join(child.itertext())).strip(),
                                            language="console"))
        elif child.tag == "div":
            made += blocks_of(child)
        else:
            wrapper = ElementTree.Element("p")
            wrapper.append(child)
            loose += inline_of(wrapper)
            continue
        if child.tail and child.tail.strip():
            loose += nodes.Text(blank(child.tail))
    end_paragraph()
    return made


class ManualPage(Directive):
    required_arguments = 1

    def run(self):
        page = Path(os.environ["RELAYOUT_DOCS_ROOT"]) / "docs/man" / (self.arguments[0] + ".1")
        self.state.document.settings.record_dependencies.add(str(page))
        html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", str(page)], check=True,
                              capture_output=True, text=True).stdout
        body = ElementTree.fromstring("<body>" + html + "</body>").find("div[@class='manual-text']")
        return [block for block in blocks_of(body)
                if not (isinstance(block, nodes.section) and block[0].astext() == "Name")]


def setup(app):
    app.add_directive("manual_page", ManualPage)
    return {"parallel_read_safe": True}
