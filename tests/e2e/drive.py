#!/usr/bin/env python3
"""usage: tests/e2e/drive.py PAGE RESULTS ASKED

Drives pages in one headless Chromium as the lines of standard input say, for tests/lib/page.inc. "print FILE" prints a page,
and the answer is the number of sheets. Any other line drives the file PAGE, for `drive`: it has the width and height of the
window, "dark" or "light", the language that the browser prefers, and the milliseconds of virtual time that the page gets.
Writes what the page left in #results to RESULTS, and the addresses that it asked for, one per line, to ASKED; the answer is
"done"."""
import os
import sys
import tempfile

from browser import Browser


def drive(browser, url, width, height, colours, language, budget):
    """Loads the page in a tab of its own. Returns its results, and the addresses of its requests for anything but itself."""
    with browser.tab():
        browser.requests.clear()
        browser.problems.clear()
        browser.prefer(language)
        browser.look(width=int(width), height=int(height), dark=colours == "dark")
        browser.send("Emulation.setVirtualTimePolicy", policy="pause")
        browser.send("Page.navigate", url=url)
        browser.send("Emulation.setVirtualTimePolicy", policy="pauseIfNetworkFetchesPending", budget=int(budget))
        browser.expect("Emulation.virtualTimeBudgetExpired", 60)
        results = browser.value("document.querySelector('#results')?.textContent ?? ''")
        results += "".join("FAIL log: " + problem.replace("\n", " ") + "\n" for problem in browser.problems)
        return results, [request["url"] for request in browser.requests if request["url"] != url]


def count_sheets(browser, path):
    with browser.tab(), tempfile.NamedTemporaryFile() as pdf:
        browser.open("file://" + path)
        browser.wait("document.querySelector('.matrix td, figure')")
        return browser.pdf(pdf.name)


def main():
    page, *paths = sys.argv[1:]
    with Browser("--enable-blink-features=ComputedAccessibilityInfo") as browser:
        for line in sys.stdin:
            if line.startswith("print "):
                print(count_sheets(browser, line[6:].strip()), flush=True)
                continue
            results, asked = drive(browser, "file://" + os.path.abspath(page), *line.split())
            for path, text in zip(paths, (results, "".join(address + "\n" for address in asked))):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            print("done", flush=True)


main()
