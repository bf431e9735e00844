"""What each layer reads and writes, tensor by tensor, in sizes of odd numbers; typed by hand.

A tensor has one number of elements. Indices, masks and statistics have bytes of their own, the same
at every precision. `both` puts together what layers after one another read and write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Value = int | bool


class Traffic(NamedTuple):
    """Elements of the tensors that are read, of those that are written, and bytes of others."""

    reads: list[int]
    writes: list[int]
    others: int = 0

    def bytes(self, element: int) -> int:
        return element * (sum(self.reads) + sum(self.writes)) + self.others


class Case(NamedTuple):
    values: dict[str, Value]
    traffic: Traffic


def both(*parts: Traffic) -> Traffic:
    return Traffic(
        [size for part in parts for size in part.reads],
        [size for part in parts for size in part.writes],
        sum(part.others for part in parts),
    )


def windows(n: int, K: int, stride: int = 1, padding: int = 0, dilation: int = 1) -> list[set[int]]:
    """The elements of a line that lie in each window, one window after another."""
    found = []
    start = -padding
    while start + dilation * (K - 1) <= n - 1 + padding:
        taps = {start + dilation * tap for tap in range(K)}
        found.append({tap for tap in taps if 0 <= tap < n})
        start += stride
    return found


def line(n: int, K: int, stride: int = 1, padding: int = 0, dilation: int = 1) -> tuple[int, int]:
    """The windows of a line, and its elements that lie in one of them."""
    found = windows(n, K, stride, padding, dilation)
    return len(found), len(set().union(*found))


def elementwise(E: int, reads: int, writes: int) -> Case:
    return Case({"E": E}, Traffic([E] * reads, [E] * writes))


def linear(M: int, I: int, O: int, bias: bool = True) -> Traffic:  # noqa: E741, the library's names
    return Traffic([M * I, I * O, O if bias else 0], [M * O])


def linear_input(M: int, I: int, O: int) -> Traffic:  # noqa: E741, the same
    return Traffic([M * O, I * O], [M * I])


def linear_weights(M: int, I: int, O: int, bias: bool = True) -> Traffic:  # noqa: E741, the same
    return Traffic([M * I, M * O], [I * O, O if bias else 0])


def linear_back(M: int, I: int, O: int, bias: bool = True) -> Traffic:  # noqa: E741, the same
    return both(linear_input(M, I, O), linear_weights(M, I, O, bias))


def norm(E: int, weights: int) -> Traffic:
    return Traffic([E, weights], [E])


def norm_back(E: int, weights: int) -> Traffic:
    return Traffic([E, E, weights], [E, weights])


def update(weights: int) -> Traffic:
    return Traffic([weights, weights], [weights])


def added(E: int) -> Traffic:
    return Traffic([E, E], [E])


def scores(B: int, a: int, s: int, d: int, t: int, kv: int) -> Traffic:
    """Attention that is not fused: scores and their softmax are written and read."""
    q, k, p = B * a * s * d, B * kv * t * d, B * a * s * t
    return Traffic([q, k, p, p, k], [p, p, q])


def scores_back(B: int, a: int, s: int, d: int, t: int, kv: int) -> Traffic:
    """Five kernels: of values, softmax, scores, queries and keys."""
    q, k, p = B * a * s * d, B * kv * t * d, B * a * s * t
    values = Traffic([q, p], [k])  # dO and the softmax
    softmax = Traffic([q, k], [p])  # dO and the values
    of_scores = Traffic([p, p], [p])  # the softmax and its gradient
    queries, keys = Traffic([p, k], [q]), Traffic([p, q], [k])
    return both(values, softmax, of_scores, queries, keys)


def block(B: int, s: int, h: int, a: int, f: int) -> Traffic:
    M = B * s
    return both(
        *(norm(M * h, 2 * h), norm(M * h, 2 * h), added(M * h), added(M * h)),
        *(linear(M, h, 3 * h), scores(B, a, s, h // a, s, a), linear(M, h, h)),
        *(linear(M, h, f), Traffic([M * f], [M * f]), linear(M, f, h)),
    )


def block_back(B: int, s: int, h: int, a: int, f: int) -> Traffic:
    M = B * s
    return both(
        *(norm_back(M * h, 2 * h), norm_back(M * h, 2 * h), added(M * h), added(M * h)),
        *(linear_back(M, h, 3 * h), scores_back(B, a, s, h // a, s, a), linear_back(M, h, h)),
        *(linear_back(M, h, f), Traffic([M * f, M * f], [M * f]), linear_back(M, f, h)),
    )


def gated(B: int, s: int, h: int, a: int, kv: int, f: int) -> Traffic:
    M, d = B * s, h // a
    return both(
        *(norm(M * h, h), norm(M * h, h), added(M * h), added(M * h)),
        *(linear(M, h, (a + 2 * kv) * d, False), scores(B, a, s, d, s, kv)),
        *(linear(M, h, h, False), linear(M, h, f, False), linear(M, h, f, False)),
        *(Traffic([M * f], [M * f]), added(M * f), linear(M, f, h, False)),
    )


def gated_back(B: int, s: int, h: int, a: int, kv: int, f: int) -> Traffic:
    M, d = B * s, h // a
    return both(
        *(norm_back(M * h, h), norm_back(M * h, h), added(M * h), added(M * h)),
        *(linear_back(M, h, (a + 2 * kv) * d, False), scores_back(B, a, s, d, s, kv)),
        *(linear_back(M, h, h, False), linear_back(M, h, f, False), linear_back(M, h, f, False)),
        Traffic([M * f, M * f], [M * f]),  # of silu: what was kept, and dy
        Traffic([M * f] * 3, [M * f] * 2),  # of the product: both factors, and dy
        linear_back(M, f, h, False),
    )


def across(B: int, s: int, t: int, h: int, a: int) -> Traffic:
    M, N = B * s, B * t
    return both(
        *(norm(M * h, 2 * h), linear(M, h, h), linear(N, h, 2 * h)),
        *(scores(B, a, s, h // a, t, a), linear(M, h, h), added(M * h)),
    )


def across_back(B: int, s: int, t: int, h: int, a: int) -> Traffic:
    M, N = B * s, B * t
    return both(
        *(norm_back(M * h, 2 * h), linear_back(M, h, h), linear_back(N, h, 2 * h)),
        *(scores_back(B, a, s, h // a, t, a), linear_back(M, h, h), added(M * h)),
    )


class Convolution(NamedTuple):
    """Of B images, in any number of dimensions: lines of elements, and kernels on them."""

    B: int
    Ci: int
    Co: int
    lines: Sequence[tuple[int, ...]]
    groups: int = 1
    bias: bool = True

    def sizes(self) -> tuple[int, int, int, int, int, int]:
        """Of the image, what is read of it, the output, the kernel, the bias, its unfolding."""
        image, read, out, kernel = self.B * self.Ci, self.B * self.Ci, self.B * self.Co, self.Co
        kernel *= self.Ci // self.groups
        unfolded = self.B * self.Ci
        for each in self.lines:
            places, touched = line(*each)
            image, read, out, kernel = (
                image * each[0],
                read * touched,
                out * places,
                kernel * each[1],
            )
            unfolded *= places * each[1]
        return image, read, out, kernel, self.Co if self.bias else 0, unfolded

    def forward(self) -> Traffic:
        _, read, out, kernel, bias, _ = self.sizes()
        return Traffic([read, kernel, bias], [out])

    def im2col(self) -> Traffic:
        _, read, out, kernel, bias, unfolded = self.sizes()
        return Traffic([read, unfolded, kernel, bias], [unfolded, out])

    def input(self) -> Traffic:
        image, _, out, kernel, _, _ = self.sizes()
        return Traffic([out, kernel], [image])

    def weights(self) -> Traffic:
        _, read, out, kernel, bias, _ = self.sizes()
        return Traffic([read, out], [kernel, bias])

    def update(self) -> Traffic:
        _, _, _, kernel, bias, _ = self.sizes()
        return update(kernel + bias)


def transposed(
    B: int, Ci: int, Co: int, H: int, Ho: int, K: int, stride: int, bias: bool
) -> tuple[Traffic, Traffic, Traffic]:
    """Of squares without padding: forward, and the gradients to the input and the weights."""
    met = len(set().union(*windows(Ho, K, stride)))
    image, out, kernel, added = B * Ci * H * H, B * Co * Ho * Ho, Ci * Co * K * K, Co * bias
    read = B * Co * met * met
    return (
        Traffic([image, kernel, added], [out]),
        Traffic([read, kernel], [image]),
        Traffic([image, out if bias else read], [kernel, added]),
    )


def pool(B: int, C: int, H: int, W: int, K: int, stride: int) -> tuple[int, int, int]:
    """Of the image: its elements, those that are read, and those out."""
    (high, rows), (wide, columns) = line(H, K, stride), line(W, K, stride)
    return B * C * H * W, B * C * rows * columns, B * C * high * wide
