#!/usr/bin/env python3
"""Runs `atmost run --die-with PID` as the job of a shell on a terminal of its own: ^Z, fg, ^C.

die_with_terminal.py CALLER: the number of a process that lives on. Prints what a shell would see.
"""
import os
import pty
import select
import signal
import sys
import termios

COMMAND = """
trap 'echo interrupted; exit 3' INT
trap 'echo continued >>seen' CONT
mkfifo nothing
exec 5<>nothing
echo ready >seen
while :; do read -r line <&5; done
"""


def states(group):
    """The states of all processes of a group."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            found.append(fields[0])
    return found


def shell(terminal):
    """A session leader that starts one job in the foreground and waits for it as a shell does."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp("atmost", ["atmost", "run", "--die-with", sys.argv[1], "job", "sh", "-c", COMMAND])
    os.write(1, b"job started\n")
    _, status = os.waitpid(job, os.WUNTRACED)
    stopped = os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTSTP
    os.tcsetpgrp(0, os.getpgrp())
    # All of the group stop, each in its own time.
    while stopped and any(state not in "TZ" for state in states(job)):
        pass
    os.write(1, b"job stopped\n" if stopped else b"job not stopped\n")
    os.tcsetpgrp(0, job)
    os.killpg(job, signal.SIGCONT)
    _, status = os.waitpid(job, 0)
    os.tcsetpgrp(0, os.getpgrp())
    os.write(1, f"job ended with {os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def main():
    pid, terminal = pty.fork()
    if pid == 0:
        shell(0)
    seen = b""

    def expect(words):
        nonlocal seen
        while words not in seen:
            try:
                seen += os.read(terminal, 1000)
            except OSError as error:
                raise SystemExit(f"{words} was expected, {seen} was seen: {error}")
        seen = seen.split(words, 1)[1]

    def wait_for(word):
        """Until the command has written that word; its end is a failure."""
        nonlocal seen
        while True:
            try:
                with open("seen") as file:
                    if word in file.read():
                        return
            except FileNotFoundError:
                pass
            if select.select([terminal], [], [], 0.01)[0]:
                seen += os.read(terminal, 1000)
            if b"job ended" in seen:
                raise SystemExit(f"{word} was expected, {seen} was seen")

    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    expect(b"job started")
    wait_for("ready")
    os.write(terminal, b"\x1a")
    expect(b"job stopped")
    print("stopped")
    wait_for("continued")
    os.write(terminal, b"\x03")
    expect(b"interrupted")
    expect(b"job ended with 3")
    print("ended with the command's code")
    os.waitpid(pid, 0)


main()
