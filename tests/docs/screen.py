#!/usr/bin/env python3
"""Runs the README's recipes and `make demo` in terminals of 80 x 24 and 200 x 50, and looks at the
screen.

screen.py SOURCE readme|demo: every line of the screen must be one of the whole lines that the
programs print. A recipe's programs have stand-ins that take a moment and print one line. A recipe
that is not in the table below, or that the README has no more, is a failure.
ATMOST_BIN: the programs' folder.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SECONDS = 240  # for one recipe, on a loaded machine
DURATION = r"[0-9][0-9a-z]*"
SIZES = [(80, 24), (200, 50)]
# A line that does not fit is cut so that it never reaches the last column; it may end in a blank.
CUT = "(?=.{WIDTH}$)"  # WIDTH: one or two less than the terminal's columns


def waiting(lock, command):
    """A waiter's line, whole or cut at the terminal's edge. `lock` is short."""
    start = (rf"atmost: waiting for {lock}: [0-9]+(?:st|nd|rd|th) of [0-9]+"
             rf"(?:, about {DURATION})?")
    holder = [*"; held by ", "[0-9]+", " ", *re.findall(r"\\?.", command), *" for ", DURATION]
    others = [*", and ", "[0-9]+", *" other", "s?"]
    beginning = ""
    for part in reversed(holder + others):
        beginning = f"(?:{part}{beginning})?"
    whole = f"(?:{''.join(holder)}(?:{''.join(others)})?)?"
    return f"{start}{whole}|{CUT}{start}{beginning}"


def busy(lock):
    return rf"atmost: busy: {lock}: [0-9]+ of [0-9]+ slots held \(by [^()]*\)"


# The content of the recipe's line: (what runs, with {} for the recipe, the patterns of its lines).
RECIPES = {
    "mirror -- /usr/local/bin/mirror": None,  # a line of a crontab: no terminal
    "encoder -- ffmpeg": ("touch 1.mkv 2.mkv 3.mkv 4.mkv 5.mkv 6.mkv 7.mkv 8.mkv 9.mkv\n{}",
                          [waiting("encoder", "ffmpeg"), r"ffmpeg: -i [1-9]\.mkv [1-9]\.mkv\.mp4"]),
    "api -- curl": ("{}", [waiting("api", "curl"),
                           r"curl: -sS https://api\.example/page/[0-9]+"]),
    "cad -- sh": ("for job in $(seq 20); do {} & done; wait",
                               [waiting("cad", "sh"),
                                r"cad: --seat [1-8] model\.dwg"]),
    "gpu -- train.py": ("for job in 1 2 3 4; do {} & done; wait",
                        [waiting("gpu", r"train\.py"), r"train\.py:"]),
    "--die-with parent tests": ("for job in 1 2 3 4; do {} & done; wait",
                                [waiting("tests", "make"), "make: test"]),
    "JOB_SELF": ("printf '%s\\n' '#!/bin/sh' '{}' 'echo \"job: done\"; sleep 1' >job\n"
                 "chmod +x job; ./job & ./job & wait", [busy(r"\S*/job\.lock"), "job: done"]),
    "index -- make-index": ("{}; {} & {} & wait", ["make-index:"]),
    "site -- make": ("{} & sleep 0.3; {} & {} & wait",
                     [waiting("site", "make"), r"make: -C \S*/site publish"]),
}

DEMO = [
    "At most 3 at a time: [0-9]+ files, [0-9]+ compressors, of which 3 are let through:",
    "    atmost run -n 3 -w inf gzip -- compress FILE",
    "atmost list, while they run:",
    r"LOCK +SLOT +STATE +PID +USER +AGE(?: +EXPIRES +ID)? +COMMAND",
    r"gzip +[0-9-]+ +(?:held|waiting [0-9]+..) +[0-9]+ +\S+ +\S+(?: +- +-)? +\S*/compress",
    "[0-3] of 3 held(?:, [0-9]+ waiting)?",
    waiting("gzip", "compress"),
    "The count of a witness that knows nothing of atmost:",
    "    ([0-9]+) begun, \\1 ended, at most [1-3] at once",
    r"At most once every 15 minutes: the second run comes too soon \(exit code 76\):",
    "    the first one runs",
    rf"atmost: too soon: backup: the last run started less than 15m ago: come back in {DURATION}",
    r"When nothing is free, a caller is refused \(exit code 75\); kill -9 frees the place at once:",
    busy("one"),
    "Killed",
    "    the next one runs",
    r"For at most a second: a job that hangs is stopped, with all that it started \(exit code 124\):",
    rf"atmost: sync: the command was stopped after 1s(?: \(it ended after {DURATION}\))?, as --max-runtime says",
    "That was .*/bin/atmost. 'make' builds the rest: history, reports, fleets.",
]


class Terminal:
    """A terminal, in which a script runs."""

    def __init__(self, folder, script, environment, columns=80, rows=24):
        self.socket = str(pathlib.Path(tempfile.mkdtemp(dir=folder)) / "socket")
        (folder / "script").write_text(script + '\necho "ended with $?"\nexec sleep 1000\n')
        self.tmux("-f", "/dev/null", "set-option", "-g", "history-limit", "10000", ";",
                  "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder),
                  "sh", str(folder / "script"), environment=environment)

    def tmux(self, *words, environment=None):
        return subprocess.run(["tmux", "-S", self.socket, *words], check=True, env=environment,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout

    def lines(self):
        shown = self.tmux("capture-pane", "-p", "-J", "-S", "-10000")
        return [line.rstrip() for line in shown.splitlines() if line.strip()]

    def until(self, pattern):
        """The lines, once the pattern is found in them."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            lines = self.lines()
            if re.search(pattern, "\n".join(lines)):
                return lines
            time.sleep(0.1)
        sys.exit(f"no end within {SECONDS} s: {self.lines()}")

    def at_the_end(self):
        return self.until(r"(^|\n)ended with [0-9]+$")

    def close(self):
        self.tmux("kill-server")


