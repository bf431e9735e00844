"""What the layers of encoders, encoder-decoders and diffusion transformers read and write, by hand.

As in `traffic`: tensor by tensor, in sizes that share no factor.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.dnn.traffic import (
    Case,
    Traffic,
    Value,
    added,
    both,
    linear,
    linear_back,
    norm,
    norm_back,
    scores,
    scores_back,
)

B, s, t, M = 3, 5, 11, 13


def family_cases() -> Iterator[tuple[str, Case]]:
    """Yield the name of each layer, and a case of it."""
    yield from _around_blocks()
    yield from _blocks()


def _around_blocks() -> Iterator[tuple[str, Case]]:
    h, a = 17, 6
    x, vector = B * s * h, B * h
    values: dict[str, Value] = {"B": B, "s": s, "h": h}
    yield "class_token", Case(values, Traffic([x, h], [x + vector]))
    yield "class_token_backward", Case(values, Traffic([vector], [h]))
    for trained in (True, False):
        yield "add_places", Case(values | {"trained": trained}, Traffic([x, s * h], [x]))
    yield "add_places_backward", Case(values, Traffic([x], [s * h]))
    yield "token_mean", Case(values, Traffic([x], [vector]))
    yield "token_mean_backward", Case(values, Traffic([vector], [x]))
    yield "modulate", Case(values, modulated(h))
    yield "modulate_backward", Case(values, modulated_back(h))
    yield "gate", Case(values, Traffic([x, vector], [x]))
    yield "gate_backward", Case(values, gate_back(h))
    pairs: dict[str, Value] = {"a": a, "s": s, "t": t}
    looked_up = Traffic([s * t * a], [a * s * t], 8 * s * t)
    yield "relative_bias", Case(pairs, looked_up)
    yield "relative_bias_backward", Case(pairs, looked_up)
    vectors: dict[str, Value] = {"B": B, "h": h, "vectors": 6}
    yield "joined_vectors", Case(vectors, Traffic([6 * vector], [6 * vector]))


def _blocks() -> Iterator[tuple[str, Case]]:
    a, d, kv, h, f = 6, 7, 3, 42, 65
    values: dict[str, Value] = {"B": B, "a": a, "s": s, "d": d, "t": t, "kv": kv, "biased": True}
    yield "attention", Case(values, with_bias(scores(B, a, s, d, t, kv), a, t))
    back = with_bias_back(scores_back(B, a, s, d, t, kv), a, t)
    yield "attention_backward", Case(values, back)
    sizes: dict[str, Value] = {"B": B, "s": s, "h": h, "a": a, "f": f}
    yield "dit_block", Case(sizes, diffused(h, a, f))
    yield "dit_block_backward", Case(sizes, diffused_back(h, a, f))
    for gated in (False, True):
        rows: dict[str, Value] = {"M": M, "h": h, "f": f, "gated": gated}
        yield "t5_products", Case(rows, products_after(M, h, f, gated))
        yield "t5_products_backward", Case(rows, products_after_back(M, h, f, gated))
        one = sizes | {"d": 5, "gated": gated}
        for part, seen in (("encoder", 0), ("decoder", t)):
            given = one | ({"t": t} if seen else {})
            forward, backward = (
                make(seen, h, a, 5, f, gated) for make in (scored_block, scored_block_back)
            )
            yield f"t5_{part}_block", Case(given, forward)
            yield f"t5_{part}_block_backward", Case(given, backward)


def with_bias(scores: Traffic, a: int, t: int) -> Traffic:
    """Numbers for each head and pair are read with the scores."""
    return both(scores, Traffic([a * s * t], []))


def with_bias_back(scores: Traffic, a: int, t: int) -> Traffic:
    """Their gradients are added to those of blocks before."""
    return both(scores, Traffic([a * s * t], [a * s * t]))


def products_after(M: int, h: int, f: int, gated: bool) -> Traffic:
    inside = [Traffic([M * f], [M * f])]
    if gated:
        inside += [linear(M, h, f, False), added(M * f)]
    ends = norm(M * h, h), linear(M, h, f, False), linear(M, f, h, False), added(M * h)
    return both(*ends, *inside)


def products_after_back(M: int, h: int, f: int, gated: bool) -> Traffic:
    inside = [Traffic([M * f, M * f], [M * f])]
    if gated:
        inside += [linear_back(M, h, f, False), Traffic([M * f] * 3, [M * f] * 2)]
    ends = norm_back(M * h, h), linear_back(M, h, f, False), linear_back(M, f, h, False)
    return both(*ends, added(M * h), *inside)


def scored_block(t: int, h: int, a: int, d: int, f: int, gated: bool) -> Traffic:
    """A block of T5; of the decoder where there are t tokens to attend to."""
    M, own = B * s, with_bias(scores(B, a, s, d, s, a), a, s)
    parts = [norm(M * h, h), linear(M, h, 3 * a * d, False), own]
    parts += [linear(M, a * d, h, False), added(M * h)]
    if t:
        parts += [norm(M * h, h), linear(M, h, a * d, False), scores(B, a, s, d, t, a)]
        parts += [linear(B * t, h, 2 * a * d, False), linear(M, a * d, h, False), added(M * h)]
    return both(*parts, products_after(M, h, f, gated))


def scored_block_back(t: int, h: int, a: int, d: int, f: int, gated: bool) -> Traffic:
    M, own = B * s, with_bias_back(scores_back(B, a, s, d, s, a), a, s)
    parts = [norm_back(M * h, h), linear_back(M, h, 3 * a * d, False), own]
    parts += [linear_back(M, a * d, h, False), added(M * h)]
    if t:
        parts += [norm_back(M * h, h), linear_back(M, h, a * d, False), added(M * h)]
        parts += [linear_back(B * t, h, 2 * a * d, False), linear_back(M, a * d, h, False)]
        parts.append(scores_back(B, a, s, d, t, a))
    return both(*parts, products_after_back(M, h, f, gated))


def modulated(h: int) -> Traffic:
    """Rows, a scale and a shift for each input."""
    return Traffic([B * s * h, B * h, B * h], [B * s * h])


def modulated_back(h: int) -> Traffic:
    """Their gradients, of the rows' and 1 + the scale that was kept."""
    return Traffic([B * s * h, B * s * h, B * h], [B * s * h, B * h, B * h])


