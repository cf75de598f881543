"""What Sphinx needs to know; build.py runs it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import docstrings  # noqa: E402
import relevance  # noqa: E402

from sata_recorder import __version__  # noqa: E402

project = author = "SATA Recorder"
version = release = __version__
html_title = f"SATA Recorder {__version__}"
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "models/README.md", "api/*.md"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Anchors are those of a git host, so that a link to a heading is valid there and here.
myst_heading_anchors = 6
#: A page may begin its headings at any level; a type such as `bytes` is no reference to a field of that name.
suppress_warnings = ["myst.header", "ref.python"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
default_role = "code"
napoleon_google_docstring = False
napoleon_custom_sections = [("Members", "params_style")]

html_theme = "furo"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_static_path = ["style.css", "relevance.js"]
html_css_files = ["style.css"]
html_additional_pages = {"index": "redirect.html"}
html_theme_options = {"top_of_page_buttons": []}
templates_path = ["templates"]


def setup(app):
    app.connect("autodoc-process-docstring", docstrings.process, priority=400)
    app.connect("build-finished", relevance.write)
