"""A page in a headless Chromium: what its scripts make of it, and what it complains about."""

import json
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars", "--enable-logging=stderr",
         "--virtual-time-budget=5000")


def executable():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def opened(page, *flags):
    """Opens the file ``page``; returns (standard output, lines on the console)."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            [executable(), *FLAGS, f"--user-data-dir={folder}", *flags, page.resolve().as_uri()],
            capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def asked(page, script):
    """Runs ``script``, the body of an async function, in a copy of ``page``.

    Returns (what it returned, lines on the console).
    """
    copy = page.with_name(f"asked-{page.name}")
    probe = f"""<pre id="answer"></pre><script>(async () => {{ {script} }})().then(
        found => {{ document.getElementById("answer").textContent = JSON.stringify(found); }});
        </script></body>"""
    text = page.read_text(encoding="utf-8")
    assert text.count("</body>") == 1
    copy.write_text(text.replace("</body>", probe), encoding="utf-8")
    output, console = opened(copy, "--dump-dom")
    answer = _Answer()
    answer.feed(output)
    return json.loads(answer.text), console


class _Answer(HTMLParser):
    def __init__(self):
        super().__init__()
        self.text, self.inside = "", False

    def handle_starttag(self, tag, attributes):
        self.inside = self.inside or ("id", "answer") in attributes

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data):
        self.text += data if self.inside else ""
