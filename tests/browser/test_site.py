"""The manual as a site, in Chromium from files: it fits, its links lead somewhere, its search finds the right page.

All of it is behind --long: to build the site takes half a minute. The links of the pages themselves are checked in
each run, by tests/unit/test_docs_links.py.
"""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlencode, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; a warning of Sphinx is a failure."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, ROOT / "docs/site/build.py", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


class SitePage(HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        self.links |= {found[name] for name in ("href", "src") if found.get(name)}


def test_links(site):
    """Each file and each heading that a page refers to is there; pictures, scripts and what can be downloaded, too."""
    pages = {path: SitePage(path) for path in site.rglob("*.html")}
    assert len(pages) > 50
    lost = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or anchor and target in pages and anchor not in pages[target].anchors:
                lost.append(f"{path.relative_to(site)}: {link}")
    assert lost == []


@pytest.mark.parametrize("width", [1400, 390])
def test_each_page_fits(site, tab, width):
    """No page is wider than the window; none complains."""
    found = tab((site / "index.html").as_uri(), width=width)
    found.page.wait_for_url("**/README.html")
    wide = []
    for path in sorted(site.rglob("*.html")):
        if path.name != "index.html" or path.parent != site:
            found.page.goto(path.as_uri())
            if found.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                wide.append(str(path.relative_to(site)))
    assert wide == []


def test_version_and_parts(site, tab):
    from sata_recorder import __version__
    page = tab((site / "README.html").as_uri()).page
    assert __version__ in page.locator(".sidebar-brand").inner_text()
    captions = page.locator(".sidebar-tree .caption").all_inner_texts()
    assert [text.lower() for text in captions] == ["start", "use", "reference", "develop"]


@pytest.mark.parametrize("asked, pages", [
    ("AXI register", ["registers"]), ("write cache", ["recovery"]), ("stop", ["verilog"]), ("byte order", ["verilog"]),
    ("VITA 49", ["vita49"]), ("LiteX", ["litex"]), ("RAID", ["array"]), ("error codes", ["verilog"]),
    ("clock constraints", ["source", "playback"]), ("power loss", ["recovery", "commands"]),
    ("tlast", ["source", "files", "verilog"]), ("timing diagram", ["verilog"]), ("SigMF", ["vita49", "files"])])
def test_search(site, tab, asked, pages):
    """The first page that is found, without a server."""
    page = tab(f"{(site / 'search.html').as_uri()}?{urlencode({'q': asked})}").page
    page.locator("#search-summary, .search-summary").filter(has_text="found").wait_for()
    first = page.locator("#search-results li a").first.get_attribute("href")
    assert Path(urlsplit(first).path).stem in pages
