#!/usr/bin/env python3
"""docs/monitoring.md has a row for each field of an event (src/core/event.h), and no other, with
the field's type; and some code gives each field its value. Run as: history_fields.py FOLDER"""
import re
import sys

TYPES = {
    "text": {"string"}, "moment": {"string"}, "signal": {"string"},
    "number": {"number"}, "time": {"number", "number or null"},
    "flag": {"true/false", "true", "false"},
    "numbers": {"array"}, "texts": {"array"},
}
FILLERS = ("src/core/event.h", "src/core/json_line.h", "src/limiter/journal.cc",
           "libexec/tell/tell_request.cc")


def text(name):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as file:
        return file.read()


def fault(words):
    faults.append(words)


faults = []
table = re.search(r"kEventFields\[\] = \{.*?\};", text("src/core/event.h"), re.S).group()
fields = dict(re.findall(r'\{"(\w+)", FieldType::(\w+)\}', table))
documented = {}
for names, kind in re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", text("docs/monitoring.md"), re.M):
    for name in re.findall(r"`(\w+)`", names):
        documented[name] = kind
code = "".join(map(text, FILLERS)).replace(table, "")
if len(fields) < 40:
    fault(f"src/core/event.h: only {len(fields)} rows of the table were found")
for name, kind in fields.items():
    if name not in documented:
        fault(f"docs/monitoring.md has no row for `{name}`")
    elif documented[name] not in TYPES[kind]:
        fault(f"docs/monitoring.md: `{name}` is a {documented[name]}, but FieldType::{kind} in src/core/event.h")
    if f'"{name}"' not in code:
        fault(f'src/core/event.h has a row "{name}", but none of {", ".join(FILLERS)} gives it a value')
for name in documented.keys() - fields.keys():
    fault(f"docs/monitoring.md has a row for `{name}`, which src/core/event.h does not have")
for words in faults:
    print("FAIL:", words)
sys.exit(bool(faults))
