# SPDX-License-Identifier: LGPL-2.1-or-later
"""Looks at the page of tfrc-server: server-page.py SERVER FOLDER [CHROMIUM [DIRECTORY]]

FOLDER has a movie that lasts longer than the test; the test adds one with the name of HOSTILE. Without
CHROMIUM only what the server answers is tested. Pictures of the page go to DIRECTORY.
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from server import LIMIT_S, Gst, Receiver, Server, wait_until

MOVIE = "long.ts"
# As HTML, it would change the title of the page.
HOSTILE = "<img src=x onerror='document.title=1'>&amp;.ts"
FIGURES = 5


# ---- what the server answers -----------------------------------------------------------------------------------------


def fetch(uri, method="GET", **headers):
    """Returns status, headers and text."""
    request = urllib.request.Request(uri, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def source_of(html, tag):
    """The source of the policy that allows the page's only element of this name."""
    texts = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.S)
    assert len(texts) == 1 and html.count(f"<{tag}") == 1, tag
    return "'sha256-" + base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode() + "'"


def page_allows_itself_only(server):
    status, headers, html = fetch(server.uri + "/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8", headers
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store", headers
    assert headers["Referrer-Policy"] == "no-referrer", headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'", "script-src": source_of(html, "script"), "style-src": source_of(html, "style"),
        "connect-src": "'self'", "img-src": "'self'", "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'"}, policy
    for pattern in (r"https?:", r"\bsrc=", r"\bhref=", r"@import", r"url\(", r"\son\w+=", r"\sstyle=", "innerHTML"):
        assert not re.search(pattern, html), pattern
    assert fetch(server.uri + "/", "HEAD")[0::2] == (200, "")


def page_is_for_its_own_origin(server):
    assert fetch(server.uri + "/", Host="rebound.example")[0] == 421
    assert fetch(server.uri + "/", Origin="http://other.example")[0] == 403
    assert fetch(server.uri + "/", "DELETE")[0] == 405
    assert fetch(server.uri + "/page.html")[0] == 404


def server_tells_what_it_is(server):
    status, headers, text = fetch(server.uri + "/server")
    about = json.loads(text)
    assert status == 200 and headers["Content-Type"] == "application/json", headers
    assert about["name"] == "tfrc-server" and re.match(r"\d+\.\d+", about["version"]), about
    assert about["max-streams"] == 100, about


def codes_are_of_addresses_only(server):
    if not json.loads(fetch(server.uri + "/server")[2])["qr"]:
        assert fetch(server.uri + "/qr?text=tfrc://h:1/m")[0] == 404
        return
    status, headers, svg = fetch(server.uri + "/qr?text=tfrc%3A%2F%2Fhost%3A5004%2Ffilm.ts")
    assert status == 200 and headers["Content-Type"] == "image/svg+xml", headers
    assert re.fullmatch(r'<svg xmlns="[^"]+" viewBox="0 0 33 33"[^>]*><path [^>]*/><path d="[Mhvz0-9 -]+"/></svg>', svg), svg
    for query in "", "?text=", "?text=https://host", "?other=tfrc://host", "?text=tfrc://" + "a" * 2048, "?text=%ff", "?text=tfrc://%00":
        assert fetch(server.uri + "/qr" + query)[0] == 400, query


# ---- a browser -------------------------------------------------------------------------------------------------------


