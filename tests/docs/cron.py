#!/usr/bin/env python3
"""The table of docs/cron.md, by Debian's cron: each row is a line of a crontab, whose code is noted
and whose mail is caught.

cron.py SOURCE: runs cron in a mount namespace of its own, with no other crontab and a stand-in for
sendmail; exit code 125 where that cannot be. It takes up to a minute, until cron's next turn.
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

CRON = "/usr/sbin/cron"
SKIPPED = 125
SECONDS = 240  # until everything has ended, on a loaded machine

# The lines of the crontab (name, command, code), by the words of the table for what happened.
# `busy` is held all the time, `overdue` and `bold` until they are stopped, `soon` ran a moment ago.
ROWS = {
    "the job ran and printed nothing": [("silent", "atmost run silent -- sh -c 'exit 3'", 3)],
    "the job ran and printed something": [("says", "atmost run says -- sh -c 'echo said; exit 4'", 4)],
    "busy, no option": [("busy", "atmost run busy -- echo never", 75)],
    "busy, `-q`": [("busy-q", "atmost run -q busy -- echo never", 75)],
    "busy, `--on-busy=skip`": [("busy-skip", "atmost run --on-busy=skip busy -- echo never", 0)],
    "busy, `--alert-after N`": [
        (f"alert-{n}", f": {n}; atmost run --alert-after 3 alert -- echo never", None) for n in (1, 2, 3)],
    "too soon, no option": [("soon", "atmost run --if-elapsed 1h soon -- echo never", 76)],
    "too soon, `--on-too-soon=skip`": [
        ("soon-skip", "atmost run --if-elapsed 1h --on-too-soon=skip soon -- echo never", 0)],
    "too soon, `--on-too-soon=wait`": [
        (f"soon-wait-{n}", f": {n}; atmost run -w inf --if-elapsed 3s --on-too-soon=wait later --"
         " sh -c 'date +said\\%s; exit 5'", 5) for n in (1, 2)],
    "this run stopped an overdue one and ran": [
        ("overdue", "atmost run --expire-after 1s overdue -- sh -c 'exit 6'", 6),
        ("overdue-q", "atmost run -q --expire-after 1s bold -- sh -c 'exit 7'", 7)],
    "this run was overdue and was stopped": [("stopped", "atmost run victim -- sleep 600", 79)],
    "this run lasted longer than `--max-runtime`": [
        ("long", "atmost run --max-runtime 1s long -- sleep 600", 124)],
    "the run succeeded sooner than `--min-runtime`": [
        ("fast", "atmost run --min-runtime 10m fast -- true", 1)],
    "the overdue holder is another user's": [
        ("others", "atmost run --expire-after 1s {work}/shared/others.lock -- echo never", 77)],
    "the lock file cannot be used": [("nowhere", "atmost run {work}/none/x.lock -- true", 73)],
    "a mistake in the line": [("mistake", "atmost run --no-such-option job -- true", 64)],
    "the program was not found": [("missing", "atmost run missing -- {work}/no-program", 127)],
    "`atmost` was not found": [("no-path", "PATH=/none atmost run job -- true", 127)],
}
OF_ANOTHER_USER = {"others"}
SILENT = {"overdue-q"}  # "yes, unless -q"


def table(source):
    text = (source / "docs/cron.md").read_text()
    part = re.search(r"^\| what happened .*?\n\n", text, re.M | re.S).group(0)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.strip().split("\n")[2:]]
    return {row[0]: row[1:] for row in rows}


def hide(path, content=""):
    """What is mounted on it is seen in this namespace only."""
    if os.path.exists(path):
        replaced = tempfile.NamedTemporaryFile("w", delete=False, dir=os.environ["ATMOST_WORK"])
        replaced.write(content)
        replaced.close()
        os.chmod(replaced.name, 0o644)
        subprocess.run(["mount", "--bind", replaced.name, path], check=True)


def furnish(work):
    """cron's world: no crontab but ours, and whoever sends mail leaves it in work/mail."""
    for folder in ("/var/spool/cron", "/etc/cron.d", "/run"):
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    os.makedirs("/var/spool/cron/crontabs")
    hide("/etc/crontab")
    hide("/etc/pam.d/cron", "".join(f"{kind} required pam_permit.so\n" for kind in ("auth", "account", "session")))
    # A folder of links in place of the one with sendmail, which may have none.
    programs = work / "sbin"
    programs.mkdir()
    subprocess.run(["mount", "--bind", "/usr/sbin", programs], check=True)
    cron = work / "cron"
    shutil.copy2(CRON, cron)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/usr/sbin"], check=True)
    for program in programs.iterdir():
        if program.name != "sendmail":
            os.symlink(program, f"/usr/sbin/{program.name}")
    sendmail = pathlib.Path("/usr/sbin/sendmail")
    sendmail.write_text(f'#!/bin/sh\ncat >"$(mktemp {work}/mail/XXXXXX)"\n')
    sendmail.chmod(0o755)
    return cron


def write_crontabs(work, programs):
    for user in ("root", "daemon"):
        lines = [f"PATH={programs}:/usr/bin:/bin", f"ATMOST_DIR={work}/{user}", f"HOME={work}"]
        for row in ROWS.values():
            for name, command, _ in row:
                if (name in OF_ANOTHER_USER) == (user == "daemon"):
                    command = command.format(work=work)
                    lines.append(f"* * * * * {command}; code=$?; echo $code >{work}/codes/{name}; exit $code")
        path = pathlib.Path("/var/spool/cron/crontabs") / user
        path.write_text("\n".join(lines) + "\n")
        path.chmod(0o600)
        shutil.chown(path, user)


