"""The model of the paper, and tide's other encoders and attentions, in PyTorch, for scripts/dev/make-fixtures and
scripts/dev/compare-curves: the equations of docs/model.md in their simplest form, with gradients by autograd.

A model is a dictionary of layer sizes and of the keys of RNNSEARCH in scripts/dev/make-fixtures. Parameters are a dictionary
with the names and shapes of tide's files: vectors are rows, so U h is written h @ U. A sentence is a list of ids that ends
with </s>. Shorter sentences of a batch are padded; `alive` is False for padding. The precision is that of the
parameters."""

import math

import torch

from layers import (add_positional_encoding, feed_forward, feed_forward_shapes, multi_head, multi_head_shapes, norm,
                    norm_shapes)

BOS, EOS = 2, 3  # <s> and </s>


# ---- the names and shapes of the parameters --------------------------------------------------------------------------


def gru_shapes(name, inputs, n):
    return {f"{name}.W": (inputs, 3 * n), f"{name}.Uzr": (n, 2 * n), f"{name}.U": (n, n), f"{name}.b": (1, 3 * n)}


def state_shapes(model):
    """The second unit of a conditional GRU has no input of its own."""
    found = gru_shapes("state", model["emb"], model["rnn"])
    if model["conditional"]:
        found |= {name: shape for name, shape in gru_shapes("state.2", 0, model["rnn"]).items() if name != "state.2.W"}
    return found


def layer_names(model):
    """Returns the names of the layers of bigru or deep-bigru."""
    depth = model["depth"] if model["encoder"] == "deep-bigru" else 1
    return ["encoder"] + [f"encoder.{layer}" for layer in range(2, depth + 1)]


def bigru_shapes(model):
    found, inputs, n = {}, model["emb"], model["rnn"]
    for name in layer_names(model):
        found |= {**gru_shapes(f"{name}.fwd", inputs, n), **gru_shapes(f"{name}.bwd", inputs, n)}
        inputs = 2 * n
    return found


def cnn_shapes(model):
    n, found = model["rnn"], {"encoder.W": (model["emb"], model["rnn"])}
    for layer in range(1, model["depth"] + 1):
        found |= {f"encoder.{layer}.W": (model["window"] * n, n), f"encoder.{layer}.b": (1, n)}
    return found


def self_attention_shapes(model):
    m, n = model["emb"], model["rnn"]
    found = {"encoder.W": (m, n)} if m != n else {}
    for layer in range(1, model["depth"] + 1):
        found |= multi_head_shapes(f"encoder.{layer}.self", n)
        found |= feed_forward_shapes(f"encoder.{layer}.ffn", n, model["ffn"])
    return found | norm_shapes("encoder", n)


def encoder_shapes(model):
    m, n = model["emb"], model["rnn"]
    of_kind = {
        "bigru": lambda: bigru_shapes(model),
        "deep-bigru": lambda: bigru_shapes(model),
        "gru": lambda: gru_shapes("encoder.gru", m, n),
        "cnn": lambda: cnn_shapes(model),
        "self-attention": lambda: self_attention_shapes(model),
    }
    return {"encoder.E": (model["source_vocab"], m), **of_kind[model["encoder"]]()}


def attention_shapes(kind, n, a, att):
    of_kind = {
        "additive": {"Wa": (n, att), "Ua": (a, att), "va": (att, 1)},
        "coverage": {"Wa": (n, att), "Ua": (a, att), "va": (att, 1), "Vb": (1, att)},
        "dot": {},
        "general": {"Wa": (a, n)},
        "scaled-dot": {"Wq": (n, att), "Wk": (a, att)},
        "multi-head": {"Wq": (n, att), "Wk": (a, att), "Wv": (a, att), "Wo": (att, a)},
        "none": {},
    }
    return {f"attention.{name}": shape for name, shape in of_kind[kind].items()}


def shapes(model):
    emb, rnn, maxout, target_vocab = model["emb"], model["rnn"], model["maxout"], model["target_vocab"]
    annotation = 2 * rnn if "bigru" in model["encoder"] else rnn
    return {
        **encoder_shapes(model),
        **attention_shapes(model["attention"], rnn, annotation, model["att"]),
        "state.E": (target_vocab, emb),
        **state_shapes(model),
        "state.C": (annotation, 3 * rnn),
        "state.Ws": (rnn, rnn),
        "state.bs": (1, rnn),
        "readout.Uo": (rnn, 2 * maxout),
        "readout.Vo": (emb, 2 * maxout),
        "readout.Co": (annotation, 2 * maxout),
        "readout.bt": (1, 2 * maxout),
        **({} if model["tied_embeddings"] else {"readout.Wo": (maxout, target_vocab)}),
        "readout.bo": (1, target_vocab),
    }


# ---- words -----------------------------------------------------------------------------------------------------------


def fold(sentences):
    """Returns the ids [n, longest] with padding, and which of them are words [n, longest]."""
    longest = max(map(len, sentences))
    ids = torch.tensor([sentence + [EOS] * (longest - len(sentence)) for sentence in sentences])
    return ids, torch.arange(longest) < torch.tensor([[len(sentence)] for sentence in sentences])


