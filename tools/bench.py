"""Measure what a reader downloads and waits for, against the usual way: `make bench`.

The usual way is the same drawing as a plotly ``FigureWidget`` whose slider asks a kernel for every
step. Both are measured here and now, on this machine, so that their ratio means something.
"""

from __future__ import annotations

import argparse
import gzip
import http.server
import json
import mimetypes
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tools")]

import check  # noqa: E402
import lighthouse  # noqa: E402

from lesson_utils.explorers import score_drift  # noqa: E402
from lesson_utils.looks import in_light  # noqa: E402

GOAL_MS, GOAL_TIMES = 16, 10
GOAL_BUILD, GOAL_BUILD_MORE = 1.3, 20  # times the notebooks' bare execution, and seconds more
STEPS = 200
VERDICT = {True: "met", False: "MISSED"}

# Takes one step after another at odd moments (a frame may be just begun or just over), and measures
# each from the reader's input to the event that says the frame is drawn.
_MEASURE = """async ([steps, input, gap]) => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const times = [];
  for (let i = 0; i < steps; i++) {
    await wait(gap + 17 * ((i * 0.618) % 1));
    const drawn = new Promise((done, fail) => {
      globalThis.benchDrawn = done;
      setTimeout(() => fail(new Error("no frame within 10 s")), 10000);
    });
    const start = performance.now();
    globalThis[input](i);
    await drawn;
    times.push(performance.now() - start);
  }
  return times;
}"""

_EXPLORER = """(root) => {
  const figure = document.querySelector(root);
  const slider = figure.querySelector("input[name=start]");
  figure.addEventListener("explorer:drawn", () => globalThis.benchDrawn?.());
  globalThis.benchInput = (i) => {
    slider.value = 1 + ((7 * i) % (Number(slider.max) - 1));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  };
}"""

_FIGURE_WIDGET = """() => {
  document.querySelector(".js-plotly-plot").on("plotly_afterplot", () => globalThis.benchDrawn?.());
  const handle = document.querySelector(".widget-slider .noUi-handle");
  globalThis.benchInput = () =>
    handle.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
}"""


_FIGURE_WIDGET_CELL = f"""import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
import bench
bench.figure_widget()"""


def figure_widget() -> Any:
    """The drawing of ``score-drift`` as ipywidgets and a ``FigureWidget``, in a box."""
    import ipywidgets  # type: ignore[import-untyped]
    import plotly.graph_objects as go

    spec = score_drift.build().spec
    keys = [trace["key"] for trace in spec["traces"]]
    traces = [{k: v for k, v in trace.items() if k != "key"} for trace in in_light(spec["traces"])]
    figure = go.FigureWidget(data=traces, layout=in_light(spec["layout"]))
    start = ipywidgets.SelectionSlider(options=score_drift.STARTS, description="start")
    gap = ipywidgets.SelectionSlider(options=score_drift.GAPS, value=2, description="gap")

    def show(_change: object = None) -> None:
        frame = score_drift.frame(start.value, gap.value)
        with figure.batch_update():
            for key, attributes in frame.traces.items():
                figure.data[keys.index(key)].update(attributes)

    start.observe(show, "value")
    gap.observe(show, "value")
    show()
    return ipywidgets.VBox([start, gap, figure])