def wait_for(what, condition):
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"cron: not within {SECONDS} s: {what}")
        time.sleep(0.05)


def children_of(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def one_turn(work, programs, cron):
    """All lines once. The crontabs are taken away before the next minute."""
    environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "ATMOST_DIR": str(work / "root"), "HOME": str(work)}
    environment.pop("ATMOST_STORE", None)

    def run(*words):
        return subprocess.run(["atmost", *words], env=environment, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)

    holders = []
    for lock in ("busy", "alert", "overdue", "bold", f"{work}/shared/others.lock"):
        holders.append(subprocess.Popen(["atmost", "run", "-q", "--mode", "666", lock, "--", "sleep", "600"],
                                        env=environment, stderr=subprocess.DEVNULL))
        wait_for(f"{lock} is held", lambda name=lock: run("check", name).stdout != b"0\n")
    os.chmod(work / "shared/others.lock", 0o666)
    run("run", "soon", "--", "true")
    names = [name for row in ROWS.values() for name, _, _ in row]
    write_crontabs(work, programs)
    daemon = subprocess.Popen([cron, "-f"], env=environment, cwd="/")
    try:
        wait_for("a line of the crontab is run", lambda: any((work / "codes").iterdir()))
        shutil.rmtree("/var/spool/cron/crontabs")
        wait_for("victim is held", lambda: run("check", "victim").stdout != b"0\n")
        time.sleep(1)  # it is overdue then
        run("run", "-q", "--expire-after", "1s", "victim", "--", "true")
        wait_for("every line has ended", lambda: all((work / "codes" / name).exists() for name in names))
        # Each of them sends its mail, and goes.
        wait_for("cron has nothing left to do", lambda: not children_of(daemon.pid))
    finally:
        daemon.terminate()
        daemon.wait()
        for holder in holders:
            holder.terminate()
            holder.wait()


def seen(work):
    """(code, bodies of the mails) by the name of a line."""
    found = {name: (int((work / "codes" / name).read_text()), []) for row in ROWS.values() for name, _, _ in row}
    for mail in (work / "mail").iterdir():
        head, _, body = mail.read_text().partition("\n\n")
        found[re.search(rf"{work}/codes/([\w-]+)", head).group(1)][1].append(body)
    return found


def faults_of(row, found):
    """What of the row of the table is not so."""
    words, codes, mailed = row[1]
    lines = [(name, code, *found[name]) for name, _, code in ROWS[row[0]]]
    if mailed == "each Nth time":
        counts = sorted((code, len(mails)) for _, _, code, mails in lines)
        if counts != [(0, 0), (0, 0), (75, 1)]:
            yield f"codes and mails {counts}"
        lines = [line for line in lines if line[3]]
    expected = re.escape(re.sub(r"^.*?`|`.*$", "", words)).replace("…", ".*")
    for name, wanted, code, mails in lines:
        if wanted is not None and code != wanted:
            yield f"{name} ended with {code}, not {wanted}"
        if re.search(r"\d", codes) and str(code) not in re.findall(r"\d+", codes):
            yield f"{name} ended with {code}, and the table has {codes}"
        sends = name not in SILENT and (mailed != "no" if mailed != "as the job" else True)
        if len(mails) != int(sends):
            yield f"{name}: {len(mails)} mails: {mails}"
        if sends and "`" in words and not re.search(expected, "".join(mails)):
            yield f"{name}: no {words} in {mails}"
        if sends and "printed" in row[0] + mailed and "said" not in "".join(mails):
            yield f"{name}: not what the job printed: {mails}"
        if "never" in "".join(mails):
            yield f"{name}: the job ran: {mails}"


def compare(source, work):
    found, rows, wrong = seen(work), table(source), 0
    for name in sorted(set(rows) ^ set(ROWS)):
        print(f"cron: only in {'the table' if name in rows else 'the test'}: {name}")
        wrong = 1
    for row in rows.items():
        for fault in faults_of(row, found) if row[0] in ROWS else ():
            print(f"cron: {row[0]}: {fault}")
            wrong = 1
    waited = [int(re.search(r"said(\d+)", found[f"soon-wait-{n}"][1][0]).group(1)) for n in (1, 2)]
    if abs(waited[0] - waited[1]) < 3:
        print(f"cron: too soon, and yet no 3 s between {waited}")
        wrong = 1
    print(f"cron: {len(rows)} rows, {len(found)} lines, {sum(len(mails) for _, mails in found.values())} mails")
    return wrong


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    programs = pathlib.Path(os.environ["ATMOST_BIN"]).resolve()
    if os.geteuid() != 0 or not os.access(CRON, os.X_OK):
        print("skipped: needs root and Debian's cron")
        return SKIPPED
    if "ATMOST_WORK" not in os.environ:
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            print("skipped: no mount namespace")
            return SKIPPED
        work = tempfile.mkdtemp(prefix="atmost-cron.")
        try:
            os.chmod(work, 0o755)
            return subprocess.run(["unshare", "-m", sys.executable, __file__, source],
                                  env={**os.environ, "ATMOST_WORK": work}, check=False).returncode
        finally:
            shutil.rmtree(work)
    work = pathlib.Path(os.environ["ATMOST_WORK"])
    for folder in ("root", "daemon", "codes", "mail", "shared"):
        (work / folder).mkdir()
    for folder in ("codes", "mail"):
        (work / folder).chmod(0o1777)
    shutil.chown(work / "daemon", "daemon")
    one_turn(work, programs, furnish(work))
    return compare(source, work)


sys.exit(main())
