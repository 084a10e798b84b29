"""Debian's Neovim, without a screen, drives the real server: it opens a file, sees what is wrong with it, and
applies a quick fix. `NVIM` names another Neovim."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

NVIM = shutil.which(os.environ.get("NVIM", "nvim"))
CODE = "#include <stddef.h>\nvoid clear(int *p) {\n    *p = 0;\n}\n"
SCRIPT = """\
local patience = 90000
local function fail(what)
  io.stderr:write(what .. '\\n')
  vim.cmd('cquit 1')
end
local function wait(what, condition)
  if not vim.wait(patience, condition, 50) then fail('waited in vain for ' .. what) end
end
local ok, problem = pcall(function()
  vim.cmd('edit a.c')
  local id = vim.lsp.start_client({
    name = 'tiercel', cmd = vim.split(vim.env.TIERCEL_COMMAND, '\\n'), root_dir = vim.fn.getcwd(),
    init_options = { contracts = 'written' },
  })
  vim.lsp.buf_attach_client(0, id)
  wait('the alarm', function()
    local found = vim.diagnostic.get(0)
    return #found == 1 and found[1].code == 'null-deref'
  end)
  local found = vim.diagnostic.get(0)[1]
  print('diagnostic ' .. found.lnum .. ':' .. found.col .. ' ' .. found.code)
  vim.api.nvim_win_set_cursor(0, { 3, 5 })
  local params = vim.lsp.util.make_range_params()
  params.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(0, 2) }
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, patience)
  local chosen
  for _, answer in pairs(answers) do
    for _, action in ipairs(answer.result or {}) do
      if action.edit and action.title:match('NULL') then chosen = action end
    end
  end
  if chosen == nil then fail('there is no quick fix') end
  print('action ' .. chosen.title)
  vim.lsp.util.apply_workspace_edit(chosen.edit, vim.lsp.get_client_by_id(id).offset_encoding)
  wait('the alarm to go', function() return #vim.diagnostic.get(0) == 0 end)
  vim.cmd('write')
  vim.api.nvim_win_set_cursor(0, { 2, 6 })
  local place = vim.lsp.util.make_position_params()
  local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', place, patience)
  for _, answer in pairs(hover) do print('hover ' .. vim.inspect(answer.result ~= nil)) end
  vim.lsp.stop_client(id)
  wait('the server to stop', function() return vim.lsp.client_is_stopped(id) end)
end)
if not ok then fail(tostring(problem)) end
vim.cmd('qall!')
"""


@pytest.mark.skipif(NVIM is None, reason="Neovim is not installed (`apt-get install neovim`)")
def test_neovim_shows_an_alarm_and_applies_a_fix(tmp_path: Path, cache: Path) -> None:
    assert NVIM is not None
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.c").write_text(CODE)
    script = tmp_path / "drive.lua"
    script.write_text(textwrap.dedent(SCRIPT))
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "TIERCEL_CACHE": str(cache), "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    environment["TIERCEL_COMMAND"] = "\n".join([sys.executable, "-m", "tiercel_engine.cli.main", "server"])
    done = subprocess.run(
        [NVIM, "--headless", "--clean", "-n", "-c", f"luafile {script}"],
        cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert "diagnostic 2:" in told
    assert "null-deref" in told
    assert "hover true" in told
    fixed = (project / "a.c").read_text()
    assert fixed == CODE.replace("    *p", "    if (p == NULL) return;\n    *p"), told
