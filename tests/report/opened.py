"""A report opened in a browser."""

from __future__ import annotations

import time
from pathlib import Path

from tests.explorer.browser import PATIENCE, Browser, Page


class Report(Page):
    """A page of a report."""

    def open(self, link: str = "") -> None:
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=f"{self.path.as_uri()}{link}")
        end = time.monotonic() + PATIENCE
        ready = "document.readyState === 'complete' && location.protocol === 'file:'"
        while not self.run(ready):
            assert time.monotonic() < end, "the page was not loaded"
            time.sleep(0.02)


def opened(browser: Browser, path: Path, width: int = 1280) -> Report:
    context = browser.send("Target.createBrowserContext")["browserContextId"]
    target = browser.send("Target.createTarget", url="about:blank", browserContextId=context)
    identity = target["targetId"]
    session = browser.send("Target.attachToTarget", targetId=identity, flatten=True)["sessionId"]
    report = Report(browser, session, identity, path)
    for domain in ("Page", "Runtime", "Network", "Log"):
        report.send(f"{domain}.enable")
    report.size(width, 900)
    report.open()
    return report
