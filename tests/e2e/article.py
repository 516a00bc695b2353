#!/usr/bin/env python3
"""usage: tests/e2e/article.py FOLDER

Tests of the folder that scripts/dev/article writes, opened from disk in headless Chromium, for article.sh. Every link of both
articles leads to something. Each one to a state of tide.html shows this state, and what its text says: the piece that is
pointed at and the one that the open step wrote are words in italics, the text names the source piece with the largest weight,
and the page shows the percentages."""
import json
import os
import re
import sys
import time
import urllib.parse

from live import DONE, SOURCE, STEP, TARGET, Page, check, equal

ARTICLES = {"attention.html": "en", "attention.zh.html": "zh-CN"}
FIELDS = {"text", "piece", "step", "forced", "probabilities", "ask"}
LINKS = """[...document.querySelectorAll("[href], [src]")].map((one) => one.getAttribute("href") ?? one.getAttribute("src"))"""
TOUCHES = """[...document.querySelectorAll(".touch a")].map((link) => ({ state: new URL(link.href).hash.slice(1),
    said: link.textContent, words: [...link.querySelectorAll("em")].map((word) => word.textContent) }))"""
PROSE = """(() => { const copy = document.body.cloneNode(true);
    copy.querySelectorAll("code").forEach((code) => code.remove()); return copy.textContent; })()"""
PARAGRAPHS = "[...document.querySelectorAll('p, td, th, h1, h2, h3, li:not(:has(p)), figcaption')].map((one) => one.textContent.trim())"
CHINESE = "[一-鿿，。：；？！“”—…]"
BARE = "[...document.images].filter((image) => image.parentElement.href !== image.src).length"
COLUMNS = """[...document.querySelectorAll(".pictures")].map((pictures) =>
    getComputedStyle(pictures).gridTemplateColumns.split(" ").length)"""
SHOWN = f"""({{
    text: [...document.querySelectorAll(".line:not(.translated) .piece")].map((one) => one.firstChild.data).join(""),
    piece: [...{TARGET}].findIndex((one) => one.classList.contains("pointed")),
    pointed: document.querySelector(".translated .pointed")?.firstChild.data,
    row: document.querySelector(".matrix tbody .pointed")?.textContent,
    read: [...{SOURCE}].reduce((most, one) => one.style.getPropertyValue("--weight") >
        most.style.getPropertyValue("--weight") ? one : most).firstChild.data,
    pieces: [...{TARGET}].map((one) => one.firstChild.data),
    title: document.querySelector(".step h3").checkVisibility() && document.querySelector(".step h3").textContent,
    asked: document.querySelector("#asked").checkVisibility() && document.querySelector("#asked").textContent,
    likely: document.querySelector("#likely").ariaPressed,
    matrix: document.querySelector(".frame").checkVisibility(),
    all: document.querySelector("#panels").innerText }})"""


def check_links(page, folder, name):
    """Every relative link leads to a file of the folder, or to a heading; the article asks for nothing else."""
    links = page.value(LINKS)
    for link in links:
        path, _, part = link.partition("#")
        if re.match("https:|data:", link):
            continue
        check(not path or os.path.exists(os.path.join(folder, path)), f"{name}: there is no {link}")
        check(path or page.value(f"Boolean(document.getElementById({json.dumps(urllib.parse.unquote(part))}))"),
              f"{name}: there is no heading {link}")
    check(len(links) > 30, f"{name}: {len(links)} links")
    check(page.value("[...document.images].every(({ naturalWidth }) => naturalWidth)"), f"{name}: a picture is not shown")
    equal([r["url"] for r in page.requests if not r["url"].startswith(("file:", "data:"))], [], f"{name}: requests")
    equal(page.problems, [], f"{name}: problems")


def check_look(page, name):
    """Indices have no marks of Markdown; each picture links to its file; the pair stands one below the other."""
    prose = page.value(PROSE)
    equal(re.findall(".{9}[_{}].{9}", prose), [], f"{name}: marks of indices")
    equal(page.value("document.querySelectorAll('.equations').length"), 4, f"{name}: paragraphs of equations")
    breaks = [found for text in page.value(PARAGRAPHS) for found in re.findall(f"{CHINESE}\\s*\\n\\s*{CHINESE}", text)]
    equal(breaks, [], f"{name}: breaks in Chinese text")
    equal(page.value(BARE), 0, f"{name}: pictures without a link")
    equal(page.value(COLUMNS), [1, 2], f"{name}: pictures side by side")


