"""The seven models of Cardwell 2019, Table 2.4, and the machines of its Table 2.3, as trees."""

from __future__ import annotations

from tests.solver.writing import Formula, N, P, call, formula, log2, name, sqrt

V = N
E = 16 * V
WORD = formula(8)
B = formula(8)
M = formula(2048)


def kernels() -> dict[str, tuple[Formula, Formula, Formula]]:
    """Return flops, memory bytes and network bytes of each model, in N (or V = N) and P."""
    summa = (
        (2 * N**3 + 2 * N**2) / P,
        WORD * B * (1 + N**2 / B + N**3 / (B * sqrt(M))) / P,
        2 * sqrt(P) * (WORD * (N / sqrt(P)) ** 2 * log2(sqrt(P))),
    )
    dgemv = ((2 * N**2 + 2 * N) / P, (8 * N**2 + 24 * N) / P, 8 * (N / P) * (P - 1))
    ddot = (2 * (N / P) - 1, 16 * (N / P) + 8, 8 * log2(P))
    fft = (5 * N * log2(N) / P, 48 * N / P, 32 * (N / P) * log2(P))
    stencil = (4 * ((N - 2) / P) * (N - 2), 56 * ((N - 2) / P) * (N - 2), 32 * N)
    sort = E / B * call("log", E / B, M / B)
    mst = (
        E * log2(V) / P,
        WORD * B * (sort * log2(V)) / P,
        12 * V * (log2(V) / 2) * log2(P) + 12 * V * log2(V),
    )
    dijkstra = (
        (E + V * log2(V)) / P,
        WORD * B * (V + E / B * log2(V / B)) / P,
        V * (16 * log2(P)) + 4 * (V / P) * log2(P),
    )
    return {
        "SUMMA": summa,
        "DGEMV": dgemv,
        "DDOT": ddot,
        "FFT": fft,
        "Stencil": stencil,
        "MST": mst,
        "Dijkstra": dijkstra,
    }


RESOURCES = ("flops", "memory", "network")
MACHINES = {
    "bigred2": ("14.7e9", "13.4e9", "5.7e9"),
    "karst": ("22e9", "13.9e9", "1.2e9"),
    "jetstream": ("43.4e9", "13.1e9", "0.34e9"),
}
PROCESSES = {"SUMMA": 121}


def processes(model: str) -> int:
    """Return the number of processes the model was measured with."""
    return PROCESSES.get(model, 128)


def times(model: str, machine: str) -> tuple[Formula, Formula, Formula]:
    """Return the time on flops, memory and network, in N and P."""
    work = kernels()[model]
    flops, memory, network = MACHINES[machine]
    return work[0] / flops, work[1] / memory, work[2] / network


def symbolic_times(model: str) -> tuple[Formula, Formula, Formula]:
    """Return the times with the rates as names."""
    work = kernels()[model]
    rates = [name(f"rate_{resource}") for resource in RESOURCES]
    return work[0] / rates[0], work[1] / rates[1], work[2] / rates[2]
