#!/usr/bin/env python3
"""usage: tests/e2e/serve_options.py options|shortlist|confidence URL MODEL SOURCES

Compares the search options of a running `tide serve` with those of the program $TIDE, for tests/e2e/options.sh."""
import os
import subprocess
import sys

from serve import Server, check, lines_of
from serve_stream import Stream


class Both:
    """The server and the program, with one model and one text."""

    def __init__(self, url, model, sources):
        self.server, self.model, self.path = Server(url), model, sources
        self.sources = lines_of(sources)

    def program(self, *flags):
        """What `tide translate` prints, line by line."""
        command = [os.environ["TIDE"], "translate", self.model, *flags]
        with open(self.path, encoding="utf-8") as text:
            return subprocess.run(command, stdin=text, capture_output=True, text=True, check=True).stdout.splitlines()

    def same(self, flags, **fields):
        """The translations of a request with these fields, which are those of the program with these flags."""
        found = self.server.text(self.sources, **fields)
        expected = self.program(*flags)
        check(found == expected, f"{fields}: {found}, but {flags}: {expected}")
        return found

    def refused(self, reason, **fields):
        found = self.server.translate(self.sources[0], expected=400, **fields)
        check(found == f"Invalid request: {reason}", f"{fields}: {found}, not {reason}")


def check_tags(b):
    (model,) = b.server.ask("GET", "/v1/models")[1]
    check(model["tags"] == ["news"], f"the tags: {model}")
    b.same([])
    b.same(["--tag", "news"], tag="news")
    b.refused("this model has no tag 'sport'", tag="sport")
    b.refused("bad tag", tag=7)
    pairs = {"q": b.sources, "translation": b.program()}
    scores = [b.server.ask("POST", "/v1/score", {**pairs, **tag})[1]["score"] for tag in ({}, {"tag": "news"})]
    check(scores[0] != scores[1], f"a tag does not change scores: {scores}")
    align = [b.server.ask("POST", "/v1/align", {**pairs, **tag})[1]["alignment"] for tag in ({}, {"tag": "news"})]
    check(align[0] != align[1], "a tag does not change alignments")


def check_precision(b):
    b.same(["--precision", "bfloat16"], precision="bfloat16")
    b.same(["--precision", "float32"], precision="float32")
    b.refused("precision is 'half', but must be float32 or bfloat16", precision="half")
    b.refused("bad precision", precision=16)
    pairs = {"q": b.sources, "translation": b.program()}
    exact, rounded = (
        b.server.ask("POST", "/v1/score", {**pairs, "precision": precision})[1]["score"]
        for precision in ("float32", "bfloat16")
    )
    check(exact != rounded, f"the precision does not change scores: {exact}")


def check_search(b):
    b.same(["--word-penalty", "2"], word_penalty=2)
    b.same(["--word-penalty", "-0.5", "--normalize", "0"], word_penalty=-0.5, normalize=0)
    b.same(["--coverage-penalty", "0.5", "--beam-size", "6"], coverage=0.5, beam=6)
    b.same(["--attention-mode", "hard"], hard=True)
    b.same(["--allow-han"], allow_han=True)
    lexicon = "大\tbig\n海\tsea\n"
    path = b.path + ".lexicon"
    with open(path, "w", encoding="utf-8") as file:
        file.write(lexicon)
    b.same(["--replace-unk"], replace_unknown=True)
    b.same(["--replace-unk", "--lexicon", path], replace_unknown=True, lexicon=lexicon)
    for given in ("2", ["2", "x"]):  # the first of several fields with one name counts
        found = b.server.text(b.sources, word_penalty=given, form=True)
        check(found == b.program("--word-penalty", "2"), f"a form with word_penalty {given}: {found}")
    for fields, reason in (
        ({"word_penalty": 11}, "word_penalty is 11, but must be between -10 and 10"),
        ({"word_penalty": "x"}, "bad word_penalty"),
        ({"word_penalty": [1]}, "bad word_penalty"),
        ({"normalize": -1}, "normalize is -1, but must be between 0 and 10"),
        ({"coverage": True}, "bad coverage"),
        ({"hard": 1}, "bad hard"),
        ({"hard": "yes"}, "bad hard"),
        ({"beam": 1.5}, "bad beam"),
        ({"layer": -1}, "layer is -1, but must be between 0 and 256"),
        ({"lexicon": "a\tb"}, "lexicon needs replace_unknown"),
        ({"lexicon": "a\tb\nc", "replace_unknown": True}, "lexicon, line 2: a line must be a source text, one tab and "
         "its translation, or with a tab and a probability"),
    ):
        b.refused(reason, **fields)


