#!/usr/bin/python3
"""usage: scripts/peers/rnnsearch_torch.py [--preset tiny|small|base|paper] [--batch N] [--length N] [--steps 10] [--warmup 2]
                [--threads 2] [--dim-vocabs SOURCE TARGET] [--precision float32|implicit|autocast] | --check

Trains the model of tide's presets in PyTorch on random sentences of full length, and prints the target tokens per second of
the median update and the peak memory. An update is what `tide train` does with this preset: dropout, label smoothing, clipped
gradients, Adam, and an average of the weights. What does not depend on the state before is computed for all positions at
once: the inputs of all GRUs, U_a h_j, and the whole readout. paper: the sizes of Bahdanau, Cho & Bengio 2015, with one GRU in
the decoder. --precision implicit and autocast: products have operands of bfloat16. oneDNN rounds those of float products
(implicit; PyTorch 2.9 and later), or autocast does, which keeps the results as bfloat16. Weights and optimizer stay floats.

--check compares the loss and all gradients with the plain equations of scripts/dev/rnnsearch.py, in double precision, with
sentences of different lengths; `make test` compares tide with the same equations. Needs Debian's python3-torch."""
import argparse
import os
import resource
import statistics
import sys
import time

import torch
import torch.nn.functional as F

BOS, EOS = 2, 3  # <s> and </s>
# The sizes of models/*.conf. The vocabularies depend on the corpus; these are usual ones.
PRESETS = {
    "tiny": {"emb": 128, "rnn": 192, "att": 128, "maxout": 96, "vocabs": (2000, 1600), "batch": 32, "dropout": 0.2},
    "small": {"emb": 256, "rnn": 512, "att": 512, "maxout": 256, "vocabs": (4000, 4200), "batch": 64, "dropout": 0.3},
    "base": {"emb": 384, "rnn": 768, "att": 768, "maxout": 384, "vocabs": (5000, 8200), "batch": 64, "dropout": 0.3},
    "paper": {"emb": 620, "rnn": 1000, "att": 1000, "maxout": 500, "vocabs": (30000, 30000), "batch": 80, "dropout": 0.0},
}


# ---- the model: parameters as in tide's files; matrices are [positions, sentences, ...] --------------------------------


def shapes(m):
    """The names and shapes of the parameters."""
    emb, n, att, l = m["emb"], m["rnn"], m["att"], m["maxout"]
    source, target = m["vocabs"]

    def gru_shapes(name, inputs):
        found = {f"{name}.W": (inputs, 3 * n)} if inputs else {}
        return {**found, f"{name}.Uzr": (n, 2 * n), f"{name}.U": (n, n), f"{name}.b": (1, 3 * n)}

    found = {"encoder.E": (source, emb), **gru_shapes("encoder.fwd", emb), **gru_shapes("encoder.bwd", emb),
             "attention.Wa": (n, att), "attention.Ua": (2 * n, att), "attention.va": (att, 1), "state.E": (target, emb),
             **gru_shapes("state", emb), **(gru_shapes("state.2", 0) if m["conditional"] else {}),
             "state.C": (2 * n, 3 * n), "state.Ws": (n, n), "state.bs": (1, n), "readout.Uo": (n, 2 * l),
             "readout.Vo": (emb, 2 * l), "readout.Co": (2 * n, 2 * l), "readout.bt": (1, 2 * l), "readout.bo": (1, target)}
    return found if m["tied"] else {**found, "readout.Wo": (l, target)}


@torch.jit.script
def gru(outside, h, Uzr, U):
    """h' = (1 - z) h + z h~ with h~ = tanh(W x + U (r h) + b); outside = W x + b for the gates and h~."""
    n = h.shape[-1]
    z, r = torch.sigmoid(outside[..., : 2 * n] + torch.matmul(h, Uzr)).chunk(2, -1)
    return torch.lerp(h, torch.tanh(outside[..., 2 * n :] + torch.matmul(r * h, U)), z)


