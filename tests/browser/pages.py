#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Pages of `jitbench report` in a real headless Chromium: what a reader sees, at 400, 800 and 1,200 pixels, light and dark.

Usage: pages.py [--shots FOLDER] PAGE.html...
Each page passes, or fails with its findings, which are printed one a line. Without Chromium or selenium all is skipped."""
import base64
import os
import shutil
import sys
import tempfile

WIDTHS = (400, 800, 1200)
SCHEMES = ("light", "dark")
TEXT_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
MARK_CONTRAST = 3.0  # 1.4.11

# Everything that is looked at, in the page's own words. Returns findings as texts.
LOOK = r"""
const found = [];
const root = document.scrollingElement;
if (root.scrollWidth > innerWidth)
    found.push(`overflows: ${root.scrollWidth} > ${innerWidth} pixels`);

// Only what has a scroll box of its own may be wider than the window: nothing from 1,200 pixels on but the heat map of a
// fleet, and no table of rows anywhere unless a name or unit is as long as no program of ours writes it.
for (const node of document.querySelectorAll('main *')) {
    const box = node.getBoundingClientRect();
    if (box.width && !node.closest('.scroll') && box.right > innerWidth + 1)
        found.push(`<${node.tagName}> '${node.textContent.slice(0, 30)}' ends at ${box.right.toFixed(0)} of ${innerWidth} pixels`);
}
for (const box of document.querySelectorAll('.scroll')) {
    const table = box.querySelector('table');
    const long = Array.from(table.querySelectorAll('.rows td:not(.w):not([colspan])')).some(td => td.textContent.length > 45);
    if (box.scrollWidth > box.clientWidth + 1 && !long && !table.matches('.heat') && (innerWidth >= 1200 || table.matches('.rows')))
        found.push(`the table '${table.textContent.slice(0, 40)}' is ${box.scrollWidth} pixels wide in ${box.clientWidth}`);
}
// A cell of figures, and the status, take one line.
for (const cell of innerWidth >= 1000 ? document.querySelectorAll('.rows td:not(.w):not([colspan])') : []) {
    const inside = document.createRange();
    inside.selectNodeContents(cell);
    const height = inside.getBoundingClientRect().height;
    if (height > 24)
        found.push(`the cell '${cell.textContent.slice(0, 30)}' is ${height.toFixed(0)} pixels high`);
}

function boxes(nodes) { return Array.from(nodes, n => [n.textContent.slice(0, 40), n.getBoundingClientRect()]); }
function meet(a, b) {
    const slack = 0.5;
    return a.left < b.right - slack && b.left < a.right - slack && a.top < b.bottom - slack && b.top < a.bottom - slack;
}
function visible(node) { return node.getClientRects().length > 0; }
let axes = 0;
for (const svg of document.querySelectorAll('svg')) {
    if (!visible(svg))
        continue;
    const name = svg.querySelector('title')?.textContent ?? '?';
    if (!svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent)
        found.push(`${name}: no title or description`);
    const texts = boxes(svg.querySelectorAll('text'));
    for (let i = 0; i < texts.length; i++)
        for (let j = i + 1; j < texts.length; j++)
            if (meet(texts[i][1], texts[j][1]))
                found.push(`${name}: '${texts[i][0]}' over '${texts[j][0]}'`);
    const frame = svg.getBoundingClientRect();
    for (const [text, box] of texts) {
        if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
            found.push(`${name}: '${text}' sticks out of its figure`);
        if (box.height < 9)
            found.push(`${name}: '${text}' is ${box.height.toFixed(1)} pixels high`);
    }
    for (const axis of svg.querySelectorAll('.axis')) {
        axes++;
        const title = axis.querySelector('.name')?.textContent ?? '';
        if (title.length < 3)
            found.push(`${name}: an axis has no title`);
        if (axis.querySelectorAll('.tick').length < 1)
            found.push(`${name}: the axis '${title}' has no ticks`);
        if (axis.dataset.unit && !title.includes(`(${axis.dataset.unit})`)
            && !Array.from(axis.querySelectorAll('.tick')).every(t => /[a-zA-Zµ%]/.test(t.textContent)))
            found.push(`${name}: the axis '${title}' does not say that it is in ${axis.dataset.unit}`);
    }
}
if (axes === 0)
    found.push('no axis was found');

