#!/usr/bin/env python3
"""usage: tests/e2e/classroom.py PAGE SHORT BROKEN REFUSED HASH SHORT-HASH NONE-HASH

Tests of the classroom in headless Chromium, for classroom.sh. SHORT is PAGE with a training of three epochs, BROKEN one with a
cut program, REFUSED one whose memory cannot grow. The hashes are those of the program after the same trainings; NONE-HASH after SHORT's without attention. With the
variable SHOTS, pictures go to this folder."""
import os
import re
import sys

from browser import Browser
from live import check, equal

ENDED = "runs.every(({ state }) => state.ended) && !$('tests').hidden"
CODE = "[...document.querySelectorAll('.run .ended')].map((one) => one.querySelector('code').textContent)"
RIGHT = "[...document.querySelectorAll('#results caption')].map((one) => one.textContent)"
STATE = "document.querySelector('.run .state').textContent"
BEGAN = "runs.every(({ looks }) => looks.length)"


class Room(Browser):
    def load(self, path, **window):
        self.open("file://" + os.path.abspath(path), **{"width": 1280, "height": 900, **window})
        self.wait(BEGAN)

    def learn(self):
        self.click("$('run')")
        self.wait(ENDED, 150)

    def choose(self, name, value):
        self.value(f"$('{name}').value = '{value}', $('{name}').dispatchEvent(new Event('change'))")

    def clean(self, name):
        self.value("0")
        equal(self.problems, [], f"{name}: problems")
        foreign = [one["url"] for one in self.requests if not one["url"].startswith(("file:", "blob:", "data:"))]
        equal(foreign, [], f"{name}: requests")
        print(f"{name}: ok")

    def shot(self, name):
        if "SHOTS" in os.environ:
            self.screenshot(f"{os.environ['SHOTS']}/{name}.png", whole=True)


def check_short(page, path, expected, without):
    page.load(path)
    page.shot("start")
    equal(page.value(f"[$('run').textContent, $('history').max, {STATE}]"),
          ["Start", "0", "Before the first update: all weights are random"], "before the start")
    page.wait("document.querySelectorAll('.run .matrix td').length > 10")  # of random weights
    page.press(".")
    page.wait(f"{STATE}.startsWith('Update 1 of 105,')")
    page.press("e")
    page.wait("document.querySelectorAll('.step .quantity').length > 3")
    page.press("e")
    page.learn()
    equal(page.value(CODE), [expected], "the hash of the page and of the program")
    check(page.value("document.querySelector('.ended').textContent.includes('build/tide train --config')"), "the command")
    equal(page.value("document.querySelectorAll('.run .changes tr').length"), 6, "what changed most")
    check(page.value("document.querySelectorAll('.run .bleu tr').length > 1"), "BLEU by length")
    check(all(re.match(r"(from its training|new): \d+ of 10 right$", line) for line in page.value(RIGHT)), f"{page.value(RIGHT)}")
    updates = page.value("runs[0].looks.map(({ update }) => update)")
    check(updates == sorted(updates) and updates[0] == 0 and updates[-1] == 105 and len(updates) > 20, f"the history: {updates}")
    newest = page.value("document.querySelector('.target').textContent")
    page.value("$('history').value = 0, $('history').dispatchEvent(new Event('input'))")
    equal(page.value("$('when').textContent"), "update 0 of 105", "the beginning of the history")
    check(page.value("document.querySelector('.target').textContent") != newest, "the first translation")
    # own pairs
    for given, said in (("我爱海 I love the sea.", "Line 1: there is no tab"), ("\n海\t", "Line 2: one side is empty"),
                        ("I love the sea.\t我爱海。", "Line 1: the first side has no Chinese"), ("海" * 41 + "\tsea", "Line 1: more than 40")):
        page.value(f"$('own').value = {given!r}, $('own').dispatchEvent(new Event('input'))")
        check(page.value("$('owned').textContent").startswith(said), f"own pairs: {page.value('$(`owned`).textContent')}, not {said}")
    page.click("$('again')")
    check(page.value("$('problem').textContent").startswith("Line 1"), "wrong pairs are not learned")
    page.value("$('own').value = '鲸鱼没穿裤子。\\tThe whale is not wearing pants.\\n', $('own').dispatchEvent(new Event('input'))")
    equal(page.value("$('owned').textContent"), "1 pair. Only your pairs have 鲸 and whale: the network learns these only in "
          "sentences like yours.", "what own pairs can teach")
    page.click("$('again')")
    page.wait(BEGAN)
    equal(page.value("[$('problem').textContent, settingsOf('').all, settingsOf('').command]"), ["", 108, ""], "with an own pair")
    page.value("$('own').value = '', $('own').dispatchEvent(new Event('input'))")
    # two side by side
    page.choose("beside", "none")
    page.wait(BEGAN)
    page.learn()
    equal(page.value(CODE), [expected, without], "the hashes of two trainings")
    equal(page.value("document.querySelectorAll('.run')[1].querySelectorAll('td.faint, .matrix').length"), 0, "a matrix without attention")
    equal(len(page.value(RIGHT)), 4, "what two have learned")
    page.shot("two")
    page.look(width=390, height=844)
    equal(page.value("document.documentElement.scrollWidth"), 390, "the width on a phone")
    page.shot("narrow")
    for kind in ("dot", "gru", "unguided"):
        page.choose("beside", kind)
        page.wait(BEGAN)
        page.click("$('one')")
        page.wait("runs.every(({ update }) => update() > 0)")
        equal(page.value("runs.map(({ state }) => state.failed)"), [False, False], kind)
    page.clean("short")


