"""The Transformer in PyTorch (Vaswani et al. 2017, with layer normalisation as in Xiong et al. 2020), for
make-fixtures and compare-curves; src/model/transformer.c computes the same. Parameters, sentences and
padding are as in rnnsearch.py, which also contains the encoder."""

import torch

import rnnsearch
from layers import (add_positional_encoding, feed_forward, feed_forward_shapes, multi_head, multi_head_shapes, norm,
                    norm_shapes)


def shapes(model):
    m, vocab = model["emb"], model["target_vocab"]
    found = {**rnnsearch.encoder_shapes({**model, "rnn": m}), "decoder.E": (vocab, m)}
    for layer in range(1, model["decoder_depth"] + 1):
        found |= multi_head_shapes(f"decoder.{layer}.self", m)
        found |= multi_head_shapes(f"decoder.{layer}.cross", m)
        found |= feed_forward_shapes(f"decoder.{layer}.ffn", m, model["ffn"])
    output = {} if model["tied_embeddings"] else {"decoder.Wo": (m, vocab)}
    return {**found, **norm_shapes("decoder", m), **output, "decoder.bo": (1, vocab)}


def run(p, model, sources, targets):
    """Like rnnsearch.run; the alignments are the mean over the heads of the last layer."""
    x, x_alive = rnnsearch.fold(sources)
    y, y_alive = rnnsearch.fold(targets)
    heads, so_far = model["heads"], torch.ones(1, y.shape[1], y.shape[1], dtype=torch.bool).tril()
    H = rnnsearch.self_attention(p, model, p["encoder.E"][x], x_alive)[0]
    z = add_positional_encoding(p["decoder.E"][rnnsearch.previous(y)])
    for layer in range(1, model["decoder_depth"] + 1):
        own, cross, ffn = (f"decoder.{layer}.{part}" for part in ("self", "cross", "ffn"))
        normed = norm(p, own, z)
        z = z + multi_head(p, own, heads, normed, normed, so_far)[0]
        read, alpha = multi_head(p, cross, heads, norm(p, cross, z), H, x_alive[:, None])
        z = z + read
        z = z + feed_forward(p, ffn, norm(p, ffn, z))
    h = norm(p, "decoder", z)[y_alive]
    output = p["decoder.Wo"] if "decoder.Wo" in p else p["decoder.E"].T  # untied, or tied to the embedding
    return h @ output + p["decoder.bo"], y[y_alive], alpha.mean(1)