def check_samples(b):
    full = b.same(["--output-sampling", "full"], sample=True)
    check(full != b.same([]), "samples are the best translations")
    b.same(["--output-sampling", "full", "--seed", "9"], sample=True, seed=9)
    b.same(["--output-sampling", "topk", "5", "0.8"], sample=True, top_k=5, temperature=0.8)
    b.same(["--output-sampling", "nucleus", "0.7"], sample=True, top_p=0.7)
    answer = b.server.translate(b.sources, sample=True, alternatives=1)
    lines = [line.split(" ||| ")[1] for line in b.program("--output-sampling", "full", "--n-best", "2")]
    pairs = zip(answer["translatedText"], answer["alternatives"])
    check([text for best, others in pairs for text in (best, *others)] == lines, f"two samples: {answer}, not {lines}")
    for fields, reason in (
        ({"top_k": 5}, "top_k needs sample"),
        ({"seed": 5}, "seed needs sample"),
        ({"sample": True, "top_k": 5, "top_p": 0.5}, "give either top_k or top_p"),
        ({"sample": True, "top_p": 2}, "top_p is 2, but must be between 0 and 1"),
        ({"sample": True, "temperature": 0}, "temperature is 0, but must be between 0.01 and 1.04858e+06"),
        ({"sample": True, "beam": 2}, "sample draws translations without a beam: leave out beam"),
        ({"sample": True, "glossary": "a\tb"}, "sample draws words at random, so it cannot follow a glossary"),
    ):
        b.refused(reason, **fields)


def check_shown(b):
    """Scores of pieces, and shifted alignments."""
    lines = [line.split(" ||| WordScores= ") for line in b.program("--word-scores")]
    answer = b.server.translate(b.sources, piece_scores=True, alignment="piece")
    for (text, scores), found, of, alignment in zip(lines, answer["translatedText"], answer["pieceScores"],
                                                    answer["alignment"], strict=True):
        expected = [float(score) for score in scores.split()]
        check(found == text and of[0]["scores"] == expected, f"scores of pieces: {of}, not {expected}")
        check(of[0]["pieces"] == alignment[0]["target"], f"pieces: {of}, not {alignment}")
    check("pieceScores" not in b.server.translate(b.sources[0]), "scores of pieces that nobody asked for")
    shifted = b.server.translate(b.sources[0], alignment="piece", shift=True)["alignment"][0]["matrix"]
    check(shifted[:-1] == answer["alignment"][0][0]["matrix"][1:], "a shifted alignment")
    pair = {"q": b.sources[0], "translation": lines[0][0], "piece_scores": True}
    score = b.server.ask("POST", "/v1/score", pair)[1]["score"]
    check(abs(sum(score["pieceScores"]["scores"]) - score["logProbability"]) < 1e-3, f"/v1/score: {score}")


def check_shortlist(b):
    """A server with a shortlist: a request may leave it out."""
    few = b.server.text(b.sources)
    check(few == b.program("--shortlist", b.path + ".words", "--shortlist-first", "0"), f"a shortlist: {few}")
    check(b.same([], shortlist=False) != few, "the shortlist changes nothing")
    b.same(["--output-sampling", "full"], sample=True)
    b.refused("bad shortlist", shortlist="words")


def check_confidence(b):
    """A model of `tide tune` says how sure it is, in answers and in streams."""
    lines = [line.split(" ||| ")[2].split() for line in b.program("--n-best", "1")]
    expected = [float(features[features.index("Confidence=") + 1]) for features in lines]
    answer = b.server.translate(b.sources, confidence=True)
    check(answer["confidence"] == [[one] for one in expected], f"confidence: {answer}, not {expected}")
    check("confidence" not in b.server.translate(b.sources[0]), "a confidence that nobody asked for")
    check(b.server.translate(b.sources[0] + "Tom!", confidence=True)["confidence"] == [expected[0], None], "a copied sentence")
    (sentence,) = [data for name, data, _ in Stream(b.server, b.sources[0]) if name == "sentence"]
    check(sentence["confidence"] == expected[0], f"a stream: {sentence}")


CHECKS = {"options": (check_tags, check_precision, check_search, check_samples, check_shown), "shortlist": (check_shortlist,),
          "confidence": (check_confidence,)}


def main():
    both = Both(*sys.argv[2:])
    for check_one in CHECKS[sys.argv[1]]:
        check_one(both)


main()