def check_full(page, path, short, expected, short_hash):
    """The whole training, in Chinese and dark."""
    page.load(path, dark=True)
    page.click("$('run')")
    page.wait("runs[0].update() > 350", 60)
    page.shot("third")
    page.send("Page.setWebLifecycleState", state="frozen")  # a tab that is suspended, and another one beside it
    suspended = page.value("runs[0].update()")
    with page.tab():
        page.load(short)
        page.learn()
        equal(page.value(CODE), [short_hash], "the hash of a second tab")
    check(page.value("runs[0].update()") <= suspended + 1, "a suspended tab learns")
    page.send("Page.setWebLifecycleState", state="active")
    page.send("Page.bringToFront")
    page.wait(ENDED, 150)
    equal(page.value(CODE), [expected], "the hash after the whole training")
    right = [int(re.search(r"对了 (\d+) 句", line)[1]) for line in page.value(RIGHT)]
    print(f"right: {right[0]} of 10 that it learned, {right[1]} of 10 new ones")
    check(right[0] >= 8 and right[1] >= 5, f"what it has learned: {right}")
    print("translation:", page.value("document.querySelector('.target').textContent"))
    page.shot("end")
    said = page.value("""[...document.querySelectorAll("body *:not(script, style, code, pre, [lang], [lang] *, .changes th, option)")]
        .flatMap((one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data))
        .flatMap((words) => words.match(/[A-Za-z]{2,}/g) ?? [])""")
    check(set(said) <= {"tide", "RNNsearch", "GRU", "BLEU", "Space"}, f"English on a Chinese page: {sorted(set(said))}")
    page.value("fillSheet()")
    page.send("Emulation.setEmulatedMedia", media="print")
    page.shot("print")
    equal(page.value("document.querySelectorAll('#sheet figure').length"), 6, "the sheet")
    equal(page.pdf(os.devnull), 1, "the printed sheet")
    page.clean("full")


def main():
    path, short, broken, refused, *hashes = sys.argv[1:]
    with Room() as page:
        check_short(page, short, *hashes[1:])
        for name, failing in (("a broken program", broken), ("refused memory", refused)):
            page.open("file://" + os.path.abspath(failing))
            page.wait("!$('run').disabled || runs[0].state.failed")
            page.value("$('run').click()")
            page.wait("document.querySelector('.run .state.problem')?.textContent", 60)
            equal(page.value("[$('run').disabled, runs[0].state.failed]"), [True, True], name)
            print(f"{name}: {page.value(STATE)}")
            check("Aborted" not in page.value(STATE), "a reason that people understand")
    with Room(language="zh-CN") as page:
        check_full(page, path, short, *hashes[:2])


main()