@torch.jit.script
def attend(query, keys, va, padding, H):
    """alpha_ij = softmax_j(v_a·tanh(W_a s_{i-1} + U_a h_j)), c_i = Σ_j alpha_ij h_j; padding is -∞ behind a sentence."""
    alpha = torch.softmax(torch.matmul(torch.tanh(query + keys), va).squeeze(2) + padding, 0)
    return torch.bmm(alpha.t().unsqueeze(1), H).squeeze(1)


def encode(p, m, x, alive):
    """The annotations h_j = [→h_j; ←h_j], and ←h_1. Both directions take a step together; padding changes no state."""
    words = F.dropout(F.embedding(x, p["encoder.E"]), m["dropout"])
    forward, backward = (words @ p[f"encoder.{way}.W"] + p[f"encoder.{way}.b"] for way in ("fwd", "bwd"))
    outside = torch.stack([forward, backward.flip(0)], 1)
    moves = None if alive.all() else torch.stack([alive, alive.flip(0)], 1)[..., None]
    Uzr, U = (torch.stack([p[f"encoder.fwd.{name}"], p[f"encoder.bwd.{name}"]]) for name in ("Uzr", "U"))
    h, states = words.new_zeros(2, x.shape[1], m["rnn"]), []
    for j in range(x.shape[0]):
        after = gru(outside[j], h, Uzr, U)
        h = after if moves is None else torch.where(moves[j], after, h)
        states.append(h)
    states = torch.stack(states)
    H = torch.cat([states[:, 0], states[:, 1].flip(0)], 2)
    return F.dropout(H, m["dropout"]), states[-1, 1]


def decode(p, m, H, begin, before, padding):
    """The states s_i and the contexts c_i of all positions."""
    keys, by_sentence = H @ p["attention.Ua"], H.transpose(0, 1).contiguous()
    outside, C = before @ p["state.W"] + p["state.b"], p["state.C"]
    s, states, contexts = torch.tanh(begin @ p["state.Ws"] + p["state.bs"]), [], []
    for x in outside:
        unit = "state"
        if m["conditional"]:  # the first unit makes the query; the second one reads the context only
            s, x, unit = gru(x, s, p["state.Uzr"], p["state.U"]), p["state.2.b"], "state.2"
        c = attend(s @ p["attention.Wa"], keys, p["attention.va"], padding, by_sentence)
        s = gru(x + c @ C, s, p[f"{unit}.Uzr"], p[f"{unit}.U"])
        states.append(s)
        contexts.append(c)
    return torch.stack(states), torch.stack(contexts)


def loss_of(p, m, x, x_alive, y, y_alive):
    """The mean cross-entropy of the target words, with label smoothing. Ids and masks are [positions, sentences]."""
    H, begin = encode(p, m, x, x_alive)
    previous = torch.cat([torch.full_like(y[:1], BOS), y[:-1]])
    before = F.dropout(F.embedding(previous, p["state.E"]), m["dropout"])
    padding = torch.zeros(x.shape, dtype=H.dtype).masked_fill(~x_alive, -torch.inf)
    states, contexts = decode(p, m, H, begin, before, padding)
    t = states[y_alive] @ p["readout.Uo"] + before[y_alive] @ p["readout.Vo"] + contexts[y_alive] @ p["readout.Co"]
    t = F.dropout((t + p["readout.bt"]).view(len(t), -1, 2).max(2).values, m["dropout"])
    logits = torch.addmm(p["readout.bo"], t, p["state.E"].t() if m["tied"] else p["readout.Wo"])
    return F.cross_entropy(logits, y[y_alive], label_smoothing=m["smoothing"])


# ---- updates ---------------------------------------------------------------------------------------------------------


