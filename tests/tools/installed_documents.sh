#!/bin/sh
# Each target of a link in an installed document, and every path of a document or example that an
# installed manual names, is installed; so is the licence.
# In: BUILD, the build directory.
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/atmost-installed.XXXXXX")
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder cmake --install "$BUILD" --component common >"$folder/said" 2>&1 || {
  cat "$folder/said" >&2
  exit 1
}
python3 - "$folder" <<'PROGRAM'
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
documents = next(root.rglob("SECURITY.md")).parent
manuals = {page.name: page for page in root.rglob("*.[17]")}
wrong = [] if (documents / "LICENSE").exists() else ["LICENSE is not installed"]
seen = 0
for document in documents.rglob("*.md"):
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text()):
        if "://" in target:
            continue
        seen += 1
        if not (document.parent / target).exists():
            wrong.append(f"{document.relative_to(documents)} links to {target}")
for name, page in manuals.items():
    text = page.read_text().replace("\\-", "-")
    for path in re.findall(r"\b(?:docs|examples)/[\w./-]*\w", text):
        seen += 1
        if not (documents / path).exists():
            wrong.append(f"{name} names {path}")
for line in wrong:
    print(line, file=sys.stderr)
sys.exit(1 if wrong or seen < 50 else 0)
PROGRAM