function channel(v) { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }
function luminance(c) {
    const [r, g, b] = c.match(/[\d.]+/g).map(Number);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
}
function contrast(a, b) {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
}
function background(node) {
    for (; node; node = node.parentElement) {
        const colour = getComputedStyle(node).backgroundColor;
        if (!/^rgba\(.*, 0\)$/.test(colour))
            return colour;
    }
    return 'rgb(255, 255, 255)';
}
const page = getComputedStyle(document.body).backgroundColor;
const seen = new Set();
for (const node of document.querySelectorAll('h1,h2,h3,p,small,th,td,td div,a,li,summary,figcaption,.legend span,.bad,svg text')) {
    const style = getComputedStyle(node), colour = node.closest('svg') ? style.fill : style.color;
    const ground = background(node), ratio = contrast(colour, ground);
    if (!seen.has(colour + ground) && ratio < arguments[0])
        found.push(`text of <${node.tagName}> '${node.textContent.slice(0, 20)}' has a contrast of ${ratio.toFixed(2)}`);
    seen.add(colour + ground);
}
for (let i = 0; i < 8; i++) {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.className = `s${i}`;
    const ratio = contrast(getComputedStyle(probe).color, page);
    if (ratio < arguments[1])
        found.push(`colour s${i} has a contrast of ${ratio.toFixed(2)}`);
    probe.remove();
}
const ids = Array.from(document.querySelectorAll('[id]'), n => n.id);
if (new Set(ids).size !== ids.length)
    found.push('an id is there twice');
for (const a of document.querySelectorAll('nav a'))
    if (!document.getElementById(a.getAttribute('href').slice(1)))
        found.push(`nothing at ${a.getAttribute('href')}`);
if (document.scripts.length || document.querySelector('[onclick],[onload],[onerror],iframe,object,img'))
    found.push('something active is in the page');
for (const entry of performance.getEntriesByType('resource'))
    found.push(`something is fetched: ${entry.name.slice(0, 80)}`);
return found;
"""


def skip(why):
    print(f"skipped: pages: {why}")
    sys.exit(0)


def start(profile):
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        skip("no chromium (Debian: chromium) or no chromedriver (chromium-driver)")
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        skip("no python3-selenium")
    options = Options()
    options.binary_location = binary
    for flag in ("headless", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
                 "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage",
                 "hide-scrollbars", f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


def command(browser, name, **parameters):
    return browser.execute_cdp_cmd(name, parameters)


def look(browser, page, shots, all_ways):
    """Yields findings. all_ways: each width light and dark; otherwise light and dark in turn."""
    name = os.path.basename(page)
    for scheme in SCHEMES:
        command(browser, "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for i, width in enumerate(WIDTHS):
            if not all_ways and scheme != SCHEMES[i % 2]:
                continue
            where = f"{name}, {width} pixels, {scheme}"
            command(browser, "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                    mobile=False)
            browser.get("file://" + os.path.abspath(page))
            for folded in (True, False):
                if not folded:
                    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
                for finding in browser.execute_script(LOOK, TEXT_CONTRAST, MARK_CONTRAST):
                    yield f"{where}: {finding}"
                if folded and shots:
                    shot = command(browser, "Page.captureScreenshot", captureBeyondViewport=True)
                    with open(os.path.join(shots, f"{name}-{width}-{scheme}.png"), "wb") as f:
                        f.write(base64.b64decode(shot["data"]))
            for entry in browser.get_log("browser"):
                yield f"{where}: console: {entry['message']}"
    command(browser, "Emulation.setEmulatedMedia", features=[])
    pdf = base64.b64decode(command(browser, "Page.printToPDF", printBackground=False)["data"])
    if not pdf.startswith(b"%PDF-") or len(pdf) < 10000:
        yield f"{name}: cannot be printed"
    if shots:
        with open(os.path.join(shots, f"{name}.pdf"), "wb") as f:
            f.write(pdf)


def main():
    arguments, shots = sys.argv[1:], None
    if arguments[:1] == ["--shots"]:
        shots, arguments = arguments[1], arguments[2:]
        os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        browser = start(profile)
        try:
            findings = [list(look(browser, page, shots, i == 0)) for i, page in enumerate(arguments)]
        finally:
            browser.quit()
    for page, found in zip(arguments, findings):
        for finding in found[:60]:
            print(finding)
        print(f"failed: {os.path.basename(page)}: {len(found)} findings" if found else f"passed: {os.path.basename(page)}")
    sys.exit(1 if any(findings) else 0)


if __name__ == "__main__":
    main()
