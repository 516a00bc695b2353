#!/usr/bin/env python3
"""usage: tests/e2e/live.py page|chinese|errors|corrections URL EXPECTED

Tests of the live page of a running `tide serve` in headless Chromium, for tests/e2e/live.sh. EXPECTED has what `tide
translate --alignment hard` prints for the sentence below."""
import contextlib
import json
import os
import re
import sys
import time
import urllib.parse

from browser import Browser

SENTENCE = "潮水退了，才知道谁没穿裤子。"
TARGET = "document.querySelectorAll('.panel:not([hidden]) .translated .piece')"
DONE = ("document.querySelector('.translated .piece') && !document.querySelector('.running') && "
        "!document.querySelector('.waiting')")


def check(holds, text):
    if not holds:
        sys.exit(f"FAILED: {text}")


def equal(found, expected, text):
    check(found == expected, f"{text}: {found!r}, not {expected!r}")


class Page(Browser):
    """The live page, with what its tests ask again and again."""

    def __init__(self, url, *flags, **options):
        super().__init__(*flags, **options)
        self.url = url if url.endswith(".html") else url + "/"

    def show(self, text, fields="", **window):
        """Opens the page with a text in its address, and waits for the translation."""
        self.open(f"{self.url}#{urllib.parse.urlencode({'text': text})}{fields}", **window)
        self.wait(DONE)

    def clear(self, **window):
        """Opens the page without a text, and removes the example that it shows. Forgets the requests for it."""
        self.open(self.url, **window)
        self.wait(f"document.activeElement.id === 'text' && document.querySelector('#model').value && {DONE}")
        self.press("Delete")
        self.wait("!document.querySelector('.panel .line') && $('text').value === ''")
        self.value("window.sent && (sent.length = 0)")
        self.requests.clear()

    @contextlib.contextmanager
    def finger(self):
        """A window that is touched, without a mouse, for a `with` statement."""
        self.send("Emulation.setTouchEmulationEnabled", enabled=True)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=-9, y=-9)
        yield
        self.send("Emulation.setTouchEmulationEnabled", enabled=False)

    def tap(self, element):
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[self.middle(element)])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def sentence(self, panel=0):
        """The translation that a panel shows."""
        return self.value(f"""[...document.querySelectorAll(".panel")[{panel}].querySelectorAll(".translated .piece")]
            .map((piece) => (piece.previousSibling?.nodeType === 3 ? " " : "") + piece.firstChild.textContent)
            .join("").replace(" </s>", "")""")

    def bodies(self):
        """What the page asked its translator, request by request."""
        self.value("0")  # the events before this call have arrived
        return [request["postData"] for request in self.requests if request["url"].endswith("/v1/stream")]

    def streams(self):
        return len(self.bodies())

    def classes(self, name, within=""):
        return self.value(f"[...document.querySelectorAll('{within} .{name}')].map((one) => one.textContent)")

    def copied(self, button):
        """The text that a button copies; a name of a format means the button of that format."""
        if button.isalpha():
            button = f"document.querySelector('.panel:not([hidden]) [data-format={button}]')"
        self.value("window.got = null, Object.defineProperty(navigator, 'clipboard', { configurable: true, "
                   f"value: {{ writeText: async (t) => {{ window.got = t; }} }} }}), {button}.click()")
        self.wait("window.got !== null")
        return self.value("got")

    def chord(self, key):
        """Presses a key with Ctrl."""
        fields = {"key": key, "windowsVirtualKeyCode": self.CODES[key], "modifiers": 2}
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, **fields)

    def clean_but(self, name, status):
        """As clean, but the browser has logged answers with this status."""
        self.value("0")
        self.problems = [one for one in self.problems if f"status of {status} " not in one]
        self.clean(name)

    def clean(self, name):
        """Checks that the page has logged nothing and has asked no other host."""
        self.value("0")
        equal(self.problems, [], f"{name}: problems")
        foreign = [r["url"] for r in self.requests if not r["url"].startswith((self.url, "data:"))]
        equal(foreign, [], f"{name}: requests to other hosts")
        print(f"{name}: ok")


# ---- typing ----------------------------------------------------------------------------------------------------------

SAID = "document.querySelector('.said').textContent"
CONTROLS = ("[...document.querySelectorAll('.live :is(select, button, input, textarea, a)')]"
            ".filter((one) => one.checkVisibility())")
LESSON = "document.querySelector('.lesson').checkVisibility()"


def check_opening(page, translation):
    """Without a text in its address, the page explains an example, and writes nothing to its address."""
    for width in (1400, 390):
        page.open(page.url, width=width, height=800)
        page.wait(f"{DONE} && {SAID}")
        equal((page.sentence(), page.streams()), (translation, 1), "the example")
        found = page.value("""[$("text").value, document.activeElement.id, $("text").selectionStart, $("text").selectionEnd,
            location.hash]""")
        equal(found, [SENTENCE, "text", 0, len(SENTENCE), ""], "the input and the address")
        check(page.value(LESSON), "no lesson")
        check(page.value("""[...document.querySelectorAll(".said, .lesson")].every((one) =>
            one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth)"""), "what is said is cut")
    # the word is the one whose largest weight is the farthest from the next one
    page.open(page.url + "#level=word", width=1280, height=800)
    page.wait(f"{DONE} && {SAID}")
    row, word, column, weight = page.value("""(() => { const heads = [...document.querySelectorAll(".matrix thead th")];
        const isWord = (head) => /^\\p{L}+$/u.test(head.textContent);
        const leads = [...document.querySelectorAll(".matrix tbody tr")].map((row, i) => {
            const weights = [...row.querySelectorAll("td")].map((td) => Number(td.style.getPropertyValue("--weight")));
            const [first, second] = [...weights].sort((a, b) => b - a), head = heads[weights.indexOf(first)];
            const lead = isWord(row.firstChild) && isWord(head) ? first - second : 0;
            return { lead, found: [i, row.firstChild.textContent, head.textContent, Math.round(100 * first)] }; });
        return leads.sort((a, b) => b.lead - a.lead)[0].found; })()""")
    said = f'In the row of "{word}", {column} has the largest weight: {weight}%.'
    state = f"[{SAID}, [...document.querySelectorAll('.translated .pointed')].map((one) => one.firstChild.data)]"
    equal(page.value(state), [said, [word]], "what is seen")
    page.point(f"{TARGET}[{int(row == 0)}]")
    check(page.value(SAID) != said, "pointing says something else")
    page.point("document.querySelector('h1')")
    equal(page.value(state), [said, [word]], "the example explains itself again")
    rows = {"high but not clear": ("a", 0, [0.5, 0.45, 0.05]), "clear": ("b", 1, [0.05, 0.45, 0.1]), "a mark": ("!", 2, [0.9, 0, 0]),
            "a part": ("c", 3, [0.9, 0, 0]), "the same word": ("d", 3, [0.9, 0, 0]), "from a mark": ("e", 4, [0, 0, 0.9])}
    target, words, matrix = zip(*rows.values())
    alignment = {"source": ["x", "y", "."], "target": target, "targetWord": words, "matrix": matrix}
    equal(list(rows)[page.value(f"clearestRow({json.dumps(alignment)})")], "clear", "the clearest row")
    page.value("document.getElementById('level').click()")
    check("text=" in page.value("location.hash") and page.value(LESSON), "what the user has done is in the address")
    page.open(page.url, width=1280, height=800)
    page.wait(f"{DONE} && {SAID}")
    page.value("ask('why?')")
    check(not page.value(LESSON), "a lesson about an alignment that is hidden")
    # what is typed takes the place of the example
    for act in (lambda: None, lambda: page.click("$('text')")):
        page.open(page.url, width=1280, height=800)
        page.wait(f"{DONE} && {SAID}")
        act()
        page.wait(f"$('text').selectionEnd - $('text').selectionStart === {len(SENTENCE)}")
        page.send("Input.insertText", text="他走了。")
        equal(page.value("$('text').value"), "他走了。", "what is typed")
        page.wait(f"{DONE} && location.hash.includes('text=') && document.querySelector('.line').textContent.includes('他')")
        check(not page.value(LESSON) and page.value("!document.querySelector('.pointed')"), "the example goes")
    page.open(page.url)
    page.wait(f"{DONE} && {SAID}")
    for text in ("t", "ta", "他走了。"):
        page.send("Input.imeSetComposition", text=text, selectionStart=len(text), selectionEnd=len(text))
    page.send("Input.insertText", text="他走了。")
    page.wait(f"{DONE} && document.querySelector('.line').textContent.includes('他')")
    equal((page.value("$('text').value"), page.streams()), ("他走了。", 2), "what an input method types")
    page.clean("opening")


def check_typing(page, translation):
    page.clear(width=1280, height=800)
    for letter in SENTENCE:
        page.send("Input.insertText", text=letter)
    page.wait(DONE)
    page.wait(f"document.querySelector('#announced').textContent === {'Translation: ' + translation!r}")
    equal(page.sentence(), translation, "typed")
    check(page.streams() < len(SENTENCE) / 2, f"{page.streams()} requests for {len(SENTENCE)} letters")
    equal(urllib.parse.parse_qs(page.value("location.hash.slice(1)"))["text"], [SENTENCE], "the address")
    check(page.value("document.title === 'Tides' && $('about').textContent.startsWith('Tides · ')"), "what the model says")
    page.value("document.getElementById('text').select()")
    page.press("x")
    page.wait(f"{DONE} && !document.querySelector('.line').textContent.includes('潮')")
    page.value("$('text').select()")
    page.press("Delete")
    page.wait("$('announced').textContent === ''")
    page.clean("typing")


def check_abort(page):
    """The request for an older text is aborted when the text changes."""
    page.clear()
    page.value("""window.signals = [], translator.translate = (request, { signal }) =>
        new Promise((done, fail) => { signals.push(signal);
                                      signal.addEventListener("abort", () => fail(signal.reason)); })""")
    for letter in "潮水":
        page.send("Input.insertText", text=letter)
        time.sleep(0.3)
    equal(page.value("signals.map((signal) => signal.aborted)"), [True, False], "the former request is aborted")
    page.clean("abort")


def check_composition(page, translation):
    """While an input method composes, the page asks nothing."""
    page.clear()
    for text in ("c", "chao", "chaoshui", "潮水退了才知道"):
        page.send("Input.imeSetComposition", text=text, selectionStart=len(text), selectionEnd=len(text))
        time.sleep(0.25)
    check(page.value("document.getElementById('text').value"), "the composition is not in the input")
    equal(page.streams(), 0, "requests during a composition")
    page.send("Input.insertText", text=SENTENCE)  # ends the composition
    page.wait(DONE)
    equal((page.streams(), page.sentence()), (1, translation), "after the composition")
    page.clean("composition")


def check_streaming(page, translation):
    """Settled words and the rows of the matrix appear while the search runs."""
    page.clear()
    page.value("""window.events = [], window.states = [], translator.translate = ((original) => async (request, on) => {
        const keep = (name) => (...given) => events.push([name, given]);
        const result = await original(request, { signal: on.signal, onSource: keep("onSource"),
                                                 onSettled: keep("onSettled"), onSentence: keep("onSentence") });
        const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        for (const [name, given] of events) {
            on[name](...given);
            await frame();
            states.push({ name, shown: [...document.querySelectorAll(".translated .piece")].map((p) => p.firstChild.data),
                          rows: document.querySelectorAll(".matrix tbody tr").length,
                          running: document.querySelectorAll(".pair.running .pending").length });
        }
        return result;
    })(translator.translate)""")
    page.send("Input.insertText", text=SENTENCE)
    page.wait(f"{DONE} && states.length === events.length")
    states = page.value("states")
    settled = [state for state in states if state["name"] == "onSettled"]
    check(len(settled) > 1, f"{len(settled)} events of settled words")
    for before, after in zip(settled, settled[1:] + states[-1:]):
        equal(after["shown"][:len(before["shown"])], before["shown"], "settled words stay")
        check(len(after["shown"]) >= len(before["shown"]), "settled words grow")
    check(0 < len(settled[0]["shown"]) < len(states[-1]["shown"]), "the first words settle before the last ones")
    check(all(state["running"] == 1 and state["rows"] == len(state["shown"]) for state in settled), f"running: {settled}")
    equal((states[-1]["running"], page.sentence()), (0, translation), "the end")
    page.clean("streaming")


# ---- pointing --------------------------------------------------------------------------------------------------------

LIT = "[...document.querySelectorAll('%s .piece')].map((piece) => Number(piece.style.getPropertyValue('--weight')))"
SOURCE = "document.querySelectorAll('.line:not(.translated) .piece')"
CELL = "document.querySelectorAll('.matrix tbody tr')[%d].querySelectorAll('td')[%d]"


def check_pointing(page):
    page.show(SENTENCE, width=1280, height=800)
    n, m = page.value(f"{TARGET}.length"), page.value(f"{SOURCE}.length")
    equal(page.value("document.querySelectorAll('.matrix tbody td').length"), n * m, "cells")
    page.point(f"{TARGET}[2]")
    weights = page.value(LIT % ".line:not(.translated)")
    check(abs(sum(weights) - 1) < 0.01, f"the weights of a word: {weights}")
    word = page.value(f"{TARGET}[2].firstChild.data")
    check(page.value("document.querySelector('.said').textContent").startswith(f'"{word}" is read from '), "in words")
    equal(page.classes("pointed", ".matrix"), [word], "the row of the matrix")
    equal(page.value("document.querySelectorAll('.matrix td.across').length"), m, "the cells of the row")
    page.point(f"{SOURCE}[1]")
    check(any(page.value(LIT % ".translated")), "a source word lights the translation")
    equal(page.classes("pointed", ".matrix"), ["水"], "the column of the matrix")
    page.point(CELL % (3, 2))
    equal(page.value(f"[{TARGET}[3], {SOURCE}[2]].map((piece) => piece.classList.contains('pointed'))"), [True, True],
          "a cell points at two words")
    page.point("document.querySelector('h1')")
    equal(page.classes("pointed"), [], "nothing is left")
    page.clean("pointing")


