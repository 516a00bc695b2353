"""The parts of a Transformer layer in PyTorch, for rnnsearch.py and transformer.py: plain equations, with
gradients by autograd. src/model/layer.c and src/model/position.c compute the same."""

import math

import torch


def norm_shapes(name, m):
    return {f"{name}.gain": (1, m), f"{name}.bias": (1, m)}


def multi_head_shapes(name, m):
    return {**norm_shapes(name, m), **{f"{name}.{weights}": (m, m) for weights in ("Wq", "Wk", "Wv", "Wo")}}


def feed_forward_shapes(name, m, hidden):
    weights = {f"{name}.W1": (m, hidden), f"{name}.b1": (1, hidden), f"{name}.W2": (hidden, m), f"{name}.b2": (1, m)}
    return {**norm_shapes(name, m), **weights}


def norm(p, name, x):
    """Subtracts the mean of each row, divides by its standard deviation, multiplies by the gain and adds the bias."""
    apart = x - x.mean(-1, keepdim=True)
    return apart / torch.sqrt((apart**2).mean(-1, keepdim=True) + 1e-5) * p[f"{name}.gain"] + p[f"{name}.bias"]


def multi_head(p, name, heads, x, y, allowed):
    """Returns [head^1; head^2; ...] W_o for queries x [n, i, m] and words y [n, j, m'], and the weights of each head
    [n, heads, i, j]. `allowed` says which words a query may attend to; it broadcasts to [n, i, j]."""

    def split(z):
        return z.unflatten(2, (heads, -1)).transpose(1, 2)

    Q, K, V = split(x @ p[f"{name}.Wq"]), split(y @ p[f"{name}.Wk"]), split(y @ p[f"{name}.Wv"])
    e = Q @ K.transpose(2, 3) / math.sqrt(Q.shape[3])
    alpha = torch.softmax(e.masked_fill(~allowed[:, None], -torch.inf), 3)
    return (alpha @ V).transpose(1, 2).flatten(2) @ p[f"{name}.Wo"], alpha


def feed_forward(p, name, x):
    return torch.relu(x @ p[f"{name}.W1"] + p[f"{name}.b1"]) @ p[f"{name}.W2"] + p[f"{name}.b2"]


def add_positional_encoding(words):
    """√m x_t + P(t): P(t)_2k = sin(t / 10000^(2k/m)), P(t)_2k+1 = cos of the same; words [n, longest, m]."""
    longest, m = words.shape[1:]
    column, t = torch.arange(m), torch.arange(longest, dtype=torch.float64)[:, None]
    angle = t / 10000.0 ** ((column // 2 * 2).double() / m)
    P = torch.where(column % 2 == 1, torch.cos(angle), torch.sin(angle))
    return math.sqrt(m) * words + P.to(words.dtype)