def look(name, folder, script, patterns, environment):
    """Whether a line is none of the patterns', in a terminal of any size."""
    return any([strange_lines(name, folder, script, patterns, environment, *size) for size in SIZES])


def strange_lines(name, folder, script, patterns, environment, columns, rows):
    """The lines that are none of the patterns'. Each size has locks of its own."""
    locks = folder / f"locks-{columns}"
    locks.mkdir(exist_ok=True)
    patterns = [one.replace("WIDTH", f"{columns - 2},{columns - 1}") for one in patterns]
    terminal = Terminal(folder, script, {**environment, "ATMOST_DIR": str(locks)}, columns, rows)
    try:
        lines = terminal.at_the_end()
    finally:
        terminal.close()
    strange = [line for line in lines[:-1]
               if not any(re.fullmatch(pattern, line) for pattern in patterns)]
    if lines[-1] != "ended with 0":
        strange.append(lines[-1])
    if strange:
        print(f"{name}: none of the whole lines that it prints: {strange}\n  the screen:")
        print("\n".join("    " + shown for shown in lines))
    waits = sum("waiting for" in line for line in lines)
    print(f"{name}: {columns} columns, {len(lines) - 1} lines, {waits} of them of waiters")
    return strange


def stand_ins(folder):
    """Programs of those names, which take a moment and print their words."""
    folder.mkdir()
    for name, seconds in (("ffmpeg", 1), ("curl", 0), ("cad", 1.2), ("train.py", 1.5), ("make", 1.5),
                          ("make-index", 0.5), ("mirror", 0)):
        program = folder / name
        program.write_text(f'#!/bin/sh\nsleep {seconds}\n[ $# -gt 0 ] || exec echo "{name}:"\n'
                           f'echo "{name}: $*"\n')
        program.chmod(0o755)


def recipes(source):
    text = (source / "README.md").read_text()
    part = re.search(r"^## Nine recipes\n(.*?)^## ", text, re.M | re.S).group(1)
    return re.findall(r"^    (\S.*)$", part, re.M)


def run(what, source, folder):
    programs = pathlib.Path(os.environ["ATMOST_BIN"]).resolve()
    environment = {"PATH": f"{folder}/programs:{programs}:{os.environ['PATH']}",
                   "HOME": str(folder), "LC_ALL": "C.UTF-8", "TMPDIR": str(folder), "TERM": "xterm"}
    if what == "demo":
        script = f"BUILD={programs.parent} sh {source}/tools/demo.sh"
        return look("make demo", folder, script, DEMO, environment)
    stand_ins(folder / "programs")
    failed = False
    unseen = set(RECIPES)
    for recipe in recipes(source):
        found = [key for key in RECIPES if key in recipe]
        if len(found) != 1:
            print(f"this recipe is not in the table: {recipe}")
            failed = True
            continue
        unseen.discard(found[0])
        if RECIPES[found[0]] is None:
            continue
        script, patterns = RECIPES[found[0]]
        local = recipe.replace("/srv", str(folder)).replace("/path", str(folder))
        failed |= look(found[0], folder, script.replace("{}", local), patterns, environment)
    for key in unseen:
        print(f"the README has no recipe with {key!r}")
    return failed or bool(unseen)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atmost-screen."))
    try:
        return 1 if run(sys.argv[2], source, folder) else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
