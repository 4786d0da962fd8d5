#!/usr/bin/env python3
"""Kills callers of `atmost run --die-with parent`, and looks with /proc alone at what outlives them.

die_with_witness.py COUNT [BOUND_MS]: COUNT callers, each the leader of a session, run a command that starts
daemons in sessions of their own. At a random moment SIGKILL goes to the caller alone, to the caller and a
process of atmost, or to the caller's whole process group. Nothing that the command started may run on, and no
other process may end, and a quarter of the commands at least must have been started before their kill.
BOUND_MS: no longer than that after the kill. Prints the longest time that was seen.
"""
import os
import random
import signal
import subprocess
import sys
import time

MARK = "ATMOST_WITNESS_ROUND"
COMMAND = """
echo >>commands
setsid sh -c 'trap "" HUP; (sleep 71; :) & sleep 72; :' &
(sleep 73; :) &
python3 -c 'import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
time.sleep(74)' &
sleep 75; :
"""


def processes(mark):
    """The living processes that were started with this mark in their environment."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if mark not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{entry}/stat", "rb") as file:
                state, parent = file.read().rsplit(b")", 1)[1].split()[:2]
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
        if state not in (b"Z", b"X"):
            found.append((int(entry), int(parent)))
    return found


def start_takes():
    """Seconds from a start to its command's start: sanitizers and loaded machines are slow."""
    begin = time.monotonic()
    for _ in range(3):
        subprocess.run(["atmost", "run", "--die-with", "parent", "--no-history", "first", "true"], check=True)
    return (time.monotonic() - begin) / 3


def one_round(number, chance, mean_s, grace_ms):
    mark = f"{MARK}={os.getpid()}.{number}"
    environment = dict(os.environ)
    name, _, value = mark.partition("=")
    environment[name] = value
    words = ["atmost", "run", "-q", "--die-with", "parent", "--no-history", "--kill-grace", f"{grace_ms}ms",
             "-w", "inf", f"lock-{number % 7}", "sh", "-c", COMMAND]
    script = 'trap "" USR1; "$@" & echo ready; wait $!; :'
    caller = subprocess.Popen(["sh", "-c", script, "caller", *words], env=environment, start_new_session=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    bystander = subprocess.Popen(["sh", "-c", "sleep 76; :"], start_new_session=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    caller.stdout.readline()
    time.sleep(chance.expovariate(1 / mean_s))
    kind = number % 3
    if kind == 0:
        os.kill(caller.pid, signal.SIGKILL)
    elif kind == 1:
        # The caller's child, or one of the processes below that are named like it.
        ours = [pid for pid, parent in processes(mark.encode()) if is_atmost(pid)]
        if ours:
            os.kill(chance.choice(ours), signal.SIGKILL)
        os.kill(caller.pid, signal.SIGKILL)
    else:
        os.killpg(caller.pid, signal.SIGKILL)
    killed = time.monotonic()
    while left := processes(mark.encode()):
        if time.monotonic() - killed > 30:
            raise SystemExit(f"round {number}, kind {kind}: {left} are left: " +
                             os.popen("ps -o pid,ppid,sid,pgid,stat,args -p " + ",".join(str(p) for p, _ in left)).read())
        time.sleep(0.002)
    outlived = time.monotonic() - killed
    caller.wait()
    if bystander.poll() is not None:
        raise SystemExit(f"round {number}: a process that had nothing to do with it was ended")
    os.killpg(bystander.pid, signal.SIGKILL)
    bystander.wait()
    return outlived


def is_atmost(pid):
    """Whether it is the front process or the supervisor: those in the caller's process group."""
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip() == "atmost" and os.getsid(pid) != pid
    except (FileNotFoundError, ProcessLookupError):
        return False


def main():
    count = int(sys.argv[1])
    bound_ms = int(sys.argv[2]) if len(sys.argv) > 2 else None
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    grace_ms = 100
    mean_s = max(0.03, 3 * start_takes())
    times = [[], [], []]
    for number in range(count):
        times[number % 3].append(one_round(number, chance, mean_s, grace_ms) * 1000)
    with open("commands") as file:
        started = len(file.readlines())
    if started < count / 4:
        raise SystemExit(f"{started} of {count} commands were started")
    longest = [max(each) for each in times if each]
    print(f"{count} kills (seed {seed}); longest after the caller's end: " + ", ".join(f"{ms:.0f} ms" for ms in longest))
    if bound_ms is not None and max(longest) > bound_ms:
        raise SystemExit(f"longer than {bound_ms} ms")


main()
