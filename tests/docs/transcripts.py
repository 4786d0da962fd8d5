#!/usr/bin/env python3
"""Every transcript of the documents is run, and its output compared with the one shown.

A transcript is a block fenced with ```console: lines that begin with `$ ` are commands, lines that
begin with `> ` continue the one before, all others are the output of both descriptors. `…` in the
output stands for any text within a line, and for any lines if it is alone in one. One bash runs a
block, in a folder and with a lock directory of its own. A comment `<!-- before: … -->` in front of
a block is run first; a comment `<!-- needs: PROGRAM … -->` leaves the block out, and says so, where
one of the programs is missing.

A block fenced with ```crontab is taken line by line as cron(8) takes it: settings, and commands
that sh must be able to run; % is refused, unless quoted. A block fenced with ```ini is a set of
systemd's units, each after a line `# NAME.service` or `# NAME.timer`; systemd-analyze must find
nothing to say about them, if it is installed. Behind a line `<!-- run the last column -->` the
commands in the last column of every table are run, each in a lock directory of its own.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is written beside the sources
from examples import Room, Wrong, run_shell, stub_the_rest

MARK = "=== end of a command ==="
SCHEDULE = re.compile(r"^(?:@\w+|(?:[\w*/,-]+\s+){4}[\w*/,-]+)\s+")


def fenced(text):
    """(line number, kind, lines, what to run before, programs needed) of each block with a kind."""
    lines = text.split("\n")
    at, before, needs = 0, "", []
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!-- before:"):
            end = at
            while "-->" not in lines[end]:
                end += 1
            before = "\n".join(lines[at : end + 1])[len("<!-- before:") :].split("-->")[0].strip()
            at = end + 1
        elif line.startswith("<!-- needs:"):
            needs = line[len("<!-- needs:") :].split("-->")[0].split()
            at += 1
        elif line.startswith("```"):
            kind, end = line[3:].strip(), at + 1
            while not lines[end].startswith("```"):
                end += 1
            if kind in ("console", "crontab", "ini"):
                yield at + 2, kind, lines[at + 1 : end], before, needs
            before, needs, at = "", [], end + 1
        else:
            at += 1


def commands_of_tables(text):
    """(line number, command) of each command in the last columns."""
    begun = False
    for number, line in enumerate(text.split("\n"), 1):
        begun = begun or line == "<!-- run the last column -->"
        if begun and line.startswith("|"):
            cell = re.split(r"(?<!\\)\|", line)[-2].replace("\\|", "|")
            for span in re.findall(r"`([^`]+)`", cell):
                if re.search(r"(?:atmost|exectimes) [a-z/$]", span) and span != "atmost pass":
                    yield number, "table", [span]


def commands(lines):
    """(command, lines of output) in their order."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (found[-1][0] + "\n" + line[2:], [])
        elif found:
            found[-1][1].append(line)
        else:
            raise Wrong("begins with no command")
    return found


def pattern(lines):
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            fixed = [re.escape(part) for part in line.rstrip().split("…")]
            parts.append(".*?".join(fixed) + r"[ ]*\n")
    return "".join(parts)


def bash(room, script):
    return subprocess.run(["bash", "-c", script], cwd=room.here, env=room.env, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=90).stdout


def check_console(room, lines, before):
    room.fresh_locks()
    shutil.rmtree(room.here)
    room.here.mkdir()
    script = [before, f"echo '{MARK}'"]
    for command, _ in commands(lines):
        # $? is the last command's for the next one.
        script.append(f"{command}\n{{ code=$?; echo '{MARK}'; (exit $code); }}")
    # As cron does, but with the programs and locks of this room.
    programs = room.env["PATH"].split(":")[1]
    text = "\n".join(script).replace("PATH=/usr/local/bin:", f"PATH={programs}:")
    text = text.replace("env -i ", f"env -i ATMOST_DIR={room.env['ATMOST_DIR']} ")
    said = bash(room, room.local(text)).replace(str(room.root), "")
    parts = said.split(MARK + "\n")
    if parts[0]:
        raise Wrong(f"what is run before it says: {parts[0]}")
    expected = commands(lines)
    if len(parts) != len(expected) + 2:
        raise Wrong(f"its commands were not all run: {said}")
    for (command, output), part in zip(expected, parts[1:]):
        if part and not part.endswith("\n"):
            part += "\n"
        part = re.sub(r"[ ]+$", "", part, flags=re.M)
        if not re.fullmatch(pattern(output), part):
            said = show(part.splitlines())
            raise Wrong(f"$ {command}\n  shown:\n{show(output)}\n  said:\n{said}")


