"""A real browser without a server: Chromium, told what to do over a pipe in its own protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, cast

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
PATIENCE = 60.0  # seconds


class Browser:
    """A running Chromium; close it when done."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        self.profile = tempfile.mkdtemp(prefix="explorer-")
        commands, answers = os.pipe(), os.pipe()
        # The browser reads its descriptor 3 and writes its 4.
        shell = f'exec "$0" "$@" 3<&{commands[0]} 4>&{answers[1]}'
        self.process = subprocess.Popen(
            [
                *("bash", "-c", shell, CHROMIUM),
                *("--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"),
                *("--hide-scrollbars", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"),
                *("--disable-frame-rate-limit", "--disable-gpu-vsync"),
                *("--disable-background-networking", f"--user-data-dir={self.profile}"),
                "about:blank",
            ],
            pass_fds=(commands[0], answers[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands[0])
        os.close(answers[1])
        self._out, self._in = commands[1], answers[0]
        self._count = 0
        self._rest = b""
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._count += 1
        number = self._count
        message = {"id": number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        waiting = json.dumps(message).encode() + b"\0"
        while waiting:
            waiting = waiting[os.write(self._out, waiting) :]
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(end)
            if answer.get("id") != number:
                self.events.append(answer)
                continue
            assert "error" not in answer, f"{method}: {answer['error']}"
            return cast(dict[str, Any], answer["result"])

    def _receive(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            piece = os.read(self._in, 1 << 20)
            assert piece, "the browser has gone"
            self._rest += piece
        first, _, self._rest = self._rest.partition(b"\0")
        return cast(dict[str, Any], json.loads(first))

    def page(self, path: Path, *, width: int = 1280, height: int = 900, link: str = "") -> Page:
        """Open a file in a page of its own, offline."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)
        session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)[
            "sessionId"
        ]
        page = Page(self, session, target["targetId"], path)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        page.send("Network.emulateNetworkConditions", offline=True, **offline)
        page.size(width, height)
        page.open(link)
        return page

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        os.close(self._out)
        os.close(self._in)
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A page: scripts, keys, pictures, and what went wrong in it."""

    def __init__(self, browser: Browser, session: str, target: str, path: Path) -> None:
        self.browser, self.session, self.target, self.path = browser, session, target, path

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self.browser.send(method, self.session, **params)

    def open(self, link: str = "") -> None:
        """Load the file, with what stands behind the `#`, and wait until it is drawn."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=f"{self.path.as_uri()}{link}")
        end = time.monotonic() + PATIENCE
        ready = "document.readyState === 'complete' && +document.documentElement.dataset.frame > 0"
        while not self.run(ready):
            assert time.monotonic() < end, f"the page was not drawn: {self.problems()}"
            time.sleep(0.02)

    def run(self, code: str) -> Any:
        """Return what an expression of JavaScript gives; a promise is waited for."""
        answer = self.send(
            "Runtime.evaluate",
            expression=code,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def settle(self) -> None:
        """Wait until the page has drawn what has changed."""
        self.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
            "setTimeout(done, 0))))"
        )

    def size(self, width: int, height: int, *, touch: bool = False) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        self.send("Emulation.setTouchEmulationEnabled", enabled=touch)

    def scheme(self, name: str) -> None:
        """Prefer `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def key(self, key: str) -> None:
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        codes = {
            "Enter": 13,
            "ArrowUp": 38,
            "ArrowDown": 40,
            "ArrowRight": 39,
            "ArrowLeft": 37,
            "Escape": 27,
        }
        more = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, **more)

    def mouse(self, kind: str, x: float, y: float) -> None:
        button = {"button": "left", "clickCount": 1} if kind != "mouseMoved" else {}
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def tap(self, x: float, y: float) -> None:
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def picture(self, path: Path, *, whole: bool = False) -> None:
        answer = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def problems(self) -> list[str]:
        """Return the errors and warnings in the console, and requests for anything but the file."""
        self.run("0")  # what was said before has come by now
        found: list[str] = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            found += problem_of(event, self.path.as_uri())
        return found

    def close(self) -> None:
        self.browser.send("Target.closeTarget", targetId=self.target)


# What the driver of a graphics card without hardware says of reading a picture back.
_HARMLESS = ("GPU stall due to ReadPixels", "willReadFrequently")


def problem_of(event: dict[str, Any], file: str) -> list[str]:
    """Return what is wrong in an event of a page."""
    params = event.get("params", {})
    match event.get("method"):
        case "Runtime.exceptionThrown":
            return [str(params["exceptionDetails"])]
        case "Runtime.consoleAPICalled" if params["type"] in ("error", "warning", "assert"):
            return [str(params["args"])]
        case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
            text = str(params["entry"]["text"])
            return [] if any(known in text for known in _HARMLESS) else [text]
        case "Network.requestWillBeSent":
            url = str(params["request"]["url"])
            if url.partition("#")[0] == file or url.startswith(("about:", "data:", "blob:")):
                return []
            return [f"request: {url[:200]}"]
    return []