def previous(y):
    """y_{i-1} of every y_i [n, longest]."""
    return torch.cat([torch.full_like(y[:, :1], BOS), y[:, :-1]], 1)


# ---- the encoders ----------------------------------------------------------------------------------------------------
# An encoder returns the annotations [n, longest, a], the vector that the first decoder state is computed from [n, rnn],
# and the context vector of a model without attention [n, a].


def gru(p, name, from_outside, h):
    """h' = (1 - z) h + z h~ with h~ = tanh(W x + U (r h) + b); from_outside [n, 3 rnn] is W x + b and
    the same for both gates."""
    n = h.shape[1]
    z, r = torch.sigmoid(from_outside[:, : 2 * n] + h @ p[f"{name}.Uzr"]).split(n, 1)
    candidate = torch.tanh(from_outside[:, 2 * n :] + (r * h) @ p[f"{name}.U"])
    return (1 - z) * h + z * candidate


def read(p, name, words, alive, backward=False):
    """Returns the states of one direction of the encoder [n, longest, rnn]; padding does not change the state."""
    from_outside = words @ p[f"{name}.W"] + p[f"{name}.b"]
    positions = range(words.shape[1])
    h, states = words.new_zeros(words.shape[0], p[f"{name}.U"].shape[0]), {}
    for j in reversed(positions) if backward else positions:
        h = torch.where(alive[:, j, None], gru(p, name, from_outside[:, j], h), h)
        states[j] = h
    return torch.stack([states[j] for j in positions], 1)


def bigru(p, model, words, alive):
    """h_j = [→h_j; ←h_j] (section 3.2); each further layer reads h and adds its output to h"""
    H = None
    for name in layer_names(model):
        x = words if H is None else H
        forward, backward = read(p, f"{name}.fwd", x, alive), read(p, f"{name}.bwd", x, alive, backward=True)
        own = torch.cat([forward, backward], 2)
        H = own if H is None else H + own
    return H, backward[:, 0], torch.cat([forward[:, -1], backward[:, 0]], 1)


def one_gru(p, model, words, alive):
    states = read(p, "encoder.gru", words, alive)
    return states, states[:, -1], states[:, -1]


def mean(H, alive):
    return (H * alive[:, :, None]).sum(1) / alive.sum(1, keepdim=True)


