"""The bench's own tools: what it serves, and what it does where Lighthouse cannot run."""

import gzip
import json
import urllib.error
import urllib.request

import pytest

from support.tools import load_tool

FAKE = """#!/usr/bin/env python3
import json, pathlib
count = pathlib.Path(__file__).with_name("count")
runs = int(count.read_text()) if count.exists() else 0
count.write_text(str(runs + 1))
scores = [0.1, 0.93, 0.95][runs % 3]
print(json.dumps({"categories": {name: {"score": scores if name == "performance" else 1}
    for name in ("performance", "accessibility", "best-practices", "seo")}}))
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<p>ä</p>" * 100, "utf-8")
    (tmp_path / "site" / "font.woff2").write_bytes(b"packed already")
    (tmp_path / "secret").write_text("not served")
    return tmp_path


def get(url):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as answer:
        return dict(answer.headers), answer.read()


def without_date(headers):
    """The headers of an answer, without the second in which it was given."""
    return {name: value for name, value in headers.items() if name != "Date"}


def test_the_same_text_is_packed_into_the_same_bytes_at_another_time(monkeypatch):
    now = []
    for second in (0, 1e9):
        monkeypatch.setattr("time.time", lambda second=second: second)
        now.append(load_tool("bench").shrunk(b"text"))
    assert now[0] == now[1]
    assert gzip.decompress(now[0]) == b"text"


def test_it_serves_as_web_servers_do(folder):
    with load_tool("bench").served(folder / "site") as address:
        headers, body = get(f"{address}/index.html?v=1")
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(body).decode() == "<p>ä</p>" * 100
        start, same = get(f"{address}/")
        assert without_date(start) == without_date(headers)
        assert same == body
        headers, body = get(f"{address}/font.woff2")
        assert "Content-Encoding" not in headers
        assert body == b"packed already"
        for missing in ("nothing.html", "../secret", "%2e%2e/secret"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                get(f"{address}/{missing}")


def test_without_npm_it_says_so_and_goes_on(folder, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(folder))
    found = load_tool("lighthouse").report(folder, "chromium", "http://127.0.0.1:1", ["a.html"])
    assert found == {"not measured": "Node and npm are not installed"}
    assert "not measured: Node and npm are not installed" in capsys.readouterr().out


@pytest.fixture
def fake(folder):
    """Put a program where Lighthouse would be, of the version asked for."""
    program = folder / "node_modules" / ".bin" / "lighthouse"
    package = folder / "node_modules" / "lighthouse" / "package.json"
    for path in (program, package):
        path.parent.mkdir(parents=True)
    package.write_text(json.dumps({"version": load_tool("lighthouse").VERSION}))

    def put(text):
        program.write_text(text)
        program.chmod(0o755)
        program.with_name("count").unlink(missing_ok=True)

    return put


def test_the_middle_of_its_runs_counts(folder, fake, capsys):
    report = load_tool("lighthouse").report
    fake(FAKE)
    found = report(folder, "chromium", "http://127.0.0.1:1", ["a.html"])
    assert found == {
        "a.html": {"performance": 93, "accessibility": 100, "best-practices": 100, "seo": 100}
    }
    assert "*" not in capsys.readouterr().out.splitlines()[3]
    fake(FAKE.replace("0.93, 0.95", "0.89, 0.2"))
    assert report(folder, "chromium", "x", ["a.html"])["a.html"]["performance"] == 20
    assert "20*" in capsys.readouterr().out


def test_a_lighthouse_that_fails_is_told(folder, fake):
    fake("#!/bin/sh\necho 'no Chrome' >&2\nexit 3\n")
    found = load_tool("lighthouse").report(folder, "chromium", "x", ["a.html"])
    assert found == {"not measured": "Lighthouse failed: no Chrome"}
