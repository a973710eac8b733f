"""The report: time to write it, its size, how fast a browser shows and sorts it, and a server.

python benchmarks/report.py [--segments 3000] [--systems 5] [--rows 10000] [--clients 20] [--wmt13]

Scores are computed before the clock starts, so that the report is from kept statistics. The time to
write it is that of the processor, as other work on the machine would count otherwise. The browser
(Chromium, by Playwright) and the server (``albeit[web]``) are measured where they are installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from _common import ROOT, add_size, arguments, lines, news, show, timed

from albeit import EvalSet, score
from albeit.data import documents_from_ids, read_docids
from albeit.evaluation import Evaluation, open_store
from albeit.metrics.registry import metric
from albeit.report.page import render_page
from albeit.report.page.build import report_data

SORT = """async () => {
  const choose = (value) => {
    const all = [...document.querySelectorAll("select")];
    const select = all.find((s) => [...s.options].some((o) => o.value === "a-wins"));
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const times = [];
  for (const order of ["a-wins", "b-wins", "worst", "best", "apart"]) {
    const before = performance.now();
    choose(order);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    times.push(performance.now() - before);
  }
  return times;
}"""
"""Sort five ways, each until the rows are drawn."""


def main() -> None:
    """Measure, print."""
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    add_size(parser, 3000, 5)
    parser.add_argument("--rows", type=int, default=10_000, metavar="N")
    parser.add_argument("--clients", type=int, default=20, metavar="N")
    parser.add_argument("--metrics", nargs="+", default=["bleu", "chrf", "ter"], metavar="METRIC")
    parser.add_argument("--wmt13", action="store_true", help="only the report of WMT13 de-en")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.wmt13:
            show(wmt13(options.data / "wmt13" / "de-en", Path(folder)), options.format)
            return
        reference, systems = news(options)
        news12 = options.data / "wmt12" / "fr-en"
        evalset = EvalSet(
            {"ref": tuple(reference)},
            {name: tuple(text) for name, text in systems.items()},
            tuple(lines(news12 / "src.txt", options.segments)),
            documents_from_ids(read_docids(news12 / "docids.txt")[: options.segments]),
            "fr",
            "en",
            "newstest2012",
        )
        rows = written(evalset, f"{len(evalset):,} × {len(systems)}", options.metrics)
        rows += browsed(evalset, Path(folder), options.metrics, options.rows)
        rows += served(Path(folder), options.clients)
        show(rows, options.format)


def row(what: str, value: float, unit: str, target: str = "") -> dict[str, Any]:
    """A line of the table."""
    return {"what": what, "value": round(value, 2), "unit": unit, "target": target}


def written(evalset: EvalSet, size: str, metrics: list[str]) -> list[dict[str, Any]]:
    """Return time and size of reports without explanations and with some."""
    table = score(evalset, metrics, store=open_store())
    profile = score(evalset, [metric("cohesion")], store=open_store())
    named, clock = f"{size}, {', '.join(metrics)}", time.process_time
    bare, seconds = timed(
        lambda: render_page(report_data(Evaluation(evalset), table, explain=0)), clock=clock
    )
    what = f"written from kept statistics, no explanations ({named})"
    found = [row(what, seconds, "s of processor", "< 3")]
    found.append(row("its size", len(bare.encode()) / 1e6, "MB"))
    data, seconds = timed(
        lambda: report_data(Evaluation(evalset), table, profile, explain=200), clock=clock
    )
    found.append(row("gathered with 200 segments explained", seconds, "s of processor"))
    found.append(row("its size", len(render_page(data).encode()) / 1e6, "MB", "≤ 1.8"))
    return found


def wmt13(data: Path, folder: Path) -> list[dict[str, Any]]:
    """What 'albeit report' writes of a whole test set, as a reader has it: size, and time to see
    it."""
    file = folder / "report.html"
    systems = sorted((data / "systems").glob("*.txt"))[:5]
    command = [sys.executable, "-m", "albeit", "report", data / "ref.txt", "-i", *systems]
    command += ["--docs", data / "docids.txt", "--source", data / "src.txt", "--source-lang", "de"]
    command += ["-m", "bleu", "chrf", "ter", "judge", "-o", file]
    subprocess.run([str(part) for part in command], check=True)
    times = [opened(file) for _ in range(5)]
    return [
        row(
            "WMT13 de-en, five systems, bleu chrf ter judge", file.stat().st_size / 1e6, "MB", "≤ 2"
        ),
        row("the same shown in Chromium: median of five", sorted(times)[2], "s", "≤ .5"),
    ]


def opened(file: Path) -> float:
    """Seconds until a browser that was just started shows a report."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("ALBEIT_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("nav [role=tab]")
        shown = page.evaluate("performance.getEntriesByName('report-shown')[0].startTime")
        browser.close()
    return float(shown) / 1000


def browsed(evalset: EvalSet, folder: Path, metrics: list[str], count: int) -> list[dict[str, Any]]:
    """First paint of the file, and sorting a report of many segments."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return []
    path = os.environ.get("ALBEIT_CHROMIUM") or shutil.which("chromium")
    file, large = folder / "report.html", folder / "large.html"
    data = report_data(
        Evaluation(evalset), score(evalset, metrics, store=open_store()), explain=200
    )
    file.write_text(render_page(data), encoding="utf-8")
    repeat = -(-count // len(evalset))
    many = EvalSet(
        {name: (text * repeat)[:count] for name, text in evalset.references.items()},
        {name: (text * repeat)[:count] for name, text in evalset.systems.items()},
    )
    large.write_text(
        render_page(
            report_data(Evaluation(many), score(many, ["chrf"], store=open_store()), explain=0)
        ),
        encoding="utf-8",
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("nav [role=tab]")
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        shown = page.evaluate("performance.getEntriesByName('report-shown')[0].startTime")
        page.goto(f"{large.as_uri()}#tab=segments")
        page.wait_for_selector(".row")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        worked, times = _processor(session), page.evaluate(SORT)
        worked = (_processor(session) - worked) / len(times)
        browser.close()
    return [
        row("first paint of the file in Chromium", paint / 1000, "s", "< 1"),
        row("the report shown", shown / 1000, "s"),
        row(
            f"sorting {count:,} rows, until they are drawn: median of five",
            sorted(times)[2],
            "ms",
            "< 100",
        ),
        row("the slowest of the five", max(times), "ms", "< 100"),
        row("the page's own work for one of them", 1000 * worked, "ms of processor"),
    ]


def _processor(session: Any) -> float:
    """Seconds of the processor that the page's thread has had, whatever else the machine does."""
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def served(folder: Path, clients: int) -> list[dict[str, Any]]:
    """One report of a server read by many at once, ten times each."""
    try:
        import httpx
        import uvicorn  # noqa: F401 - asked for by the server
    except ImportError:
        return []
    runs = folder / "runs"
    run = runs / "20260101-000000-00000000"
    run.mkdir(parents=True)
    (run / "state.json").write_text('{"state": "done"}')
    shutil.copy(folder / "report.html", run / "report.html")
    command = [sys.executable, "-m", "albeit", "serve", "--port", "0", "--folder", str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        address = re.search(r"http://[^/]+", server.stdout.readline())
        assert address is not None
        times: list[float] = []

        def read() -> None:
            with httpx.Client(base_url=address[0], timeout=120) as client:
                for _ in range(10):
                    before = time.perf_counter()
                    client.get(f"/runs/{run.name}").raise_for_status()
                    times.append(time.perf_counter() - before)

        threads = [threading.Thread(target=read) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())
        server.terminate()
    times.sort()
    return [
        row(f"{clients} clients read it at once: median", times[len(times) // 2] * 1000, "ms"),
        row("99th percentile", times[int(len(times) * 0.99)] * 1000, "ms"),
        row("the server's peak memory", int(peak[1]) / 1024 if peak else float("nan"), "MB"),
    ]


if __name__ == "__main__":
    main()
