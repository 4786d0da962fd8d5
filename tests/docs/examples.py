#!/usr/bin/env python3
"""Every example of the documents is run, compiled or parsed.

Examples are the fenced and indented blocks of README.md and of all .md of docs/, and the .nf blocks of the
manual pages outside of their synopsis. A block falls into paragraphs (at empty lines); what a
paragraph is follows from its text: C++ is compiled, a pass file is run by `atmost pass`, lines of
the history are read by `atmost history`, everything else is a shell script, which must end with 0.
A block that can be none of these stands in EXEMPT, with the reason. A new block that is wrong, or is not
classified, fails; so does an exemption that no block needs any more.

Scripts run in a folder of their own. Absolute paths lead there, programs that no machine has are
stubs, and so are those in STUBS, which would have effects. URLs of stores are parsed by atmost, and
the same commands run on local locks.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXEMPT = {  # (document, how a paragraph begins): why it is neither run nor compiled
    ("docs/internals/architecture.md", "decide(Request,"): "a signature, in words",
    ("docs/internals/architecture.md", "argv -> Request"): "a diagram",
    ("docs/internals/lock-map.md", "open \u2500\u2500 guard"): "a diagram",
    ("docs/agents.md", "sudo install -d"): "it needs root, and a directory of this machine",
    ("docs/cron.md", "groupadd jobs"): "it would add a group to this machine",
    ("docs/internals/symlink-locks.md", "LOCK -> pid="): "the text of a link, as ls shows it",
    ("docs/internals/measurements.md", "`bench/run --"): "the output of a measurement",
    ("docs/internals/releasing.md", "gpg --quick-generate-key"): "it makes keys and accounts",
    ("docs/internals/releasing.md", "export ATMOST_GPG_KEY"): "it publishes; tools.release tries each step",
    ("docs/fleet.md", "UPDATE report SET"): "SQL with variables of a program around it",
    ("docs/fleet.md", "PREFIX/LOCK/a/last"): "a map of keys",
}

ELSEWHERE_KINDS = {"console", "crontab", "ini"}  # transcripts.py runs them

# The first words of lines that may be stubs; other first words must exist.
STUBS = {"make_report", "back_up", "etcdctl", "systemctl", "psql"}
# Programs that may exist here, but are not to be run.
NEVER_RUN = {"podman", "curl", "ffmpeg", "rsync", "systemctl", "etcdctl", "psql", "pg_dump", "unshare", "make"}

PATHS = re.compile(r"(?<![\w:/.$}{-])(/(?:srv|path|etc|var|usr/local)(?:/[\w.@+-]+)*)")
URL = re.compile(r"(?:etcd|postgres)://[^\s\"';]+")
CRON = re.compile(r"^(?:@\w+|(?:[\d*/,-]+\s+){4}[\d*/,-]+)\s+(?:root\s+)?")
PREAMBLE = {  # what a fragment of C++ stands in
    "Report::": "#include <cstdint>\n#include <mutex>\n#include <string>\nclass Report {\n public:\n"
    "  bool replace(std::string, std::uint64_t);\n private:\n  std::mutex mutex_;\n"
    "  std::uint64_t highest_ = 0;\n  std::string body_;\n};\n",
}


class Wrong(Exception):
    pass


def blocks_of_markdown(text):
    """(line number, lines) of each fenced or indented block."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if lines[at].lstrip().startswith("```"):
            end = at + 1
            while not lines[end].lstrip().startswith("```"):
                end += 1
            if lines[at].strip("` ") not in ELSEWHERE_KINDS:
                yield at + 2, lines[at + 1 : end]
            at = end + 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield at + 1, [line[4:] for line in lines[at:end]]
            at = end
        else:
            at += 1


def blocks_of_manual(text):
    section, begin, lines = "", 0, []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(".SH"):
            section = line[3:].strip(' "')
        if line.startswith(".nf"):
            begin, lines = number + 1, []
        elif line.startswith(".fi") and begin:
            if section != "SYNOPSIS":
                yield begin, lines
            begin = 0
        elif begin and not line.startswith('.\\"'):
            line = re.sub(r"^\.[BIR]+ ", "", line)
            line = re.sub(r"\\f.|\\&", "", line).replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\")
            lines.append(line.strip() if line.startswith("    ") else line)


def paragraphs(document, text):
    """(line number, lines): blocks, cut at empty lines where something else begins."""
    blocks = blocks_of_manual(text) if document.endswith((".1", ".7")) else blocks_of_markdown(text)
    for begin, lines in blocks:
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            continue
        if exemption(document, lines) or kind_of(lines) in ("C++", "pass file"):
            yield begin, lines
            continue
        part, at = [], begin
        for number, line in enumerate(lines + [""], begin):
            rest = lines[number - begin :]
            if kind_of(rest) == "pass file":
                if part:
                    yield at, part
                yield number, rest
                part = []
                break
            if line.strip():
                if not part:
                    at = number
                part.append(line)
            elif part:
                yield at, part
                part = []
        if part:
            yield at, part