def cnn(p, model, words, alive):
    """x_j = W (√m E w_j + P_j);  in each layer x_j += tanh(W_l [x_{j-k/2}; ...; x_{j+k/2}] + b_l)"""
    x, k = add_positional_encoding(words) @ p["encoder.W"], model["window"]
    for layer in range(1, model["depth"] + 1):
        wide = torch.nn.functional.pad(x * alive[:, :, None], (0, 0, k // 2, k // 2))
        around = torch.cat([wide[:, offset : offset + x.shape[1]] for offset in range(k)], 2)
        x = x + torch.tanh(around @ p[f"encoder.{layer}.W"] + p[f"encoder.{layer}.b"])
    return x, mean(x, alive), mean(x, alive)


def self_attention(p, model, words, alive):
    """x = √m E w + P;  in each layer x += MultiHead(norm(x)), x += FeedForward(norm(x));  H = norm(x)"""
    x = add_positional_encoding(words)
    if "encoder.W" in p:
        x = x @ p["encoder.W"]
    for layer in range(1, model["depth"] + 1):
        own, ffn = f"encoder.{layer}.self", f"encoder.{layer}.ffn"
        normed = norm(p, own, x)
        x = x + multi_head(p, own, model["heads"], normed, normed, alive[:, None])[0]
        x = x + feed_forward(p, ffn, norm(p, ffn, x))
    H = norm(p, "encoder", x)
    return H, mean(H, alive), mean(H, alive)


ENCODERS = {"bigru": bigru, "deep-bigru": bigru, "gru": one_gru, "cnn": cnn, "self-attention": self_attention}


# ---- the attentions --------------------------------------------------------------------------------------------------
# An attention returns a function that computes c_i [n, a] and alpha_i [n, longest] from s_{i-1}.


def weigh(e, H, alive):
    """alpha_i = softmax(e_i), c_i = Σ_j alpha_ij h_j (section 3.1, equations 5 and 6)."""
    alpha = torch.softmax(e.masked_fill(~alive, -torch.inf), 1)
    return (alpha[:, :, None] * H).sum(1), alpha


def dots(q, keys):
    return (q[:, None] * keys).sum(2)


def additive(p, model, H, alive):
    """e_ij = v_a·tanh(W_a s_{i-1} + U_a h_j)"""
    Wa, va, keys = p["attention.Wa"], p["attention.va"], H @ p["attention.Ua"]
    return lambda s: weigh(torch.tanh((s @ Wa)[:, None] + keys) @ va[:, 0], H, alive)


def coverage(p, model, H, alive):
    """e_ij = v_a·tanh(W_a s_{i-1} + U_a h_j + V_b β_{i-1,j}) with β_ij = Σ_k≤i alpha_kj"""
    Wa, va, keys = p["attention.Wa"], p["attention.va"], H @ p["attention.Ua"]
    beta = H.new_zeros(H.shape[:2])

    def attend(s):
        nonlocal beta
        c, alpha = weigh(torch.tanh((s @ Wa)[:, None] + keys + beta[:, :, None] * p["attention.Vb"]) @ va[:, 0], H, alive)
        beta = beta + alpha
        return c, alpha

    return attend


def dot(p, model, H, alive):
    """e_ij = s_{i-1}·h_j; if h_j is twice as wide as s_{i-1}, the sum of its two halves replaces h_j"""
    n = model["rnn"]
    keys = H if H.shape[2] == n else H[:, :, :n] + H[:, :, n:]
    return lambda s: weigh(dots(s, keys), H, alive)


def general(p, model, H, alive):
    """e_ij = s_{i-1}·W_a h_j"""
    keys = H @ p["attention.Wa"]
    return lambda s: weigh(dots(s, keys), H, alive)


def scaled_dot(p, model, H, alive):
    """e_ij = (W_q s_{i-1})·(W_k h_j) / √n'"""
    Wq, keys = p["attention.Wq"], H @ p["attention.Wk"]
    return lambda s: weigh(dots(s @ Wq, keys) / math.sqrt(Wq.shape[1]), H, alive)


def several_heads(p, model, H, alive):
    """Scaled dot products of several heads; the alignment is the mean over the heads."""

    def attend(s):
        c, alpha = multi_head(p, "attention", model["heads"], s[:, None], H, alive[:, None])
        return c[:, 0], alpha[:, :, 0].mean(1)

    return attend


ATTENTIONS = {"additive": additive, "coverage": coverage, "dot": dot, "general": general, "scaled-dot": scaled_dot,
              "multi-head": several_heads}


# ---- the whole model -------------------------------------------------------------------------------------------------


def run(p, model, sources, targets):
    """Returns the logits of all target words of all sentences [words, V], the target words, and the alignments [n, longest
    target, longest source], or None without attention."""
    x, x_alive = fold(sources)
    y, y_alive = fold(targets)
    annotations, begin, whole = ENCODERS[model["encoder"]](p, model, p["encoder.E"][x], x_alive)
    aligns = model["attention"] != "none"
    attend = ATTENTIONS[model["attention"]](p, model, annotations, x_alive) if aligns else lambda s: (whole, None)
    s = torch.tanh(begin @ p["state.Ws"] + p["state.bs"])
    before = p["state.E"][previous(y)]
    seen, contexts, alignments = [], [], []
    for i in range(y.shape[1]):
        s_prev = s
        x, unit = before[:, i] @ p["state.W"] + p["state.b"], "state"
        if model["conditional"]:
            s, x, unit = gru(p, unit, x, s), p["state.2.b"], "state.2"
        c, alpha = attend(s)
        s = gru(p, unit, x + c @ p["state.C"], s)
        seen.append(s_prev if model["readout_prev"] else s)
        contexts.append(c)
        alignments.append(alpha)
    seen, contexts, before = torch.stack(seen, 1)[y_alive], torch.stack(contexts, 1)[y_alive], before[y_alive]
    t = seen @ p["readout.Uo"] + before @ p["readout.Vo"] + contexts @ p["readout.Co"] + p["readout.bt"]
    t = t.view(t.shape[0], -1, 2).max(2).values
    output = p["readout.Wo"] if "readout.Wo" in p else p["state.E"].T  # untied, or tied to the embedding
    logits = t @ output + p["readout.bo"]
    return logits, y[y_alive], torch.stack(alignments, 1) if aligns else None


# ---- the loss and the optimisers -------------------------------------------------------------------------------------


def nats_and_smooth(logits, words):
    """Returns two sums over the words: of -ln p(word), and of the mean of -ln p over the vocabulary for label smoothing."""
    minus_log_p = -torch.log_softmax(logits, 1)
    return minus_log_p[range(len(words)), words].sum(), minus_log_p.mean(1).sum()


def loss(nats, smooth, words, smoothing):
    """The training loss per word. `smoothing` is the probability that label smoothing spreads over the vocabulary."""
    return ((1 - smoothing) * nats + smoothing * smooth) / words


# The optimisers with tide's constants.
OPTIMISERS = {
    "sgd": lambda weights, rate: torch.optim.SGD(weights, lr=rate),
    "adam": lambda weights, rate: torch.optim.Adam(weights, lr=rate, betas=(0.9, 0.999), eps=1e-8),
    "adadelta": lambda weights, rate: torch.optim.Adadelta(weights, lr=rate, rho=0.95, eps=1e-6),
}


def step(optimiser, weights, clip_norm):
    """Clips the gradients to the norm clip_norm (0: no clipping) and makes an update. Returns the norm before clipping."""
    norm = torch.sqrt(sum((w.grad**2).sum() for w in weights))
    for w in weights if 0 < clip_norm < norm else ():
        w.grad *= clip_norm / norm
    optimiser.step()
    return norm