def gate_back(h: int) -> Traffic:
    return Traffic([B * s * h, B * s * h, B * h], [B * s * h, B * h])


def diffused(h: int, a: int, f: int) -> Traffic:
    M = B * s
    return both(
        *(Traffic([B * h], [B * h]), linear(B, h, 6 * h), norm(M * h, 0), norm(M * h, 0)),
        *(modulated(h), modulated(h), added(M * h), added(M * h)),
        *(linear(M, h, 3 * h), scores(B, a, s, h // a, s, a), linear(M, h, h)),
        *(linear(M, h, f), Traffic([M * f], [M * f]), linear(M, f, h)),
        *(Traffic([M * h, B * h], [M * h]), Traffic([M * h, B * h], [M * h])),
    )


def diffused_back(h: int, a: int, f: int) -> Traffic:
    M = B * s
    return both(
        *(Traffic([B * h, B * h], [B * h]), linear_back(B, h, 6 * h)),
        *(norm_back(M * h, 0), norm_back(M * h, 0), added(M * h), added(M * h)),
        *(modulated_back(h), modulated_back(h)),
        *(linear_back(M, h, 3 * h), scores_back(B, a, s, h // a, s, a), linear_back(M, h, h)),
        *(linear_back(M, h, f), Traffic([M * f, M * f], [M * f]), linear_back(M, f, h)),
        *(gate_back(h), gate_back(h)),
        Traffic([6 * B * h], [6 * B * h]),  # gradients of six vectors, put together
        added(B * h),  # of the condition, onto what other blocks made
    )
