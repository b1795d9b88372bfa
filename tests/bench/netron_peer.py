"""Netron, as its package from PyPI serves it, in headless Chromium: from the file to the drawn graph.

The package is installed into a folder of its own, not into this environment. A page of ours holds Netron in a frame,
asks it ten times a second whether the graph is drawn, and reports the time since the page began to load.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlparse

VERSION = "9.3.3"
PATIENCE = 120.0  # seconds
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

_PAGE = """<!doctype html><body style="margin:0"><iframe id=peer style="border:0;width:1600px;height:1000px"></iframe>
<script>
const begun = performance.now(), frame = document.getElementById("peer");
frame.src = "/index.html";
const timer = setInterval(() => {
  const page = frame.contentDocument;
  if (!page || !page.querySelector("svg g.node")) return;
  if (page.body.classList.contains("welcome") || page.body.classList.contains("spinner")) return;
  clearInterval(timer);
  requestAnimationFrame(() => requestAnimationFrame(() => fetch("/done?" + (performance.now() - begun))));
}, 100);
</script>"""

_folder: list[Path] = []


def missing() -> str:
    """Returns why the peer cannot run, empty when it can; installs its package when first asked."""
    if not any(map(shutil.which, BROWSERS)):
        return "there is no Chromium (Debian: apt install chromium)"
    if not _folder:
        folder = Path(tempfile.mkdtemp(prefix="cutter-bench-netron-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            folder,
            f"netron=={VERSION}",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"netron {VERSION} could not be installed: {done.stderr.strip().splitlines()[-1]}"
        _folder.append(folder / "netron")
    return ""


def seconds_to_graph(model: Path) -> float | None:
    """Returns the seconds until the graph is drawn, None when it never is."""
    done = threading.Event()
    seconds: list[float] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlparse(self.path)
            if place.path == "/done":
                seconds.append(float(place.query) / 1000)
                done.set()
                self._answer(b"", "text/plain")
            elif place.path == "/page":
                self._answer(_PAGE.encode(), "text/html")
            elif place.path == "/index.html":
                # As Netron's own server names the file to open.
                page = (_folder[0] / "index.html").read_text()
                named = (("type", "Python"), ("file", f"/data/{model.name}"), ("name", model.name))
                metas = "".join(f'<meta name="{name}" content="{content}">' for name, content in named)
                self._answer(page.replace('<meta name="version"', f'{metas}<meta name="version"').encode(), "text/html")
            elif place.path == f"/data/{model.name}":
                self._answer(model.read_bytes(), "application/octet-stream")
            else:
                file = _folder[0] / unquote(place.path).lstrip("/")
                kind = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}.get(file.suffix, "")
                self._answer(file.read_bytes() if file.is_file() else None, kind or "application/octet-stream")

        def _answer(self, body: bytes | None, kind: str) -> None:
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", kind)
            # Without it Netron asks another host where it is, and then the user.
            self.send_header("Set-Cookie", "consent=1; path=/")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body or b"")

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # the browser's last files may come late
        browser = subprocess.Popen(
            [
                next(filter(None, map(shutil.which, BROWSERS))),
                *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1600,1000"),
                f"--user-data-dir={profile}",
                f"http://127.0.0.1:{server.server_port}/page",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        done.wait(PATIENCE)
        browser.terminate()
        try:
            browser.wait(10)
        except subprocess.TimeoutExpired:
            browser.kill()
            browser.wait()
        server.shutdown()
        server.server_close()
    return seconds[0] if seconds else None
