"""Every example of README.md, each in a process of its own."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import outside

EXAMPLES = re.findall(r"^```python\n(.*?)^```$", (outside.TESTS.parent / "README.md").read_text(),
                      re.M | re.S)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 7


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str, tmp_path: Path) -> None:
    environment = dict(os.environ, ATMOST_DIR=str(tmp_path))
    subprocess.run([sys.executable, "-c", example], cwd=tmp_path, env=environment, check=True)
