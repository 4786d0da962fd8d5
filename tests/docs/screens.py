#!/usr/bin/env python3
"""Compares the screens of commands with those in tests/docs/screens, which people have looked at.

screens.py SOURCE [--write]: each command runs in a terminal of 80 x 24 and of 200 x 50. Process
numbers, the user and ages of less than an hour are replaced by words, and of these lines several
blanks by two.
--write writes the files anew: look at the difference.
ATMOST_BIN: the programs' folder.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from screen import Terminal  # noqa: E402

SIZES = [(80, 24), (200, 50)]
BEGIN = 1795000000  # 2026-11-18 11:06:40 in UTC
HOUR = 3600

# Commands by the name of their files: (the command, the lock directory that it looks at).
COMMANDS = {
    "help": ("help", "now"),
    "run-help": ("run --help", "now"),
    "jobs": ("jobs", "past"),
    "list": ("list", "now"),
    "top": ("top", "now"),
    "stats": ("stats", "then"),
    "stats-card": ("stats mirror", "then"),
    "history": ("history", "then"),
}


def write_log(folder, end):
    """A history whose last line is of the moment `end`: jobs of each result, and refusals."""
    folder.mkdir()
    lines = []

    def line(at, lock, event, **more):
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(at))
        lines.append((at, {"v": 1, "event": event, "time": stamp, "at": at, "host": "alder",
                           "lock": lock, "path": f"/locks/{lock}.lock", "max": 1, "take": 1,
                           "pid": 4711, "uid": 0, "command": "rsync", **more}))

    def run(ago, lock, took, **how):
        start = end - ago
        line(start, lock, "admitted", slot=1, token=start, waited_s=0)
        line(start + took, lock, "ended", slot=1, token=start, waited_s=0, ran_s=took, **how)

    for day in range(9, 0, -1):
        run(day * 24 * HOUR, "mirror", 180 + 20 * day, exit=0, cpu_s=12, peak_kib=18432)
        run(day * 24 * HOUR + 1800, "database-backup-of-the-second-site", 5400, exit=0)
    run(5 * HOUR + 750, "mirror", 190, exit=3, cpu_s=12, peak_kib=18432)
    run(3 * HOUR + 750, "report", 3600, signal="TERM", stopped="max_runtime")
    run(2 * HOUR + 750, "index", 0.002, exit=127, started=False)
    line(end - 1 * HOUR, "mirror", "denied", why="no_slot", held=1, waiters=0, waited_s=60,
         retry_in_s=None)
    line(end - 750, "mirror", "denied", why="too_soon", waited_s=0, retry_in_s=19 * HOUR + 750 - 30)
    lines.sort(key=lambda one: one[0])
    with open(folder / "history.jsonl", "w") as log:
        for _, one in lines:
            log.write(json.dumps(one, separators=(",", ":")) + "\n")


def hold(programs, folder, environment):
    """Holders and waiters in a lock directory; returns the processes."""
    folder.mkdir()
    atmost = str(programs / "atmost")
    options = ["--dir", str(folder), "--no-history", "-q"]
    started = []
    for words in (["-n", "2", "encoder"], ["-n", "2", "encoder"], ["backup"],
                  ["-n", "2", "-w", "inf", "encoder"]):
        started.append(subprocess.Popen([atmost, "run", *options, *words, "sleep", "600"],
                                        env=environment))
        deadline = time.monotonic() + 60
        while str(started[-1].pid) not in subprocess.run(
                [atmost, "list", "--dir", str(folder)], env=environment, check=True,
                stdout=subprocess.PIPE, encoding="utf-8").stdout:
            if time.monotonic() > deadline:
                sys.exit(f"{words} neither holds nor waits")
            time.sleep(0.05)
    return started


def plain(line, folder, holders):
    line = line.replace(str(folder), "FOLDER")
    for one in holders:
        line = re.sub(rf"\b{one.pid}( +)\S+( +)(?:\d+m)?\d+m?s\b", r"PID\1USER\2AGE", line)
    return re.sub(r"   +", "  ", line) if re.search("PID +USER", line) else line


def compare(source, folder, environment, holders, write):
    wrong = 0
    for name, (command, where) in COMMANDS.items():
        for columns, rows in SIZES:
            option = "" if "help" in command else f" --dir {folder}/{where}"
            if where == "past":  # ages are by the clock: whole minutes, and half of one
                shutil.rmtree(folder / where, ignore_errors=True)
                write_log(folder / where, int(time.time()))
            verb, _, rest = command.partition(" ")
            terminal = Terminal(folder, f"atmost {verb}{option} {rest}", environment, columns, rows)
            try:
                # top does not end; its last line has the keys that it takes.
                lines = (terminal.until(r"(?s)3 held, 1 waiting.*encoder +- .*q quit$")
                         if verb == "top" else terminal.at_the_end()[:-1])
            finally:
                terminal.close()
            wide = [line for line in lines if len(line) > columns]
            shown = "\n".join(plain(line, folder, holders) for line in lines) + "\n"
            file = source / "tests/docs/screens" / f"{name}.{columns}.txt"
            if write:
                file.parent.mkdir(exist_ok=True)
                file.write_text(shown)
            if wide:
                print(f"{name}: wider than {columns} columns: {wide}")
                wrong = 1
            if name == "run-help" and len(lines) >= rows:
                print(f"{name}: {len(lines)} lines on a screen of {rows}")
                wrong = 1
            if not file.exists() or file.read_text() != shown:
                print(f"{name}: the screen of {columns} columns is not that of {file}:\n{shown}")
                wrong = 1
    return wrong


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    programs = pathlib.Path(os.environ["ATMOST_BIN"]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="atmost-screens."))
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder), "TZ": "UTC",
                   "LC_ALL": "C.UTF-8", "TMPDIR": str(folder), "TERM": "xterm", "NO_COLOR": "1"}
    write_log(folder / "then", BEGIN)
    started = []
    try:
        started = hold(programs, folder / "now", environment)
        return compare(source, folder, environment, started, "--write" in sys.argv)
    finally:
        for one in reversed(started):
            one.terminate()
        for one in started:
            one.wait()
        shutil.rmtree(folder, ignore_errors=True)


sys.exit(main())
