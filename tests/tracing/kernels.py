"""Functions to count, as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np


def product(A, B):
    return A @ B


def sweep(u):
    v = np.copy(u)
    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return v


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layer_norm(x, gain, shift):
    mean = x.sum(axis=1, keepdims=True) / x.shape[1]
    centred = x - mean
    variance = (centred**2).sum(axis=1, keepdims=True) / x.shape[1]
    return centred / np.sqrt(variance + 1e-5) * gain + shift


def conjugate_gradient_step(A, x, r, p):
    q = A @ p
    before = r @ r
    alpha = before / (p @ q)
    x = x + alpha * p
    r = r - alpha * q
    beta = (r @ r) / before
    return x, r, r + beta * p


def fft(x: Any) -> Any:
    n = len(x)
    if n == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def library_fft(x):
    return np.fft.fft(x)


def triad(a, b, c, s):
    a[:] = b + s * c


def dot_by_hand(x, y):
    total = 0.0
    for place in range(len(x)):
        total = total + x[place] * y[place]
    return total


def gauss_seidel(u, sweeps):
    for _ in range(sweeps):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
    return u


def solve(A, b):
    return np.linalg.solve(A, b)


def attention(q, k, v):
    scores = q @ k.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def eliminate(A):
    for k in range(len(A)):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])


def by_three_loops(A, B):
    n = len(A)
    C = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
    return C


def rolled(u):
    neighbours = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
    return 0.25 * neighbours


def filtered(x, w):
    return np.convolve(x, w, mode="valid")
