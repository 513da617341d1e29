#!/usr/bin/env python3
"""Times PyTorch's attention on the shapes of a job list, the way `fdlab bench cuda` times its kernels, and prints one line each.

Reads from standard input a job a line, "b=1 hq=32 hkv=8 n=4096 d=128 type=bf16" (these are the defaults). cuDNN's SDPA is the peer to beat; flash is shown beside it.
Each result is checked against float64 attention before it is timed. Cold L2: input sets rotate through at least 1 GB; one CUDA
graph holds one call per set; median over 11 groups of replays. Needs PyTorch with CUDA; says so and exits 3 without it.
"""
import json
import statistics
import sys

try:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(print(f"no peers: {error}") or 3)
if not torch.cuda.is_available():
    sys.exit(print("no peers: PyTorch sees no CUDA device") or 3)

BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
TYPES = {"bf16": torch.bfloat16, "f16": torch.float16}


def replay_us(graph, replays):
    start, stop = torch.cuda.Event(True), torch.cuda.Event(True)
    start.record()
    for _ in range(replays):
        graph.replay()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1000 / replays


def median_us(enqueue):
    """Median time of one replay of what enqueue() captures."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        enqueue()
    replay_us(graph, 1)
    replays = max(1, min(200, int(4000 / replay_us(graph, 1))))
    return statistics.median(replay_us(graph, replays) for _ in range(11))


def reference(q, k, v):
    group = q.shape[1] // k.shape[1]
    out = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = (k[b, h // group].double() @ q[b, h, 0].double()) / q.shape[-1] ** 0.5
            out[b, h, 0] = torch.softmax(scores, 0) @ v[b, h // group].double()
    return out


def main():
    shapes = {}
    for line in sys.stdin:
        job = dict(word.split("=") for word in line.split() if "=" in word)
        key = tuple(int(job.get(name, default)) for name, default in (("b", 1), ("hq", 32), ("hkv", 8), ("n", 4096), ("d", 128)))
        if job.get("type", "bf16") in TYPES:
            shapes[key + (job.get("type", "bf16"),)] = None
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    empty = torch.zeros(1, device="cuda")
    for b, hq, hkv, n, d, kind in shapes:
        dtype, bytes_each = TYPES[kind], 2 * 2 * b * hkv * n * d
        sets = max(1, min(384, -(-10**9 // bytes_each)))
        make = lambda heads, tokens: torch.randn(sets, b, heads, tokens, d, device="cuda", dtype=dtype)
        q, k, v = make(hq, 1), make(hkv, n), make(hkv, n)
        for name, backend in BACKENDS.items():
            call = lambda i: F.scaled_dot_product_attention(q[i], k[i], v[i], enable_gqa=hq != hkv)
            try:
                with torch.no_grad(), sdpa_kernel(backend):
                    right = reference(q[0], k[0], v[0])
                    error = ((call(0).double() - right).norm() / right.norm()).item()
                    if not error < 1e-2:
                        raise RuntimeError(f"wrong: relative error {error:.1e}")
                    calls = max(4, sets)
                    back_to_back = median_us(lambda: [call(i % sets) for i in range(calls)]) / calls
                    after = median_us(lambda: [(empty.add_(1), call(i % sets)) for i in range(calls)]) / calls
                    alone = median_us(lambda: [empty.add_(1) for _ in range(calls)]) / calls
            except RuntimeError as failure:
                print(f"b={b} hq={hq} hkv={hkv} n={n} d={d} type={kind} {name}: {str(failure).splitlines()[0]}")
                continue
            row = {"job": f"b={b} hq={hq} hkv={hkv} n={n} d={d} type={kind}", "peer": name, "back_to_back_us": back_to_back,
                   "after_ordinary_us": after - alone, "relative_error": error}
            print(json.dumps(row), flush=True)
        del q, k, v
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
