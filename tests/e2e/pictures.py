"""Reads the pictures that pictures.sh has drawn, and compares them with each other and with what the formats print."""

import itertools
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
LEAST = 32 / 3  # pixels: 8 pt
folder = pathlib.Path(sys.argv[1])


def equal(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: {found} is not {expected}")


def check(holds, what):
    if not holds:
        sys.exit(what)


class Matrix:
    """A matrix: fills and titles of the cells, and text and colour of the numbers, by row; the box of its frame."""

    def __init__(self, group):
        cells = group.findall(f"{SVG}g[@stroke]/{SVG}rect")
        self.fills = [cell.get("fill") for cell in cells]
        self.titles = [cell.findtext(f"{SVG}title") for cell in cells]
        self.numbers = [(t.text, t.get("fill")) for t in group.findall(f"{SVG}g[@pointer-events]/{SVG}text")]
        self.labels = len(group.findall(f"{SVG}g[@font-size]")) - len(group.findall(f"{SVG}g[@pointer-events]"))
        frame = group.find(f"{SVG}rect")
        x, y = map(int, re.fullmatch(r"translate\((\d+) (\d+)\)", group.get("transform")).groups())
        self.box = (x, y, x + int(frame.get("width")), y + int(frame.get("height")))

    def percents(self):
        return [int(title.rsplit(": ", 1)[1].rstrip("%").replace("−", "-")) for title in self.titles]


class Picture:
    """A picture that stands alone, or on a sheet."""

    def __init__(self, element):
        texts = {text.get("id"): text.text or "" for text in element.iter(f"{SVG}text")}
        self.title = "".join(texts[name] for name in element.get("aria-labelledby").split())
        self.captions = [text.text for text in element.findall(f"{SVG}text[@class]")]
        self.number = element.findtext(f"{SVG}text[@font-weight]")
        self.matrices = [Matrix(g) for g in element.findall(f"{SVG}g[@transform]") if g.find(f"{SVG}g[@stroke]") is not None]
        self.matrix = self.matrices[0]
        first = next(text for text in element.iter(f"{SVG}text") if text.get("id"))
        x, y, size = (int(first.get(name)) for name in ("x", "y", "font-size"))
        self.box = (x, y - size, *self.matrix.box[2:])  # from the title to the last cell


def roots(name):
    return [xml.parse(path).getroot() for path in sorted((folder / name).glob("*.svg"))]


def singles(name):
    return [Picture(root) for root in roots(name)]


def legend(root):
    """The texts below a picture or a sheet: the last group of the document."""
    return [text.text for text in root.findall(f"{SVG}g")[-1].iter(f"{SVG}text")]


def sheet_pictures(root):
    return [Picture(g) for g in root.findall(f"{SVG}g[@role]")]


def check_sheet(root, number, title, most, meaning):
    sizes = [float(element.get("font-size")) for element in root.iter() if element.get("font-size")]
    check(min(sizes) >= LEAST, f"sheet {number}: text of {min(sizes)} pixels")
    check(all(t.get("font-size") for t in root.findall(f"{SVG}text")), f"sheet {number}: text without a size")
    equal([root.findtext(f"{SVG}text[@class='title']"), root.findtext(f"{SVG}text[@class='sheet']")], [title, f"sheet {number}"],
          "the head of a sheet")
    meanings = [t.text for t in root.iter(f"{SVG}text") if t.text == meaning]
    equal([meanings, legend(root)], [[meaning], ["0%", "50%", "100%", meaning]], f"legends of sheet {number}")
    pictures = sheet_pictures(root)
    check(0 < len(pictures) <= most, f"sheet {number}: {len(pictures)} pictures")
    boxes = [picture.box for picture in pictures]
    for a, b in itertools.combinations(boxes, 2):
        check(a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], f"sheet {number}: pictures overlap: {a}, {b}")
    foot = int(root.get("height")) - 38 - 36
    check(all(38 <= x and end <= int(root.get("width")) - 38 and below < foot for x, _, end, below in boxes),
          f"sheet {number}: {boxes}")
    return pictures


def handout():
    alone, found = singles("alone"), roots("sheets")
    pages = [check_sheet(root, i + 1, "A handout", 12, "attention weight α") for i, root in enumerate(found)]
    pictures = sum(pages, [])
    equal([p.number for p in pictures], [str(i + 1) for i in range(len(alone))], "numbers on sheets")
    check(len(pages) > 1 and max(map(len, pages)) > 2, f"{[len(page) for page in pages]} pictures on sheets")
    for one, other in zip(alone, pictures):
        equal(other.title, one.title, "the title on a sheet")
        equal([other.matrix.fills, other.matrix.titles], [one.matrix.fills, one.matrix.titles], "cells on a sheet")
        equal(other.matrix.numbers, one.matrix.numbers, "numbers on a sheet")
    check(sum(len(one.matrix.numbers) for one in alone) > 100, "few numbers")
    equal([len(sheet_pictures(root)) for root in roots("two")][:2], [2, 2], "pictures on sheets for two")

    blank = sum((sheet_pictures(root) for root in roots("blank")), [])
    equal([p.title for p in blank], [p.title for p in pictures], "titles of blank pictures")
    for one in blank:
        equal([set(one.matrix.fills), set(one.matrix.titles), one.matrix.numbers], [{"none"}, {None}, []], "a blank matrix")
    check(all("注意力权重 α" in legend(root) for root in roots("blank")), "no Chinese legend")

    short, long, last = roots("long")
    check(int(long.get("width")) > 3000 and long.get("width") == long.get("viewBox").split()[2], "the size of a long sentence")
    equal([one.number for root in (short, long, last) for one in sheet_pictures(root)], ["1", "2", "3"], "a long sentence")
    check_sheet(long, 2, str(folder / "run"), 3, "attention weight α")
    equal([short.get("width"), short.get("height"), last.get("height")], ["794", "1123", "1123"], "sheets of A4")


