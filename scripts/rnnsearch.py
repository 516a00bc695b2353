"""The model of the paper in PyTorch, for scripts/make-fixtures and scripts/compare-curves: the equations of README's
table, as plain as they can be written, with gradients by autograd.

Parameters are a dictionary of the names and shapes that tide saves: vectors are rows, so that U h is written h @ U. A
sentence is a list of ids that ends in </s>; where a batch's are of different lengths, the shorter ones are filled up,
and `alive` says which words are real. It computes in the precision that the parameters have."""

import torch

BEGIN, END = 2, 3  # <s> and </s>


def gru_shapes(name, inputs, n):
    return {f"{name}.W": (inputs, 3 * n), f"{name}.Uzr": (n, 2 * n), f"{name}.U": (n, n), f"{name}.b": (1, 3 * n)}


def shapes(attention, source_vocab, target_vocab, emb, rnn, att, maxout):
    return {
        "encoder.E": (source_vocab, emb),
        **gru_shapes("encoder.fwd", emb, rnn),
        **gru_shapes("encoder.bwd", emb, rnn),
        **(
            {"attention.Wa": (rnn, att), "attention.Ua": (2 * rnn, att), "attention.va": (att, 1)}
            if attention == "additive"
            else {}
        ),
        "state.E": (target_vocab, emb),
        **gru_shapes("state", emb, rnn),
        "state.C": (2 * rnn, 3 * rnn),
        "state.Ws": (rnn, rnn),
        "state.bs": (1, rnn),
        "readout.Uo": (rnn, 2 * maxout),
        "readout.Vo": (emb, 2 * maxout),
        "readout.Co": (2 * rnn, 2 * maxout),
        "readout.bt": (1, 2 * maxout),
        "readout.Wo": (maxout, target_vocab),
        "readout.bo": (1, target_vocab),
    }


def fold(sentences):
    """ids [n, longest], and which of them are words [n, longest]."""
    longest = max(map(len, sentences))
    ids = torch.tensor([sentence + [END] * (longest - len(sentence)) for sentence in sentences])
    return ids, torch.arange(longest) < torch.tensor([[len(sentence)] for sentence in sentences])


def gru(p, name, from_outside, h):
    """h' = (1 - z) h + z h~ with h~ = tanh(W x + U (r h) + b); from_outside [n, 3 rnn] is W x + b and the like."""
    n = h.shape[1]
    z, r = torch.sigmoid(from_outside[:, : 2 * n] + h @ p[f"{name}.Uzr"]).split(n, 1)
    candidate = torch.tanh(from_outside[:, 2 * n :] + (r * h) @ p[f"{name}.U"])
    return (1 - z) * h + z * candidate


def read(p, name, words, alive, backward=False):
    """The states of one direction of the encoder [n, longest, rnn]; the state stays as it is where there is no word."""
    from_outside = words @ p[f"{name}.W"] + p[f"{name}.b"]
    positions = range(words.shape[1])
    h, states = words.new_zeros(words.shape[0], p[f"{name}.U"].shape[0]), {}
    for j in reversed(positions) if backward else positions:
        h = torch.where(alive[:, j, None], gru(p, name, from_outside[:, j], h), h)
        states[j] = h
    return torch.stack([states[j] for j in positions], 1)


def attend(p, annotations, keys, alive, s_prev):
    """c_i [n, 2 rnn] and alpha_i [n, longest] (section 3.1, equations 5 and 6); keys are U_a h_j."""
    e = torch.tanh((s_prev @ p["attention.Wa"])[:, None] + keys) @ p["attention.va"][:, 0]
    alpha = torch.softmax(e.masked_fill(~alive, -torch.inf), 1)
    return (alpha[:, :, None] * annotations).sum(1), alpha


def run(p, model, sources, targets):
    """The logits of every target word of every sentence [words, V], those words, and the alignments [n, longest target,
    longest source] or None. model: {"attention": "additive" or "none", "readout_prev": whether g sees s_{i-1}}."""
    x, x_alive = fold(sources)
    y, y_alive = fold(targets)
    words = p["encoder.E"][x]
    forward, backward = read(p, "encoder.fwd", words, x_alive), read(p, "encoder.bwd", words, x_alive, backward=True)
    annotations = torch.cat([forward, backward], 2)
    additive = model["attention"] == "additive"
    keys = annotations @ p["attention.Ua"] if additive else None
    c = torch.cat([forward[:, -1], backward[:, 0]], 1)
    s = torch.tanh(backward[:, 0] @ p["state.Ws"] + p["state.bs"])
    before = p["state.E"][torch.cat([torch.full_like(y[:, :1], BEGIN), y[:, :-1]], 1)]
    seen, contexts, alignments = [], [], []
    for i in range(y.shape[1]):
        s_prev = s
        if additive:
            c, alpha = attend(p, annotations, keys, x_alive, s_prev)
            alignments.append(alpha)
        s = gru(p, "state", before[:, i] @ p["state.W"] + c @ p["state.C"] + p["state.b"], s_prev)
        seen.append(s_prev if model["readout_prev"] else s)
        contexts.append(c)
    seen, contexts, before = torch.stack(seen, 1)[y_alive], torch.stack(contexts, 1)[y_alive], before[y_alive]
    t = seen @ p["readout.Uo"] + before @ p["readout.Vo"] + contexts @ p["readout.Co"] + p["readout.bt"]
    t = t.view(t.shape[0], -1, 2).max(2).values
    output = p["readout.Wo"] if "readout.Wo" in p else p["state.E"].T  # untied, or tied to the embedding
    logits = t @ output + p["readout.bo"]
    return logits, y[y_alive], torch.stack(alignments, 1) if additive else None


def nats_and_smooth(logits, words):
    """Sums over the words: -ln p of each, and the mean of -ln p over the vocabulary, which label smoothing adds."""
    minus_log_p = -torch.log_softmax(logits, 1)
    return minus_log_p[range(len(words)), words].sum(), minus_log_p.mean(1).sum()


def loss(nats, smooth, words, smoothing):
    """What the gradient is of: a word's mean, where smoothing is the share that is spread over the vocabulary."""
    return ((1 - smoothing) * nats + smoothing * smooth) / words


# Rate to optimiser, as tide has them.
OPTIMISERS = {
    "sgd": lambda weights, rate: torch.optim.SGD(weights, lr=rate),
    "adam": lambda weights, rate: torch.optim.Adam(weights, lr=rate, betas=(0.9, 0.999), eps=1e-8),
    "adadelta": lambda weights, rate: torch.optim.Adadelta(weights, lr=rate, rho=0.95, eps=1e-6),
}


def step(optimiser, weights, clip_norm):
    """An update, of gradients clipped to that norm (0: not clipped); returns what it was before."""
    norm = torch.sqrt(sum((w.grad**2).sum() for w in weights))
    for w in weights if 0 < clip_norm < norm else ():
        w.grad *= clip_norm / norm
    optimiser.step()
    return norm