def measure(a):
    m = {**PRESETS[a.preset], "conditional": a.preset != "paper", "tied": a.preset in ("small", "base"),
         "smoothing": 0.0 if a.preset == "paper" else 0.1}
    m.update({"vocabs": tuple(a.dim_vocabs)} if a.dim_vocabs else {}, batch=a.batch or m["batch"])
    torch.manual_seed(1)
    p = {name: (0.1 * torch.rand(shape) - 0.05).requires_grad_() for name, shape in shapes(m).items()}
    weights = list(p.values())
    average = [w.detach().clone() for w in weights]
    optimiser = torch.optim.Adam(weights, lr=1e-3, foreach=True)
    alive, seconds = torch.ones(a.length, m["batch"], dtype=torch.bool), []
    for _ in range(a.warmup + a.steps):
        x, y = (torch.randint(4, vocab, (a.length, m["batch"])) for vocab in m["vocabs"])
        x[-1] = y[-1] = EOS
        began = time.perf_counter()
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=a.precision == "autocast"):
            loss = loss_of(p, m, x, alive, y, alive)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        with torch.no_grad():
            torch._foreach_mul_(average, 0.999)
            torch._foreach_add_(average, weights, alpha=0.001)
        seconds.append(time.perf_counter() - began)
    tokens, middle = a.length * m["batch"], statistics.median(seconds[a.warmup :])
    print(f"train {a.preset}: {tokens / middle:.0f} target tokens/s, {1000 * middle:.1f} ms for an update of {tokens}, "
          f"loss {float(loss):.4f}, peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


# ---- the same numbers as the plain equations ---------------------------------------------------------------------------


def check():
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dev"))
    import rnnsearch  # pylint: disable=import-outside-toplevel

    torch.set_default_dtype(torch.float64)
    for conditional in (False, True):
        for tied in (False, True):
            m = {"emb": 5, "rnn": 6, "att": 7, "maxout": 5 if tied else 4, "vocabs": (11, 13), "dropout": 0.0,
                 "conditional": conditional, "tied": tied, "smoothing": 0.1}
            torch.manual_seed(7)
            p = {name: (0.4 * torch.randn(shape)).requires_grad_() for name, shape in shapes(m).items()}
            sides = [[torch.randint(4, vocab, (n - 1,)).tolist() + [EOS] for n in lengths]
                     for vocab, lengths in zip(m["vocabs"], ([3, 6, 1, 4, 4], [4, 2, 5, 1, 4]))]
            plain = {**m, "source_vocab": 11, "target_vocab": 13, "encoder": "bigru", "attention": "additive",
                     "readout_prev": False, "tied_embeddings": tied}
            if {name: tuple(w.shape) for name, w in p.items()} != rnnsearch.shapes(plain):
                sys.exit("other parameters than those of scripts/dev/rnnsearch.py")
            logits, words, _ = rnnsearch.run(p, plain, *sides)
            expected = rnnsearch.loss(*rnnsearch.nats_and_smooth(logits, words), len(words), m["smoothing"])
            gradients = torch.autograd.grad(expected, list(p.values()))
            folded = [part.t() for side in sides for part in rnnsearch.fold(side)]
            found = loss_of(p, m, *folded)
            apart = [float((expected - found).abs())]
            apart += [float((g - h).abs().max()) for g, h in zip(gradients, torch.autograd.grad(found, list(p.values())))]
            print(f"conditional {conditional}, tied {tied}: loss and gradients at most {max(apart):.1g} apart")
            if max(apart) > 1e-12:
                sys.exit("this is not the model of scripts/dev/rnnsearch.py")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.removeprefix("usage: "))
    parser.add_argument("--preset", choices=PRESETS, default="small")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dim-vocabs", type=int, nargs=2)
    parser.add_argument("--precision", choices=("float32", "implicit", "autocast"), default="float32")
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    if a.precision == "implicit":
        torch.backends.mkldnn.matmul.fp32_precision = "bf16"
    check() if a.check else measure(a)


if __name__ == "__main__":
    main()
