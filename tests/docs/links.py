#!/usr/bin/env python3
"""Every relative link of the documents (README.md, CONTRIBUTING.md, SECURITY.md, docs/, and each
binding's README.md) leads to a file, and to a heading of it if the link names one. Every document
can be reached from README.md.
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?ms)^```.*?^```", "", text))


def anchors(path):
    found = set()
    for line in re.sub(r"(?ms)^```.*?^```", "", path.read_text()).split("\n"):
        if re.match(r"#+ ", line):
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(words.replace(" ", "-"))
    return found


def main():
    source = Path(sys.argv[1]).resolve()
    pages = [source / "README.md", source / "CONTRIBUTING.md", *source.glob("SECURITY.md"),
             *sorted((source / "docs").rglob("*.md")), *sorted(source.glob("bindings/*/README.md"))]
    wrong, targets = 0, {}
    for page in pages:
        targets[page] = set()
        for found in LINK.finditer(without_code(page.read_text())):
            link = found.group(1) or found.group(2)
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            targets[page].add(target)
            name = page.relative_to(source)
            if not target.exists():
                wrong += 1
                print(f"{name}: {link}: there is no such file", file=sys.stderr)
            elif anchor and anchor not in anchors(target):
                wrong += 1
                print(f"{name}: {link}: there is no such heading", file=sys.stderr)
    reached, new = set(), {source / "README.md"}
    while new:
        reached |= new
        new = set().union(*(targets.get(page, set()) for page in new)) - reached
    for page in set(pages) - reached:
        wrong += 1
        print(f"{page.relative_to(source)}: no link leads there from README.md", file=sys.stderr)
    print(f"{sum(map(len, targets.values()))} links")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
