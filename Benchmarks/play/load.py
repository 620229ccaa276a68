"""Loads pages in headless Chromium in turns: chromium turns files url… Prints the milliseconds to each load event as JSON."""

import json
import sys

from playwright.sync_api import sync_playwright


def main():
    """One warm-up of each, which does not count: both servers have then opened what they keep open."""
    program, turns, files, urls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    times = {url: [] for url in urls}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for turn in range(turns + 1):
            for url in urls if turn % 2 else urls[::-1]:
                taken = load(browser, url, files)
                if turn > 0:
                    times[url].append(taken)
        browser.close()
    print(json.dumps(times))


def load(browser, url, files):
    """A context of its own has an empty cache."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url, wait_until="load")
    taken = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventStart")
    broken = page.evaluate("[...document.images].filter((image) => !image.complete || image.naturalWidth === 0).length")
    loaded = page.evaluate("document.styleSheets.length + document.images.length + document.scripts.length")
    if broken or loaded != files - 1:
        sys.exit(f"{url}: {loaded} of {files - 1} elements, {broken} broken images")
    context.close()
    return taken


if __name__ == "__main__":
    main()