# ── weight ────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine, compressed as web servers do; yields its address."""

    class Compressed(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = self.path.split("?")[0].lstrip("/") or "index.html"
            path = (folder / name).resolve()
            if not path.is_file() or folder.resolve() not in path.parents:
                self.send_error(404)
                return
            body = path.read_bytes()
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            self.send_response(200)
            self.send_header("Content-Type", kind + "; charset=utf-8" * kind.startswith("text/"))
            if not packed(name):
                body = shrunk(body)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Compressed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def packed(name: str) -> bool:
    """Whether a file is compressed already, as pictures and fonts are."""
    return name.split("?")[0].endswith((".woff2", ".png", ".ico", ".gz"))


def shrunk(body: bytes) -> bytes:
    """What web servers send for it; without gzip's time stamp, so that the same stays the same."""
    return gzip.compress(body, 6, mtime=0)


def compressed(url: str, body: bytes) -> int:
    """Bytes that travel: text compressed as web servers do, pictures and fonts as they are."""
    return len(body) if packed(url) else len(shrunk(body))


def first_view(browser: Any, html: Path, url: str, name: str) -> tuple[int, int, int]:
    """(bytes a first visit transfers before any scrolling, of these HTML, HTML uncompressed)."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, asked = context.new_page(), set()
    page.on("request", lambda request: asked.add(request.url.split("?")[0]))
    page.goto(f"{url}/{name}", wait_until="networkidle")
    page.wait_for_timeout(300)
    context.close()
    files = [each.removeprefix(url).lstrip("/") for each in asked if each.startswith(url)]
    total = sum(compressed(each, (html / each).read_bytes()) for each in files)
    body = (html / name).read_bytes()
    return total, compressed(name, body), len(body)


def pages(html: Path) -> list[str]:
    """The built pages that readers read, in the order of their paths."""
    skip = {"index.html", "search.html", "404.html"}  # no page of their own
    found = (
        p for p in html.rglob("*.html") if p.relative_to(html).parts[0] in {"book", "notebooks"}
    )
    return sorted(p.relative_to(html).as_posix() for p in found if p.name not in skip)


def weigh(browser: Any, html: Path) -> dict[str, Any]:
    print("\nPage weight (KB)                       HTML   compressed   first view")
    weights = {}
    with served(html) as address:
        for name in pages(html):
            total, small, raw = first_view(browser, html, address, name)
            weights[name] = {"html": raw, "compressed": small, "first_view": total}
            print(f"  {name:34}{raw / 1000:9.0f}{small / 1000:13.0f}{total / 1000:13.0f}")
    return weights


def weigh_both() -> dict[str, Any]:
    """What one explorer adds to a page, and what the same drawing as widgets adds.

    A notebook saves the state of its widgets, and a page that shows them carries that state.
    """
    import nbclient
    import nbformat

    cells = [nbformat.v4.new_code_cell(_FIGURE_WIDGET_CELL)]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    ours = score_drift.build().to_html().encode()
    theirs = json.dumps(notebook.metadata["widgets"]).encode()
    return {
        "explorer": len(ours),
        "figure_widget": len(theirs),
        "explorer_compressed": compressed("", ours),
        "figure_widget_compressed": compressed("", theirs),
    }


# ── time ──────────────────────────────────────────────────────────────────────────────────────


def time_page(browser: Any, html: Path) -> list[float]:
    """Milliseconds a step of score-drift takes in the built page."""
    from support.browser import open_page  # type: ignore[import-not-found]

    where = [p for p in pages(html) if 'data-explorer="score-drift"' in (html / p).read_text()]
    if not where:
        raise SystemExit("The built book has no score-drift; run `make book` first.")
    root = "figure[data-explorer=score-drift]"
    page, away, errors = open_page(browser, viewport={"width": 1280, "height": 900})
    page.goto((html / where[0]).as_uri())
    page.locator(root).scroll_into_view_if_needed()
    page.wait_for_selector(f"{root} .plot-container")
    page.evaluate(_EXPLORER, root)
    times = page.evaluate(_MEASURE, [STEPS, "benchInput", 30])
    page.context.close()
    if away or errors:
        raise SystemExit(f"The page is not sound: {away} {errors}")
    return list(times)


def time_kernel(browser: Any, cell: str, chart: str, prepare: list[Any], steps: int) -> list[float]:
    """Milliseconds a step takes for what ``cell`` shows in JupyterLab."""
    from support.browser import open_page
    from support.jupyter import LAB, serve, write_notebook  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_notebook(folder / "bench.ipynb", [cell])
        with serve(LAB, folder) as url:
            page, away, _ = open_page(browser, viewport={"width": 1280, "height": 900})
            page.goto(f"{url}/lab/tree/bench.ipynb?reset")
            page.wait_for_function(
                "globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
                "?.status === 'idle'",
                timeout=90_000,
            )
            page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
            page.wait_for_selector(chart, timeout=120_000)
            page.wait_for_timeout(1000)
            page.evaluate(*prepare)
            times = page.evaluate(_MEASURE, [steps, "benchInput", 60])
            page.context.close()
    if away:
        raise SystemExit(f"Something wanted to leave the machine: {away}")
    return list(times)


def time_build() -> dict[str, float]:
    """Seconds of a clean build, and of the same notebooks executed with nothing around them."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, str(ROOT / "tools" / "book.py"), "--quiet", "--output", place]
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        build = time.perf_counter() - begun
    results = [check.execute(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    if failed := [result.name for result in results if not result.ok]:
        raise SystemExit(f"These chapters do not run: {', '.join(failed)}")
    bare = sum(result.seconds for result in results)
    goal = GOAL_BUILD * bare + GOAL_BUILD_MORE
    print(
        f"\nA clean build takes {build:.0f} s, its notebooks by themselves {bare:.0f} s: "
        f"{build / bare:.2f} times, goal {GOAL_BUILD} times and {GOAL_BUILD_MORE} s more "
        f"({goal:.0f} s): {VERDICT[build <= goal]}"
    )
    return {"build": build, "bare": bare}


def percentiles(times: list[float]) -> tuple[float, float]:
    """Median and 95th percentile."""
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def report_time(browser: Any, html: Path) -> dict[str, Any]:
    ours = time_page(browser, html)
    usual = time_kernel(
        browser,
        _FIGURE_WIDGET_CELL,
        ".js-plotly-plot .plot-container",
        [_FIGURE_WIDGET],
        STEPS // 4,
    )
    lab = time_kernel(
        browser,
        "from lesson_utils.explorers import score_drift\nscore_drift.build()",
        ".explorer-chart .plot-container",
        [_EXPLORER, ".lesson-explorer"],
        STEPS // 4,
    )
    rows = {
        "the built page": ours,
        "the explorer in JupyterLab": lab,
        "FigureWidget in JupyterLab": usual,
    }
    print("\nOne slider step of score-drift, input to drawn frame (ms)      median     95 %")
    for name, times in rows.items():
        median, slow = percentiles(times)
        print(f"  {name:57}{median:10.1f}{slow:9.1f}")
    return {
        name: dict(zip(("median", "p95"), percentiles(t), strict=True)) for name, t in rows.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT, help="folder that holds _build/")
    built = parser.parse_args().output.expanduser().resolve() / "_build"
    from support.browser import chromium_path, launch

    with launch() as browser:
        weights = weigh(browser, built / "html")
        steps = report_time(browser, built / "html")
    both = weigh_both()
    median = steps["the built page"]["median"]
    quicker = steps["FigureWidget in JupyterLab"]["median"] / median
    lighter = both["figure_widget"] / both["explorer"]
    print(
        f"\nscore-drift adds {both['explorer'] / 1000:.0f} KB to its page "
        f"({both['explorer_compressed'] / 1000:.0f} compressed), the FigureWidget "
        f"{both['figure_widget'] / 1000:,.0f} KB ({both['figure_widget_compressed'] / 1000:,.0f})."
    )
    print(f"  median step {median:.1f} ms, goal at most {GOAL_MS}: {VERDICT[median <= GOAL_MS]}")
    print(
        f"  {quicker:.1f} times as quick as FigureWidget, goal {GOAL_TIMES}: "
        f"{VERDICT[quicker >= GOAL_TIMES]}"
    )
    print(f"  {lighter:.0f} times lighter on the page")
    with served(built / "html") as address:
        pages_audited = ["index.html", "notebooks/05-rotary.html"]
        judged = lighthouse.report(built / "lighthouse", chromium_path(), address, pages_audited)
    figures = {
        "pages": weights, "step_ms": steps, "bytes": both, "quicker": quicker,
        "lighthouse": judged, "build_s": time_build(),
    }  # fmt: skip
    (built / "bench.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