def exemption(document, lines):
    return [key for key in EXEMPT if key[0] == document and lines[0].startswith(key[1])]


def kind_of(lines):
    text = "\n".join(lines)
    if re.search(r"^#include |^(?:bool|int|void|const) .*[({;]$", text, re.M):
        return "C++"
    if lines and re.match(r"^\[\[?\w+\]\]?$", lines[0]):
        return "pass file"
    if text.startswith('{"v":'):
        return "history"
    if lines and all(re.match(r"^[A-Z_]+=\S*$", line) for line in lines):
        return "environment"
    return "shell"


class Room:
    """A folder to run one document's examples in."""

    def __init__(self, source, bin_dir):
        self.folder = Path(tempfile.mkdtemp(prefix="atmost-docs."))
        self.source = source
        self.root = self.folder / "root"
        self.stubs = self.folder / "stubs"
        self.here = self.folder / "here"
        for folder in (self.root, self.stubs, self.here):
            folder.mkdir()
        for name in NEVER_RUN | STUBS:
            self.stub(self.stubs / name)
        self.pass_file = None
        self.real_path = f"{bin_dir}:{source / 'shell'}:{os.environ['PATH']}"
        self.locks = 0
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("ATMOST_") or k == "ATMOST_BIN"}
        self.env.update(PATH=f"{self.stubs}:{self.real_path}", HOME=str(self.folder), LC_ALL="C")
        self.env["XDG_STATE_HOME"] = str(self.folder / "state")

    def stub(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\nexit 0\n")
        path.chmod(0o755)

    def fresh_locks(self):
        """Another lock directory: what ran before makes nothing too soon."""
        self.locks += 1
        self.env["ATMOST_DIR"] = str(self.folder / f"locks{self.locks}")
        os.mkdir(self.env["ATMOST_DIR"])

    def run(self, command, **more):
        return subprocess.run(command, cwd=self.here, env=self.env, text=True, capture_output=True,
                              timeout=60, stdin=subprocess.DEVNULL, **more)

    def expect_ok(self, command):
        done = self.run(command)
        if done.returncode != 0:
            raise Wrong(f"ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def local(self, text):
        """The text with its absolute paths in this folder."""

        def move(match):
            path = Path(str(self.root) + match.group(1))
            path.parent.mkdir(parents=True, exist_ok=True)
            if "/bin/" in match.group(1):
                self.stub(path)
            return str(path)

        return PATHS.sub(move, text)

    def check_store(self, url):
        done = self.run(["atmost", "list", "--store", url, "/a/path"])
        no_path = done.returncode == 64 and "path" in done.stderr
        if not no_path and not (done.returncode == 69 and "not installed" in done.stderr):
            raise Wrong(f"store {url}: {done.stderr}")


def run_shell(room, lines):
    script = []
    for line in lines:
        line = CRON.sub("", line)
        line = re.split(r"(?<=\S)\s{3,}(?!#)", line)[0]  # what stands behind a gap is a remark
        make = re.match(r"^make (\w+)", line)
        if make and not re.search(rf"^{make.group(1)}:", (room.source / "Makefile").read_text(), re.M):
            raise Wrong(f"the Makefile has no target {make.group(1)}")
        ours = re.match(r"^(bench/run|tools/world)", line)
        if ours:
            room.expect_ok(["bash", "-n", str(room.source / ours.group(1))])
            continue
        for url in URL.findall(line):
            room.check_store(url)
        line = re.sub(r'atmost doctor ("\$ATMOST_STORE"|(?:etcd|postgres)://\S+)', "true", line)
        line = re.sub(r"(?:export )?ATMOST_STORE=\S+\s*", "", line)
        line = re.sub(r"--store (?:\u2026|(?:etcd|postgres)://\S+) ?(?:--ttl \w+ )?", "", line)
        line = re.sub(r"--splay \w+", "--splay 1ms", line)
        script.append(line)
    text = room.local("\n".join(script))
    room.fresh_locks()
    stub_the_rest(room, script)
    if room.pass_file is not None:
        for name in re.findall(r"atmost pass (?:-\S+ |\d+ )*(\S+\.toml)", text):
            shutil.copy(room.pass_file, name)
    if re.search(r"\bLOCK\b", text):
        room.expect_ok(["atmost", "run", "LOCK", "--", "true"])
    (room.here / "DIR").mkdir(exist_ok=True)
    for name in ("done", "new"):
        (room.here / name).unlink(missing_ok=True)
    path = room.here / "script"
    path.write_text(f"#!/bin/sh\nset -e\n{text}\necho done >>done\n")
    path.chmod(0o755)
    room.expect_ok([str(path)])
    if (room.here / "done").read_text() != "done\n":
        raise Wrong("its end was reached more than once")


def stub_the_rest(room, lines):
    known = {"atmost", "exectimes", "lock_unlock"}
    for line in lines:
        words = re.findall(r"[A-Za-z_][\w.+-]*", line.split(" #")[0])
        first = re.match(r"^([A-Za-z_][\w.+-]*)(?![\w=])", line)
        for word in words:
            if word in known or (room.source / "shell" / word).exists() or shutil.which(word, path=room.real_path) or (room.stubs / word).exists():
                continue
            if first and first.group(1) == word and word not in STUBS:
                continue
            room.stub(room.stubs / word)


def run_pass_file(room, lines):
    path = room.here / "pass.toml"
    path.write_text(room.local("\n".join(lines)) + "\n")
    stub_the_rest(room, [line for line in lines if line.startswith("command")])
    room.fresh_locks()
    room.expect_ok(["atmost", "pass", "--dry-run", str(path)])
    room.pass_file = path


def compile_cxx(room, lines, compilers, include, library):
    text = "\n".join(lines) + "\n"
    preamble = "".join(code for word, code in PREAMBLE.items() if word in text)
    path = room.here / "example.cc"
    path.write_text(preamble + text)
    common = ["-Wall", "-Wextra", "-Werror", f"-I{include}"]
    for compiler in compilers:
        for standard in ("c++17", "c++20"):
            room.expect_ok([compiler, f"-std={standard}", *common, "-fsyntax-only", str(path)])
    if library and "int main" in text:
        program = room.here / "example"
        for store in URL.findall(text):
            room.check_store(store)
        path.write_text(preamble + URL.sub("file:", text))
        room.expect_ok([compilers[0], "-std=c++17", *common, str(path), library, "-pthread", "-o", str(program)])
        room.fresh_locks()
        room.expect_ok([str(program)])


def read_history(room, lines):
    for line in lines:
        json.loads(line)
    room.fresh_locks()
    Path(room.env["ATMOST_DIR"], "history.jsonl").write_text("\n".join(lines) + "\n")
    shown = room.expect_ok(["atmost", "history"])
    if shown.count("\n") != len(lines) + 1:  # a heading
        raise Wrong(f"atmost history shows something else of it: {shown}")


def check_environment(room, lines):
    manuals = "".join(path.read_text() for folder in ("docs", "man")
                      for path in (room.source / folder).rglob("*") if path.is_file())
    manuals = manuals.replace("\\-", "-")
    for name, value in (line.split("=", 1) for line in lines):
        if name == "ATMOST_STORE":
            room.check_store(value)
        elif name.startswith("ATMOST_") and manuals.count(name) < 2:
            raise Wrong(f"{name} is explained nowhere else")


def check(room, lines, options):
    kind = kind_of(lines)
    if kind == "C++":
        compile_cxx(room, lines, **options)
    elif kind == "pass file":
        run_pass_file(room, lines)
    elif kind == "history":
        read_history(room, lines)
    elif kind == "environment":
        check_environment(room, lines)
    else:
        run_shell(room, lines)
    return kind


def main():
    source = Path(sys.argv[1]).resolve()
    bin_dir = Path(os.environ["ATMOST_BIN"]).resolve()
    compilers = [name for name in ("g++", "clang++") if shutil.which(name)] or ["c++"]
    options = {"compilers": compilers, "include": source / "include",
               "library": os.environ.get("ATMOST_STATIC_LIBRARY", "")}
    documents = [Path(name).resolve() for name in sys.argv[2:]] or [
        source / "README.md", *sorted((source / "docs").rglob("*.md")), *sorted((source / "man").glob("*.[17]"))]
    unused, wrong, seen = set(EXEMPT), 0, {}
    for path in documents:
        document = str(path.relative_to(source)) if path.is_relative_to(source) else path.name
        room = Room(source, bin_dir)
        try:
            # A line that runs a pass file needs the one that stands in the same document.
            found = sorted(paragraphs(document, path.read_text()), key=lambda one: kind_of(one[1]) != "pass file")
            for number, lines in found:
                reason = exemption(document, lines)
                unused -= set(reason)
                if reason:
                    continue
                try:
                    kind = check(room, lines, options)
                    seen[kind] = seen.get(kind, 0) + 1
                except (Wrong, OSError, ValueError, subprocess.TimeoutExpired) as error:
                    wrong += 1
                    print(f"{document}:{number}: {lines[0]}\n  {error}", file=sys.stderr)
        finally:
            shutil.rmtree(room.folder, ignore_errors=True)
    if not sys.argv[2:]:
        for document, begin in sorted(unused):
            wrong += 1
            print(f"{document}: no example begins with {begin!r} any more: remove the exemption", file=sys.stderr)
    print("examples:", ", ".join(f"{count} {kind}" for kind, count in sorted(seen.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
