#!/usr/bin/env python3
"""usage: tests/e2e/edition.py PAGE EXPECTED ALIGNMENT

Tests of the page that `tide export --html` writes, opened from disk in headless Chromium, for browser.sh. EXPECTED has
what `tide translate --alignment hard` prints for the sentence of live.py, and ALIGNMENT what `tide align --format json` prints
for it and its translation."""
import base64
import gzip
import json
import os
import sys
import time

import live
from live import DONE, SENTENCE, check, equal

SPY = """window.sent = [];
    Worker.prototype.postMessage = ((original) => function (message, ...more) {
        if (message.body) sent.push(message.body);
        original.call(this, message, ...more); })(Worker.prototype.postMessage);"""
PROBLEM = "document.querySelector('#problem').textContent"


class Edition(live.Page):
    """The page; its translator is a worker."""

    def __init__(self, path, script=SPY, **options):
        super().__init__("file://" + os.path.abspath(path), **options)
        self.send("Page.addScriptToEvaluateOnNewDocument", source=script)

    def bodies(self):
        return self.value("window.sent")

    def clean(self, name):
        self.requests[:] = [r for r in self.requests if not r["url"].startswith("blob:")]  # the worker
        super().clean(name)


def check_matrix(page, alignment):
    """The page has the numbers of the program."""
    page.show(SENTENCE, "&pinyin=shown", width=1280, height=800)
    equal(page.value("[$('pinyin').hidden, document.querySelectorAll('ruby').length]"), [True, 0], "pinyin without a dictionary")
    found = page.value(f"""models().then(([model]) => new Promise((done) => translator.translate(
        {{ text: {SENTENCE!r}, model, alternatives: 0, candidates: 0 }},
        {{ onSource() {{}}, onSettled() {{}}, onSentence: (sentence) => done(sentence.alignment),
           signal: new AbortController().signal }})))""".replace("models()", "translator.models()"))
    equal(found, alignment, "the alignment")
    equal(page.value("[document.title, $('about').textContent]"), ["Tides", "Tides · <b>corpus/</b> · MIT"], "what the model says")
    page.clean("matrix")


def check_unpacking(page, translation, said):
    """While the model is unpacked, a bar says so in the place of the settings."""
    hold = """Worker.prototype.postMessage = ((post) => function (message, ...more) {
        if (message.engine) window.go = () => post.call(this, message, ...more); else post.call(this, message, ...more);
        })(Worker.prototype.postMessage);"""
    bar = """(() => { const bar = document.querySelector("progress"), label = bar.parentNode.getBoundingClientRect();
        const { bottom } = document.getElementById("text").getBoundingClientRect();
        window.bar = [bar.parentNode.textContent, bar.labels[0].textContent, bar.value, bar.checkVisibility(),
            label.top >= bottom && label.top - bottom < 40]; window.go(); })()"""
    live.check_waiting(page, translation, hold, bar)
    equal(page.value("window.bar"), [said, said, 0, True, True], "the bar")
    equal(page.value("document.querySelectorAll('progress').length"), 0, "the bar goes")


def check_long_text(page):
    """500 kB of text are refused in one line, and the next text is translated."""
    page.open(page.url)
    page.wait("document.querySelector('#model').value")
    page.value("$('text').value = '潮水退了。'.repeat(33000), $('text').dispatchEvent(new Event('input'))")
    page.wait("document.querySelector('.panel .problem').textContent.startsWith('The text is too long')")
    page.value("document.getElementById('text').select()")
    page.send("Input.insertText", text=SENTENCE)
    page.wait(DONE)
    page.value("document.getElementById('text').select()")
    page.press("x")
    page.wait(f"{DONE} && !document.querySelector('.line').textContent.includes('潮')")
    page.value("$('text').value = '', $('text').dispatchEvent(new Event('input'))")
    page.wait("!document.querySelector('.panel .line')")
    page.clean("long text, empty text")


def test_suspended(path, translation):
    """A page that the browser suspends goes on later. (It stays hidden, so that Chromium draws no frames of it.)"""
    with Edition(path) as page:
        page.open(page.url)
        page.wait("document.querySelector('#model').value")
        page.value("""(async () => {
            const [model] = await translator.models(), nothing = () => {};
            const on = { onSource: nothing, onSettled: nothing, onSentence: nothing, signal: new AbortController().signal };
            const request = { text: %r, model, alternatives: 0, candidates: 0 };
            translator.translate(request, on).then((text) => (window.answer = text)); })()""" % (SENTENCE * 20))
        page.send("Page.setWebLifecycleState", state="frozen")
        time.sleep(0.5)
        page.send("Page.setWebLifecycleState", state="active")
        page.wait("window.answer", 60)
        equal(page.value("answer"), " ".join([translation] * 20), "after a suspension")
        page.clean("suspended")


