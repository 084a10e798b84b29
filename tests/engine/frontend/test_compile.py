"""Compiling with the real compiler: what comes out, and what is said about code that is wrong."""

from __future__ import annotations

import os
import pickle
import re
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from tiercel_engine.frontend import CompileError, CompileOptions, Source, compile_unit
from tiercel_engine.support.errors import TiercelError


def write(directory: Path, text: str, name: str = "a.c") -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def defined(ir_text: str) -> set[str]:
    return set(re.findall(r"^define .*?@([\w.]+)\(", ir_text, re.MULTILINE))


def test_a_function_is_compiled_without_optimisation(tmp_path: Path) -> None:
    unit = compile_unit(write(tmp_path, "int f(void) { int a[4]; a[4] = 1; return a[4]; }"))
    assert unit.path == str(tmp_path / "a.c")
    assert defined(unit.ir_text) == {"f"}
    assert "store i32 1" in unit.ir_text, "a pass removed the out-of-bounds store"
    assert "!DILocation" in unit.ir_text
    assert unit.bits == 64
    assert unit.seconds > 0


def test_the_text_is_what_llvmlite_reads(tmp_path: Path) -> None:
    unit = compile_unit(write(tmp_path, '#include <stdio.h>\nint main(void) { return puts("x"); }'))
    llvm.parse_assembly(unit.ir_text, context=llvm.create_context()).verify()


def test_an_unused_static_function_is_kept(tmp_path: Path) -> None:
    unit = compile_unit(write(tmp_path, "static int typed_just_now(int x) { return 1 / x; }"))
    assert "typed_just_now" in defined(unit.ir_text)


def test_an_empty_file_is_an_empty_unit(tmp_path: Path) -> None:
    assert defined(compile_unit(write(tmp_path, "")).ir_text) == set()


def test_a_file_name_that_looks_like_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "int f(void) { return 0; }", "-o.c")
    monkeypatch.chdir(tmp_path)
    assert defined(compile_unit("-o.c").ir_text) == {"f"}


@pytest.mark.parametrize("bits", [32, 64])
def test_pointers_have_the_size_asked_for(tmp_path: Path, bits: int) -> None:
    path = write(tmp_path, "unsigned long f(void) { return sizeof(void *); }")
    unit = compile_unit(path, CompileOptions(bits=bits))
    assert f"ret i{bits} {bits // 8}" in unit.ir_text
    assert unit.bits == bits
    assert ("p:32:32" in unit.ir_text) == (bits == 32)


def test_m32_in_the_flags_decides_unless_bits_are_given(tmp_path: Path) -> None:
    path = write(tmp_path, "#include <stdint.h>\nintptr_t f(void) { return 0; }")
    assert compile_unit(path, CompileOptions(flags=("-m32",))).bits == 32
    assert compile_unit(path, CompileOptions(bits=64, flags=("-m32",))).bits == 64


def test_asserts_stay_unless_the_project_says_ndebug(tmp_path: Path) -> None:
    path = write(tmp_path, "#include <assert.h>\nvoid f(int x) { assert(x); }")
    assert "@__assert_fail" in compile_unit(path).ir_text
    assert "@__assert_fail" not in compile_unit(path, CompileOptions(flags=("-DNDEBUG",))).ir_text


def test_library_calls_stay_calls(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "#include <ctype.h>\n#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n"
        "int f(char *s) { char b[9]; strcpy(b, s); return isalpha(*b) + toupper(*b) + atoi(b) + getchar(); }",
    )
    text = compile_unit(path, CompileOptions(flags=("-D_FORTIFY_SOURCE=2",))).ir_text
    called = set(re.findall(r"call [^@]*@(\w+)\(", text.split("@f(", 1)[1]))
    assert {"strcpy", "isalpha", "toupper", "atoi", "getchar"} <= called
    assert not defined(text) & {"strcpy", "isalpha", "toupper", "atoi", "getchar"}


def test_old_c_compiles_with_warnings(tmp_path: Path) -> None:
    path = write(
        tmp_path, "f(a) int a; { char *p = 3; int *q = p; return undeclared(a) + *q; }\nint g() { return; }\n"
    )
    unit = compile_unit(path)
    assert defined(unit.ir_text) == {"f", "g"}
    flags = {w.flag for w in unit.warnings}
    assert {"-Wimplicit-int", "-Wimplicit-function-declaration", "-Wint-conversion"} <= flags


