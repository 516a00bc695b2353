#!/usr/bin/env python3
"""usage: tests/e2e/serve_options.py URL MODEL SOURCES

Compares the search options of a running `tide serve` with those of the program $TIDE, for tests/e2e/options.sh."""
import os
import subprocess
import sys

from serve import Server, check, lines_of


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


def main():
    both = Both(*sys.argv[1:])
    check_tags(both)


main()