class Browser:
    """Chromium, which is told what to do through two pipes (its DevTools protocol)."""

    def __init__(self, program, profile):
        here, there = os.pipe(), os.pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", f"--user-data-dir={profile}", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{here[0]} 4>&{there[1]}', "bash", *command], pass_fds=(here[0], there[1]),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(here[0])
        os.close(there[1])
        self.commands, self.answers = os.fdopen(here[1], "wb"), os.fdopen(there[0], "rb")
        self.number, self.rest, self.session, self.problems = 0, b"", None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers.fileno(), 65536)
            assert more, "the browser has ended"
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.commands.write(json.dumps(command).encode() + b"\0")
        self.commands.flush()
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                self.problems.append(answer["params"])
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["source"] != "network":
                self.problems.append(answer["params"])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, (expression, answer)
        return answer["result"].get("value")

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def enter(self):
        self.press("Enter", 13, "\r")

    def tab(self):
        self.press("Tab", 9)

    def show(self, width, scheme):
        self.call("Emulation.setScrollbarsHidden", hidden=True)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def end(self):
        """Ends it in an orderly way, so that nothing of it writes into its profile any more."""
        self.session = None
        self.commands.write(json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        self.commands.close()
        try:
            self.process.wait(LIMIT_S)
        finally:
            self.process.kill()


# ---- what the browser shows ------------------------------------------------------------------------------------------


def movies_are_listed_as_text(browser):
    names = '[...document.querySelectorAll("#movies th")].map(cell => cell.textContent)'
    wait_until("the movies", lambda: browser.evaluate(names))
    assert browser.evaluate(names) == [HOSTILE, MOVIE], browser.evaluate(names)
    assert browser.evaluate('[...document.querySelectorAll("#movie option")].map(o => o.value)') == [HOSTILE, MOVIE]
    assert browser.evaluate('document.querySelectorAll("img:not(.watch img), #movies th *").length') == 0
    assert browser.evaluate("document.title") == "tfrc-server"


def no_text_becomes_html(browser):
    """The policy has the browser refuse it, should the page ever do so."""
    assert browser.evaluate('(() => { try { document.body.insertAdjacentHTML("beforeend", "<b>x</b>"); return "taken"; }'
                            ' catch (error) { return error.name; } })()') == "TypeError"
    browser.problems.clear()


def line_to_watch_is_safe_in_a_shell(browser, port):
    """The page has it if the server takes calls. Nothing of a name means something to a shell."""
    lines = browser.evaluate('[...document.querySelectorAll("#movies code")].map(code => code.textContent)')
    assert f"tfrc-recv tfrc://127.0.0.1:{port}/{MOVIE} received.ts" in lines, lines
    browser.evaluate("""showMovies([{name: "film.ts", bytes: 1}], 0)""")
    assert not browser.evaluate('[...document.querySelectorAll("#movies code")].some(code => code.checkVisibility())')
    browser.evaluate("""showMovies([{name: "a 'b' $(c)!;`d`&~*.ts", bytes: 1}], 5004)""")
    assert browser.evaluate('document.querySelector("#movies code").checkVisibility()')
    line = browser.evaluate('document.querySelector("#movies code").textContent')
    found = re.fullmatch(r"tfrc-recv tfrc://127\.0\.0\.1:5004/([\w.%-]+) received\.ts", line)
    assert found, line
    assert urllib.parse.unquote(found[1]) == "a 'b' $(c)!;`d`&~*.ts", line


def a_movie_that_cannot_be_played_says_why(browser):
    """It has nothing to copy, and cannot be chosen for a stream."""
    browser.evaluate("""showMovies([{name: "a.ts", bytes: 1}, {name: "b", bytes: 0, error: "b/x.m3u8: <b>line 2"}], 5004, true)""")
    cells = '[...document.querySelectorAll("#movies tr")].map(row => row.cells[1].textContent)'
    assert browser.evaluate(cells) == ["1 bytes", "b/x.m3u8: <b>line 2"], browser.evaluate(cells)
    shown = '[...document.querySelectorAll("#movies .watch")].map(cell => [...cell.children].some(child => child.checkVisibility()))'
    assert browser.evaluate(shown) == [True, False], browser.evaluate(shown)
    assert browser.evaluate('[...document.querySelectorAll("#movie option")].map(option => option.disabled)') == [False, True]
    browser.evaluate("""showMovies([{name: "b", bytes: 1}], 5004, false)""")
    assert not browser.evaluate('document.querySelector(".watch details").checkVisibility()'), "no QR codes"
    browser.evaluate("""showMovies([{name: "b", bytes: 1}], 5004, true)""")
    assert browser.evaluate('document.querySelector(".watch details").checkVisibility()')
    assert browser.evaluate(shown) == [True] and not browser.evaluate('document.querySelector("#movie option").disabled')


def keys_start_a_stream(browser, movie, port):
    """Movie, address and port follow one another on Tab, and Enter starts the stream."""
    browser.evaluate('document.getElementById("movie").focus()')
    browser.evaluate(f'document.getElementById("movie").value = {json.dumps(movie)}')
    browser.tab()
    assert browser.evaluate("document.activeElement.id") == "host"
    browser.tab()
    assert browser.evaluate("document.activeElement.id") == "port"
    browser.evaluate(f"document.activeElement.value = {port}")
    browser.enter()
    row = '[...document.querySelectorAll("#streams tr")].map(row => [...row.cells].map(cell => cell.textContent)).pop()'
    wait_until("the stream's row", lambda: (browser.evaluate(row) or ["", ""])[1] == "playing")
    assert browser.evaluate(row)[2:4] == [movie, f"127.0.0.1:{port}"], browser.evaluate(row)
    assert f"plays {movie}" in browser.evaluate('document.getElementById("message").textContent')


def curves_have_points(browser):
    """Each curve has a line of at least three points, and its present value as text."""
    lines = ('[...document.querySelectorAll("figure")].map(figure => [...figure.querySelectorAll("figure > svg .curve")]'
             '.map(curve => curve.getAttribute("d").split("L").length))')
    wait_until("curves", lambda: all(points >= 3 for figure in browser.evaluate(lines) for points in figure))
    assert [len(figure) for figure in browser.evaluate(lines)] == [3, 1, 1, 1, 2]
    assert not browser.evaluate('[...document.querySelectorAll("figure path")].some(p => /NaN|Inf/.test(p.getAttribute("d")))')
    values = browser.evaluate('[...document.querySelectorAll("figure .value")].map(value => value.textContent)')
    assert all(re.fullmatch(r"[\d.e-]+ (Mbit/s|ms|%|packets/s)", value) for value in values), values
    described = browser.evaluate('[...document.querySelectorAll("figure > svg")].map(svg => ["labelledby", "describedby"]'
                                 '.map(of => document.getElementById(svg.getAttribute("aria-" + of)).textContent))')
    assert len(described) == FIGURES and all(title and ": now " in text for title, text in described), described


def page_can_be_read_by_all(browser):
    headings = browser.evaluate('[...document.querySelectorAll("h1, h2, h3")].map(heading => +heading.tagName[1])')
    assert headings[0] == 1 and all(b - a <= 1 for a, b in zip(headings, headings[1:])), headings
    assert browser.evaluate('[...document.querySelectorAll("th")].every(cell => cell.scope)')
    assert browser.evaluate('[...document.querySelectorAll("input, select")].every(input => input.labels.length === 1)')
    assert browser.evaluate('document.getElementById("message").getAttribute("role")') == "status"
    browser.show(400, "dark")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 400
    browser.show(1000, "light")


def keys_seek_and_pause(browser, server):
    """The right arrow moves the bar by 5 s in a movie of 400 s, whose key pictures are 5 s apart; several presses are one
    seek. The bar shows where the stream has landed."""
    stream = server.get("/streams")[-1]
    path = f"/streams/{stream['id']}"
    bar = 'document.querySelector("#streams input")'
    assert browser.evaluate(f"{bar}.labels[0].textContent") == f"Position of stream {stream['id']}, {stream['movie']}"
    browser.evaluate(f"{bar}.focus()")
    before = browser.evaluate(f"{bar}.valueAsNumber")
    for _ in range(20):
        browser.press("ArrowRight", 39)
    said = 'document.getElementById("message").textContent'
    wait_until("the seek", lambda: browser.evaluate(said).startswith(f"Stream {stream['id']} goes on at 1:"))
    position = server.get(path)["position"]
    assert before + 95 <= position < before + 130, (before, position)
    shown = f"{bar}.getAttribute('aria-valuetext')"
    wait_until("the landing", lambda: re.fullmatch(r"1:\d\d of 6:39", browser.evaluate(shown)))
    browser.evaluate('document.querySelector("#streams .actions").firstElementChild.focus()')
    browser.enter()
    wait_until("the pause", lambda: server.get(path)["paused"])
    wait_until("the button", lambda: browser.evaluate('document.querySelector("#streams button").textContent') == "Go on")
    browser.enter()
    wait_until("the end of the pause", lambda: not server.get(path)["paused"])


def qr_code_has_the_address(browser, server, scratch):
    """A key opens it. What it says is read if there is a program that can."""
    if not server.get("/server")["qr"]:
        assert browser.evaluate('[...document.querySelectorAll("#movies details")].every(qr => qr.hidden)')
        return
    rows = '[...document.querySelectorAll("#movies details")]'
    browser.evaluate(f'{rows}[1].querySelector("summary").focus()')
    browser.enter()
    picture = f'{rows}[1].querySelector("img")'
    wait_until("the code", lambda: browser.evaluate(f"{picture}.complete && {picture}.naturalWidth > 0"))
    expected = f"tfrc://127.0.0.1:{server.media_port}/{MOVIE}"
    assert browser.evaluate(f"{picture}.alt") == f"QR code of {expected}"
    assert not browser.evaluate(f'{rows}[0].open')
    if shutil.which("zbarimg"):
        browser.evaluate('say("")')  # which covers the lower edge
        browser.picture(f"{scratch}/qr.png")
        read = subprocess.run(["zbarimg", "--raw", "--quiet", f"{scratch}/qr.png"], capture_output=True, text=True, check=True)
        assert read.stdout == expected + "\n", read


def keys_stop_a_stream(browser, receiver):
    """The focus goes to the heading when the button goes away."""
    browser.evaluate('document.querySelector("#streams .actions").lastElementChild.focus()')
    browser.enter()
    receiver.wait_for_end()
    state = 'document.querySelector("#streams tr").cells[1].textContent'
    wait_until("stopped", lambda: browser.evaluate(state) == "stopped")
    assert browser.evaluate('document.querySelectorAll("#streams button, #curves > *").length') == 0
    assert browser.evaluate("document.activeElement.id") == "streams-title"


def browser_shows_the_streams(chromium, server, pictures):
    receiver = Receiver()
    with tempfile.TemporaryDirectory() as profile, contextlib.ExitStack() as stack:
        browser = Browser(chromium, profile)
        stack.callback(browser.end)
        browser.show(1000, "light")
        browser.call("Page.navigate", url=server.uri + "/")
        movies_are_listed_as_text(browser)
        keys_start_a_stream(browser, HOSTILE, receiver.port)
        curves_have_points(browser)
        keys_seek_and_pause(browser, server)
        qr_code_has_the_address(browser, server, profile)
        page_can_be_read_by_all(browser)
        for width, scheme in ((1000, "light"), (1000, "dark"), (400, "light")) if pictures else ():
            browser.show(width, scheme)
            browser.picture(f"{pictures}/{width}-{scheme}.png")
        keys_stop_a_stream(browser, receiver)
        line_to_watch_is_safe_in_a_shell(browser, server.media_port)
        a_movie_that_cannot_be_played_says_why(browser)
        assert not browser.problems, browser.problems
        no_text_becomes_html(browser)
    receiver.pipeline.set_state(Gst.State.NULL)


def main(program, folder, chromium=None, pictures=None):
    Gst.init(None)
    shutil.copy(f"{folder}/{MOVIE}", f"{folder}/{HOSTILE}")
    server = Server(program, folder)
    with contextlib.ExitStack() as stack:
        stack.callback(server.process.kill)
        page_allows_itself_only(server)
        page_is_for_its_own_origin(server)
        server_tells_what_it_is(server)
        codes_are_of_addresses_only(server)
        if chromium:
            browser_shows_the_streams(chromium, server, pictures)
        printed = server.end()
    assert printed == "", printed


if __name__ == "__main__":
    main(*sys.argv[1:])