def test_preprocessed_files_are_c(tmp_path: Path) -> None:
    path = write(tmp_path, '# 7 "other.c"\nint f(void) { return 1 / 0; }\n', "a.i")
    unit = compile_unit(path)
    assert defined(unit.ir_text) == {"f"}
    assert [(w.file, w.line) for w in unit.warnings] == [("other.c", 7)]


def test_warnings_are_values_and_come_every_time(tmp_path: Path) -> None:
    path = write(tmp_path, "int f(void) {\n  return 1 / 0;\n}\n")
    for _ in range(2):  # a compiler with a cache is silent the second time
        (warning,) = compile_unit(path).warnings
        assert (warning.file, warning.line, warning.column) == (str(path), 2, 12)
        assert (warning.severity, warning.flag) == ("warning", "-Wdivision-by-zero")
        assert warning.message == "division by zero is undefined"


def test_the_users_warning_options_do_not_hide_or_raise_warnings(tmp_path: Path) -> None:
    path = write(tmp_path, "int f(void) { return 1 / 0; }")
    for flags in (("-w",), ("-Werror",), ("-Wno-division-by-zero",)):
        assert len(compile_unit(path, CompileOptions(flags=flags)).warnings) == 1


def test_a_syntax_error_has_a_place(tmp_path: Path) -> None:
    path = write(
        tmp_path, "int ok(void) { return 0; }\nint f(void) { return 1 }\nint g(void) { return x; }\n"
    )
    with pytest.raises(CompileError) as caught:
        compile_unit(path)
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), 2, 23)
    assert error.message == "expected ';' after return statement"
    assert [d.line for d in error.diagnostics if d.severity == "error"] == [2, 3]
    assert str(error).startswith(f"{path}:2:23: expected ';'")


def test_an_error_in_a_header_is_placed_in_the_header(tmp_path: Path) -> None:
    header = write(tmp_path, "int f(;\n", "h.h")
    with pytest.raises(CompileError) as caught:
        compile_unit(write(tmp_path, '#include "h.h"\n'))
    assert caught.value.file is not None
    assert Path(caught.value.file).samefile(header)
    assert caught.value.line == 1


def test_a_missing_header_is_named_with_a_hint(tmp_path: Path) -> None:
    path = write(tmp_path, '#include "nowhere.h"\n')
    with pytest.raises(CompileError, match=r"nowhere\.h") as caught:
        compile_unit(path)
    assert (caught.value.line, caught.value.column) == (1, 10)
    assert caught.value.hint is not None
    assert "-I" in caught.value.hint


def test_an_unknown_option_is_an_error_without_a_place(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="unknown argument: '-fno-such-thing'") as caught:
        compile_unit(write(tmp_path, ""), CompileOptions(flags=("-fno-such-thing",)))
    assert caught.value.line is None


def test_errors_survive_the_way_between_processes(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compile_unit(write(tmp_path, "int f(\n"))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, CompileError)
    assert (str(copy), copy.hint, copy.diagnostics) == (
        str(caught.value),
        caught.value.hint,
        caught.value.diagnostics,
    )


def test_a_buffer_is_compiled_in_place_of_its_file(tmp_path: Path) -> None:
    path = write(tmp_path, "this is not C")
    write(tmp_path, "#define N 7\n", "neighbour.h")
    unit = compile_unit(Source(str(path), '#include "neighbour.h"\nint f(void) { return N / 0; }\n'))
    assert defined(unit.ir_text) == {"f"}
    assert [(w.file, w.line, w.column) for w in unit.warnings] == [(str(path), 2, 24)]
    assert f'source_filename = "{path}"' in unit.ir_text
    assert 'filename: "-"' not in unit.ir_text
    assert "stdin" not in unit.ir_text


def test_a_buffer_and_its_file_give_the_same_ir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "#include <assert.h>\nstruct s { int a; };\nint f(struct s *p) { assert(p); return p->a; }\n"
    write(tmp_path, text, "src/a.c")
    monkeypatch.chdir(tmp_path)
    from_file, from_buffer = compile_unit("src/a.c").ir_text, compile_unit(Source("src/a.c", text)).ir_text
    assert _code(from_buffer) == _code(from_file)
    files = re.compile(r"!DIFile\(.*\)")
    assert set(files.findall(from_buffer)) == set(files.findall(from_file))