def show(page, state, fields):
    """Opens a state in the page, as a link that opens it in the same tab."""
    page.value(f"""new Promise((done) => {{ addEventListener("hashchange", done, {{ once: true }});
        location.hash = {json.dumps("#" + state)}; }})""")
    page.wait(DONE)
    if "forced" in fields:
        page.wait("document.querySelector('.piece.taken') && location.hash.includes('forced')")
    if "step" in fields:
        page.wait(f"/ {fields['step']}[ :]/.test({STEP}.querySelector('h3').textContent)")


def check_state(touch, shown, fields):
    """The page shows the fields of a state, and what the text of the link says."""
    said, words = touch["said"], touch["words"]
    equal(set(fields) - FIELDS, set(), f"{said}: unknown fields")
    equal(shown["text"].removesuffix("</s>"), fields["text"].replace("，", ","), f"{said}: the text")
    equal(shown["likely"], str("probabilities" in fields).lower(), f"{said}: probabilities")
    equal((shown["asked"], shown["matrix"]), (fields.get("ask", False), "ask" not in fields), f"{said}: the question")
    equal(bool(shown["title"]), "step" in fields, f"{said}: an open step")
    if "piece" in fields and "ask" not in fields:
        equal(shown["piece"] + 1, int(fields["piece"]), f"{said}: the piece")
        check(shown["pointed"] == shown["row"] in words, f"{said}: points at {shown['pointed']}")
        check("step" in fields or shown["read"] in said, f"{said}: reads {shown['read']}")
    if "step" in fields:
        number, word = re.search(r"(\d+).*?[\"“](.+)[\"”]", shown["title"]).groups()
        check(number == fields["step"] and word in words, f"{said}: {shown['title']}")
    for _, _, pieces in json.loads(fields.get("forced", "[]")):
        equal(shown["pieces"][:len(pieces)], [piece.removeprefix("▁") for piece in pieces], f"{said}: forced words")
    for share in re.findall(r"(\d+) %", said):
        check(re.search(rf"\b{share}%", shown["all"]), f"{said}: {share} % is not shown")


def check_answer(page, touch, fields):
    """After an answer, the page shows the row of the word that the question is about."""
    page.click("document.querySelector('.pair .piece')")
    shown = page.value(SHOWN)
    equal((shown["matrix"], shown["piece"] + 1), (True, int(fields["piece"])), f"{touch['said']}: the answer")
    check(shown["pointed"] == shown["row"] in touch["words"], f"{touch['said']}: the answer is about {shown['pointed']}")
    page.point("document.querySelector('h1')")


def check_article(page, tide, folder, name):
    page.open(f"file://{folder}/{name}", width=390, height=800)
    equal(page.value("document.documentElement.scrollWidth"), 390, f"{name}: the width")
    check_links(page, folder, name)
    check_look(page, name)
    touches = page.value(TOUCHES)
    check(len(touches) >= 10, f"{name}: {len(touches)} states")
    for touch in touches:
        fields = dict(urllib.parse.parse_qsl(touch["state"]))
        show(tide, touch["state"], fields)
        check_state(touch, tide.value(SHOWN), fields)
        if "ask" in fields:
            check_answer(tide, touch, fields)
    print(f"{name}: {len(touches)} states")
    return [re.sub("&ask=.*", "&ask=", touch["state"]) for touch in touches]


def check_tab(page, folder):
    """Two links open one tab."""
    page.open(f"file://{folder}/attention.html", width=1280, height=800)
    for k in (0, 1):
        page.click(f"document.querySelectorAll('.touch a')[{k}]")
        state = page.value(TOUCHES)[k]["state"]
        end = time.monotonic() + 20
        while time.monotonic() < end:
            tabs = [tab["url"] for tab in page.send("Target.getTargets")["targetInfos"] if "/tide.html" in tab["url"]]
            if tabs and tabs[-1].endswith(state):
                break
            time.sleep(0.05)
        check(len(tabs) == 1 and tabs[0].endswith(state), f"the tabs {tabs}, not one with {state}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, states = os.path.abspath(sys.argv[1]), []
    for name, language in ARTICLES.items():
        with Page(f"file://{folder}/tide.html", language=language) as tide, Page(f"file://{folder}/{name}") as page:
            tide.open(tide.url, width=1280, height=800)
            tide.wait(DONE, 60)
            states.append(check_article(page, tide, folder, name))
            tide.requests[:] = [r for r in tide.requests if not r["url"].startswith("blob:")]  # the worker
            tide.clean(name)
    equal(states[0], states[1], "the states of both articles")
    with Page(f"file://{folder}/attention.html") as page:
        check_tab(page, folder)


main()
