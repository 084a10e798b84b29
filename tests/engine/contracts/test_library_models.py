"""The models of pure functions are compiled and run against the real C library on many random inputs
(native_driver.c): same result, same memory, same errno; and no model excludes what the real one does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tiercel_engine.contracts import library

HERE = Path(__file__).parent
LIBC = Path(library.__file__).parent / "libc"
PURE = ("string.c", "strings.c", "ctype.c", "stdlib.c")
NAME = re.compile(r"^[A-Za-z_][\w *]*?\b(\w+)\([^;{]*\)\s*\{", re.MULTILINE)


def compiler() -> list[str]:
    return ["gcc"] if shutil.which("gcc") else [sys.executable, "-m", "ziglang", "cc"]


def run(folder: Path, models: str) -> str:
    """What the driver says about these models; they are renamed, those they call among each other too."""
    names = sorted(set(NAME.findall(models)))
    renamed = "".join(f"#define {name} model_{name}\n" for name in names if not name.startswith("__"))
    (folder / "models.c").write_text(renamed + models, encoding="utf-8")
    sources = [str(folder / "models.c"), str(HERE / "native_shim.c"), str(HERE / "native_driver.c")]
    flags = ["-w", "-O1", "-fno-builtin", "-fno-strict-aliasing", f"-I{LIBC}", "-o", str(folder / "driver")]
    subprocess.run([*compiler(), *flags, *sources], check=True, capture_output=True, text=True)
    driven = subprocess.run([str(folder / "driver")], capture_output=True, check=False)
    return driven.stdout.decode("latin-1")


def pure_models() -> str:
    return "".join(library.sources()[name] for name in PURE)


def test_models_agree_with_the_real_functions(tmp_path: Path) -> None:
    said = run(tmp_path, pure_models())
    compared = re.search(r"(\d+) compared, 0 different", said)
    assert compared is not None, said
    assert int(compared[1]) > 1_000_000


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("((order < 0) == (a < b))", "((order < 0) == (a <= b))", "excluded"),
        ("if (s[i] == (char)wanted)\n            found = s + i;", "found = s + i;", "strrchr"),
        ("__tiercel_apart(from + i, to);", "__tiercel_apart(to, to);", "misused"),
    ],
)
def test_a_wrong_model_is_noticed(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    models = pure_models()
    assert right in models
    assert complaint in run(tmp_path, models.replace(right, wrong))