def _code(ir_text: str) -> list[str]:
    """The lines without metadata, whose numbers differ by the one more file that `#line` makes."""
    lines = [re.sub(r"!\d+", "!", line) for line in ir_text.splitlines()]
    return [line for line in lines if not line.startswith(("!", "; ModuleID"))]


def test_a_buffer_of_a_file_that_does_not_exist_yet(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "a.c")
    with pytest.raises(CompileError) as caught:
        compile_unit(Source(path, "\nint f( { }\n"))
    assert (caught.value.file, caught.value.line) == (path, 2)


def test_relative_flags_mean_the_callers_directory_for_buffers_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "#define N 7\n", "headers/n.h")
    path = write(tmp_path, "", "src/a.c")
    monkeypatch.chdir(tmp_path)
    source = Source(str(path), "#include <n.h>\nint f(void) { return N; }\n")
    assert "ret i32 7" in compile_unit(source, CompileOptions(flags=("-I", "headers"))).ir_text
    assert "ret i32 7" in compile_unit(source, CompileOptions(flags=("-Iheaders",))).ir_text


def test_printed_ir_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "define i32 @f(i32 %x) {\n  %y = add nsw i32 %x, 1\n  ret i32 %y\n}\n", "a.ll")
    unit = compile_unit(path)
    assert defined(unit.ir_text) == {"f"}
    assert "%y = add nsw i32 %x, 1" in unit.ir_text
    assert (unit.bits, unit.warnings) == (64, ())


def test_bitcode_is_read(tmp_path: Path) -> None:
    text = compile_unit(write(tmp_path, "struct s { int a; };\nint f(struct s *p) { return p->a; }"))
    path = tmp_path / "a.bc"
    module = llvm.parse_assembly(text.ir_text, context=llvm.create_context())
    path.write_bytes(module.as_bitcode())
    for _ in range(2):  # in one context the second module's structs would be renamed
        unit = compile_unit(path)
        assert defined(unit.ir_text) == {"f"}
        assert "%struct.s = type" in unit.ir_text
        assert "#dbg_declare" in unit.ir_text


def test_ir_tells_its_own_pointer_size(tmp_path: Path) -> None:
    text = compile_unit(write(tmp_path, "int f(void) { return 0; }"), CompileOptions(bits=32)).ir_text
    assert compile_unit(write(tmp_path, text, "b.ll")).bits == 32


@pytest.mark.parametrize(
    ("name", "content"), [("a.ll", b"define i32 @f( {"), ("a.bc", b"hello"), ("b.bc", b"")]
)
def test_wrong_ir_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CompileError) as caught:
        compile_unit(path)
    assert caught.value.file == str(path)
    assert caught.value.line == (1 if name == "a.ll" else None)


def test_what_is_not_there_or_not_c_is_said(tmp_path: Path) -> None:
    binary = tmp_path / "b.c"
    binary.write_bytes(b"\x7fELF\x02\x01\x01\0\0\0")
    for path, words in [
        (tmp_path / "missing.c", "no such file"),
        (tmp_path, "directory"),
        (binary, "not a C source file"),
    ]:
        with pytest.raises(TiercelError, match=words) as caught:
            compile_unit(path)
        assert caught.value.file == str(path)
        assert caught.value.hint


def test_an_unreadable_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "loop.c"
    os.symlink(path, path)  # unreadable for root, too
    with pytest.raises(TiercelError, match="cannot be read"):
        compile_unit(path)


def test_latin1_comments_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_bytes('/* é */ const char *s = "é"; int f(void) { return 0; }\n'.encode("latin-1"))
    assert defined(compile_unit(path).ir_text) == {"f"}


def test_a_compiler_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    """A fifo without a writer keeps clang waiting for ever."""
    os.mkfifo(tmp_path / "endless.h")
    path = write(tmp_path, '#include "endless.h"\n')
    with pytest.raises(TiercelError, match=r"did not finish within 0\.5 s"):
        compile_unit(path, CompileOptions(time_limit=0.5))
