#!/usr/bin/env python3
"""Attention vectors in 80-bit extended precision with NumPy alone: nothing here knows the code that they test.

Writes one folder per case: q, k, v as stored, o and lse (natural log) as float64, meta.json with the shapes.
Usage: make_vectors.py [folder]        (default: beside this script; needs numpy on x86-64)
"""
import json
import pathlib
import sys

import numpy as np

EXTENDED = np.longdouble


def stored(values, dtype):
    """Rounds to the dtype; returns what goes into the file and the exact values of what was stored."""
    if dtype != "bf16":
        raw = values.astype(dtype)
        return raw, raw.astype(EXTENDED)
    bits = values.astype("f4").view("u4")
    bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("u2")  # to nearest even
    return bits.view("V2"), (bits.astype("u4") << 16).view("f4").astype(EXTENDED)


def attention(q, k, v, scale, kv_len):
    """One query row over the first kv_len keys."""
    if kv_len == 0:
        return np.zeros(v.shape[-1], EXTENDED), -np.inf
    scores = scale * (k[:kv_len] @ q)
    weights = np.exp(scores - scores.max())
    return weights @ v[:kv_len] / weights.sum(), scores.max() + np.log(weights.sum())


def make(folder, name, seed, batch, q_heads, kv_heads, kv_len, head_dim, v_head_dim, dtype, kv_lens=None, sharp=2.0):
    rng = np.random.default_rng(seed)
    q_raw, q = stored(sharp * rng.standard_normal((batch, q_heads, head_dim)), dtype)
    k_raw, k = stored(rng.standard_normal((batch, kv_heads, kv_len, head_dim)), dtype)
    v_raw, v = stored(rng.standard_normal((batch, kv_heads, kv_len, v_head_dim)), dtype)
    scale = EXTENDED(1) / np.sqrt(EXTENDED(head_dim))
    o = np.zeros((batch, q_heads, v_head_dim))
    lse = np.zeros((batch, q_heads))
    for b in range(batch):
        for h in range(q_heads):
            g = h // (q_heads // kv_heads)
            o[b, h], lse[b, h] = attention(q[b, h], k[b, g], v[b, g], scale, kv_lens[b] if kv_lens else kv_len)

    case = folder / name
    case.mkdir(exist_ok=True)
    for tensor, values in {"q": q_raw, "k": k_raw, "v": v_raw, "o": o, "lse": lse}.items():
        np.save(case / f"{tensor}.npy", values)
    meta = dict(batch=batch, q_heads=q_heads, kv_heads=kv_heads, kv_len=kv_len, head_dim=head_dim,
                v_head_dim=v_head_dim, dtype=dtype, scale=float(scale), kv_lens=kv_lens, seed=seed)
    (case / "meta.json").write_text(json.dumps(meta) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    make(folder, "ragged", 1, 4, 4, 2, 70, 16, 16, "f4", kv_lens=[70, 1, 33, 0])
    make(folder, "gqa-group4", 2, 2, 8, 2, 77, 32, 32, "f2")
    make(folder, "mqa-bf16", 3, 1, 5, 1, 130, 24, 40, "bf16")
    make(folder, "double", 4, 1, 2, 2, 50, 9, 7, "f8")


if __name__ == "__main__":
    main()
