#!/usr/bin/env python3
"""usage: translate.py MODEL [PAGE] < TEXT

Translates standard input, one sentence on each line, and prints the translations. PAGE: also writes an HTML page with
the heatmap of each alignment. Needs the module of python/; see docs/python.md."""

import html
import sys

import tide


def show(done, total):
    if sys.stderr.isatty():
        print(f"\r{done}/{total}", end="", file=sys.stderr, flush=True)


def page(translations):
    """An HTML page with a heading and a heatmap for each translation."""
    parts = ['<!doctype html>\n<meta charset="utf-8">\n<title>Translations</title>']
    for translation in translations:
        parts.append(f"<h2>{html.escape(translation.source_text)}</h2>")
        parts.append(translation._repr_html_())
    return "\n".join(parts) + "\n"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.partition("\n")[0])
    sentences = sys.stdin.read().splitlines()
    with tide.load(sys.argv[1]) as model:
        translations = model.translate(sentences, progress=show)
    for translation in translations:
        print(translation.text)
    if len(sys.argv) == 3:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(page(translations))


if __name__ == "__main__":
    try:
        main()
    except tide.TideError as error:
        sys.exit(f"translate.py: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
