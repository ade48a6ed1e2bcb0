"""check_site.py SOURCE_DIR SITE: whether the site's reference is complete.

Every function, struct, enum and initialiser of the public headers is in the site's index of
symbols, and every function in the list of its page; something is said of each function; and each
sentence of the headers' comments stands in the XML that the reference is made of. No page links to
a bare file.
"""
import re
import subprocess
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

source, site = Path(sys.argv[1]), Path(sys.argv[2])
headers = sorted(path for path in (source / "include/relayout").glob("*.h")
                 if path.name not in ("relayout.h", "export.h"))
failures = []


def indexed_symbols():
    """Sphinx's inventory: four lines, then compressed ones of name, kind and place."""
    compressed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(compressed).decode().splitlines()
    return {line.split()[0] for line in lines if line.split()[1].startswith("c:")}


def without_bodies(text):
    """A header without its inline functions' bodies."""
    return re.sub(r"\) \{\n.*?\n\}\n", ");\n", text, flags=re.S)


def letters(text):
    """What of a text is left when marks, white space and capitals are not looked at."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def sentences_of(header):
    """As host_tests/contracts cuts them."""
    contracts = source / "host_tests/contracts"
    cut = subprocess.run(["awk", "-f", contracts / "sentences.awk",
                          "-f", contracts / "header_sentences.awk"],
                         input=without_bodies(header.read_text()), check=True,
                         capture_output=True, text=True).stdout
    return [line.split("\t", 1)[1] for line in cut.splitlines()]


def said_in_xml(folder, header):
    """All that the XML says of a header: of its file, and of the structs that it declares."""
    def location(path):
        return path.find("compounddef/location")

    texts = []
    for path in folder.glob("*.xml"):
        tree = ElementTree.parse(path).getroot()
        if tree.find("compounddef") is None:
            continue
        place = location(tree)
        if place is not None and Path(place.get("file")).name == header:
            texts += ["".join(part.itertext()) for tag in
                      ("detaileddescription", "briefdescription", "header", "initializer")
                      for part in tree.iter(tag)]
    return letters(" ".join(texts))


def functions_of(text):
    """What the header marks RELAYOUT_API, and its inline functions."""
    return set(re.findall(r"(?:RELAYOUT_API|static inline)\b[^(;]*?(relayout_\w+)\(", text))


def functions_told(folder):
    """The functions of which the XML says something."""
    return {member.findtext("name")
            for path in folder.glob("*.xml")
            for member in ElementTree.parse(path).getroot().iter("memberdef")
            if "".join(member.find("detaileddescription").itertext()).strip()}


def functions_listed():
    """What stands under "On this page" in the reference of the C API."""
    return {name for page in (site / "reference/api").glob("*.html")
            for listed in re.findall(r'<div class="toc-tree">(.*?)</aside>', page.read_text(), re.S)
            for name in re.findall(r'href="#c\.(\w+)"', listed)}


def bare_files():
    """Links of pages to files that are no pages."""
    return [f"{page.relative_to(site)} links to {name}" for page in site.glob("**/*.html")
            for name in re.findall(r'href="([^"#:]*_downloads/[^"]*)"', page.read_text())]


xml = source / "build/docs/xml"
functions, wanted = set(), set()
for header in headers:
    text = header.read_text()
    functions |= functions_of(text)
    wanted |= set(re.findall(r"^typedef (?:struct|enum) (relayout_\w+)", text, flags=re.M))
    wanted |= set(re.findall(r"^#define (RELAYOUT_\w+_INIT)", text, flags=re.M))
    said = said_in_xml(xml, header.name)
    for sentence in sentences_of(header):
        sentence = re.sub(r"^[a-z_]+\.h: ", "", sentence)
        if letters(sentence) not in said:
            failures.append(f"{header.name}: not in the reference: {sentence}")
failures += [f"nothing is said of {name}" for name in sorted(functions - functions_told(xml))]
wanted |= functions
failures += [f"not in the site's index: {name}" for name in sorted(wanted - indexed_symbols())]
failures += [f"not listed on its page: {name}" for name in sorted(functions - functions_listed())]
failures += bare_files()

print("\n".join(failures))
print(f"{len(functions)} functions of {len(wanted)} symbols, {len(failures)} failures")
sys.exit(1 if failures or not functions else 0)