def check_piece(page):
    """An address can point at a piece: its row is lit while the user points at nothing, until the text changes."""
    pointed = f"[...{TARGET}].flatMap((piece, i) => (piece.classList.contains('pointed') ? [i] : []))"
    for fields, place in (("&piece=3", [2]), ("&piece=3&level=word", [2]), ("&piece=99", []), ("&piece=x", [])):
        page.show(SENTENCE, fields, width=1280, height=800)
        equal(page.value(pointed), place, fields)
    page.show(SENTENCE, "&piece=3", width=1280, height=800)
    check(not page.value(LESSON), "a lesson for a text of the user")
    page.point(f"{TARGET}[0]")
    equal(page.value(pointed), [0], "pointing elsewhere")
    page.point("document.querySelector('h1')")
    equal(page.value(pointed), [2], "then at nothing")
    check(page.copied("$('link')").endswith("&piece=3"), "the piece in a copied link")
    page.click(f"{TARGET}[1]")
    page.wait("document.querySelector('.candidates')")
    page.click("document.querySelectorAll('.candidates li button')[2]")
    page.wait("document.querySelector('.piece.taken')")
    check("piece" not in page.value("location.hash"), "after a choice")
    page.value("location.hash += '&piece=1'")
    page.wait(f"{DONE} && document.querySelector('.piece.taken') && document.activeElement === {TARGET}[0]")
    equal(page.value(pointed), [0], "a piece beside forced words")
    check(page.value("location.hash.endsWith('&piece=1')"), "a piece and forced words in the address")
    page.value("$('text').focus(), $('text').select()")
    page.send("Input.insertText", text="他走了。")
    page.wait(f"{DONE} && location.hash.includes('%E4%BB%96')")
    check("piece" not in page.value("location.hash") and page.value(pointed) == [], "another text")
    page.clean("piece")


def check_words(page, translation):
    """By word: punctuation is apart, and the page says that Chinese is by character."""
    page.show(SENTENCE, "&level=word", width=1280, height=800)
    words = re.sub(r"([.,!?])", r" \1", translation).split()
    equal(page.value(f"[...{TARGET}].map((piece) => piece.firstChild.data)"), words + ["</s>"], "words")
    check(page.value("document.getElementById('characters').checkVisibility()"), "Chinese is by character")
    page.value("document.getElementById('level').click()")
    check(not page.value("document.getElementById('characters').checkVisibility()"), "pieces need no remark")
    equal(page.value("""(() => { const [source, target] = [["o", "'", "c", ".", ".", "</s>"], ["(", "a", "b", ")"]];
        const { sourceWord, targetWord } = dividePunctuation(
            { source, sourceWord: [0, 0, 0, 0, 0, 1], target, targetWord: [0, 0, 1, 1] });
        return [sourceWord, targetWord]; })()"""), [[0, 0, 0, 1, 2, 3], [0, 1, 2, 3]], "words and marks")
    page.clean("words")