def show(lines):
    return "\n".join("    " + line for line in lines)


def check_crontab(room, lines, system):
    room.fresh_locks()
    settings = {}
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        setting = re.match(r"^([A-Z_]+)=(.*)$", line)
        if setting:
            settings[setting.group(1)] = setting.group(2)
            continue
        schedule = SCHEDULE.match(line)
        if not schedule:
            raise Wrong(f"no line of a crontab: {line}")
        command = line[schedule.end() :]
        if system:
            user, command = command.split(None, 1)
            if not re.fullmatch(r"[a-z][a-z0-9_-]*", user):
                raise Wrong(f"no user: {user}")
        if re.search(r"(?<!\\)%", command):
            raise Wrong(f"cron ends the command at %: {line}")
        command = room.local(re.sub(r"--splay \w+", "--splay 1ms", command.replace("\\%", "%")))
        stub_the_rest(room, [re.sub(r"\S*/\S*", "", command)])
        room.expect_ok(["sh", "-c", command])
    if settings.get("PATH", "/").startswith("$") or "$" in settings.get("PATH", ""):
        raise Wrong("cron does not expand variables in PATH")


def check_units(room, lines):
    units = room.folder / "units"
    shutil.rmtree(units, ignore_errors=True)
    units.mkdir()
    unit = None
    for line in lines:
        name = re.match(r"^# ([\w@.-]+\.(?:service|timer))$", line)
        if name:
            unit = units / name.group(1)
        elif unit is None:
            raise Wrong("begins with no name of a unit")
        if re.match(r"^ExecStart=", line):
            program = line.split("=", 1)[1].split()[0]
            local = room.local(program if program.startswith("/") else f"/usr/local/bin/{program}")
            room.stub(Path(local))
            line = line.replace(program, local, 1)
        with unit.open("a") as out:
            out.write(line + "\n")
    names = sorted(units.iterdir())
    if not shutil.which("systemd-analyze"):
        return "units, not verified: systemd-analyze is not installed"
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                           *map(str, names)], text=True, capture_output=True, timeout=60,
                          env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"})
    if done.returncode != 0 or done.stderr.strip():
        raise Wrong(done.stdout + done.stderr)
    return "units"


def main():
    source = Path(sys.argv[1]).resolve()
    bin_dir = Path(os.environ["ATMOST_BIN"]).resolve()
    documents = [Path(name).resolve() for name in sys.argv[2:]] or [
        source / "README.md", *sorted((source / "docs").rglob("*.md"))]
    wrong, seen = 0, {}
    for path in documents:
        room = Room(source, bin_dir)
        try:
            text = path.read_text()
            rows = [(*row, "", []) for row in commands_of_tables(text)]
            for number, kind, lines, before, needs in [*fenced(text), *rows]:
                missing = [name for name in needs if not shutil.which(name, path=room.real_path)]
                if missing:
                    kind = f"left out for want of {' '.join(missing)}"
                    seen[kind] = seen.get(kind, 0) + 1
                    continue
                try:
                    if kind == "console":
                        check_console(room, lines, before)
                    elif kind == "table":
                        run_shell(room, lines)
                    elif kind == "crontab":
                        check_crontab(room, lines, lines[0].startswith("# /etc/"))
                    else:
                        kind = check_units(room, lines)
                    seen[kind] = seen.get(kind, 0) + 1
                except (Wrong, OSError, ValueError, subprocess.TimeoutExpired) as error:
                    wrong += 1
                    print(f"{path.name}:{number}: {error}", file=sys.stderr)
        finally:
            shutil.rmtree(room.folder, ignore_errors=True)
    print("transcripts:", ", ".join(f"{count} {kind}" for kind, count in sorted(seen.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
