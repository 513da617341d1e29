#!/usr/bin/env python3
"""What lesson 1 must say, worked out without any of our code: plain Python, float64, straight from the definitions.

    python3 tests/data/lessons/one_real_decode.py > tests/data/lessons/one_real_decode.json

"values": (head, step, expression, value). "stops": for head 6, every number that a stop's English text shows, in order
and as printed; "replies" likewise for the reply to the right answer.
"""
import ast
import json
import math
import struct
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "lessons" / "data" / "stories260k"
TILE, DIM = 32, 8


def load(name):
    raw = (DATA / name).read_bytes()
    size = struct.unpack("<H", raw[8:10])[0]
    header = ast.literal_eval(raw[10 : 10 + size].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"]
    count = math.prod(header["shape"])
    return header["shape"], struct.unpack(f"<{count}f", raw[10 + size :])


class Part:
    """All that is known of a set of keys, from the sums over it."""

    def __init__(self, head, keys):
        self.keys = list(keys)
        scores = [head.scores[j] for j in self.keys]
        self.m = max(scores)
        self.l = math.fsum(math.exp(s - self.m) for s in scores)
        self.S = self.m + math.log(self.l)
        self.o = [
            math.fsum(math.exp(s - self.m) * head.values[j][c] for j, s in zip(self.keys, scores)) / self.l
            for c in range(DIM)
        ]


class Head:
    def __init__(self, q_head):
        (q_heads, dim), q = load("layer2_q.npy")
        (kv_heads, kv_len, _), k = load("layer2_k.npy")
        _, v = load("layer2_v.npy")
        kv_head = q_head // (q_heads // kv_heads)
        row = lambda x, j: x[(kv_head * kv_len + j) * dim : (kv_head * kv_len + j + 1) * dim]
        query = q[q_head * dim : (q_head + 1) * dim]
        self.kv_len = kv_len
        self.scores = [math.fsum(a * b for a, b in zip(query, row(k, j))) / math.sqrt(dim) for j in range(kv_len)]
        self.values = [row(v, j) for j in range(kv_len)]
        self.row = Part(self, range(kv_len))
        self.tiles = [Part(self, range(b, min(b + TILE, kv_len))) for b in range(0, kv_len, TILE)]

    def part(self, first_tile, last_tile):
        return Part(self, range(first_tile * TILE, min((last_tile + 1) * TILE, self.kv_len)))

    def weight(self, part):
        return math.exp(part.S - self.row.S)


def steps_of(head):
    """Numbers of the steps: one a key, one a finished tile, then ten merges, then the check."""
    key = lambda j: j + 1 + j // TILE
    tile = lambda t: key(head.tiles[t].keys[-1]) + 1
    last = tile(len(head.tiles) - 1)
    return key, tile, lambda i: last + 1 + i, last + 11


def values_of(q_head):
    head = Head(q_head)
    key, tile, merge, end = steps_of(head)
    rows = []
    add = lambda step, expression, value: rows.append([q_head, step, expression, value])
    a, b, ab = head.tiles[8], head.tiles[9], head.part(8, 9)
    heaviest = max(head.tiles[8].keys, key=lambda j: head.scores[j])
    before, after = Part(head, range(256, heaviest)), Part(head, range(256, heaviest + 1))

    add(0, "key[260].score", head.scores[260])
    add(0, "row.heaviest_key", max(range(head.kv_len), key=lambda j: head.scores[j]))
    add(0, "row.heaviest_tile", max(range(11), key=lambda t: head.tiles[t].S))
    add(0, "key[297].weight", math.exp(head.scores[297] - head.row.S))
    add(0, "tile[10].keys", 26)
    add(key(0), "now.m", head.scores[0])
    add(key(heaviest), "now.key", heaviest)
    add(key(heaviest), "now.a.l", before.l)
    add(key(heaviest), "now.a.factor", math.exp(before.m - after.m))
    add(key(heaviest), "now.b.weight", 1 / after.l)
    add(key(heaviest), "now.l", after.l)
    add(tile(8), "now.m", a.m)
    add(tile(8), "tile[8].l", a.l)
    add(tile(8), "tile[8].S", a.S)
    add(tile(8), "tile[8].share", head.weight(a))
    add(tile(8), "now.o[2]", a.o[2])
    add(tile(9), "tile[9].l", b.l)
    add(merge(4), "now.a.m", a.m)
    add(merge(4), "now.b.m", b.m)
    add(merge(4), "now.m", ab.m)
    add(merge(4), "now.l", ab.l)
    add(merge(4), "now.a.factor", math.exp(a.m - ab.m))
    add(merge(4), "now.a.moved", math.exp(a.m - ab.m) * a.l)
    add(merge(4), "now.a.weight", math.exp(a.S - ab.S))
    add(merge(4), "now.b.weight", math.exp(b.S - ab.S))
    add(merge(4), "now.high.m", max(a.m, b.m))
    add(merge(4), "now.low.factor", math.exp(min(a.m, b.m) - ab.m))
    for c in range(DIM):
        add(merge(4), f"now.o[{c}]", ab.o[c])
    add(merge(7), "now.a.S", ab.S)
    add(merge(7), "now.b.S", head.tiles[10].S)
    add(merge(7), "now.S", head.part(8, 10).S)
    add(merge(8), "now.S", head.part(0, 7).S)
    add(merge(9), "now.a.weight", math.exp(head.part(0, 7).S - head.row.S))
    add(merge(9), "result.S", head.row.S)
    add(end, "reference.S", head.row.S)
    for c in range(DIM):
        add(end, f"result.o[{c}]", head.row.o[c])
    return rows


def fixed(number, decimals=3):
    return f"{number:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def stops():
    head = Head(6)
    tokens = json.loads((DATA / "tokens.json").read_text())
    word = lambda j: '"' + tokens[j].strip() + '"'
    a, b, ab = head.tiles[8], head.tiles[9], head.part(8, 9)
    top = max(range(head.kv_len), key=lambda j: head.scores[j])
    rise = max(a.keys, key=lambda j: head.scores[j])
    before, after = Part(head, range(256, rise)), Part(head, range(256, rise + 1))
    shrink = math.exp(before.m - after.m)
    low = math.exp(a.m - ab.m)
    assert a.m < b.m
    w_a = math.exp(a.S - ab.S)
    prose = {
        "question": ["6", "2", "346", str(top), word(top), f"{100 * math.exp(head.scores[top] - head.row.S):.0f} %"],
        "tiles": ["11", "32", "26", '"<s>"', fixed(head.scores[0]), "1"],
        "larger-score": ["8", str(rise - 256), "32", fixed(before.m), fixed(before.l), str(rise), word(rise),
                         fixed(head.scores[rise])],
        "tile-kept": ["8", "32", fixed(a.m), fixed(a.l), "10", f"{100 * head.weight(a):.1f} %"],
        "share": ["346", "tile 8", fixed(a.m), fixed(a.l), "tile 9", fixed(b.m), fixed(b.l)],
        "merge": ["tile 8", fixed(a.m), "tile 9", fixed(b.m), "tile 9", "1", "tile 8", fixed(low, 4), fixed(ab.l),
                  fixed(w_a, 4), fixed(1 - w_a, 4)],
        "log-sum": ["tiles 8\N{EN DASH}9", fixed(ab.S), "tile 10", fixed(head.tiles[10].S)],
        "any-order": ["10", "11", fixed(head.row.S), "4", "10"],
    }
    replies = {
        "larger-score": [fixed(shrink, 4), "1", fixed(before.l), fixed(shrink, 4), "1", fixed(after.l)],
        "share": [fixed(ab.m), "tile 8", fixed(low * a.l), "tile 9", fixed(b.l)],
        "log-sum": [fixed(head.part(8, 10).S)],
    }
    return {"prose": prose, "replies": replies}


if __name__ == "__main__":
    rows = values_of(6) + values_of(3)
    texts = stops()
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    print(f'{{"values": [\n  {lines}\n ],\n "stops": {json.dumps(texts["prose"], ensure_ascii=False)},\n'
          f' "replies": {json.dumps(texts["replies"], ensure_ascii=False)}}}')
