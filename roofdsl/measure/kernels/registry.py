"""All kernels, by the names of their models."""

from __future__ import annotations

from roofdsl.measure.kernels.dense import DENSE
from roofdsl.measure.kernels.irregular import IRREGULAR
from roofdsl.measure.kernels.kernel import Kernel

KERNELS: dict[str, Kernel] = {kernel.model: kernel for kernel in (*DENSE, *IRREGULAR)}
