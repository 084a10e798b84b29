"""Folders and their settings: `tiercel.toml` of each, the client's settings on top."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiercel_engine.project.settings import FILE, Mistake, Settings, override, read_settings


@dataclass(slots=True)
class Folder:
    """One root of the workspace; `wrong` are client settings that were not understood."""

    path: str
    settings: Settings = field(default_factory=Settings)
    mistakes: tuple[Mistake, ...] = ()
    wrong: dict[str, str] = field(default_factory=dict)
    client: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return os.path.join(self.path, FILE)

    def reload(self) -> bool:
        """Reads the settings again; True if they are others now."""
        before = self.settings
        own, self.mistakes = read_settings(Path(self.path))
        self.settings, self.wrong = override(own, self.client)
        return self.settings != before


class Folders:
    """All roots; a file outside of them has its own directory's settings or the client's."""

    def __init__(self) -> None:
        self._folders: dict[str, Folder] = {}
        self._outside: dict[str, Folder] = {}
        self._first: Mapping[str, Any] | None = None
        self._client: Mapping[str, Any] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter([*self._folders.values(), *self._outside.values()])

    @property
    def roots(self) -> list[str]:
        return list(self._folders)

    def add(self, path: str) -> Folder:
        folder = self._folders.setdefault(path, Folder(path, client=self._client))
        folder.reload()
        return folder

    def remove(self, path: str) -> None:
        self._folders.pop(path, None)

    def set_client(self, settings: Mapping[str, Any], path: str | None = None) -> None:
        """The client's settings, for one folder or for all. The first ones, which it introduces itself with,
        hold where later ones say nothing; later ones replace each other."""
        if self._first is None:
            self._first = settings
        known = self._first if path is None else self._client
        merged = {**known, **{key: value for key, value in settings.items() if value is not None}}
        if path is None:
            self._client = merged
        for folder in self:
            if path is None or folder.path == path:
                folder.client = merged
                folder.reload()

    def of(self, path: str) -> Folder:
        """The innermost folder around a file."""
        around = [root for root in self._folders if path.startswith(root.rstrip(os.sep) + os.sep)]
        if around:
            return self._folders[max(around, key=len)]
        directory = self._project(os.path.dirname(path))
        if directory not in self._outside:
            self._outside[directory] = Folder(directory, client=self._client)
            self._outside[directory].reload()
        return self._outside[directory]

    def reload(self, file: str) -> list[Folder]:
        """The folders whose settings a changed `tiercel.toml` is."""
        touched = [f for f in [*self._folders.values(), *self._outside.values()] if f.file == file]
        for folder in touched:
            folder.reload()
        return touched

    @staticmethod
    def _project(directory: str) -> str:
        """The nearest directory above with a `tiercel.toml`, else the directory itself."""
        for each in (Path(directory), *Path(directory).parents):
            if (each / FILE).is_file():
                return str(each)
        return directory
