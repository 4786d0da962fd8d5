#!/usr/bin/env python3
"""docs/troubleshooting.md names no message that the programs do not print.

Messages are taken from the sources: every literal of at least two words, with the literals that
follow it immediately, except for those of NO_MESSAGES (help, views, findings, whose words are not
about a failure) and those that are SQL or parts of HTTP. The page names a message by its fixed
words in a code span, which may end in `…`. A message says itself what would be right; the page has
those whose cause lies elsewhere.
"""
import re
import sys
from pathlib import Path

NO_MESSAGES = {  # files, or folders, whose literals are not messages: the reason
    "cli/help.cc": "help",
    "src/options/table.h": "help",
    "cli/subcommands.cc": "help",
    "cli/list.cc": "a view",
    "cli/listing.cc": "a view",
    "cli/waiting_line.cc": "a view",
    "cli/tune_words.cc": "a view",
    "libexec/top/board.cc": "a view",
    "libexec/history/show.cc": "a view",
    "libexec/simulate/rules.cc": "a view",
    "libexec/simulate/main.cc": "a view",
    "libexec/report/": "a view, except for MESSAGES",
    "libexec/explain/": "a view; what is wrong is explained there itself",
    "libexec/doctor/": "findings, each of which says why and what to do, except for MESSAGES",
    "src/diagnosis/": "findings",
    "src/store/etcd/doctor.cc": "findings",
    "src/store/postgres/doctor.cc": "findings",
    "src/store/postgres/schema": "SQL",
    "src/store/postgres/statements.cc": "SQL",
    "libexec/fleet/schema.cc": "SQL with its explanation",
}
MESSAGES = {f"libexec/report/{name}.cc" for name in (
    "jobs_main", "report_main", "save", "stats_main")}
MESSAGES.add("libexec/doctor/main.cc")
NAMES = {  # literals of other files that are not messages, either
    "admits again", "atmost history", "atmost report", "atmost stats", "atmost top",
    "standard input", "since %s (%.1f s ago", "timed out", "not capable"}
OPTIONS_OF = re.compile(r"usage: |^ +-|^\\n|\\n[A-Z]")  # help
SQL = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|WITH \w+ AS|RETURNING|LISTEN|CASE|ELSE)\b"
    r"|NOT EXISTS"
    r"|clock_timestamp|coalesce|count\(\*\)|^, (?:host|drained_slots|id|exclusive|waiters|none)\b"
    r"|ORDER BY|set_config|current_setting|last_\w+ = |^::text|\bAS this\b|\) others\)")
HTTP = re.compile(r"Content-Type|Grpc-Metadata|HTTP/1|application/json")
ONE = r'"(?:[^"\\\n]|\\.)*"'
LITERALS = re.compile(rf"{ONE}(?:\s*{ONE})*")
SOUGHT = re.compile(r"(?:find|contains|starts_with|ends_with|has|says|names)\(\s*$|==\s*$")
WORD = re.compile(r"[A-Za-z][a-z']+")


def without_comments(text):
    """The text of a source without comments and directives; raw literals become empty."""
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', '""', text)
    tokens = re.compile(r'//[^\n]*|/\*(?:.|\n)*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'')
    text = tokens.sub(lambda t: " " if t.group()[0] in "/'" else t.group(), text)
    return re.sub(r"^\s*#.*$", "", text, flags=re.M)


def plain(text):
    text = text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\")
    return re.sub(r"\s+", " ", text)


def messages_of(path):
    text = without_comments(path.read_text())
    for found in LITERALS.finditer(text):
        literal = "".join(one[1:-1] for one in re.findall(ONE, found.group()))
        if SOUGHT.search(text, max(0, found.start() - 40), found.start()):
            continue
        if any(shape.search(literal) for shape in (OPTIONS_OF, SQL, HTTP)):
            continue
        literal = plain(literal).strip(" :;,.()\"")
        if literal in NAMES:
            continue
        if len(WORD.findall(re.sub(r"%\w+", " ", literal))) >= 2 and " " in literal:
            yield literal


def all_messages(source):
    """{message: file}"""
    found = {}
    for folder in ("src", "cli", "libexec"):
        for path in sorted((source / folder).rglob("*")):
            name = str(path.relative_to(source))
            if path.suffix not in (".cc", ".h"):
                continue
            if name in MESSAGES or not name.startswith(tuple(NO_MESSAGES)):
                for message in messages_of(path):
                    found.setdefault(message, name)
    return found


def spans_of(page):
    """The first cells' code spans of the page's tables, as the messages' text."""
    spans = []
    for line in page.split("\n"):
        if line.startswith("| "):
            cell = re.split(r"(?<!\\)\|", line)[1].replace("\\|", "|")
            spans += re.findall(r"``?\s?(.+?)\s?``?(?=[,;<]|\s|$)", cell)
    return [plain(span) for span in spans]


def is_said(span, messages):
    parts = [part.strip(" :;,.()\"") for part in re.split("…|\\b[A-Z]{1,9}\\b", span)]
    return any(message in span for message in messages) or any(
        part in message for part in parts if " " in part for message in messages)


def main():
    source = Path(sys.argv[1]).resolve()
    page = source / "docs/troubleshooting.md"
    spans = spans_of((Path(sys.argv[2]) if len(sys.argv) > 2 else page).read_text())
    messages = all_messages(source)
    if len(messages) < 300:
        print("the messages were not found", file=sys.stderr)
        return 1
    gone = [span for span in spans if not is_said(span, messages)]
    for span in gone:
        print(f"{page.name} names what no program says: {span}", file=sys.stderr)
    print(f"{len(messages)} messages, {len(spans)} named")
    return 1 if gone or not spans else 0


if __name__ == "__main__":
    sys.exit(main())
