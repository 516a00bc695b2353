#!/usr/bin/env python3
"""usage: tests/e2e/axe.py AXE LANGUAGE NAME=URL...

Runs axe-core, whose script is AXE, on pages in headless Chromium that prefers LANGUAGE, en or zh-CN: light and dark, wide and
narrow; in Chinese, dark pages are narrow ones. Exit status 1 if it finds a violation, or a page in another language. For
axe.sh, article.sh and classroom.sh."""
import sys

from browser import Browser

RUN = """(async () => { %s
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(({ html, any }) =>
        `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).slice(0, 5).join(" | ")}`); })()"""
READY = ("document.querySelector('.matrix td, figure, .touch') && "
         "(!location.hash.includes('&step=') || document.querySelector('.quantity')) && "
         "(!location.hash.includes('&pinyin=') || document.querySelector('rt')) && "
         "(!location.hash.includes('&tree=') || document.querySelector('.branches button')) && "
         "!document.querySelector('.running, .waiting') && document.fonts.status === 'loaded'")

# What is done on a page of this name; READY then waits for its result, too.
ACTIONS = {"corrections": """(async () => { const text = $("text").value.split("。", 1) + "。", remembered = "他走了。";
    await translator.correct({ text: text.replace("谁", "他"), model: models[0], translation: "It goes.", correction: "It went." });
    await translator.correct({ text: remembered, model: models[0], correction: "He has gone." });
    corrected(remembered);
    document.querySelector(".ledger summary").click();
    document.querySelector(".note [aria-keyshortcuts=f]").click(); })()"""}
DONE = {"corrections": """document.querySelector(".ledger .controls button") && document.querySelector(".ledger li del") &&
    document.querySelector(".similar del")?.checkVisibility() && document.querySelector(".note textarea").checkVisibility() &&
    [...document.querySelectorAll(".note span")].some((one) => one.textContent)"""}

LOOKS = {"en": ((False, 1280), (True, 1280), (False, 390)), "zh-CN": ((False, 1280), (True, 390))}

SPOKEN = """[document.documentElement.lang, [...document.querySelectorAll(":is(h1, h2, h3, button):not([lang])")]
    .some((heading) => heading.checkVisibility() && /\\p{sc=Han}/u.test(heading.textContent))]"""


def main():
    axe, language, *pages = sys.argv[1:]
    with open(axe, encoding="utf-8") as file:
        run = RUN % file.read()
    found, checked = [], 0
    with Browser(language=language) as browser:
        for name, url in (page.split("=", 1) for page in pages):
            browser.open(url)
            browser.wait(READY)
            browser.value(ACTIONS.get(name, "0"))
            browser.wait(DONE.get(name, "true"))
            for dark, width in LOOKS[language]:
                browser.look(width=width, dark=dark)
                browser.wait(READY)
                if (spoken := browser.value(SPOKEN)) != (["zh-Hans", True] if language == "zh-CN" else ["en", False]):
                    found.append(f"{name}, {language}: the page speaks another language: {spoken}")
                kind = f"{name}, {language}, {'dark' if dark else 'light'}, {width} px"
                found += [f"{kind}: {line}" for line in browser.value(run)]
                checked += 1
    print(*found, f"{checked} pages, {len(found)} violations", sep="\n")
    sys.exit(bool(found))


main()
