#!/usr/bin/env python3
"""usage: tests/e2e/paper.py { LANGUAGE PAGE MOST-PORTRAIT MOST-LANDSCAPE } ...

Prints pages of tide in headless Chromium that prefers LANGUAGE, on A4 and Letter, upright and across, and measures the
paper: at most so many pages; none of them but the last less than half full; the last one at least a fifth, if there are
several; no heading without a tenth of a page below it; nothing beyond the margin. Needs pdftoppm and pdftotext. For report.sh
and pages.sh."""
import itertools
import os
import re
import subprocess
import sys
import tempfile

from browser import Browser

PAPERS = {"A4": (8.27, 11.69), "Letter": (8.5, 11)}  # inches
MARGIN = 0.39  # of Chromium, inches
DOTS = 36  # per inch


def ink(pdf):
    """For each page the shares of its height and width inside of the margins at which its ink ends."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["pdftoppm", "-gray", "-r", str(DOTS), pdf, f"{folder}/page"], check=True)
        for name in sorted(os.listdir(folder)):
            with open(f"{folder}/{name}", "rb") as file:
                _, size, _, pixels = file.read().split(b"\n", 3)
            width, height = map(int, size.split())
            rows = [pixels[y * width:(y + 1) * width] for y in range(height)]
            low = max((y for y, row in enumerate(rows) if min(row) < 250), default=0)
            wide = max(max((x for x in range(width) if row[x] < 250), default=0) for row in rows)
            found.append([(end / DOTS - MARGIN) / (whole / DOTS - 2 * MARGIN) for end, whole in ((low, height), (wide, width))])
    return found


def heading_places(pdf, headings):
    """For each heading its page, from 0, and the share of the page's height above its end."""
    text = subprocess.run(["pdftotext", "-bbox", pdf, "-"], check=True, capture_output=True, encoding="utf-8").stdout
    places = []
    for number, page in enumerate(text.split("<page ")[1:]):
        height = float(re.match(r'width="[\d.]+" height="([\d.]+)"', page)[1])
        letters, ends = "", []
        for end, word in re.findall(r'yMax="([\d.]+)">([^<]*)</word>', page):
            letters += word
            ends += [float(end) / height] * len(word)
        for heading in headings:
            if (at := letters.find(heading.replace(" ", ""))) >= 0:
                places.append((heading, number, ends[at]))
    return places


def measure(page, path, most, name, size, across):
    """Prints a page that is open on paper of this name and size. most: the most pages upright and across."""
    headings = page.value("""[...document.querySelectorAll("h2")].filter((one) => one.checkVisibility())
        .map((one) => one.textContent)""")
    with tempfile.TemporaryDirectory() as folder:
        pdf = f"{folder}/page.pdf"
        page.pdf(pdf, paperWidth=size[0], paperHeight=size[1], landscape=across, preferCSSPageSize=False)
        pages, kind = ink(pdf), f"{'/'.join(path.split('/')[-2:])}, {name}{', across' if across else ''}"
        places = heading_places(pdf, headings)
    print(f"{kind}: " + ", ".join(f"{low:.2f}" for low, _ in pages))
    if len(pages) > most[across]:
        sys.exit(f"FAILED: {kind}: {len(pages)} pages")
    if min(low for low, _ in pages) <= 0:
        sys.exit(f"FAILED: {kind}: an empty page")
    if min([low for low, _ in pages[:-1]] + [1]) < 0.5 or (len(pages) > 1 and pages[-1][0] < 0.2):
        sys.exit(f"FAILED: {kind}: a page that is almost empty")
    if max(wide for _, wide in pages) > 1.01 or max(low for low, _ in pages) > 1.01:
        sys.exit(f"FAILED: {kind}: beyond the margin: {pages}")
    if [heading for heading, _, _ in places] != headings:
        sys.exit(f"FAILED: {kind}: headings {places}")
    for heading, number, end in places:
        if pages[number][0] - end < 0.1:
            sys.exit(f"FAILED: {kind}: {heading} stands alone at the foot of page {number + 1}")


def main():
    if not sys.argv[1:]:
        sys.exit(__doc__)
    given = iter(sys.argv[1:])
    with Browser() as browser:
        for language, path, *most in zip(given, given, given, given, strict=True):
            with browser.tab():
                browser.prefer(language)
                browser.open("file://" + os.path.abspath(path), width=1280, height=800)
                browser.wait("document.querySelector('.matrix td, figure')")
                for (name, size), across in itertools.product(PAPERS.items(), (False, True)):
                    measure(browser, path, [int(pages) for pages in most], name, size, across)


main()