def percent(weight):
    return int(100 * abs(weight) + 0.5) * (1 if weight > 0 else -1)


def of_json(line):
    return [percent(weight) for row in json.loads(line)["matrix"] for weight in row]


def row_scale():
    for one, scaled, line in zip(singles("alone"), singles("rows"), open(folder / "json"), strict=True):
        equal([[n for n, _ in scaled.matrix.numbers], scaled.matrix.titles],
              [[n for n, _ in one.matrix.numbers], one.matrix.titles], "numbers with --row-scale")
        width = len(json.loads(line)["source"])
        for i, row in enumerate(json.loads(line)["matrix"]):
            fills = scaled.matrix.fills[i * width : (i + 1) * width]
            equal(fills[row.index(max(row))], "#1b4690", "the largest weight of a row")
    check(all("share of the row's largest weight" in legend(root) for root in roots("rows")), "the legend of --row-scale")
    equal(singles("alone")[0].matrix.percents(), of_json(open(folder / "json").readline()), "weights")


def heads():
    expected = [open(folder / f"head.{layer}.{head}").read().splitlines() for layer in (1, 2) for head in (1, 2)]
    pictures = singles("heads")
    for i, picture in enumerate(pictures):
        equal(picture.captions, ["layer 1, head 1", "layer 1, head 2", "layer 2, head 1", "layer 2, head 2"], "captions")
        equal([m.percents() for m in picture.matrices], [of_json(lines[i]) for lines in expected], "weights of heads")
        equal([m.labels for m in picture.matrices], [2, 1, 1, 0], "shared labels")
    check(len(pictures) == 12 and pictures[0].matrices[0].titles != pictures[0].matrices[3].titles, "all heads are the same")
    equal(singles("layer")[0].captions, ["层 2，头 1", "层 2，头 2"], "captions in Chinese")


def hypotheses():
    by_line = {}
    for line in open(folder / "nbest"):
        number, _, weights, _, score = line.rstrip("\n").split(" ||| ")
        by_line.setdefault(int(number), []).append((float(score), [percent(round(float(w), 4)) for w in re.split("[ ,]", weights)]))
    pictures = singles("hypotheses")
    equal(len(pictures), len(by_line), "pictures of hypotheses")
    for picture, found in zip(pictures, by_line.values()):
        equal(picture.captions, [f"{k + 1}: score {score:.3f}".replace("-", "−") for k, (score, _) in enumerate(found)], "captions")
        equal([m.percents() for m in picture.matrices], [weights for _, weights in found], "weights of hypotheses")
        equal([m.labels for m in picture.matrices], [2] + [1] * (len(found) - 1), "shared labels")
    check(max(len(found) for found in by_line.values()) == 3, "no three hypotheses")


def difference():
    largest, least = 0, 0
    files = [open(folder / name) for name in ("minus.json", "json", "other.json")]
    for picture, minus, one, other in zip(singles("minus"), *files, strict=True):
        equal(picture.matrix.percents(), of_json(minus), "weights of a difference")
        for a, b, c in zip(*(sum(json.loads(line)["matrix"], []) for line in (minus, one, other))):
            check(abs(a - (b - c)) < 2e-4, f"{a} is not {b} - {c}")
            largest, least = max(largest, a), min(least, a)
        shown = [percent(weight) for row in json.loads(minus)["matrix"] for weight in row if abs(weight) >= 0.05]
        equal([number for number, _ in picture.matrix.numbers], [f"{p:+d}".replace("-", "−") for p in shown], "signs")
    check(largest > 0.1 and least < -0.1, "a small difference")
    found = legend(roots("minus")[0])
    check(found[:3] == ["−100%", "0%", "100%"] and len(found) == 4, f"the legend: {found}")
    shown = found[3].removeprefix("difference of attention weights: ").split(" − ")
    equal(len(shown), 2, "names in the legend")
    for name, path in zip(shown, (folder / "run", folder / "other")):
        cut = name.removesuffix("…")
        check(len(cut) > 4 and (str(path) == name or (cut != name and str(path).startswith(cut))), f"{name} for {path}")
    by_word = json.loads(open(folder / "words.json").readline())
    check("When" in by_word["target"] and all(abs(sum(row)) < 2e-3 for row in by_word["matrix"]), f"by word: {by_word}")


for part in (handout, row_scale, heads, hypotheses, difference):
    part()