def check_keyboard(page):
    """All of it without a mouse."""
    page.show(SENTENCE, width=1280, height=800)
    page.value("document.getElementById('text').focus()")
    for _ in range(20):
        page.press("Tab")
        if page.value("document.activeElement.matches('.line:not(.translated) .piece')"):
            break
    page.press("ArrowRight", "ArrowRight", "ArrowLeft")
    check(page.value(f"document.activeElement === {SOURCE}[1]"), "arrows move in the source")
    page.press("Tab", "ArrowRight")
    check(page.value(f"document.activeElement === {TARGET}[1]"), "then in the translation")
    check(page.value("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is seen")
    check(any(page.value(LIT % ".line:not(.translated)")), "the focus points")
    page.press("Enter")
    page.wait("document.querySelector('.candidates button:focus')")
    page.press("Escape")
    page.wait(f"document.activeElement === {TARGET}[1]")
    page.press("Enter")
    page.wait("document.querySelector('.candidates button:focus')")
    page.value("document.querySelector('.candidates:popover-open').hidePopover(), document.getElementById('text').focus()")
    page.wait("!document.querySelector('.candidates')")
    equal(page.value("document.activeElement.id"), "text", "a list that closed leaves the focus alone")
    page.value(f"{TARGET}[1].focus()")
    for _ in range(20):
        page.press("Tab")
        if page.value("document.activeElement.matches('.matrix td')"):
            break
    page.press("ArrowDown", "ArrowRight")
    check(page.value(f"document.activeElement === {CELL % (1, 1)}"), "arrows move in the matrix")
    page.press("w")
    equal(page.value("document.getElementById('level').getAttribute('aria-pressed')"), "true", "w shows words")
    page.wait("document.querySelector('.translated .piece')")
    page.value(f"{SOURCE}[1].focus()")
    page.press("w", "w")
    equal(page.value(f"document.activeElement === {SOURCE}[1]"), True, "the focus stays in the source")
    page.value(f"{TARGET}[0].focus()")
    page.press("Escape")
    equal(page.value("document.activeElement.id"), "text", "Escape returns to the text")
    page.press("w")
    check(page.value("document.getElementById('text').value").endswith("w"), "w is a letter there")
    page.clean("keyboard")


def check_focus(page):
    """The focus stays in a matrix that is drawn again with other words."""
    page.show("It rained.", "&model=back", width=1280, height=800)
    columns = "document.querySelectorAll('.matrix thead th').length"
    pieces = page.value(f"{CELL % (1, 1)}.focus(), {columns}")
    page.press("w")
    equal(page.value(f"[{columns} < {pieces}, document.activeElement === {CELL % (1, 1)}]"), [True, True],
          "the focus stays in the matrix")
    page.clean("focus")


def check_forcing(page, translation):
    page.show(SENTENCE, width=1280, height=800)
    page.click(f"{TARGET}[1]")
    page.wait("document.querySelector('.candidates')")
    shares = page.value("[...document.querySelectorAll('.candidates i')].map((i) => i.style.getPropertyValue('--share'))")
    shares = [float(share) for share in shares]
    check(len(shares) == 8 and shares == sorted(shares, reverse=True) and sum(shares) < 1.01, f"probabilities: {shares}")
    page.value("document.querySelector('.candidates li:nth-child(3) button').focus()")
    chosen = page.value("document.activeElement.querySelector('span').textContent")
    before = page.streams()
    page.press("Enter")
    page.wait("document.querySelector('.piece.taken')")
    equal(page.streams(), before + 1, "a choice is one request")
    body = page.bodies()[-1]
    check('"prefix_pieces":[' in body, f"the request: {body}")
    equal(page.classes("taken"), [chosen.removeprefix("‐")], "the choice is marked")
    check(page.sentence() != translation, "the translation has changed")
    check(page.value(f"document.activeElement === {TARGET}[1]"), "the focus is on the choice")
    check(chosen in page.value("document.querySelector('.choices').textContent"), "the choice is named")
    page.press("u")
    equal((page.sentence(), page.classes("taken")), (translation, []), "u takes the choice back")
    page.click(f"{TARGET}[1]")
    page.wait("document.querySelector('.candidates')")
    page.click("document.querySelectorAll('.candidates li button')[2]")
    page.wait("document.querySelector('.piece.taken')")
    page.click("document.querySelector('.choices button')")
    equal((page.sentence(), page.classes("taken")), (translation, []), "the button takes it back, too")
    page.clean("forcing")


def check_hypotheses(page, translation):
    """A click on a hypothesis shows it in the place of the translation; the list stays."""
    page.show(SENTENCE, width=1280, height=800)
    lines = "[...document.querySelectorAll('.best li button')]"
    texts, before = page.value(f"{lines}.map((line) => line.textContent)"), page.streams()
    weights = "[...document.querySelectorAll('.matrix td')].map((td) => td.style.cssText).join()"
    matrix = page.value(weights)
    equal(texts[0], translation, "the best hypothesis")
    for k in (2, 0, 2):
        page.click(f"{lines}[{k}]")
        page.wait(f"{lines}[{k}].getAttribute('aria-current') === 'true'")
        equal(page.sentence(), texts[k], "the hypothesis that is viewed")
        equal(page.value(f"{lines}.map((line) => line.textContent)"), texts, "the list stays")
        equal(page.value(f"{lines}.filter((line) => line.ariaCurrent).length"), 1, "viewed hypotheses")
        check(page.value(f"document.activeElement === {lines}[{k}]"), "the focus stays on its line")
        equal(page.value(weights) == matrix, k == 0, "its own matrix")
    equal(page.streams(), before + 1, "requests for a hypothesis")
    check(page.value("document.querySelector('.choices').hidden"), "to look is not to choose")
    page.value("""translator.translate = ((translate) => (request, on) => translate(request, { ...on, onSentence(found) {
        found.alternatives[1].text = "";
        on.onSentence(found); } }))(translator.translate), $("text").value = "他走了。", schedule()""")
    page.wait(f"document.querySelector('.line').textContent.includes('他') && {DONE}")
    equal(page.value(f"{lines}[2].textContent"), "</s>", "the name of an empty hypothesis")
    page.clean("hypotheses")


def check_second_sentence(page):
    """The matrix and the words below follow the mouse to another sentence, and return."""
    page.show(SENTENCE + "他走了。", width=1280, height=800)
    columns = "document.querySelectorAll('.matrix thead th').length"
    first, own = page.value(columns), "document.querySelectorAll('.pair')[%d].querySelectorAll('.translated .piece')[1]"
    page.point(own % 1)
    equal(page.value(columns), 5, "the matrix of the sentence that is pointed at")
    word = page.value(own % 1 + ".firstChild.data")
    check(page.value("document.querySelector('.said').textContent").startswith(f'"{word}" is read from '), "in words")
    equal(page.classes("pointed", ".matrix"), [word], "the row of its matrix")
    page.point("document.querySelector('h1')")
    equal((page.value(columns), page.classes("pointed")), (first, []), "the chosen sentence again")
    page.point(own % 1)
    page.point(own % 0)
    equal(page.value(columns), first, "from one sentence to the other")
    page.value(f"{own % 1}.focus()")
    page.point(own % 0)
    page.point("document.querySelector('h1')")
    equal((page.value(columns), page.classes("pointed", ".matrix")), (5, [word]), "the focus chooses for good")
    page.clean("second sentence")


def check_unknown(page):
    """What the model does not know is marked, and a sentence of which it knows nothing stays as it is."""
    page.show("潮水退了龘。他走了。Tom Smith! ", width=1280, height=800)
    remarks = "[...document.querySelectorAll('.note span:not(.sure)')].map((one) => one.checkVisibility() ? one.textContent : '')"
    equal(page.value(remarks), ["The model does not know the underlined text.", "",
                    "The model knows nothing of this, except punctuation: it is copied."], "remarks")
    equal(page.classes("unknown"), ["龘", "Tom", "Smith", "!"], "what is underlined")
    third = "document.querySelectorAll('.pair')[2].querySelectorAll('.translated .piece')"
    equal(page.value(f"[...{third}].map((one) => one.firstChild.textContent)"), ["Tom", "Smith", "!", "</s>"], "it stays")
    page.click(third + "[0]")
    sections = "[...document.querySelectorAll('.candidates, .step, .tree, .best')].some((one) => one.checkVisibility())"
    equal(page.value(sections), False, "what was not searched has no candidates, step, tree and hypotheses")
    equal(page.copied("text").strip().endswith("Tom Smith!"), True, "the copied text")
    sure = """(() => { const note = makeNote({ corrects: () => false, open() {} });
        return [{ confidence: 0.716 }, {}, { confidence: 0 }].map((result) => {
            note.draw({ result: { translatedText: "a", ...result }, pieces: ["a", "</s>"], unknown: [] }, {});
            const { firstChild: bar } = note.element;
            return bar.hidden ? "" : [...bar.children].filter((one) => !one.hidden).map((one) => one.textContent).join("|");
        }); })()"""
    equal(page.value(sure), ["confidence 72%", "", "confidence 0%"], "the confidence of a model that has one")
    page.value("$('level').click()")  # by word
    equal(page.classes("unknown")[0], "龘", "a word that is unknown")
    page.value("$('level').click()")
    page.clean("unknown")


def check_link(page):
    """A copied link has the forced words, the layer and the head."""
    page.show("He left. It rained.", "&model=back", width=1280, height=800)
    pieces = "document.querySelectorAll('.pair')[1].querySelectorAll('.translated .piece')"
    for place, count in ((1, 1), (2, 2)):
        page.click(f"{pieces}[{place}]")
        page.wait("document.querySelector('.candidates')")
        page.click("document.querySelectorAll('.candidates li button')[3]")
        page.wait(f"document.querySelectorAll('.piece.taken').length === {count}")
    for chooser in ("head", "layer"):
        select = f"document.querySelector('.panel:not([hidden]) .{chooser}')"
        page.value(f"window.old = document.querySelector('.pair'), {select}.value = 1, "
                   f"{select}.dispatchEvent(new Event('change'))")
        page.wait(f"document.querySelector('.pair') !== window.old && {DONE} && "
                  "document.querySelectorAll('.piece.taken').length === 2")
    state = """[[...document.querySelectorAll('.translated')].map((line) => line.textContent),
        [...document.querySelectorAll('.taken')].map((piece) => piece.textContent),
        [...document.querySelectorAll('.panel:not([hidden]) select')].map(({ value }) => value),
        [...document.querySelectorAll('.matrix td')].map((td) => td.style.cssText).join(),
        document.querySelector('.choices span').textContent]"""
    shown = page.value(state)
    link = page.copied("$('link')")
    equal(page.value("location.href"), link, "the address is the link")
    page.show(SENTENCE, "&model=run")
    page.open(link, width=1280, height=800)
    page.wait(f"{DONE} && document.querySelectorAll('.piece.taken').length === 2")
    equal(page.value(state), shown, "what the link shows")
    page.press("u")
    page.wait("document.querySelectorAll('.piece.taken').length === 1")
    check(page.value("decodeURIComponent(location.hash)").count('"') < urllib.parse.unquote(link).count('"'), "the address")
    page.value("$('text').focus(), $('text').select()")
    page.send("Input.insertText", text="It snows.")
    page.wait(f"{DONE} && document.querySelectorAll('.pair').length === 1")
    check("forced" not in page.value("location.hash"), "the words of another text")
    for forced in ("[[1]]", "x", '[[[0,99],["a"]]]', '[[[0],["a"]]]', '{}'):
        page.show("He left.", "&model=back&forced=" + urllib.parse.quote(forced))
        equal(page.classes("taken"), [], f"forced={forced}")
    page.clean("link")


# ---- explanations ----------------------------------------------------------------------------------------------------

MEANING = "[...document.querySelectorAll('.meaning')].filter((one) => one.checkVisibility({ visibilityProperty: true }))"


def check_terms(page, terms):
    """Each term is marked by dots, and has a sentence that is its description."""
    found = page.value("""[...document.querySelectorAll(".term")].filter((term) => term.checkVisibility()).map((term) => {
        const id = term.getAttribute("aria-describedby"), style = getComputedStyle(term);
        return [id, [style.textDecorationStyle, style.borderBottomStyle].includes("dotted"), $(id)?.textContent]; })""")
    equal(sorted({name.removeprefix("means-") for name, _, _ in found}), sorted(terms), "terms")
    check(all(dotted and said and said == said.strip() for _, dotted, said in found), f"explanations: {found}")
    speaks_chinese = page.value("document.documentElement.lang") == "zh-Hans"
    check(all(speaks_chinese == bool(re.search("[一-鿿]", said)) for _, _, said in found), f"their language: {found}")


def check_explanations(page):
    """A term explains itself at a pointer and at the focus. The pointer can go to the explanation; Escape closes it."""
    page.show(SENTENCE, width=1280, height=800)
    check_terms(page, ["alpha", "end", "hypothesis", "piece", "probability", "score"])
    score = "document.querySelector('.best .list-head > .term')"
    page.point(score)
    page.wait(f"{MEANING}.length === 1")
    check(page.value(f"{MEANING}[0].textContent").startswith("The score is the logarithm"), "the explanation of a score")
    boxes = f"[{score}, {MEANING}[0]].map((one) => one.getBoundingClientRect().toJSON())"
    term, meaning = page.value(boxes)
    check(abs(term["top"] - meaning["bottom"]) < 1 or abs(term["bottom"] - meaning["top"]) < 1, f"a gap: {term} {meaning}")
    check(0 <= meaning["left"] and meaning["right"] <= 1280, "the explanation is in the window")
    page.point(f"{MEANING}[0]")
    equal(page.value(f"{MEANING}.length"), 1, "an explanation below the pointer")
    page.press("Escape")
    equal(page.value(f"{MEANING}.length"), 0, "an explanation after Escape")
    page.point(score)
    page.wait(f"{MEANING}.length === 1")
    page.point("document.querySelector('h1')")
    equal(page.value(f"{MEANING}.length"), 0, "an explanation without its term")
    page.value("document.body.append(explain(make('p', { id: 'added' }, 'added'), 'head')), showMeaning($('added'))")
    page.wait(f"{MEANING}.length === 1")
    page.value("$('added').remove()")
    page.wait(f"{MEANING}.length === 0")  # without its term
    # the keyboard
    page.value("$('scale').focus()")
    page.press("Shift+Tab")
    page.wait(f"{MEANING}.length === 1")
    page.point("document.querySelector('h1')")
    equal(page.value("[document.activeElement.id, " + MEANING + "[0].id]"), ["level", "means-piece"], "at the focus")
    described = [node for node in page.send("Accessibility.getFullAXTree")["nodes"]
                 if node.get("name", {}).get("value") == "By word" and not node.get("ignored")]
    check(any(node.get("description", {}).get("value", "").startswith("The model reads and writes pieces") for node in described),
          f"what is announced: {described}")
    page.value(f"{TARGET}[{TARGET}.length - 1].focus()")
    equal(page.value(f"{MEANING}.length"), 0, "nothing at once")
    page.wait(f"{MEANING}.length === 1 && {MEANING}[0].id === 'means-end'")
    page.press("Escape")
    equal(page.value(f"[{MEANING}.length, document.activeElement.textContent.includes('</s>')]"), [0, True], "Escape, first")
    page.press("Escape")
    equal(page.value("document.activeElement.id"), "text", "Escape, second")
    # a finger, on a narrow window
    page.show(SENTENCE, width=390, height=844)
    with page.finger():
        page.tap(score)
    page.wait(f"{MEANING}.length === 1")
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width of the page")
    check(page.value(f"{MEANING}[0].getBoundingClientRect().right <= 390"), "an explanation outside")
    # in the list of candidates
    with page.finger():
        page.tap(f"{TARGET}[1]")
        page.wait("document.querySelector('.candidates')")
    places = [page.value(f"{element}.getBoundingClientRect().toJSON()") for element in
              ("document.querySelector('.candidates')", f"{TARGET}[1]", "document.querySelector('.said')", f"{SOURCE}[0]")]
    check(places[0]["top"] >= max(place["bottom"] for place in places[1:]), f"the list covers what is said: {places}")
    check(places[3]["top"] >= 0 and "is read from" in page.value(SAID), f"the sentence and what is said: {page.value(SAID)}")
    page.press("Shift+Tab")
    page.wait(f"{MEANING}.length === 1 && {MEANING}[0].id === 'means-probability'")
    page.press("ArrowDown", "Escape", "Escape")
    page.wait("!document.querySelector('.candidates')")
    page.show("It rained.", "&model=back", width=1280, height=800)
    check_terms(page, ["alpha", "end", "head", "hypothesis", "layer", "piece", "probability", "score"])
    page.clean("explanations")


# ---- probabilities ---------------------------------------------------------------------------------------------------

BARS = "[...document.querySelectorAll('.translated .piece')].map((one) => Number(one.style.getPropertyValue('--likely')))"


def check_probabilities(page):
    """A bar below each translated word has the probability of its pieces."""
    page.show(SENTENCE, width=1280, height=800)
    image = f"getComputedStyle({TARGET}[0]).backgroundImage"
    equal(page.value(image), "none", "a bar that nobody wants")
    pieces = json.loads(page.bodies()[-1])
    equal(pieces["candidates"], 8, "candidates")
    answer = page.value("""(async () => { const [model] = await translator.models();
        const nothing = () => {}, signal = new AbortController().signal;
        return new Promise((done) => translator.translate({ text: %r, model, alternatives: 0, candidates: 8 },
            { onSource: nothing, onSettled: nothing, onSentence: done, signal })); })()""" % SENTENCE)
    chances = [next(one["probability"] for one in places if one["piece"] == piece)
               for piece, places in zip(answer["pieces"], answer["candidates"])]
    page.value(f"{TARGET}[1].focus()")
    page.press("p")
    equal(page.value("[$('likely').ariaPressed, location.hash.includes('probabilities=shown')]"), ["true", True], "the button")
    check(all(abs(x - y) < 1e-6 for x, y in zip(page.value(BARS), chances)) and len(chances) == len(page.value(BARS)), "bars")
    check(page.value(image).startswith("linear-gradient"), "no bar")
    said = page.value(SAID)
    words = re.match(r'probability <?([0-9.]+)% · "', said)
    check(words, f"the probability in words: {said}")
    shown = float(words.group(1))
    check(abs(shown - 100 * chances[1]) <= 0.5, f"{shown}% for {chances[1]}")
    found = page.value("""(() => { const place = (piece, probability) => [{ piece: "other", probability: 0.1 }, { piece, probability }];
        const result = { pieces: ["▁no", "t", "▁rare", "</s>"],
            candidates: [place("▁no", 0.5), place("t", 0.5), place("x", 0.1), place("</s>", 0.75)] };
        return [false, true].map((byWord) => shownOf({ pieces: ["▁a", "</s>"], unknown: [], result }, byWord).likelihood); })()""")
    equal(found, [[0.5, 0.5, None, 0.75], [0.25, None, 0.75]], "products of pieces; what no candidate says")
    page.show(SENTENCE, "&probabilities=shown", width=390, height=844)
    check(page.value(image).startswith("linear-gradient"), "a link")
    page.click("document.querySelectorAll('.best li button')[2]")
    page.wait("document.querySelectorAll('.best li button')[2].getAttribute('aria-current')")
    bars = page.value(BARS)
    check(0 < max(bars) <= 1 and min(bars) >= 0 and bars != chances, f"bars of another hypothesis: {bars}")
    page.clean("probabilities")


# ---- for teachers ----------------------------------------------------------------------------------------------------


def check_projector(page, translation):
    """Large, without </s> and without the controls; the legend says that rows are not complete."""
    page.show(SENTENCE, width=1024, height=768)
    size = "[...document.querySelectorAll('.line, .matrix th')].map((one) => parseFloat(getComputedStyle(one).fontSize))"
    small, rows = page.value(size), page.value(f"({NUMBERS})(document.querySelector('.matrix'))")
    page.click("$('projector')")
    equal(page.value(f"({NUMBERS})(document.querySelector('.matrix'))"), [row[:-1] for row in rows[:-1]], "without </s>")
    equal(page.value("[...document.querySelectorAll('.line')].some((line) => line.textContent.includes('</s>'))"), False, "lines")
    equal(page.sentence(), translation, "the sentence")
    large = page.value(size)
    check(large[0] > small[0] and large[-1] >= small[-1], f"sizes: {small[0]} {small[-1]}, {large[0]} {large[-1]}")
    equal(page.value(f"{CONTROLS}.map((one) => one.id)"), ["projector"], "controls for an audience")
    check("rows may add up to less than 100%" in page.value("document.querySelector('.legend').textContent"), "the legend")
    check("mode=projector" in page.value("location.hash"), "the address")
    for width, height in ((1024, 768), (390, 844), (512, 384)):
        page.show(SENTENCE, "&mode=projector&level=word", width=width, height=height)
        equal(page.value("[document.documentElement.scrollWidth, $('projector').ariaPressed]"), [width, "true"], "the width")
    page.value(f"{TARGET}[0].focus()")
    page.press("Escape")
    equal(page.value("[$('projector').ariaPressed, $('text').checkVisibility(), location.hash.includes('mode=')]"),
          ["false", True, False], "Escape leaves")
    page.value("document.activeElement.blur(), $('projector').click()")
    page.press("Escape")
    equal(page.value("$('projector').ariaPressed"), "false", "Escape without a focus")
    page.clean("projector")


def check_question(page):
    """A link with a question hides the alignment until its reader has chosen a source word."""
    page.show(SENTENCE, width=1280, height=800)
    page.value("$('teachers').open = true, $('question').focus()")
    page.send("Input.insertText", text="where is <b>pants</b> & " + "w" * 300)
    link = page.copied("$('link')")
    asked = ("where is <b>pants</b> & " + "w" * 300)[:200]
    frame = "document.querySelector('.panel:not([hidden]) .frame').checkVisibility()"
    for address in (link, link + "z" * 50, link + "&step=2"):
        page.open(address, width=1280, height=800)
        page.wait(DONE)
        equal(page.value("[$('asked').textContent, $('asked').childElementCount]"), [asked, 0], "the question")
        page.point(f"{TARGET}[1]")
        equal(page.value(f"[{frame}, {STEP}.checkVisibility(), {LIT % '.line'}.some((weight) => weight > 0)]"), [False] * 3,
              "before the answer")
    copies = "['svg', 'png', 'pharaoh', 'json', 'text'].map((name) => document.querySelector(`[data-format=${name}]`).disabled)"
    equal(page.value(copies), [True] * 4 + [False], "what can be copied before the answer")
    page.click(f"{SOURCE}[1]")
    equal(page.value(f"[{frame}, ...{copies}]"), [True] + [False] * 5, "after the answer")
    check('"水" is read for' in page.value(SAID), f"what is said: {page.value(SAID)}")
    page.open(link + "&piece=3", width=1280, height=800)
    page.wait(DONE)
    page.click(f"{SOURCE}[1]")
    said = f'You chose "水". "{page.value(f"{TARGET}[2].firstChild.data")}" is read from '
    check(page.value(SAID).startswith(said), f"an answer about a word: {page.value(SAID)}, not {said}")
    page.open(link + "&piece=3", width=390, height=844)
    page.wait(DONE)
    with page.finger():
        page.tap(f"{SOURCE}[1]")
        page.wait(f"{SAID}.startsWith('You chose')")
        page.point("document.querySelector('h1')")  # as a browser does after a tap, if it knows where the mouse was
        check(page.value(SAID).startswith(said), f"an answer by a finger: {page.value(SAID)}, not {said}")
    page.open(link, width=1280, height=800)
    page.wait(DONE)
    page.value(f"{SOURCE}[0].focus()")
    page.press("ArrowRight")
    equal(page.value(frame), False, "keys that only move")
    page.press("Enter")
    equal(page.value(f"[{frame}, {SAID}.startsWith('\"水\" is read for')]"), [True, True], "Enter answers")
    page.value("$('question').focus(), $('question').select()")
    page.press("Delete")
    equal(page.value("[$('asked').hidden, location.hash.includes('ask='), " + frame + "]"), [True, False, True], "no question")
    page.open(f"{page.url}#ask=why%3F&mode=projector", width=1024, height=768)
    page.wait(DONE)
    equal(page.value(f"[{frame}, document.querySelector('.lesson').checkVisibility()]"), [False, False], "a question at an example")
    page.clean("question")


# ---- what else the page does -----------------------------------------------------------------------------------------


def compare_pictures(page, svg, path):
    """Compares a copied picture with a file of `tide translate --heatmap`: sentences, labels, colours and numbers of the cells,
    legend. Returns the parts of the first."""
    with open(path, encoding="utf-8") as file:
        drawn = file.read()
    read = """((svg) => {
        const found = new DOMParser().parseFromString(svg, "image/svg+xml"), all = (what) => [...found.querySelectorAll(what)];
        const bytes = (fill) => fill.match(/[0-9a-f]{2}/g).map((byte) => parseInt(byte, 16));
        const cells = all("g > rect:has(title)");
        return { title: all("svg > text").map((line) => [line.textContent, line.getAttribute("font-size")]),
                 cells: cells.map((cell) => cell.textContent), colours: cells.map((cell) => bytes(cell.getAttribute("fill"))),
                 numbers: all("g text").filter((t) => /^[0-9]+$/.test(t.textContent))
                     .map((t) => [t.textContent, t.getAttribute("fill")]),
                 legend: all("g text").map((t) => t.textContent).filter((t) => /%$|weight|权重/.test(t)).sort() }; })"""
    ours, theirs = (page.value(f"{read}({json.dumps(one)})") for one in (svg, drawn))
    for part in ("title", "cells", "numbers", "legend"):
        equal(ours[part], theirs[part], f"{part} of the copied picture and of --heatmap")
    check(len(ours["numbers"]) > 10 and len(ours["colours"]) == len(theirs["colours"]), "cells of the pictures")
    compare_colours(ours["colours"], theirs["colours"], path)
    return ours


def compare_colours(ours, theirs, name):
    apart = max(abs(x - y) for a, b in zip(ours, theirs) for x, y in zip(a, b))
    check(apart <= 1, f"colours of the copied picture and of {name}: {apart} apart")


def check_picture(page, svg):
    """The copied picture shows what the page shows, also on paper, and what --heatmap draws."""
    ours = compare_pictures(page, svg, os.environ["HEATMAP"] + "/0001.svg")
    colours = """[...document.querySelectorAll(".matrix td:not(.corner)")].map((cell) => {
        const pixel = document.createElement("canvas").getContext("2d");
        pixel.fillStyle = getComputedStyle(cell).backgroundColor;
        pixel.fillRect(0, 0, 1, 1);
        return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3); })"""
    shown = page.value(colours)
    title = page.value("[...document.querySelectorAll('.line')].map((line) => line.textContent.replace(/[0-9]|\\s|<.s>/g, ''))")
    equal(title, [line.replace(" ", "") for line, _ in ours["title"]], "the sentences of the page")
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    page.send("Emulation.setEmulatedMedia", media="print", features=[dark])
    printed = page.value(colours)
    check(page.value("[...document.querySelectorAll('.line, .matrix')].every((one) => one.checkVisibility())"), "what is printed")
    page.send("Emulation.setEmulatedMedia", media="", features=[])
    for name, others in (("the page", shown), ("print", printed)):
        compare_colours(ours["colours"], others, name)
    numbers = page.value("""[...document.querySelectorAll(".matrix td:not(.corner, .faint)")].map((cell) => cell.textContent)
        .filter(Boolean)""")
    equal([number for number, _ in ours["numbers"]], numbers, "the numbers of the page")


def check_copying(page, translation, links):
    page.show(SENTENCE, width=1280, height=800)
    equal(page.copied("text"), translation, "text")
    equal(page.copied("pharaoh"), links + "\n", "Pharaoh")
    check(page.value("JSON.parse(%r).matrix.every((row) => Math.abs(row.reduce((a, b) => a + b) - 1) < 0.01)"
                     % page.copied("json").strip()), "JSON")
    check_picture(page, page.copied("svg"))
    link = page.copied("$('link')")
    page.open(link, width=1280, height=800)
    page.wait(DONE)
    equal(page.sentence(), translation, "the link")
    page.clean("copying")


def check_png(page):
    """A picture is copied as PNG of twice the size; where a page may not copy pictures, it is saved as a file."""
    page.show(SENTENCE, width=1280, height=800)
    page.value("""window.got = {}, Object.defineProperty(navigator, "clipboard", { configurable: true, value: {
        writeText: async (svg) => { window.got.svg = svg; },
        write: async ([item]) => { const image = new Image(), blob = await item.getType("image/png");
            image.src = await new Promise((done) => { const reader = new FileReader();
                reader.onload = () => done(reader.result), reader.readAsDataURL(blob); });
            await image.decode();
            const canvas = make("canvas", { width: image.width, height: image.height }), pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            const colours = new Set(new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer));
            window.got.png = [image.width, image.height, colours.size]; } } })""")
    for name in ("svg", "png"):
        page.value(f"document.querySelector('[data-format={name}]').click()")
        page.wait(f"window.got.{name}")
    width, height = (int(re.search(rf'{side}="(\d+)"', page.value("got.svg")).group(1)) for side in ("width", "height"))
    png = page.value("got.png")
    equal(png[:2], [2 * width, 2 * height], "the size of the PNG")
    check(png[2] > 50, f"{png[2]} colours in the PNG")
    page.wait("document.querySelector('.copying [role=status]').textContent === 'copied'")
    page.value("""delete navigator.clipboard, Object.defineProperty(navigator, "clipboard", { value: undefined }),
        HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.protocol]; }""")
    page.value("document.querySelector('[data-format=png]').click()")
    page.wait("window.saved")
    equal(page.value("saved"), ["alignment.png", "blob:"], "the saved picture")
    page.wait("document.querySelector('.copying [role=status]').textContent.startsWith('saved as alignment.png')")
    page.clean("png")


FIGURES = "[...document.querySelectorAll('.panel:not([hidden]) .multiples figure')]"
FULL = f"{FIGURES}.length && {DONE} && !document.querySelector('.multiples .waiting')"
NUMBERS = """(frame) => [...frame.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('td')]
    .map((cell) => Number(cell.textContent.replace('−', '-'))))"""


MENU = "document.querySelector('.panel:not([hidden]) .view')"


def check_all_heads(page):
    """The matrices of all heads and layers beside each other."""
    alone = []
    for layer in (1, 2):
        for head in (1, 2):
            page.show("It rained.", f"&model=back&layer={layer}&head={head}", width=1280, height=800)
            alone.append(page.value(f"({NUMBERS})(document.querySelector('.frame > .matrix'))"))
    page.show("It rained.", "&model=back&view=heads")
    page.wait(FULL)
    asked = [json.loads(body) for body in page.bodies()[-4:]]
    equal([(one["alternatives"], one["candidates"]) for one in asked], [(0, 0)] * 4, "what is asked for weights only")
    names = [f"Layer {layer} · Head {head}" for layer in (1, 2) for head in (1, 2)]
    equal(page.value(f"{FIGURES}.map((one) => one.querySelector('figcaption').textContent)"), names, "captions of heads")
    equal(page.value(f"{FIGURES}.map({NUMBERS})"), alone, "heads as small multiples and alone")
    check(len({str(matrix) for matrix in alone}) == 4, "the heads differ")
    check(page.value("document.querySelector('.frame > .matrix').hidden"), "one matrix besides")
    page.point("document.querySelector('.translated .piece')")
    equal(page.value(f"{FIGURES}.filter((one) => one.querySelector('th.pointed')).length"), 4, "a word in all matrices")
    svg = page.copied("svg")
    equal([svg.count(f">{name}</text>") for name in names], [1] * 4, "captions of the copied picture")
    page.click(f"{FIGURES}[2].querySelector('button')")
    page.wait(f"!{FIGURES}.some((one) => one.checkVisibility()) && {DONE}")
    equal(page.value("[...document.querySelectorAll('.panel:not([hidden]) .frame select')].map((one) => one.value)"),
          ["one", "2", "1"], "a click shows one head alone")
    equal(page.value(f"({NUMBERS})(document.querySelector('.frame > .matrix'))"), alone[2], "the head alone")
    page.show("He left. It rained yesterday and I did not go to the beach.", "&model=back&view=heads")
    page.wait(FULL)
    page.point(f"{SOURCE}[{SOURCE}.length - 1]")  # a column that the first sentence does not have
    page.value("translator.translate = (_, { signal }) => { window.signal = signal; return new Promise(() => {}); }")
    for view in ("hypotheses", "heads", "one"):
        page.value(f"{MENU}.value = '{view}', {MENU}.dispatchEvent(new Event('change'))")
    equal(page.value("signal.aborted"), True, "a search for heads that nobody wants")
    page.clean("all heads")


def check_all_hypotheses(page):
    room = "document.querySelector('.frame > .matrix').style.getPropertyValue('--above')"
    page.show(SENTENCE, width=1280, height=800)
    found = page.value(room)
    page.show(SENTENCE, "&view=hypotheses", width=1280, height=800)
    page.wait(FULL)
    page.value(f"{MENU}.value = 'one', {MENU}.dispatchEvent(new Event('change'))")
    equal(page.value(room), found, "the room for a matrix after small multiples")
    page.value(f"{MENU}.value = 'hypotheses', {MENU}.dispatchEvent(new Event('change'))")
    page.wait(FULL)
    captions = page.value(f"{FIGURES}.map((one) => one.querySelector('figcaption').textContent)")
    scores = page.value("[...document.querySelectorAll('.best small')].map((one) => one.textContent)")
    equal(captions, [f"{k + 1} · score {score}" for k, score in enumerate(scores)], "captions of hypotheses")
    shown = page.value(f"{FIGURES}.map({NUMBERS})")
    equal(page.pdf(os.devnull), 2, "printed pages of small multiples")
    page.click(f"{FIGURES}[1].querySelector('button')")
    page.wait("document.querySelectorAll('.best button')[1].getAttribute('aria-current')")
    equal(page.value(f"({NUMBERS})(document.querySelector('.frame > .matrix'))"), shown[1], "the hypothesis alone")
    check(shown[0] != shown[1], "two hypotheses have the same matrix")
    page.clean("all hypotheses")


def refuse(page, path):
    """Lets the server refuse one request to this path, because it is busy."""
    page.value(f"window.real ??= fetch, window.refused = '{path}'")
    page.value("""window.fetch = (path, options) => { if (path !== refused) return real(path, options);
        window.refused = null;
        return Promise.resolve(new Response("{}", { status: 429, headers: { "Retry-After": 0.2 } })); }""")


def check_difference(page):
    page.show(SENTENCE, "&model=run&beside=other", width=1280, height=800)
    refuse(page, "v1/align")
    page.value(f"{MENU}.value = 'difference', {MENU}.dispatchEvent(new Event('change'))")
    page.wait(FULL)
    equal(page.value("refused"), None, "a busy server")
    page.show(SENTENCE, "&model=run&beside=other&view=difference", width=1280, height=800)
    page.wait(FULL)
    a, b, c = page.value(f"{FIGURES}.map({NUMBERS})")
    check(all(abs(x - y - z) <= 1 for rows in zip(a, b, c, strict=True) for x, y, z in zip(*rows, strict=True)),
          "the difference is one")
    less = page.value(f"[...{FIGURES}[2].querySelectorAll('td.less')].filter((cell) => cell.textContent).length")
    equal(less, sum(number < 0 for row in c for number in row), "negative cells")
    check(less, "no negative cells")
    signed = page.value(f"[...{FIGURES}[2].querySelectorAll('td')].map((cell) => cell.textContent).filter(Boolean)")
    equal([text for text in signed if text[0] not in "+−"], [], "differences without a sign")
    row = f"{FIGURES}[2].querySelectorAll('tbody tr')[1]"
    page.point(f"{row}.firstChild")
    heads = page.value(f"""[[...{FIGURES}[2].querySelectorAll("thead th")], [...{row}.querySelectorAll("td")]]
        .map((side) => side.map((one) => [one.classList.contains("less"), one.style.getPropertyValue("--weight")]))""")
    equal(heads[0], heads[1], "colours of the heads of a row")
    equal(page.value("document.querySelector('.legend').textContent"), "−100%100%", "the legend of a difference")
    page.value("""$("model").value = "back", $("model").dispatchEvent(new Event("change"))""")
    page.wait(f"{DONE} && document.querySelector('.view').value === 'one'")
    page.clean("difference")


CURVES = "[...document.querySelectorAll('%s .curves:not([hidden])')].filter((one) => one.checkVisibility())"
WIDTHS = """(drawing) => Object.fromEntries([...drawing.querySelectorAll("path")].map((curve) =>
    [`${curve.dataset.row} ${curve.dataset.column}`, parseFloat(getComputedStyle(curve).strokeWidth) / 10]))"""
# of the visible cells of a matrix, by row and column
SHOWN = """(matrix) => Object.fromEntries([...matrix.querySelectorAll("tbody tr")].flatMap((row, i) =>
    [...row.querySelectorAll("td")].map((cell, j) => [cell, `${i} ${j}`]))
    .filter(([cell]) => !cell.classList.contains("faint"))
    .map(([cell, place]) => [place, Number(cell.style.getPropertyValue("--weight"))]))"""
BRIGHT = f"""[...{CURVES % ''}[0].querySelectorAll("path")].filter((curve) => getComputedStyle(curve).opacity === "1")
    .map((curve) => `${{curve.dataset.row}} ${{curve.dataset.column}}`)"""


def equal_curves(page, within="", name="curves"):
    """The curves of each drawing have the weights of the matrix below it. Returns the weights."""
    drawn = page.value(f"{CURVES % within}.map({WIDTHS})")
    shown = page.value(f"{CURVES % within}.map((one) => one.nextElementSibling).map({SHOWN})")
    check(drawn, f"no {name}")
    for curves, weights in zip(drawn, shown, strict=True):
        equal(sorted(curves), sorted(weights), name)
        apart = max(abs(curves[place] - weights[place]) for place in curves)
        check(apart < 1e-4, f"thickness of {name}: {apart} apart")
    return drawn


def check_curves(page):
    """Curves between the words of both sentences are as many and as thick as the matrix says."""
    page.show(SENTENCE, width=1280, height=800)
    equal(page.value(f"{CURVES % ''}.length"), 0, "curves that nobody wants")
    page.value(f"{TARGET}[1].focus()")
    page.press("c")
    equal(page.value("[$('curves').ariaPressed, location.hash.includes('curves=shown')]"), ["true", True], "the switch")
    [weights] = equal_curves(page)
    words = page.value(f"[...{CURVES % ''}[0].querySelectorAll('text')].map((one) => one.textContent)")
    shown = page.value("[...document.querySelectorAll('.line .piece')].map((one) => one.firstChild.data)")
    equal(words, shown, "words of curves")
    of_row = [place for place in weights if place.startswith("1 ")]
    equal(page.value(BRIGHT), of_row, "curves of the word at the focus")
    page.point(f"{CURVES % ''}[0].querySelectorAll('g')[4]")
    equal(page.value(BRIGHT), [place for place in weights if place.endswith(" 4")], "curves of a source word")
    equal(page.classes("pointed", ".matrix"), [words[4]], "the column of the matrix")
    page.point(CELL % (3, 0))
    equal(page.value(BRIGHT), [place for place in weights if place == "3 0"], "the curve of a cell")
    page.point("document.querySelector('h1')")
    equal(page.value(BRIGHT), of_row, "the focus again")
    link = page.copied("$('link')")
    for fields in ("&scale=row", "&level=word", "&mode=projector", ""):
        page.open(link + fields, width=1280, height=800)
        page.wait(f"{DONE} && {CURVES % ''}.length")
        equal_curves(page, name="curves with " + fields)
        equal(page.value(f"{CURVES % ''}[0].querySelectorAll('text').length"),
              page.value("document.querySelectorAll('.line .piece').length"), "words of curves with " + fields)
    equal(page.pdf(os.devnull), 1, "printed pages with curves")
    named = [node["name"]["value"] for node in page.send("Accessibility.getFullAXTree")["nodes"]
             if node.get("role", {}).get("value") in ("image", "img")]
    equal(named, [f"alignment of {SENTENCE.replace('，', ',')}, as curves"], "what is announced")
    # a long sentence scrolls in its drawing, to the word at the focus
    page.show("我们去海边，" * 12, "&curves=shown", width=390, height=800)
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width of the page")
    check(page.value(f"{CURVES % ''}[0].scrollWidth > 390"), "the drawing does not scroll")
    page.value(f"{SOURCE}[70].focus()")
    check(page.value(f"""(() => {{ const drawing = {CURVES % ''}[0], box = drawing.getBoundingClientRect();
        const word = drawing.querySelector(".pointed").getBoundingClientRect();
        return drawing.scrollLeft > 0 && word.left >= box.left - 1 && word.right <= box.right + 1; }})()"""),
          "the word is not in view")
    page.clean("curves")


def check_more_curves(page):
    """Small multiples have curves, too; those of negative differences have a colour of their own."""
    page.show("It rained.", "&model=back&view=heads&curves=shown", width=1280, height=800)
    page.wait(FULL)
    check(len({str(one) for one in equal_curves(page, ".multiples", "curves of heads")}) == 4, "the heads differ")
    page.show(SENTENCE, "&model=run&beside=other&view=difference&curves=shown", width=1280, height=800)
    page.wait(FULL)
    equal_curves(page, ".multiples", "curves of a difference")
    less = f"[...{FIGURES}[2].querySelectorAll('%s')].map((one) => getComputedStyle(one).%s)"
    equal(set(page.value(less % ("path.less", "stroke"))), {"rgb(130, 45, 8)"}, "curves of negative weights")
    equal(page.value(f"{FIGURES}[2].querySelectorAll('path.less').length"),
          page.value(f"{FIGURES}[2].querySelectorAll('td.less:not(.faint)').length"), "negative curves")
    page.clean("more curves")


RUBIES = """[...document.querySelectorAll('.panel:not([hidden]) %s ruby')].map((ruby) =>
    [ruby.firstChild.data, ruby.querySelector('rt').textContent])"""


def check_pinyin(page):
    """Readings of the dictionary above the characters of Chinese sentences, source or translation."""
    page.show(SENTENCE, width=1280, height=800)
    equal(page.value(f"{RUBIES % ''}"), [], "pinyin that nobody wants")
    page.value(f"{SOURCE}[1].focus()")
    page.press("y")
    page.wait(f"{RUBIES % ''}.length")
    expected = [["潮", "cháo"], ["水", "shuǐ"], ["了", "liǎo/le"], ["知", "zhī"], ["道", "dao"]]
    equal(page.value(RUBIES % ".line:not(.translated)"), expected, "readings of the source")
    equal(page.value("[$('pinyin').ariaPressed, location.hash.includes('pinyin=shown')]"), ["true", True], "the switch")
    page.point(f"{TARGET}[2]")
    check(sum(page.value(LIT % ".line:not(.translated)")) > 0.9, "words with pinyin are lit")
    page.show(SENTENCE, "&pinyin=shown", width=390, height=800)
    page.wait(f"{RUBIES % ''}.length")
    equal(page.value(RUBIES % ".line:not(.translated)"), expected, "a link with pinyin")
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width with pinyin")
    page.show("It rained.", "&model=back&pinyin=shown", width=1280, height=800)
    page.click("document.querySelectorAll('.best li button')[1]")
    page.wait(f"{RUBIES % '.translated'}.length")
    known = dict(expected)
    check(all(known.get(one, found) == found for one, found in page.value(RUBIES % ".translated")), "a translation")
    equal(page.value(RUBIES % ".line:not(.translated)"), [], "pinyin of English")
    page.clean("pinyin")


STEP = "document.querySelector('.panel:not([hidden]) .step')"
ALPHA = f"[...{STEP}.querySelectorAll('.quantity:has(table thead)')][0].querySelectorAll('tbody tr')"
ALPHAS = f"[...{ALPHA}].map((row) => row.lastChild.textContent)"
ROW = ("[...document.querySelectorAll('.frame > .matrix tbody tr')[%d].querySelectorAll('td')]"
       ".map((td) => `${td.textContent || 0}%%`)")


def check_step(page):
    """A step, opened: its weights are those of the matrix, and its word is the one that was written."""
    opened = f"{STEP}.querySelectorAll('.quantity').length > 3"
    title = f"{STEP}.querySelector('h3').textContent"
    page.show(SENTENCE, width=1280, height=900)
    page.value(f"{TARGET}[2].focus()")
    page.press("e")
    page.wait(opened)
    top = page.value(f"{STEP}.getBoundingClientRect().top")
    check(-1 < top <= 450, f"an opened step can be seen: {top}")
    word = page.value(f"{TARGET}[2].firstChild.data")
    equal(page.value(title), f'Step 3: how "{word}" was chosen', "the opened step")
    equal(page.value(ALPHAS), page.value(ROW % 2), "weights of the step and of the matrix")
    equal(page.value(f"{STEP}.querySelector('tr[aria-current] th').textContent"), word, "the piece that was written")
    equal(page.value(f"{STEP}.querySelector('.value').textContent"), page.value(f"{TARGET}[1].firstChild.data"), "the piece before")
    strips = page.value(f"[...{STEP}.querySelectorAll('.strip')].map((strip) => strip.ariaLabel)")
    check(len(strips) >= 6 and all(re.match(r"\d+ numbers from −?\d", strip) for strip in strips), f"vectors: {strips}")
    page.click(f"{STEP}.querySelector('[title=\"the next piece\"]')")
    page.wait(f"{title}.startsWith('Step 4')")
    equal(page.value(ALPHAS), page.value(ROW % 3), "weights of the next step")
    check("step=4" in page.value("location.hash"), "the address of a step")
    rows = "[...document.querySelectorAll('.panel:not([hidden]) .matrix tbody th')].map((row) => row.matches('.pointed'))"
    equal(page.value(f"{rows}.indexOf(true)"), 3, "the row of the step")
    names = f"[...{STEP}.querySelectorAll('h4')].map((one) => one.textContent)"
    reads_first = "s′i" in page.value(names)
    for sentence in ("the query, with which the attention", "with the query s′ᵢ and", "computed from s′ᵢ and cᵢ"):
        equal(sentence in page.value(f"{STEP}.textContent"), reads_first, f"a decoder that reads before the attention: {sentence}")
    page.value(f"{TARGET}[0].focus()")
    page.wait(f"{title}.startsWith('Step 1:')")
    equal(page.value(f"{STEP}.querySelector('.value').textContent"), "<s>", "before the first piece")
    check(page.pdf(os.devnull) <= 2, "printed pages with a step")
    page.show(SENTENCE, width=1280, height=900)
    page.click("document.querySelectorAll('.panel:not([hidden]) .matrix tbody th')[3]")
    page.click(f"{STEP}.querySelector('button')")
    page.wait(f"{opened} && {title}.startsWith('Step 4')")  # of the row that was chosen, though the button has the focus
    equal(page.value("largestOf([3, -4], new Array(3e5).fill(2))"), 4, "the largest of many numbers")
    page.show(SENTENCE, "&step=4", width=390, height=800)
    page.wait(f"{opened} && {title}.startsWith('Step 4')")
    check(-1 < page.value(f"{STEP}.getBoundingClientRect().top") <= 400, "the step of an address can be seen")
    equal(page.value(f"{rows}.indexOf(true)"), 3, "the row of the step of an address")
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width of a step")
    page.value("translator.explain = ((explain) => async (...given) => { const found = await explain(...given), { numbers } = found;"
               "numbers.attention.beta = numbers.attention.alpha[0].map((_, j) => (j ? 0.1 : 3));"
               "numbers.attention.e = [numbers.attention.alpha[0].map((_, j) => (j ? 1 : -10))]; return found; })(translator.explain)")
    page.click(f"{STEP}.querySelector('[title=\"the next piece\"]')")
    page.wait(f"{STEP}.querySelectorAll('thead th').length === 4")
    heights = page.value(f"[...{STEP}.querySelector('.quantity:has(th:nth-child(4)) tbody').rows].map((row) => row.offsetHeight)")
    check(max(heights) < 1.5 * min(heights), f"heights of rows with coverage: {heights}")
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width with coverage")
    shares = page.value(f"[...{STEP}.lastChild.querySelectorAll('.quantity:last-child td')].map((cell) => cell.textContent)")
    check(len(shares) > 8 and not any(re.fullmatch("[0-9]%", share) for share in shares), f"small probabilities: {shares}")
    files = page.value(f"[...{STEP}.querySelectorAll('small')].map((one) => one.textContent.split('/').at(-1))")
    equal(files, [f"{name}.c." for name in ("state", "attention_additive", "attention", "state", "readout")], "files")
    page.clean("step")


def check_zoom(page):
    """In a window of 1280 x 800 pixels with a zoom of 200 %, nothing is cut or scrolls inside the page but what is wide."""
    page.show(SENTENCE, "&step=3&tree=open&probabilities=shown", width=640, height=400, scale=2)
    page.wait(f"{STEP}.querySelectorAll('.quantity').length > 3 && {NODES}.length > 20")
    equal(page.value("document.documentElement.scrollWidth"), 640, "the width of the page")
    high = page.value("[...document.querySelectorAll('.panel:not([hidden]) :is(.matrix, .branches, .quantity)')]"
                      ".filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.className)")
    equal(high, [], "what scrolls in the page")
    cut = page.value("""[...document.querySelectorAll('.panel:not([hidden]) .quantity')].filter((one) =>
        one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.slice(0, 40))""")
    equal(cut, [], "quantities that are cut")
    small = page.value("""[...document.querySelectorAll('button, p, td, th, h3, h4')].filter((one) => one.checkVisibility() &&
        one.textContent && !one.closest('.matrix') && parseFloat(getComputedStyle(one).fontSize) < 11)
        .map((one) => one.textContent)""")
    equal(small, [], "letters that are too small")
    page.clean("zoom")


def check_step_requests(page):
    """A click is one request; an answer about the sentence before is not drawn."""
    explained = "requests to explain"
    page.show(SENTENCE + "他走了。", "&step=4", width=1280, height=900)
    page.wait(f"{STEP}.querySelectorAll('.quantity').length > 3")
    page.requests.clear()
    page.click("document.querySelectorAll('.pair')[1].querySelectorAll('.translated .piece')[1]")
    page.wait(f"{STEP}.querySelector('h3').textContent.startsWith('Step 2')")
    equal(len([one for one in page.requests if one["url"].endswith("/v1/explain")]), 1, explained)
    refuse(page, "v1/explain")
    page.click(f"{STEP}.querySelector('[title=\"the next piece\"]')")
    page.wait(f"{STEP}.querySelector('h3').textContent.startsWith('Step 3')")
    equal(page.value("[refused, document.querySelector('.problem').textContent]"), [None, ""], "after a busy server")
    page.show(SENTENCE, "&step=4", width=1280, height=900)
    page.wait(f"{STEP}.querySelectorAll('.quantity').length > 3")
    page.value("""window.asked = [], translator.explain = ((explain) => (step, signal) =>
        new Promise((done) => asked.push({ signal, go: async () => done(await explain(step)) })))(translator.explain)""")
    page.click(f"{STEP}.querySelector('[title=\"the next piece\"]')")
    page.value("""translator.translate = ((translate) => (request, on) => translate(request, { ...on, onSettled() {},
        onSentence: (found) => (window.go = () => on.onSentence(found)) }))(translator.translate)""")
    before = page.value(f"{STEP}.querySelector('h3').textContent")
    page.value("$('text').select()")
    page.send("Input.insertText", text="他走了。")
    page.wait("window.go && document.querySelector('.running')")
    page.value("asked[0].go()")
    equal(page.value(f"{STEP}.querySelector('h3').textContent"), before, "an answer about the sentence before")
    page.value("go()")
    page.wait(f"{DONE} && asked.length === 2")
    equal(page.value("asked.map(({ signal }) => signal.aborted)"), [True, False], explained)
    page.value("asked[1].go()")
    page.wait(f"{STEP}.querySelector('h3').textContent !== {before!r}")
    page.clean("requests for steps")


def check_step_of_heads(page):
    def choose(menu, value):
        page.value(f"""(() => {{ const menu = {STEP}.querySelectorAll('select')[{menu}];
            menu.value = '{value}', menu.dispatchEvent(new Event('change')); }})()""")

    page.show("It rained.", "&model=back&layer=2&head=1&step=1", width=1280, height=900)
    page.wait(f"{STEP}.querySelectorAll('.quantity').length > 3")
    names = page.value(f"[...{STEP}.querySelectorAll('select')[0].options].map((one) => one.textContent)")
    equal(names, ["layer 1: translation", "layer 1: source", "layer 2: translation", "layer 2: source"], "attentions of layers")
    files = page.value(f"[...{STEP}.querySelectorAll('small')].map((one) => one.textContent.split('/').at(-1))")
    equal(files, [f"{name}.c." for name in ("multi_head", "multi_head", "transformer", "transformer")], "files")
    first = page.value(ALPHAS)
    equal(first, page.value(ROW % 0), "weights of a head in a step")
    choose(1, 1)
    check(page.value(ALPHAS) != first, "another head has other weights")
    choose(0, "decoder.1.self")
    equal(page.value(f"[...{ALPHA}].map((row) => [row.firstChild.textContent, row.lastChild.textContent])"), [["<s>", "100%"]],
          "the first step attends to the start only")
    page.clean("step of heads")


TREE = "document.querySelector('.panel:not([hidden]) .tree')"
NODES = f"[...{TREE}.querySelectorAll('.branches button')]"


def check_tree(page):
    """The tree of the search: its marked path is the translation; a click on a candidate forces the pieces up to it."""
    path = f"{NODES}.filter((node) => node.ariaCurrent).map((node) => node.firstChild.textContent.replace('‐', ''))"
    written = f"[...{TARGET}].map((piece) => piece.firstChild.data.trim().replace('</s>', 'end of sentence'))"
    told = f"{TREE}.querySelector('.told').textContent"
    page.show(SENTENCE, width=1280, height=900)
    page.value(f"{TARGET}[2].focus()")
    page.press("t")
    page.wait(f"{NODES}.length > 20")
    check(-1 < page.value(f"{TREE}.getBoundingClientRect().top") <= 450, "an opened tree can be seen")
    equal(page.value(path), page.value(written), "the marked path and the translation")
    scores = sorted(page.value("[...document.querySelectorAll('.best small')].map((one) => one.textContent)"))
    ended = f"{NODES}.filter((node) => node.matches('.ended')).map((node) => node.lastChild.textContent.replace('score ', ''))"
    equal(sorted(page.value(ended)), scores, "scores of the hypotheses that ended")
    equal(page.value(f"{NODES}.filter((node) => !node.matches('.kept, .ended, .pruned')).length"), 0, "candidates of no kind")
    check(page.value(f"{TREE}.querySelectorAll('path.pruned').length") > 5, "pruned branches")
    equal(page.value(f"{NODES}.filter((node) => node.tabIndex === 0).length"), 1, "what Tab reaches")
    page.value(f"{NODES}.find((node) => node.tabIndex === 0).focus()")
    for key, line in (("Right", r"in sum −.*; stays in the beam$"), ("Down", "stays in the beam$"), ("Left", "stays in the beam$"),
                      ("End", r"ends a hypothesis with score −[0-9.]+, the best one$")):
        page.press(key if key == "End" else f"Arrow{key}")
        check(re.search(line, page.value(told)), f"after {key}: {page.value(told)}")
    pointed = f"{NODES}.filter((node) => node.matches('.pointed')).length"
    equal(page.value(pointed), len(page.value(written)), "the way to the piece that has the focus")
    page.press("p", "p", "ArrowLeft")
    equal(page.value(pointed), len(page.value(written)) - 1, "a key after the page was drawn again")
    page.press("t")
    equal(page.value(f"document.activeElement === {TREE}.querySelector('button')"), True, "the focus when a tree is closed")
    page.press("t")
    check("tree=open" in page.value("location.hash"), "the address of a tree")
    check(page.pdf(os.devnull) <= 2, "printed pages with a tree")
    page.point(f"{TREE}.querySelector('.branches button.pruned')")
    check(page.value(told).endswith("; pruned"), f"a pruned candidate: {page.value(told)}")
    way = page.value(f"{NODES}.filter((node) => node.matches('.pointed')).map((node) => node.firstChild.textContent)")
    page.click(f"{TREE}.querySelector('.branches button.pruned')")
    page.wait(f"document.querySelector('.piece.taken') && {NODES}.length && {NODES}[1].offsetLeft > {NODES}[0].offsetLeft")
    check(len(way) > 1, f"a pruned candidate of the first step: {way}")
    forced = page.value(f"{NODES}.slice(0, {len(way)}).map((node) => node.firstChild.textContent)")
    equal(forced, way, "the candidates of the forced steps")
    equal(page.value(path), page.value(written), "the path of a forced translation")
    page.show(SENTENCE, "&tree=open", width=390, height=800)
    page.wait(f"{NODES}.length > 20")
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width of a page with a tree")
    page.show(SENTENCE + "他走了。", "&tree=open", width=1280, height=800)
    page.wait(f"{NODES}.length > 20 && !{TREE}.querySelector('.wide').inert")
    page.value("translator.search = () => new Promise(() => {})")
    page.click("document.querySelectorAll('.pair')[1].querySelector('.translated .piece')")
    page.wait(f"{TREE}.querySelector('.wide').inert")  # a tree of another sentence does not react
    page.clean("tree")


def check_row_scale(page):
    """Colours relative to the largest weight of a row; the numbers stay."""
    page.show(SENTENCE, width=1280, height=800)
    weights = """[...document.querySelectorAll('.matrix tbody tr')].map((row) => [...row.querySelectorAll('td')]
        .map((cell) => Number(cell.style.getPropertyValue('--weight'))))"""
    numbers = page.value(f"({NUMBERS})(document.querySelector('.matrix'))")
    before = page.value(weights)
    page.value("document.querySelector('.translated .piece').focus()")
    page.press("r")
    scaled = page.value(weights)
    check(all(abs(x / max(row) - y) < 1e-6 for row, rescaled in zip(before, scaled) for x, y in zip(row, rescaled)), "scaled")
    equal(page.value(f"({NUMBERS})(document.querySelector('.matrix'))"), numbers, "numbers of scaled rows")
    equal(page.value("$('scale').ariaPressed + document.querySelector('.legend').textContent"), "true0%100% of the row's largest",
          "the legend of scaled rows")
    check("scale=row" in page.value("location.hash"), "the address of scaled rows")
    page.show(SENTENCE, "&scale=row")
    equal(page.value(weights), scaled, "a link to scaled rows")
    compare_pictures(page, page.copied("svg"), os.environ["HEATMAP"] + "-rows/0001.svg")
    page.clean("row scale")


def check_long_picture(page):
    """Long sentences are broken in the title of the copied picture, and nothing is outside it."""
    english = "We do not know who went to the beach, " * 5 + "w" * 90
    for text, fields in (("他们去海边，" * 12, "&model=run"), (english, "&model=back")):
        page.show(text, fields, width=1280, height=800)
        page.copied("svg")
        lines, outside, title = page.value("""(() => { const frame = make("div", {});
            frame.innerHTML = got;
            document.body.append(frame);
            const svg = frame.firstChild, box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
            const outside = (one) => { const { left, right, top, bottom } = one.getBoundingClientRect();
                return left < box.left || right > box.right || top < box.top || bottom > box.bottom; };
            const lines = [...svg.querySelectorAll("svg > text")].filter((line) => line.getAttribute("font-size") === "24");
            const result = [lines.length, texts.filter(outside).length, lines.map((line) => line.textContent).join("")];
            frame.remove();
            return result; })()""")
        check(lines > 1 and not outside, f"{lines} lines of the title, {outside} texts outside")
        equal(title.replace(" ", ""), text.strip().replace(" ", "").replace("，", ","), "the title in lines")
    page.clean("long picture")


def check_models(page):
    """Two models side by side; a model of the other direction."""
    page.show(SENTENCE, "&model=run&beside=other", width=1280, height=800)
    page.wait("[...document.querySelectorAll('.panel')].every((p) => p.querySelector('.best li'))")
    a, b = page.sentence(0).split(), page.sentence(1).split()
    check(a != b, "the models translate alike")
    for words, others, panel in ((a, b, 0), (b, a, 1)):
        marked = page.value(f"[...document.querySelectorAll('.panel')[{panel}].querySelectorAll('.differs')].length")
        check(0 < marked, "differences are marked")
        only = [word for word in words if word not in others]
        shown = page.value(f"""[...document.querySelectorAll('.panel')[{panel}].querySelectorAll('.piece:not(.differs)')]
            .map((piece) => piece.firstChild.data)""")
        check(not set(only) & set(shown), f"{set(only) & set(shown)} are not marked")
    page.value("$('beside').value = '', $('beside').dispatchEvent(new Event('change'))")
    page.wait("document.querySelectorAll('.panel:not([hidden])').length === 1 && " + DONE)
    equal(page.classes("differs", ".panel:not([hidden])"), [], "differences of one model")
    page.click("[...document.querySelectorAll('#examples button')].at(-1)")
    page.wait("document.querySelector('#model').value === 'back' && document.querySelector('.translated')?.lang === 'zh'")
    page.wait(DONE)
    check_heads(page)
    # the translation becomes the text, and the model of the other direction translates it
    written = page.sentence()
    page.click("$('exchange')")
    page.wait("document.querySelector('#model').value === 'run' && document.querySelector('.translated')?.lang === 'en' && " + DONE)
    equal(page.value("$('text').value").replace(" ", ""), written.replace(" ", "").replace("</s>", ""), "what is translated back")
    page.value("$('text').value += 'x', $('text').dispatchEvent(new Event('input')), $('exchange').click()")
    equal(page.value("[$('model').value, $('text').value.endsWith('x')]"), ["run", True], "a text that is not translated yet stays")
    page.value("$('text').value = '', $('text').dispatchEvent(new Event('input')), $('exchange').click()")
    page.wait("document.querySelector('#model').value === 'back' && " + DONE)
    equal(page.value("$('text').value"), page.value("examples.en[0]"), "without a translation, an example")
    page.clean("models")


def check_heads(page):
    """The model back has several heads and layers: the page shows the chosen one."""
    weights = "[...document.querySelectorAll('.panel:not([hidden]) .matrix td')].map((td) => td.style.cssText).join()"
    shown = [page.value(weights)]
    for chooser in ("head", "layer"):
        before = page.streams()
        select = f"document.querySelector('.panel:not([hidden]) .{chooser}')"
        page.value(f"{select}.value = 1, {select}.dispatchEvent(new Event('change'))")
        page.wait(f"document.querySelector('.waiting') === null && {DONE} && ({weights}) !== {shown[-1]!r}")
        equal(page.streams(), before + 1, "requests for a head")
        shown.append(page.value(weights))
    equal(len(set(shown)), 3, "matrices of heads and layers")


def check_training(page, back="← Back to the translation"):
    """The report of a model's training leads back to the page, with this model."""
    page.show(SENTENCE, "&model=other")
    page.click("document.getElementById('training')")
    page.wait("document.querySelectorAll('#curves figure').length")
    equal(page.value("location.pathname + location.search"), "/training?model=other", "the report of the training")
    equal(page.value("document.querySelector('nav').textContent"), back, "the way back")
    page.value("$('find').value = 'tide', $('find').dispatchEvent(new Event('input'))")
    page.open(page.value("location.href"))
    page.wait("$('find')")
    equal(page.value("[$('find').value, location.hash]"), ["tide", "#find=tide"], "a search in the address")
    page.click("document.querySelector('nav a')")
    page.wait("document.querySelector('#model')?.value")
    equal(page.value("[location.pathname, document.querySelector('#model').value]"), ["/", "other"], "back with the model")
    page.clean("training")


def check_waiting(page, translation, hold, go_on):
    """While the models are not known, only the text can be written, and it is not lost. hold: a script that delays the models;
    go_on: an expression that lets them come."""
    script = page.send("Page.addScriptToEvaluateOnNewDocument", source=hold)["identifier"]
    page.open(page.url, width=1280, height=800)
    page.wait("document.activeElement?.id === 'text'")
    equal(page.value(f"{CONTROLS}.map((e) => e.id)"), ["text"], "what is seen while the page waits")
    place = "document.getElementById('text').getBoundingClientRect().top"
    top = page.value(place)
    page.send("Input.insertText", text=SENTENCE)
    page.value(go_on)
    page.wait(DONE)
    equal((page.sentence(), page.value(place)), (translation, top), "what was typed before")
    later = page.value(f"{CONTROLS}.map((e) => e.id)")
    check({"link", "text", "model", "level"} <= set(later), f"what is seen then: {later}")
    page.send("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    page.clean("waiting")


def check_long(page):
    """Several sentences; a sentence that does not change is not drawn again with a gap; nothing is too wide."""
    page.show(SENTENCE + "他走了。\n" + "我们去海边，" * 30, width=360, height=740)
    equal(page.value("document.querySelectorAll('.pair').length"), 3, "sentences")
    page.value("document.querySelectorAll('.pair')[1].querySelector('.translated .piece').focus()")
    equal(page.value("document.querySelectorAll('.matrix thead th').length"), 5, "the focus chooses the sentence")
    page.value("document.getElementById('text').focus(), document.getElementById('text').select()")
    page.send("Input.insertText", text=SENTENCE + "我走了。")
    page.wait("document.querySelectorAll('.pair').length === 2 && " + DONE)
    equal(page.value("document.documentElement.scrollWidth"), 360, "the width of the page")
    for width in (390, 1400):
        for level in ("", "&level=word"):
            page.show("w" * 300, "&model=back" + level, width=width, height=800)
            equal(page.value("""(() => { const edge = Math.min(innerWidth, document.documentElement.scrollWidth),
                texts = [...document.querySelectorAll(".piece, .said, .best, textarea, .frame, h1")];
                return texts.filter((one) => one.getBoundingClientRect().right > edge).length; })()"""), 0, "texts outside")
            equal(page.value("document.documentElement.scrollWidth"), width, "the width with a long word")
    page.clean("long")


def check_looks(page):
    """Narrow, dark, printed."""
    page.show(SENTENCE, width=360, height=740)
    equal(page.value("document.documentElement.scrollWidth"), 360, "the width of the page")
    check(page.value("""(() => { const frame = document.querySelector(".matrix");
        return frame.scrollWidth <= frame.clientWidth; })()"""), "the matrix fits")
    check(page.value("parseFloat(getComputedStyle(document.getElementById('text')).fontSize)") >= 16, "phones would zoom")
    page.click(f"{TARGET}[3]")
    page.wait("document.querySelector('.candidates')")
    check(page.value("""(() => { const box = document.querySelector(".candidates").getBoundingClientRect();
        return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight; })()"""),
          "the candidates are in the window")
    page.show(SENTENCE, width=1280, height=800, dark=True)
    equal(page.value("getComputedStyle(document.body).backgroundColor"), "rgb(21, 24, 29)", "dark")
    page.show(SENTENCE, width=1280, height=800)
    equal(page.value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)", "light")
    equal(page.pdf(os.devnull), 1, "printed pages")
    page.clean("looks")


def check_accessibility(page):
    page.show(SENTENCE, width=1280, height=800)
    nodes = [node for node in page.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if "role" in node]
    grid = ("grid", f"alignment of {SENTENCE.replace('，', ',')}")
    for wanted in (grid, ("textbox", "Text to translate"), ("combobox", "Model"), ("group", "translation"),
                   ("button", "Copy link"), ("button", "By word")):
        check(wanted in named, f"{wanted} is not in the tree: {[n for n in named if n[0] == wanted[0]]}")
    unnamed = [role for role, name in named if role in ("button", "textbox", "combobox", "link") and not name]
    equal(unnamed, [], "controls without a name")
    page.show(SENTENCE, "&model=run&beside=other", width=1280, height=800)
    panels = page.value("document.querySelectorAll('.panel:not([hidden])').length")
    shown = "[...document.querySelectorAll('%s')].filter((one) => !one.closest('[hidden]'))"
    levels = page.value(f"{shown % 'h1, h2, h3'}.map((heading) => Number(heading.tagName[1]))")
    equal(levels, [1] + [2, 3] * panels, "levels of headings")
    places = page.value(f"{shown % 'section, [role=region]'}.map((one) => one.ariaLabel).filter(Boolean)")
    equal(len(places), 2 * panels, "places with a name")
    equal(len(set(places)), len(places), "names of places")
    equal([name for role, name in named if role == "columnheader"][:2], ["潮", "水"], "headers of columns")


def check_contrast(page):
    """Numbers can be read at every weight from -1 to 1, light and dark."""
    for dark in (False, True):
        page.open(page.url, dark=dark)
        least = page.value("""(() => { const frame = make("div", {}), weights = Array.from({ length: 201 }, (_, i) => i / 200);
            document.body.append(frame);
            drawMatrix(frame, { source: weights.map(String), target: ["+", "-"],
                matrix: [weights, weights.map((weight) => -weight)] });
            const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
            const light = (colour) => { pixel.fillStyle = colour, pixel.fillRect(0, 0, 1, 1);
                const linear = [...pixel.getImageData(0, 0, 1, 1).data].map((byte) => byte / 255)
                    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05; };
            const contrasts = [...frame.querySelectorAll("td:not(.corner, .faint)")].map((cell) => {
                const { color, backgroundColor } = getComputedStyle(cell), both = [color, backgroundColor].map(light);
                return Math.max(...both) / Math.min(...both); });
            frame.remove();
            return [contrasts.length, Math.min(...contrasts)]; })()""")
        check(least[0] > 370 and least[1] >= 4.5, f"contrast of numbers, {'dark' if dark else 'light'}: {least}")
    page.clean("contrast")


def check_policy(page):
    """The document allows its own script and style only."""
    page.show(SENTENCE)
    page.value("document.head.append(Object.assign(document.createElement('script'), { textContent: 'window.bad = 1' }))")
    check(page.value("window.bad") is None, "an added script has run")
    page.value("0")
    check(any("Content Security Policy" in problem for problem in page.problems), "the policy says nothing")


def test_page(url, translation, links):
    with Page(url) as page:
        check_opening(page, translation)
        check_typing(page, translation)
        check_abort(page)
        check_composition(page, translation)
        check_streaming(page, translation)
        check_pointing(page)
        check_piece(page)
        check_words(page, translation)
        check_keyboard(page)
        check_focus(page)
        check_forcing(page, translation)
        check_hypotheses(page, translation)
        check_second_sentence(page)
        check_unknown(page)
        check_link(page)
        check_copying(page, translation, links)
        check_png(page)
        check_all_heads(page)
        check_all_hypotheses(page)
        check_difference(page)
        check_curves(page)
        check_more_curves(page)
        check_pinyin(page)
        check_step(page)
        check_zoom(page)
        check_step_requests(page)
        check_step_of_heads(page)
        check_tree(page)
        check_row_scale(page)
        check_explanations(page)
        check_probabilities(page)
        check_projector(page, translation)
        check_question(page)
        check_long_picture(page)
        check_models(page)
        check_long(page)
        check_looks(page)
        check_training(page)
        check_waiting(page, translation, """const held = new Promise((go) => (window.go = go));
            window.fetch = ((ask) => async (...given) => { await held; return ask(...given); })(fetch)""", "window.go()")
        check_accessibility(page)
        check_contrast(page)
        check_policy(page)
        check_no_corrections(page)


def check_chinese(page, translation):
    page.show(SENTENCE, width=1280, height=800)
    equal(page.value("document.documentElement.lang"), "zh-Hans", "the language")
    equal(page.value("document.getElementById('link').textContent"), "复制链接", "a button")
    page.point(f"{TARGET}[2]")
    check("读自" in page.value("document.querySelector('.said').textContent"), "what is said of a word")
    equal(page.sentence(), translation, "the translation")
    missing = page.value("""(() => { const names = (table, path = "") => Object.entries(table).flatMap(([name, entry]) =>
            typeof entry === "object" ? names(entry, path + name + ".") : [path + name]);
        const [en, zh] = [texts.en, texts.zh].map((table) => new Set(names(table)));
        return [...en].filter((name) => !zh.has(name)); })()""")
    equal(missing, [], "texts that are not translated")
    check("注意力权重 α" in page.copied("svg"), "the legend of the copied picture")
    check_terms(page, ["alpha", "end", "hypothesis", "piece", "probability", "score"])
    page.click("$('curves')")
    equal(page.value(f"[$('curves').textContent, {CURVES % ''}[0].ariaLabel]"),
          ["连线", f"“{SENTENCE.replace('，', ',')}”的对齐，画成曲线"], "the name of the curves")
    page.clean("chinese")


def test_chinese(url, translation, _):
    with Page(url, language="zh-CN") as page:
        check_chinese(page, translation)
        check_training(page, "← 返回翻译")
        equal(page.value("document.documentElement.lang"), "zh-Hans", "the language")


def test_errors(url, translation, _):
    """Each failure is one line; the page recovers. The server needs a key and takes short sentences only."""
    said = "document.querySelector('.panel .problem').textContent"
    with Page(url) as page:
        page.open(page.url)
        page.wait("document.querySelector('#model').value && !document.getElementById('key').parentNode.hidden")
        equal((page.streams(), page.value("document.getElementById('text').value")), (0, ""), "an example without the key")
        page.value("document.getElementById('key').focus()")
        page.send("Input.insertText", text=os.environ["KEY"])
        page.press("Enter")
        page.wait(f"{DONE} && document.getElementById('text').value === {SENTENCE!r}")
        page.open(f"{page.url}#text=潮水退了。")
        page.wait(f"{said}.startsWith('This server needs an API key')")
        page.value("document.getElementById('key').focus()")
        page.send("Input.insertText", text=os.environ["KEY"])
        page.press("Enter")
        page.wait(DONE)
        page.value("document.getElementById('text').focus()")
        page.send("Input.insertText", text="潮水退了，" * 10)
        page.wait(f"{said}.startsWith('The text is too long')")
        page.value("document.getElementById('text').select()")
        page.send("Input.insertText", text="他走了。")
        page.wait(f"{said} === '' && {DONE}")
        # an overloaded server, and one that stops
        page.value("""window.real = fetch, window.refusals = [[429, 1], [503, 0]];
            window.fetch = (...given) => { const [status, seconds] = refusals.shift() ?? [];
                if (!status) return real(...given);
                return Promise.resolve(new Response("{}", { status, headers: { "Retry-After": seconds } })); }""")
        page.send("Input.insertText", text="我走了。")
        page.wait(f"{said}.startsWith('The server is busy')")
        page.wait(f"{said}.startsWith('The server stops')")
        page.send("Input.insertText", text="我走了。")
        page.wait(f"{said} === '' && {DONE}")
        # a choice that meets an overloaded server is made later
        page.value("window.refusals = [[429, 1]]")
        page.click(f"{TARGET}[0]")
        page.wait("document.querySelector('.candidates')")
        page.click("document.querySelectorAll('.candidates li button')[2]")
        page.wait(f"{said}.startsWith('The server is busy')")
        page.wait(f"{said} === '' && document.querySelector('.piece.taken')")
        page.value("document.getElementById('text').focus()")
        # a request that is refused: the translation of the text before goes
        page.value("""window.fetch = (...given) => { window.fetch = real;
            return Promise.resolve(new Response('{"error": "q: why not"}', { status: 400 })); }""")
        page.send("Input.insertText", text="他走了。")
        page.wait(f"{said} === 'The server refuses this request. q: why not'")
        equal(page.value("document.querySelector('.panel .problem [lang=en]').textContent"), "q: why not", "the reason")
        equal(page.value("document.querySelectorAll('.pair, .best:not([hidden]), .frame:not([hidden])').length"), 0,
              "the translation of another text")
        page.send("Input.insertText", text="我走了。")
        page.wait(f"{said} === '' && {DONE}")
        print("errors: ok")
        # a server that is gone; no number: not here
        if not os.environ["SERVER"]:
            return
        os.kill(int(os.environ["SERVER"]), 15)
        time.sleep(0.5)
        page.send("Input.insertText", text="你走了。")
        page.wait(f"{said}.startsWith('The server does not answer')")
        print("gone: ok")


# ---- corrections -----------------------------------------------------------------------------------------------------

NOTE = "document.querySelectorAll('.panel:not([hidden]) .note')[%d]"
FIELD = f"{NOTE % 0}.querySelector('textarea')"
MARK = f"{NOTE % 0}.querySelector('span').textContent"
SIMILAR = "document.querySelector('.panel:not([hidden]) .similar')"
LEDGER = "document.querySelector('.ledger')"
CORRECTION = 'The <b>spring</b> tide & <img src=x onerror="window.bad = 1"> goes out.'


def kept(page):
    return page.value("translator.corrections().then((found) => found.corrections)")


def check_no_corrections(page):
    """A server without --corrections offers nothing about them."""
    page.show(SENTENCE, width=1280, height=900)
    page.value(f"{TARGET}[2].focus()")
    page.press("f")
    time.sleep(0.5)
    equal(page.value("""[...document.querySelectorAll(".note :is(button, textarea), .similar, .ledger, [aria-keyshortcuts=f]")]
        .filter((one) => one.checkVisibility()).length"""), 0, "parts about corrections")
    page.click("$('help')")
    equal(page.value("[...document.querySelectorAll('#keys kbd')].map((key) => key.textContent).includes('f')"), False, "its key")
    equal([r["url"] for r in page.requests if re.search("corrections|similar|learn", r["url"])], [], "requests")
    page.clean("no corrections")


def check_correcting(page, translation):
    page.show(SENTENCE, "&probabilities=shown", width=1280, height=900)
    page.value(f"{TARGET}[2].focus()")
    page.press("f")
    equal(page.value(f"[{FIELD}.value, document.activeElement === {FIELD}, {FIELD}.lang]"), [translation, True, "en"], "the editor")
    page.value(f"{FIELD}.select()")
    page.send("Input.insertText", text="nothing")
    page.press("Escape")
    equal(page.value(f"[{FIELD}.checkVisibility(), document.activeElement.textContent]"), [False, "Correct"], "cancelled")
    equal((page.sentence(), kept(page)), (translation, []), "what is cancelled is not kept")
    # what is refused stays in the editor, with the reason
    page.press("Enter")
    equal(page.value(f"{FIELD}.value"), translation, "the editor opens with the translation again")
    problem = f"{NOTE % 0}.querySelector('.problem').textContent"
    for text in (" ", SENTENCE):
        page.value(f"{FIELD}.select()")
        page.send("Input.insertText", text=text)
        page.chord("Enter")
        page.wait(f"{problem}.startsWith('The server refuses this request. Invalid request: the correction ')")
        equal(page.value(f"[{FIELD}.value, {FIELD}.checkVisibility(), document.activeElement === {FIELD}]"), [text, True, True],
              "a text that was refused")
    equal(kept(page), [], "what is refused is not kept")
    # an input method has the keys while it composes
    page.value(f"{FIELD}.select()")
    page.send("Input.imeSetComposition", text=translation, selectionStart=4, selectionEnd=4)
    page.chord("Enter")
    page.press("Escape")
    page.value(f"{NOTE % 0}.querySelector('[aria-keyshortcuts^=Control]').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
    time.sleep(0.3)
    equal((kept(page), page.value(f"{FIELD}.checkVisibility()")), ([], True), "during a composition")
    page.send("Input.imeSetComposition", text="", selectionStart=0, selectionEnd=0)
    # a text that is not saved outlives a redrawing, and the translation of another sentence
    page.value(f"{FIELD}.select()")
    page.send("Input.insertText", text=CORRECTION)
    page.click("$('level')")
    equal(page.value(f"{FIELD}.value"), CORRECTION, "after the page was drawn again")
    page.value("$('level').click(), $('text').focus(), $('text').setSelectionRange(99, 99)")
    page.send("Input.insertText", text="他走了。")
    page.wait(f"{DONE} && document.querySelectorAll('.pair').length === 2")
    equal(page.value(f"{FIELD}.value"), CORRECTION, "after another sentence was translated")
    page.value(f"{FIELD}.focus()")
    page.chord("Enter")
    page.wait(f"{MARK} === 'from your corrections' && {DONE}")
    pair = "document.querySelectorAll('.pair')[0].querySelectorAll('.translated .piece')"
    equal(page.value(f"[...{pair}].map((one) => one.firstChild.data).join('|').replace(/[^<]*<.s>$/, '').includes('<b>')"), True,
          "HTML in a correction is text")
    equal(page.value("[document.querySelectorAll('.panel b:not(.best b), .panel img').length, window.bad]"), [0, None], "no element of it")
    equal(page.value(f"[document.activeElement === {pair}[0], {FIELD}.checkVisibility()]"), [True, False], "the focus")
    check(page.value("document.querySelectorAll('.matrix td').length") > 20, "a remembered translation has a matrix")
    equal(page.value("[...document.querySelectorAll('.step, .tree, .best')].some((one) => one.checkVisibility())"), False,
          "a translation that was not searched has no step, tree and hypotheses")
    check("probab" not in page.value(SAID), "and no probability")
    [one] = kept(page)
    equal((one["q"], one["translation"], one["correction"]), (SENTENCE.replace("，", ","), translation, CORRECTION), "what is kept")
    # without the memory
    page.click(f"{NOTE % 0}.querySelector('button')")
    page.wait(f"{MARK} !== 'from your corrections' && {DONE}")
    equal(page.sentence().replace(" </s>", "")[:len(translation)], translation, "translated anew")
    page.show(SENTENCE)
    equal(page.value(MARK), "from your corrections", "the mark of a text that is opened")
    page.press("Tab", "Tab")
    page.value(f"{TARGET}[0].focus()")
    page.press("Enter")
    equal(page.value(f"{FIELD}.value"), CORRECTION, "a click corrects the correction")
    equal(page.value("document.querySelectorAll('[data-format=pharaoh]')[0].disabled"), False, "its alignment can be copied")
    page.clean_but("correcting", 400)


def check_similar(page):
    page.show(SENTENCE.replace("谁", "他") + "他走了。", width=1280, height=900)
    page.wait(f"{SIMILAR}.checkVisibility()")
    row = page.value(f"""(() => {{ const row = {SIMILAR}.querySelector("li"), texts = (name) => [...row.querySelectorAll(name)]
        .map((one) => one.textContent); return [texts("del"), texts("ins"), texts("p"), texts("small")]; }})()""")
    known = SENTENCE.replace("，", ",")
    equal(row, [["他"], ["谁"], [known.replace("谁", "他谁"), CORRECTION], ["93% similar · from your corrections"]], "a similar sentence")
    equal(page.value(f"[{SIMILAR}.querySelectorAll('li').length, {SIMILAR}.querySelectorAll('b, img').length]"), [1, 0], "its text")
    equal(page.value(f"{SIMILAR}.parentNode === document.querySelector('.pair.chosen')"), True, "below its sentence")
    page.value("document.querySelectorAll('.pair')[1].querySelector('.translated .piece').focus()")
    page.wait(f"!{SIMILAR}.checkVisibility()")
    page.show(SENTENCE)
    time.sleep(0.6)
    equal(page.value(f"{SIMILAR}.checkVisibility()"), False, "the sentence itself is not similar")
    # not while the user types
    page.clear()
    asked = lambda: [r for r in page.requests if r["url"].endswith("/v1/similar")]
    page.value("""window.composes = (kind) => $("text").dispatchEvent(new CompositionEvent(`composition${kind}`)),
        window.real = translator.translate, translator.translate = async (...given) => { const found = await real(...given);
            composes("start"); return found; }""")
    page.send("Input.insertText", text=SENTENCE.replace("谁", "他"))
    page.wait(DONE)
    time.sleep(0.6)
    page.value("0")
    equal(len(asked()), 0, "requests during a composition")
    page.value("translator.translate = real, composes('end')")
    for letter in "他走了。"[:3]:
        time.sleep(0.15)
        page.send("Input.insertText", text=letter)
    page.value("0")
    equal(len(asked()), 0, "requests while the user types")
    page.wait(f"{DONE} && document.querySelectorAll('.pair').length === 2")
    page.value("document.querySelector('.translated .piece').focus()")
    page.wait(f"{SIMILAR}.checkVisibility()")
    equal(page.value("changesOf('I see a dog.', 'I saw a big dog.').map((one) => one.outerHTML ?? one).join('')"),
          "I <del>see</del> <ins>saw</ins> a <ins>big</ins> dog.", "changes of words")
    page.clean("similar")


def check_ledger(page):
    """The list of corrections, terms, and the generations, which live.sh has written."""
    page.show(SENTENCE, width=390, height=800)
    page.click(f"{LEDGER}.querySelector('summary')")
    items = f"{LEDGER}.querySelectorAll('section')[0].querySelectorAll('li')"
    page.wait(f"{items}.length === 1")
    texts = page.value(f"[{items}[0].querySelectorAll('p')].flatMap((list) => [...list].map((one) => one.textContent))")
    equal(texts[0], SENTENCE.replace("，", ","), "the sentence of a correction")
    equal(page.value(f"[...{items}[0].childNodes[1].childNodes].filter((one) => one.tagName !== 'DEL').map((one) => one.textContent).join('')")
          .split(), CORRECTION.split(), "a correction with the differences marked")
    check(page.value(f"{items}[0].querySelectorAll('ins').length && !{items}[0].querySelector('b, img')"), "marks, and no HTML")
    page.value("""URL.createObjectURL = ((make) => (blob) => { blob.text().then((text) => (window.saved = text)); return make(blob); })
        (URL.createObjectURL)""")
    page.send("Browser.setDownloadBehavior", behavior="deny")
    page.click(f"{LEDGER}.querySelector('.controls button')")
    page.wait("window.saved?.includes('<tmx')")
    check("&#60;b&#62;spring" in page.value("saved"), "the translation memory")
    # terms
    equal(page.value(f"{LEDGER}.querySelectorAll('section')[1].checkVisibility()"), False, "terms of one correction")
    page.value("""Promise.all(["潮水来了。", "他看潮水。", "我怕潮水。"].map((text, k) => translator.correct({ text, model: models[0],
        translation: `The ebb number ${k} is here.`, correction: `The tide number ${k} is here.` })))""")
    page.value("""translator.corrections = ((corrections) => async () => ({ ...(await corrections()),
        terms: [{ source: "潮水", before: "ebb", after: "<i>tide", count: 3 }] }))(translator.corrections)""")
    page.value(f"{LEDGER}.open = false")
    page.value(f"{LEDGER}.open = true")
    page.wait(f"{items}.length === 4")
    terms = f"{LEDGER}.querySelectorAll('section')[1]"
    equal(page.value(f"{terms}.querySelector('li').firstChild.data"), "潮水 → <i>tide, corrected 3 times", "a term")
    equal(page.copied(f"{terms}.querySelector('button')"), "潮水\t<i>tide", "the line for a glossary")
    # deleting
    remove = f"[...{items}].map((one) => one.querySelector('button'))"
    page.value(f"{remove}[1].focus()")
    equal(page.value("document.activeElement.ariaLabel.startsWith('Delete the correction of')"), True, "a name of a button")
    page.press("Enter")
    page.wait(f"{items}.length === 3")
    equal(page.value(f"{remove}.indexOf(document.activeElement)"), 1, "the focus stays in the list")
    page.value(f"{remove}[2].click()")
    page.wait(f"{items}.length === 2 && {MARK} !== 'from your corrections' && {DONE}")
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width of the corrections")
    equal(len(kept(page)), 2, "what is left")
    # learning
    rows = f"[...document.querySelectorAll('.ledger section section:first-of-type > ol > li')]"
    found = page.value(f"{rows}.map((row) => [row.querySelector('strong').textContent, row.querySelector('button')?.textContent ?? ''])")
    equal(found, [["Generation 2", ""], ["Generation 1", "Served"], ["The model itself", "Serve this one"]], "generations")
    first = page.value(f"{rows}[1].textContent")
    for part in ("Learned from 48 corrections.", "12 held-out corrections: BLEU 31.20 → 35.10, perplexity 8.11 → 6.50",
                 "Development set: BLEU 33.00 → 32.80", "Accepted."):
        check(part in first, f"{part} is not in {first}")
    check("Refused. it loses too much" in page.value(f"{rows}[0].textContent"), "why a generation was refused")
    before = page.streams()
    page.click(f"{rows}[2].querySelector('button')")
    page.wait(f"{rows}[2].querySelector('button').textContent === 'Served' && {DONE}")
    check(page.streams() > before, "the text is translated by the model that is served now")
    equal(page.value("translator.learning().then((found) => found.models[0].generation)"), 0, "what is served")
    page.wait("document.querySelector('.ledger section section span').textContent.startsWith('2 corrections wait; ')")
    time.sleep(2)  # the last look after a deletion
    page.value("""window.looks = 0, translator.learning = ((learning) => async () => { const found = await learning();
        if (looks++ < 2) Object.assign(found.models[0], { state: "learning", said: "update 7 of 9" });
        return found; })(translator.learning), translator.learn = async () => ({})""")
    page.click(f"{LEDGER}.querySelector('section section .controls button')")
    page.wait(f"{LEDGER}.querySelector('[role=status]:not(:empty)').textContent === 'The model is learning.' && "
              f"{LEDGER}.textContent.includes('update 7 of 9') && {LEDGER}.querySelector('progress').checkVisibility()")
    page.wait(f"!{LEDGER}.querySelector('progress').checkVisibility()")
    equal(page.value("looks"), 3, "looks at a learning")
    time.sleep(4.5)
    equal(page.value("looks"), 4, "looks after it: one, when the server has counted what waits")
    page.look(media="print")
    equal(page.value("document.querySelectorAll('.note, .similar, .ledger').length && "
                     "[...document.querySelectorAll('.note, .similar, .ledger')].some((one) => one.checkVisibility())"), False, "printed")
    page.clean("ledger")


def test_corrections(url, translation, _):
    with Page(url) as page:
        check_correcting(page, translation)
        check_similar(page)
        check_ledger(page)


def main():
    kinds = {"page": test_page, "chinese": test_chinese, "errors": test_errors, "corrections": test_corrections}
    if len(sys.argv) != 4 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    translation, links = open(sys.argv[3], encoding="utf-8").read().rstrip("\n").split(" ||| ")
    kinds[sys.argv[1]](sys.argv[2], translation, links)


if __name__ == "__main__":
    main()
