"""What each test starts from: a folder of locks of its own, and no lock around it."""
import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith("ATMOST_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATMOST_DIR", str(tmp_path))
