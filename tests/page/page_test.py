#!/usr/bin/env python3
"""Opens what atmost report writes in a real Chromium: is it drawn, does it obey, is it silent, is it safe?

    page_test.py [FOLDER]     with a FOLDER, pictures of what was seen are left there
"""
import itertools
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

from browser import Browser

PICTURES = None
AXE = "axe-core@4.10.2"
RUNS = int(os.environ.get("ATMOST_PAGE_RUNS", "100"))  # of each of 60 locks
LISTEN = """window.drawn = [];
const fill = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.drawn.push(text); fill.call(this, text, ...at); };"""
HOSTILE = '</script><img src=http://127.0.0.1:9/x onerror=hacked=1><svg onload=hacked=1>\x1b[31m"\'&{{DATA}}'

# Pixels of a colour, which is named as the style sheet does, in a chart.
COUNT = """(chart, name) => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const canvas = document.querySelector(chart + " canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    if (data[i] === wanted[0] && data[i + 1] === wanted[1] && data[i + 2] === wanted[2]) ++count;
  return count;
}"""
# The colour of the chart's ground, where nothing is drawn.
CORNER = """(() => {
  const copy = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  copy.drawImage(document.querySelector("#lanes canvas"), -2, -2);
  return "#" + [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3).map((one) => one.toString(16).padStart(2, "0")).join("");
})()"""
# Elements that are wider than what shows them, or that end beyond the page.
CUT = """[...document.querySelectorAll(".scroll, table, th, td, .card, .facts, .legend, h1, h2, p")].filter((one) =>
  getComputedStyle(one.closest("thead") ?? one).position !== "absolute" && getComputedStyle(one).display !== "none" &&
  (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0 && getComputedStyle(one).display !== "inline" ||
   one.getBoundingClientRect().right > innerWidth + 1)).map((one) => one.outerHTML.slice(0, 120))"""
PIXELS = 'document.querySelector("#lanes canvas").toDataURL()'


def line(event, at, lock, **more):
    return json.dumps({"v": 1, "event": event, "at": round(at, 6), "host": "alder", "lock": lock,
                       "path": "/locks/" + lock + ".lock", "max": 1, "take": 1, **more}, separators=(",", ":"))


