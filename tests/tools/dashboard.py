#!/usr/bin/env python3
"""examples/grafana/atmost.json is a dashboard whose expressions are PromQL, and name only metrics,
labels and labels' values that `atmost stats --prometheus` prints; every metric is shown.
In: ATMOST_BIN, the programs. dashboard.py SOURCE; 125: there is no promtool.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OF_THE_SCRAPE = {"instance"}
# Metrics that no panel needs: parts of a histogram and a summary.
NOT_SHOWN = {"atmost_run_duration_seconds_sum", "atmost_run_duration_seconds_count",
             "atmost_run_duration_quantile_seconds_sum", "atmost_run_duration_quantile_seconds_count"}


def printed(folder):
    """Metrics, {label: values} of what stats prints of a lock that has seen something."""
    atmost = Path(os.environ["ATMOST_BIN"]).resolve() / "atmost"
    env = {"ATMOST_DIR": folder, "HOME": folder, "PATH": "/usr/bin:/bin"}

    def run(*words):
        return subprocess.run([atmost, *words], env=env, text=True, capture_output=True, timeout=60)

    run("run", "job", "--", "true")
    run("run", "job", "--", "false")
    run("run", "-n", "0", "job", "--", "true")
    text = run("stats", "--prometheus").stdout
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
    metrics = set(re.findall(r"^(atmost_\w+)", text, re.M))
    metrics |= {name for name, kind in types.items() if kind in ("gauge", "counter")}
    labels = {}
    for label, value in re.findall(r'[{,](\w+)="([^"]*)"', text):
        labels.setdefault(label, set()).add(value)
    return metrics, labels


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            inner = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"])
            yield variable["name"], inner.group(1) if inner else ""


def faults_of_expressions(dashboard, metrics, labels):
    shown = set()
    known_labels = set(labels) | OF_THE_SCRAPE
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    for where, expression in expressions(dashboard):
        named = set(re.findall(r"\batmost_\w+", expression))
        shown |= named
        if not named:
            yield f"{where}: names no metric: {expression}"
        for name in named - metrics:
            yield f"{where}: {name} is not printed"
        for label, operator, value in re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', expression):
            if label not in known_labels:
                yield f"{where}: there is no label {label}"
            for one in value.split("|"):
                if not one.startswith("$") and one not in labels.get(label, ()):
                    yield f"{where}: {label} is never {one}"
        for grouping in re.findall(r"\bby \(([^)]*)\)", expression):
            for label in grouping.split(", "):
                if label not in known_labels:
                    yield f"{where}: there is no label {label} to group by"
        for variable in re.findall(r"\$(\w+)", expression):
            if variable not in variables and not variable.startswith("__"):
                yield f"{where}: there is no variable {variable}"
    for name in sorted(metrics - shown - NOT_SHOWN):
        yield f"no panel shows {name}"


def faults_of_panels(panels):
    if len({panel["id"] for panel in panels}) != len(panels):
        yield "two panels have one id"
    taken = {}
    for panel in panels:
        at = panel["gridPos"]
        if at["x"] + at["w"] > 24:
            yield f"{panel['title']} is wider than the grid"
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            if taken.setdefault(cell, panel["title"]) != panel["title"]:
                yield f"{panel['title']} lies on {taken[cell]}"
                break
        for one in (panel, *panel["targets"]):
            if one["datasource"]["uid"] != "${datasource}":
                yield f"{panel['title']}: another source of data"
        for target in panel["targets"]:
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                if "sum(" in target["expr"] or label not in ("lock", "result", "why"):
                    yield f"{panel['title']}: its legend has no {label}"


def faults_of_syntax(dashboard, folder):
    """promtool reads the expressions as those of recording rules."""
    rules = []
    for number, (_, expression) in enumerate(expressions(dashboard)):
        plain = re.sub(r"\$__\w+", "1d", expression)
        rules.append({"record": f"atmost:panel_{number}", "expr": re.sub(r"\$\w+", ".*", plain)})
    path = Path(folder) / "rules.yml"  # JSON is YAML
    path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    done = subprocess.run(["promtool", "check", "rules", path], text=True, capture_output=True, timeout=60)
    if done.returncode != 0:
        yield done.stdout + done.stderr


def main():
    dashboard = json.loads((Path(sys.argv[1]) / "examples/grafana/atmost.json").read_text())
    with tempfile.TemporaryDirectory(prefix="atmost-dashboard.") as folder:
        faults = list(faults_of_expressions(dashboard, *printed(folder)))
        faults += faults_of_panels(dashboard["panels"])
        if shutil.which("promtool"):
            faults += faults_of_syntax(dashboard, folder)
    for fault in faults:
        print(f"dashboard: {fault}", file=sys.stderr)
    print(f"{len(dashboard['panels'])} panels, {len(list(expressions(dashboard)))} expressions")
    if faults:
        return 1
    return 0 if shutil.which("promtool") else 125


if __name__ == "__main__":
    sys.exit(main())
