"""Shapes, as the package `onnx` works them out, in a process of its own.

It does so in C++, which an odd file can have end, or go on and on: that is then the end of the
process. Messages go there and back, each after its length in eight bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING

from roofdsl.importers.onnx_files.broken import Broken

if TYPE_CHECKING:
    import onnx

MOST_SECONDS = 60.0
_WIDTH = 8


def inferred(models: Sequence[onnx.ModelProto]) -> list[onnx.ModelProto | Broken]:
    """Return models with the shapes of all tensors, or of each what is wrong with it.

    Raises Broken where the process ends without an answer, or takes more than `MOST_SECONDS`.
    """
    import onnx

    asked = b"".join(_framed(each.SerializeToString()) for each in models)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        run = subprocess.run(
            [sys.executable, "-m", __name__],
            input=asked,
            capture_output=True,
            check=True,
            timeout=MOST_SECONDS,
            env=environment,
        )
    except (subprocess.SubprocessError, OSError):
        raise Broken("has shapes that the package 'onnx' cannot work out") from None
    found: list[onnx.ModelProto | Broken] = []
    for answer in _parts(run.stdout):
        whole = answer[:1] == b"1"
        reason = answer[1:].decode("utf-8", "replace")
        message = f"has shapes that do not fit: {reason}"
        found.append(onnx.ModelProto.FromString(answer[1:]) if whole else Broken(message))
    return found


def _framed(message: bytes) -> bytes:
    return len(message).to_bytes(_WIDTH, "little") + message


def _parts(data: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(data):
        length = int.from_bytes(data[place : place + _WIDTH], "little")
        place += _WIDTH
        yield data[place : place + length]
        place += length


def _answer(given: IO[bytes], told: IO[bytes]) -> None:
    """Answer for each message: `1` and the message with shapes, or `0` and the reason."""
    from onnx import ModelProto, shape_inference

    for message in _parts(given.read()):
        try:
            model = shape_inference.infer_shapes(ModelProto.FromString(message), data_prop=True)
            answer = b"1" + model.SerializeToString()
        except Exception as error:  # noqa: BLE001, it raises what its C++ does
            lines = str(error).strip().splitlines() or [type(error).__name__]
            answer = b"0" + lines[0][:120].encode()
        told.write(_framed(answer))


if __name__ == "__main__":
    _answer(sys.stdin.buffer, sys.stdout.buffer)