def story(lock, begin=1795000000, hours=24):
    """A day of hourly runs: some wait, fail, are refused; one hangs and is taken over."""
    for hour in range(hours):
        at, token = begin + hour * 3600, begin + hour
        hangs = hour == hours // 2
        ran = 4000 if hangs else 600 + 40 * hour
        yield line("denied", at - 600, lock, pid=3, why="too_soon", retry_in_s=300, waited_s=0)
        yield line("admitted", at, lock, slot=1, token=token, pid=1, waited_s=300 if hour % 5 == 4 else 0)
        yield line("denied", at + 100, lock, pid=2, why="no_slot", retry_in_s=None, held=1, waited_s=60)
        if hangs:
            yield line("expired", at + 3590, lock, slot=1, pid=4, holder_token=token, expire_after_s=3000)
            yield line("signalled", at + 3591, lock, slot=1, pid=4, holder_token=token, signal="INT", worked=True)
            ran = 3591
        how = {"signal": "INT"} if hangs else {"exit": 1 if hour % 7 == 3 else 0}
        yield line("ended", at + ran, lock, slot=1, token=token, pid=1, ran_s=ran, **how)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="atmost-page.")
        cls.browser = Browser()
        cls.page_of_story = cls.write("story", [*story("backup"), *story("mirror:alpha")])

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    @classmethod
    def page_of(cls, name):
        return os.path.join(cls.folder.name, name + ".html")

    @classmethod
    def write(cls, name, lines, *options):
        log, page = (os.path.join(cls.folder.name, name + end) for end in (".jsonl", ".html"))
        with open(log, "w", encoding="utf-8") as file:
            file.writelines(one + "\n" for one in lines)
        program = os.path.join(os.environ["ATMOST_BIN"], "atmost")
        subprocess.run([program, "report", "--log", log, "-o", page, *options], check=True)
        return page

    def open(self, path, **how):
        page = self.browser.open("file://" + path, **how)
        self.addCleanup(lambda: self.assert_silent(page, path))
        page.settle()
        return page

    def assert_silent(self, page, path):
        self.assertEqual(page.errors, [], "the console stays empty")
        self.assertEqual(page.requests, ["file://" + path], "nothing is fetched")

    def see(self, page, name):
        if PICTURES:
            page.picture(os.path.join(PICTURES, name + ".png"), whole=True)

    def count(self, page, chart, colour):
        return page.evaluate(f"({COUNT})({json.dumps(chart)}, {json.dumps(colour)})")

    def test_everything_is_drawn(self):
        page = self.open(self.page_of_story)
        self.see(page, "light")
        self.assertEqual(page.evaluate("document.title"), "atmost on alder")
        for colour in ("ok", "failure", "killed", "wait", "busy", "soon", "ink"):
            self.assertGreater(self.count(page, "#lanes", colour), 10, colour)
        self.assertGreater(self.count(page, "#queue", "wait"), 50)
        self.assertEqual(page.evaluate("document.querySelectorAll('#cards figure').length"), 2)
        self.assertGreater(page.evaluate("document.querySelectorAll('#cards .bars rect').length"), 10)
        self.assertEqual(page.evaluate("document.querySelectorAll('#cards .limit').length"), 2)
        self.assertIn("1 of 24 runs was killed (the limit was 50m",
                      page.evaluate("document.querySelector('#locks tbody').innerText"))

    def test_the_learned_limit_is_drawn_in(self):
        locks = os.path.join(self.folder.name, "locks")
        program = os.path.join(os.environ["ATMOST_BIN"], "atmost")
        for _ in range(10):  # fewer have no limit
            subprocess.run([program, "run", "--dir", locks, "job", "--", "true"], check=True)
        path = os.path.join(self.folder.name, "learned.html")
        subprocess.run([program, "report", "--dir", locks, "-o", path], check=True)
        page = self.open(path)
        self.assertRegex(page.evaluate("document.querySelector('#cards .learned text').textContent"), r"^learned \d+\w+$")

    def test_dark_is_dark_and_changes_while_open(self):
        page = self.open(self.page_of_story, dark=True)
        self.see(page, "dark")
        self.assertEqual(page.evaluate(CORNER), "#1a1e22")
        self.assertGreater(self.count(page, "#lanes", "ok"), 20)
        page.emulate(dark=False)
        page.settle()
        self.assertEqual(page.evaluate(CORNER), "#ffffff")

    def test_print_is_light_and_whole(self):
        page = self.open(self.page_of_story, dark=True)
        page.emulate(dark=True, media="print")
        page.settle()
        self.assertGreater(self.count(page, "#lanes", "ok"), 20)
        self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('.tools')).display"), "none")
        paper = os.path.join(PICTURES or self.folder.name, "print.pdf")
        page.pdf(paper)
        self.assertGreater(os.path.getsize(paper), 10_000)

    def test_keys_zoom_move_and_tell(self):
        page = self.open(self.page_of_story)
        page.evaluate("document.getElementById('lanes').focus()")
        told, whole = "document.getElementById('told').textContent", page.evaluate(PIXELS)
        for key in "+++":
            page.key(key)
        self.assertNotEqual(page.evaluate(PIXELS), whole)
        self.assertIn("(2h56m)", page.evaluate(told), "23 hours and a half, halved three times")
        zoomed = page.evaluate(PIXELS)
        page.key("ArrowRight")
        self.assertNotEqual(page.evaluate(PIXELS), zoomed)
        self.see(page, "zoomed")
        page.key("0")
        self.assertEqual(page.evaluate(PIXELS), whole)
        page.key("ArrowDown")
        self.assertIn("1 of 24 runs was killed", page.evaluate(told))
        for key in "nn":
            page.key(key)
        self.assertRegex(page.evaluate(told), r"18 Nov \d\d:\d\d.*: (succeeded|refused|failed)")

    def test_the_pointer_zooms_and_asks(self):
        page = self.open(self.page_of_story)
        box = page.evaluate("(({x, y, width}) => ({x, y, width}))(document.getElementById('lanes').getBoundingClientRect())")
        whole = page.evaluate(PIXELS)
        y = box["y"] + 45
        for x in range(int(box["x"] + box["width"] / 2), int(box["x"] + box["width"] / 2) + 60, 3):
            page.mouse("mouseMoved", x, y, "none")
            if page.evaluate("!document.getElementById('tip').hidden"):
                break
        self.assertIn("18 Nov", page.evaluate("document.getElementById('tip').textContent"))
        page.mouse("mousePressed", box["x"] + 500, y)
        page.mouse("mouseMoved", box["x"] + 700, y)
        page.mouse("mouseReleased", box["x"] + 700, y)
        self.assertNotEqual(page.evaluate(PIXELS), whole)
        page.evaluate("document.querySelector('[data-do=all]').click()")
        page.settle()
        self.assertEqual(page.evaluate(PIXELS), whole)

    def test_the_table_is_sorted_by_what_is_pressed(self):
        page = self.open(self.write("sorted", [*story("few", hours=4), *story("many", hours=20)]))
        names = "[...document.querySelectorAll('#locks tbody a')].map((one) => one.textContent).join()"
        runs = "document.querySelectorAll('#locks thead button')[2]"
        page.evaluate(runs + ".click()")
        self.assertEqual(page.evaluate(names), "many,few")
        self.assertEqual(page.evaluate(runs + ".parentElement.getAttribute('aria-sort')"), "descending")
        page.evaluate(runs + ".click()")
        self.assertEqual(page.evaluate(names), "few,many")

    def test_names_are_text_wherever_they_stand(self):
        page = self.open(self.write("hostile", story(HOSTILE)))
        self.see(page, "hostile")
        self.assertEqual(page.evaluate("document.querySelectorAll('img, body svg[onload]').length"), 0)
        self.assertEqual(page.evaluate("typeof hacked"), "undefined")
        shown = HOSTILE.replace("\x1b", "\\x1B")
        self.assertEqual(page.evaluate("document.querySelector('#locks tbody a').textContent"), shown)
        self.assertEqual(page.evaluate("document.querySelector('#cards figcaption span').textContent"), shown)
        # And if all that failed: the page's own policy lets no other script run.
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<button id=x onclick=\"hacked=1\">x</button>');"
                      "document.getElementById('x').click()")
        self.assertEqual(page.evaluate("typeof hacked"), "undefined")
        refused = page.evaluate("""new Promise((done) => {
          document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
          setTimeout(() => done("nothing"), 5000);
          new Image().src = "http://127.0.0.1:9/x";
        })""")
        self.assertEqual(refused, "img-src", "nor fetch anything")
        self.assertRegex("".join(page.errors), "Content Security Policy")
        page.errors.clear()
        page.requests[1:] = []

    def test_an_empty_log_is_a_page_too(self):
        page = self.open(self.write("empty", []))
        self.assertIn("Nothing has happened yet", page.evaluate("document.body.innerText"))

    def drawn(self, page):
        """The texts in the timeline, from the left, of a page that was opened with before=LISTEN."""
        return page.evaluate("[...new Set(window.drawn)]")

    def test_names_differ_where_there_is_little_room(self):
        names = [f"backup-home-of-{one}-to-the-second-server" for one in ("alice", "bob")]
        path = self.write("long", [*story(names[0]), *story(names[1])])
        narrow = self.open(path, width=420, before=LISTEN)
        self.see(narrow, "narrow")
        self.assertEqual(narrow.evaluate("document.documentElement.scrollWidth"), 420)
        self.assertEqual(len([one for one in self.drawn(narrow) if one.startswith("backup-home-of-")]), 2)
        wide = self.open(path, width=900, before=LISTEN)
        for part in ("backup-home-of-alice-to-", "backup-home-of-bob-to-", "the-second-server"):
            self.assertIn(part, self.drawn(wide), "wrapped, not cut")

    def test_times_are_the_readers_own(self):
        for zone, words, first in [("UTC", "UTC", "18 Nov 12:00"), ("Asia/Kolkata", "GMT+5:30", "18 Nov 18:00"),
                                   ("America/New_York", "EST", "18 Nov 06:00")]:
            page = self.open(self.page_of_story, zone=zone, before=LISTEN)
            self.assertEqual(page.evaluate("document.getElementById('zone').textContent"), f"The times are {words}.")
            self.assertIn(first, self.drawn(page))
            self.assertIn(words, page.evaluate("document.querySelector('.when').textContent"))
            self.assertIn(words, self.drawn(page))

    def test_no_hour_is_lost_when_the_clock_changes(self):
        # It goes back on 1 November 2026 in New York, an hour after midnight.
        path = self.write("clock", [*story("job", begin=1793419200, hours=96)])
        page = self.open(path, zone="America/New_York", width=1800, before=LISTEN)
        days = [one for one in self.drawn(page) if one.endswith(" 00:00")]
        self.assertEqual(days, ["31 Oct 00:00", "1 Nov 00:00", "2 Nov 00:00", "3 Nov 00:00"])

    def test_no_fault_of_accessibility(self):
        """By axe-core (MPL-2.0), a version of which comes from npm's registry; nothing of it is kept."""
        package = subprocess.run(["npm", "pack", "--silent", AXE], cwd=self.folder.name, check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.strip()
        with tarfile.open(os.path.join(self.folder.name, package)) as archive:
            axe = archive.extractfile("package/axe.min.js").read().decode()
        pages = {"none": self.write("none", []),
                 "one": self.write("one", story("backup", hours=6), "/locks/backup.lock"),
                 "many": self.write("many", [line for number in range(60) for line in story(f"lock-{number}", hours=RUNS)])}
        for name, width, dark in itertools.product(pages, (420, 900, 1400), (False, True)):
            page = self.open(pages[name], width=width, dark=dark)
            self.see(page, f"{name}-{width}-{'dark' if dark else 'light'}")
            page.evaluate(axe + "; 1")
            found = page.evaluate("axe.run().then((all) => all.violations.map((one) => [one.id, one.nodes[0].html]))")
            self.assertEqual(found, [], f"{name} {width} {dark}")
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), width, f"{name} {width} {dark}")
            self.assertEqual(page.evaluate(CUT), [], f"nothing of {name} {width} is cut, or has to be scrolled to")
            if width == 1400:
                tall = page.evaluate("Math.max(0, ...[...document.querySelectorAll('#runs tr')].map((one) => one.clientHeight))")
                self.assertLess(tall, 80, f"no column of {name} {width} is too narrow to be read")

    def test_a_phone_has_a_card_for_each_lock(self):
        page = self.open(self.page_of_story, width=420)
        heads = "[...document.querySelectorAll('#locks tbody tr:first-child td')].filter((one) => one.offsetParent)" \
                ".map((one) => getComputedStyle(one, '::before').content.slice(1, -1))"
        columns = "[...document.querySelectorAll('#locks thead button')].slice(1).map((one) => one.textContent)"
        self.assertEqual(page.evaluate(heads), page.evaluate(columns))
        self.assertGreater(page.evaluate("document.querySelector('#locks tbody tr').clientHeight"), 100)
        self.assertEqual(page.evaluate("new Set([...document.querySelectorAll('#locks tbody tr')]"
                                       ".map((one) => one.getBoundingClientRect().left)).size"), 1, "one below the other")

    def test_the_timeline_tells_failed_runs_and_explains_its_marks(self):
        page = self.open(self.page_of_story, before=LISTEN)
        self.assertIn("24 runs, 3 failed, 1 killed", self.drawn(page))
        legend = page.evaluate("document.getElementById('legend').innerText")
        for words in ("too soon until here", "overdue from here"):
            self.assertIn(words, legend)
        self.assertEqual(page.evaluate("document.querySelectorAll('#legend canvas').length"), 10)

    def test_a_wanted_replacement_is_no_trouble(self):
        begin, lines = 1795000000, []
        for number in range(3):
            at, token = begin + 600 * number, begin + number
            lines += [line("admitted", at, "site", slot=1, token=token, pid=1, waited_s=0)]
            if number < 2:
                lines += [line("stopping", at + 590, "site", slot=1, pid=2, holder_token=token, why="replace"),
                          line("signalled", at + 591, "site", slot=1, pid=2, holder_token=token, signal="INT", worked=True),
                          line("ended", at + 591, "site", slot=1, token=token, pid=1, ran_s=591, signal="INT", stopped="taken_over")]
            else:
                lines += [line("ended", at + 30, "site", slot=1, token=token, pid=1, ran_s=30, exit=0)]
        page = self.open(self.write("replaced", lines))
        self.assertEqual(page.evaluate("document.querySelector('#locks .trouble span').textContent"), "0")
        self.assertIn("2 replaced by the next one", page.evaluate("document.querySelector('#locks tbody').innerText"))

    def test_what_trouble_is_stands_there(self):
        page = self.open(self.page_of_story)
        self.assertIn("Trouble: 10 for a killed run", page.evaluate("document.querySelector('#offenders').innerText"))
        self.assertNotIn("spam", page.evaluate("document.body.innerText").lower())

    def test_one_lock_has_its_runs(self):
        page = self.open(self.write("one", story("backup", hours=60), "/locks/backup.lock"), width=900)
        self.see(page, "one")
        rows = page.evaluate("[...document.querySelectorAll('#runs tbody tr')].map((row) => row.cells[0].innerText)")
        self.assertGreater(len(rows), 50)
        self.assertEqual(rows, sorted(rows, reverse=True))
        self.assertEqual(page.evaluate("document.body.scrollWidth <= innerWidth"), True)

    def test_many_events_open(self):
        lines = [one for lock in range(100) for one in story(f"job-{lock:03}", hours=240)]
        self.assertGreater(len(lines), 90_000)
        page = self.open(self.write("many", lines))
        self.see(page, "many")
        for colour in ("ok", "busy", "soon"):
            self.assertGreater(self.count(page, "#lanes", colour), 200, colour)
        page.evaluate("document.getElementById('lanes').focus()")
        page.key("ArrowDown")
        page.key("n")
        self.assertRegex(page.evaluate("document.getElementById('told').textContent"), r"\d (run|runs)")
        page.evaluate("document.getElementById('more').click()")
        self.assertEqual(page.evaluate("document.querySelectorAll('#cards figure').length"), 100)

    def test_the_drawing_alone(self):
        log = os.path.join(self.folder.name, "story.jsonl")
        drawing = os.path.join(self.folder.name, "story.svg")
        program = os.path.join(os.environ["ATMOST_BIN"], "atmost")
        subprocess.run([program, "report", "--svg", "--log", log, "-o", drawing, "mirror:alpha"], check=True)
        page = self.browser.open("about:blank", wait=False)
        page.call("Page.navigate", url="file://" + drawing)
        page.until("document.documentElement?.tagName === 'svg' && document.readyState === 'complete'")
        self.see(page, "drawing")
        self.assertEqual(page.evaluate("document.querySelectorAll('rect.success, rect.failure').length"), 23)
        self.assertEqual(page.evaluate("document.querySelectorAll('rect.killed').length"), 1)
        self.assertEqual(page.evaluate("document.querySelectorAll('.too_soon').length"), 24)
        self.assertEqual(page.evaluate("document.querySelector('text').textContent"), "mirror:alpha")
        self.assertEqual(page.errors, [])


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]):
        PICTURES = sys.argv.pop(1)
    try:
        unittest.main(verbosity=1)
    except FileNotFoundError as missing:
        print("skipped: there is no", missing)
        sys.exit(125)
