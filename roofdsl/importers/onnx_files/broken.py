"""What is wrong with a file of ONNX."""

from __future__ import annotations


class Broken(Exception):
    """Raised where a file cannot be imported; the text goes on from its name."""

    def __init__(self, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.hint = hint