def check_newer_text(page, translation):
    """A newer text ends the translation of an older, long one."""
    page.open(page.url)
    page.wait("document.querySelector('#model').value")
    page.value("$('text').value = '我们去海边，他走了。'.repeat(100), $('text').dispatchEvent(new Event('input'))")
    page.wait("document.querySelectorAll('.pair').length === 100")
    page.value("document.getElementById('text').select()")
    page.send("Input.insertText", text=SENTENCE)
    page.wait(f"document.querySelectorAll('.pair').length === 1 && {DONE}")
    equal(page.sentence(), translation, "the newer text")
    page.clean("newer text")


def check_stopped(page, translation):
    """If the worker fails, the page says so in one line; the next text starts another."""
    page.show("他走了。", width=1280, height=800)
    page.value("""(() => { const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function () { Worker.prototype.postMessage = post;
            this.onmessage({ data: { stopped: true } }); }; })()""")
    page.value("document.getElementById('text').select()")
    page.press("x")
    page.wait("document.querySelector('.panel .problem').textContent.startsWith('The translator stopped')")
    page.value("document.getElementById('text').select()")
    page.send("Input.insertText", text=SENTENCE)
    page.wait(DONE)
    equal(page.sentence(), translation, "after a failure")
    page.clean("stopped")


def test_damage(path):
    """A damaged model is one line: a byte of the compressed data, a byte of the weights, half of the data."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    head, _, rest = page.partition('id="tide-model">')
    packed, _, tail = rest.partition("</script>")
    data = bytearray(base64.b64decode(packed))
    weights = bytearray(gzip.decompress(data))
    data[len(data) // 2] ^= 0x55
    weights[-1000] ^= 0x55
    damaged = {"compressed": bytes(data), "weights": gzip.compress(bytes(weights), 1), "half": bytes(data[:len(data) // 2])}
    for name, content in damaged.items():
        broken = f"{path}.{name}.html"
        with open(broken, "w", encoding="utf-8") as file:
            file.write(f'{head}id="tide-model">{base64.b64encode(content).decode()}</script>{tail}')
        with Edition(broken) as page:
            page.open(page.url)
            page.wait(f"{PROBLEM}.startsWith('The model in this page cannot be read. ')")
            check(len(page.value(PROBLEM)) > 45 and "\n" not in page.value(PROBLEM), page.value(PROBLEM))
            page.clean(f"damaged: {name}: {page.value(PROBLEM)}")
        os.remove(broken)


def test_old(path):
    with Edition(path, script="WebAssembly.validate = () => false;") as page:
        page.open(page.url)
        page.wait(f"{PROBLEM}.startsWith('This browser is too old')")
        page.clean("old")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    path = sys.argv[1]
    with open(sys.argv[2], encoding="utf-8") as file:
        translation, links = file.read().rstrip("\n").split(" ||| ")
    with open(sys.argv[3], encoding="utf-8") as file:
        alignment = json.load(file)
    with Edition(path) as page:
        check_matrix(page, alignment)
        check_unpacking(page, translation, "Unpacking the model")
        live.check_opening(page, translation)
        live.check_typing(page, translation)
        live.check_abort(page)
        live.check_composition(page, translation)
        live.check_streaming(page, translation)
        live.check_pointing(page)
        live.check_keyboard(page)
        live.check_words(page, translation)
        live.check_forcing(page, translation)
        live.check_hypotheses(page, translation)
        live.check_all_hypotheses(page)
        live.check_step(page)
        live.check_curves(page)
        live.check_tree(page)
        live.check_probabilities(page)
        live.check_projector(page, translation)
        live.check_question(page)
        live.check_copying(page, translation, links)
        live.check_png(page)
        live.check_long(page)
        live.check_looks(page)
        live.check_no_corrections(page)
        live.check_accessibility(page)
        check_long_text(page)
        check_newer_text(page, translation)
        check_stopped(page, translation)
        live.check_policy(page)
    with Edition(path, language="zh-CN") as page:
        live.check_chinese(page, translation)
        check_unpacking(page, translation, "正在解压模型")
    test_suspended(path, translation)
    test_damage(path)
    test_old(path)


main()
