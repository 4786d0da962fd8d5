#!/usr/bin/python3
"""schema/pass.schema.json knows what `atmost pass` knows: the same keys and words, the same verdict
on each file below, and every example is valid. The program itself says which keys it has, in its
message about one that it has not.
In: ATMOST_BIN, the programs. pass_schema.py SOURCE
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import jsonschema

NAMED = 'operator = "a"\noperand = "x"\n'
ATOM = f'[[atom]]\n{NAMED}command = ["true"]\n'
# Keys that an atom may have, and keys that it may not: both must say the same of each.
GOOD = [
    "", "shell = false", 'environment = { A = "1", B = "" }', "environment = {}", 'directory = "/"',
    'user = "nobody"', 'when = "web.!db | Hr07"', "max = 0", "max = 262144", 'max = "3"',
    'max = "inf"', 'max = "cpus"', 'max = "cpus/4"', 'max = "cpus-1"', 'max = "25%"', 'scope = "host"',
    'scope = "fleet"', 'output = "show"', 'output = "tail"', 'output = "on-failure"\noutput_max = "64K"',
    'output = "on-failure"\noutput_max = "65536"', 'notify = "mail root"',
    'notify = "true"\nnotify_on = ["every", "too-fast"]',
    'ping = "https://example.com/x"', 'ping = "@/etc/url"', "ping_output = false",
    'output = "tail"\nping_output = true', "alert_after = 4294967295", "alert_after = 0",
    'rate = "5/1m"', 'rate = "1024/1w"', 'rate = "007/1.5h"', 'rate = "1/250ms"']
BAD = [
    "iff_elapsed = 3", 'max = "three"', 'max = "0%"', 'max = "cpus/0"', "max = -1", "max = 262145", "max = 1.5", 'shell = "yes"',
    "shell = true", 'directory = "tmp"', 'directory = ""', 'user = ""', 'user = "a\\u0000"',
    "environment = { A = 1 }", 'environment = { "A=B" = "1" }', 'environment = { ATMOST_X = "" }',
    'environment = { "" = "" }', 'environment = { A = "\\u0000" }', 'environment = "A=1"', "when = 3",
    'when = ""', 'scope = "all"', 'output = "quiet"', 'output_max = "16m"', "output_max = 65536",
    'output_max = ""', 'notify = ""', "notify_on = []", 'notify_on = ["fail"]',
    'notify_on = "failure"', 'ping = "ftp://x"', 'ping = "@"', 'ping = "https://a b"',
    'ping_output = "yes"', "alert_after = -1", "alert_after = 4294967296",
    "rate = 5", 'rate = "5"', 'rate = "0/1m"', 'rate = "1025/1m"', 'rate = "5/0"', 'rate = "5/0s"', 'rate = "5/inf"',
    'rate = "5/"', 'rate = "-1/1m"', 'rate = "5/1m "']
DURATIONS = ["if_elapsed", "expire_after", "max_runtime", "max_idle", "min_runtime", "kill_grace", "ttl"]
AUTOMATIC = {"if_elapsed", "expire_after", "max_runtime", "max_idle", "min_runtime"}
GOOD_TIMES = ['"90"', '"15m"', '"5min"', '"1h30m"', '"2d"', '"1w"', '"1w2d3h4m5s6ms"', '"250ms"', '"1.5h"',
              '"1h1.5m"', '"2.5"', "20", '".5"', '".5h"', '"1e1"', '"1.5E-3ms"']
BAD_TIMES = ['""', '"15 minutes"', '"1h30"', '"30m1h"', '"1m5min"', '"1.5h3m"', '"1h.5m"', '"1h1e1m"', '"1e"', '"-1s"', '"h"', '"1y"',
             "-1", "1.5", "true", "1979-05-27", '"Inf"', '" 1s"', "9223372037"]
# Whole files.
GOOD_FILES = [
    f"[groups]\na = []\nb = ['web*']\nc = {{ hosts = ['x'] }}\nd = {{ command = ['true', ''] }}\n"
    f"e = {{ command = 'true', shell = true }}\nf_1 = {{ hosts = ['y'], command = ['true'] }}\n{ATOM}",
    f'[defaults]\ntime_zone = "UTC"\nshell = true\n[[atom]]\n{NAMED}command = "a | b"\n',
    f'[[atom]]\n{NAMED}shell = true\ncommand = "a | b"\n', f'[[atom]]\n{NAMED}command = ["a", ""]\n',
    '[[atom]]\noperator = "a/b"\noperand = "."\ncommand = ["a"]\n']
BAD_FILES = [
    "", "atom = []\n", "atom = 3\n", f"other = 1\n{ATOM}", f"defaults = 1\n{ATOM}", f"groups = 1\n{ATOM}",
    f"[defaults]\noperand = 'x'\n{ATOM}", f"[defaults]\nmax = -1\n{ATOM}",
    '[[atom]]\noperand = "x"\ncommand = ["true"]\n', '[[atom]]\noperator = "x"\ncommand = ["true"]\n',
    f"[[atom]]\n{NAMED}", f"[[atom]]\n{NAMED}command = []\n", f"[[atom]]\n{NAMED}command = ['']\n",
    f"[[atom]]\n{NAMED}command = ['a', 3]\n", f"[[atom]]\n{NAMED}command = 3\n",
    f"[[atom]]\n{NAMED}shell = false\ncommand = 'true'\n",
    *(f"[[atom]]\noperator = '{operator}'\noperand = 'x'\ncommand = ['true']\n"
      for operator in ("a:b", "/a", "./a", "../a", "")),
    *(f"[[atom]]\noperator = 'a'\noperand = '{operand}'\ncommand = ['true']\n"
      for operand in ("x/", "x/.", "x/..", "")),
    *(f"[groups]\n'{name}' = ['x']\n{ATOM}" for name in (
        "a.b", "a b", "", "any", "Hr02", "Hr24", "Monday", "May", "Night", "Q1", "Yr2026", "Min00_05", "ø")),
    *(f"[groups]\na = {value}\n{ATOM}" for value in (
        "3", "[3]", "['']", "{}", "{ hosts = [] }", "{ hosts = ['x'], user = 'x' }", "{ shell = true }",
        "{ command = 'true' , shell = false }", "{ command = ['true'], shell = true }"))]
# Right as far as a schema can see; their faults need the other keys, a list of zones or a parser.
ONLY_THE_PROGRAM = [
    f'[[atom]]\n{NAMED}command = "true"\n', ATOM + ATOM, f'{ATOM}when = "a b"\n', f'{ATOM}when = "Hr24"\n',
    f'{ATOM}output_max = "63K"\n', f'{ATOM}output_max = "64K"\n', f'{ATOM}notify_on = ["lost"]\n', f"{ATOM}ping_output = true\n", f'{ATOM}ttl = "1s"\n',
    f'{ATOM}min_runtime = "2h"\nmax_runtime = "1h"\n', f'[defaults]\ntime_zone = "Mars/Olympus"\n{ATOM}',
    f'{ATOM}if_elapsed = "99999w"\n']
# An unknown key in each table, and where the schema has the table's keys.
TABLES = {
    "other = 1\n" + ATOM: lambda s: s,
    f"[defaults]\nother = 1\n{ATOM}": lambda s: s["properties"]["defaults"],
    f"{ATOM}other = 1\n": lambda s: s["definitions"]["atom"],
    "[groups]\na = { hosts = ['x'], other = 1 }\n" + ATOM: lambda s: s["definitions"]["group"]["anyOf"][1]}
# An unknown word for each key that takes some.
WORDS = {'scope = "x"': lambda d: d["scope"]["enum"], 'output = "x"': lambda d: d["output"]["enum"],
         'notify = "true"\nnotify_on = ["x"]': lambda d: d["notify_on"]["items"]["enum"]}


class Trial:
    def __init__(self, source):
        self.source = source
        self.schema = json.loads((source / "schema/pass.schema.json").read_text())
        jsonschema.Draft4Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft4Validator(self.schema)
        self.program = Path(os.environ["ATMOST_BIN"]).resolve() / "atmost"
        self.wrong = 0
        self.seen = 0

    def fail(self, words):
        self.wrong += 1
        print(f"pass_schema: {words}", file=sys.stderr)

    def ask(self, text):
        """The program's exit code and what it said of the file."""
        path = Path(self.folder) / "pass.toml"
        path.write_text(text)
        path.chmod(0o600)
        done = subprocess.run([self.program, "pass", "--dry-run", path], text=True, capture_output=True,
                              timeout=60, env={"ATMOST_DIR": self.folder, "HOME": self.folder, "PATH": "/usr/bin:/bin"})
        return done.returncode, done.stderr

    def both(self, text, program, schema):
        self.seen += 1
        code, said = self.ask(text)
        if code != (0 if program else 78):
            self.fail(f"the program ends with {code}: {text!r}: {said}")
        faults = [error.message for error in self.validator.iter_errors(tomllib.loads(text))]
        if (not faults) != schema:
            self.fail(f"the schema says {faults}: {text!r}")

    def same_keys(self):
        for text, table in TABLES.items():
            said = self.ask(text)[1]
            keys = re.search(r'"other" is not a key of .*: it has (.*)', said)
            known = set(keys.group(1).split(", ")) if keys else set()
            if known != set(table(self.schema)["properties"]):
                self.fail(f"other keys: {sorted(known ^ set(table(self.schema)['properties']))}: {said}")
        for text, words in WORDS.items():
            said = self.ask(f"{ATOM}{text}\n")[1]
            listed = re.split("none of|neither", said, maxsplit=1)[-1]
            if set(re.findall(r"[\w-]+", listed)) - {"and", "nor"} != set(words(self.schema["definitions"])):
                self.fail(f"other words: {said}")

    def run(self):
        self.same_keys()
        for line in GOOD:
            self.both(f"{ATOM}{line}\n", True, True)
        for line in BAD:
            self.both(f"{ATOM}{line}\n", False, False)
        for key in DURATIONS:
            for value in GOOD_TIMES if key != "ttl" else ['"90"', '"15m"']:
                more = 'max_runtime = "53w"\n' if key == "min_runtime" else ""
                self.both(f"{ATOM}{more}{key} = {value}\n", True, True)
            for value in BAD_TIMES if key in AUTOMATIC else [*BAD_TIMES, '"auto"']:
                self.both(f"{ATOM}{key} = {value}\n", False, False)
        for key in AUTOMATIC:
            self.both(f'{ATOM}{key} = "auto"\n', True, True)
        for text in GOOD_FILES:
            self.both(text, True, True)
        for text in BAD_FILES:
            self.both(text, False, False)
        for text in ONLY_THE_PROGRAM:
            self.both(text, False, True)
        examples = list(self.source.glob("examples/**/*.toml"))
        for path in examples:
            self.both(path.read_text(), True, True)
        return examples


def main():
    trial = Trial(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="atmost-schema.") as trial.folder:
        examples = trial.run()
    made = subprocess.run([trial.source / "tools/make_schema", "--check", trial.program])
    trial.wrong += made.returncode != 0
    print(f"{trial.seen} files, {len(examples)} of them examples")
    return 1 if trial.wrong or not examples else 0


if __name__ == "__main__":
    sys.exit(main())
