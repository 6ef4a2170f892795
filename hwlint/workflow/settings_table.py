"""Take typed values out of a TOML table, and say by file and line what does not fit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hwlint.model.errors import SettingsError
from hwlint.model.suggest import did_you_mean


class SettingsTable:
    """A TOML table whose keys are asked for one by one; what nobody asked for is unknown.

    Every method takes a key and returns its value, a neutral one where the key is absent or its value has another
    type. What is wrong is kept, and `settle` tells all of it at once.
    """

    def __init__(self, file: Path, text: str, name: str, values: Mapping[str, object]) -> None:
        self._file = file
        self._text = text
        self._name = name
        self._values = values
        self._asked: list[str] = []
        self._wrongs: list[tuple[int, str]] = []

    def word(self, key: str) -> str | None:
        """Return a string that is not empty, or None."""
        value = self._take(key)
        if value is None or (isinstance(value, str) and value):
            return value
        self._wrong(key, "a string that is not empty")
        return None

    def words(self, key: str) -> tuple[str, ...]:
        """Return a list of strings, or ()."""
        value = self._take(key)
        return () if value is None else self._as_words(key, value, "must be a list of strings")

    def flag(self, key: str) -> bool:
        """Return true or false; false where the key is absent."""
        value = self._take(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        self._wrong(key, "true or false")
        return False

    def choice(self, key: str, options: Sequence[str]) -> str | None:
        """Return one of the options, or None."""
        value = self.word(key)
        if value is None or value in options:
            return value
        hint = did_you_mean(value, options)
        self._refuse(key, f"`{key}` is `{value}`, but must be one of {', '.join(options)}{hint}")
        return None

    def words_by_name(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return a table of lists of strings, or {}."""
        lists = self._as_table(key, self._take(key))
        return {name: self._as_words(key, words, "must hold lists of strings") for name, words in lists.items()}

    def word_by_name(self, key: str) -> dict[str, str]:
        """Return a table of strings that are not empty, or {}."""
        table = self._as_table(key, self._take(key))
        words = {name: word for name, word in table.items() if isinstance(word, str) and word}
        if len(words) != len(table):
            self._refuse(key, f"`{key}` must hold strings that are not empty")
        return words

    def tables_by_name(self, key: str) -> dict[str, Mapping[str, object]]:
        """Return a table of tables, the inner ones as they are written, or {}."""
        tables = self._as_table(key, self._take(key))
        return {name: self._as_table(f"{key}.{name}", inner) for name, inner in tables.items()}

    def table(self, key: str) -> Mapping[str, object]:
        """Return a table as it is written, or {}."""
        return self._as_table(key, self._take(key))

    def settle(self) -> None:
        """Raise SettingsError for everything that is wrong, in the order of the file: one message for each place.

        Keys that no method was called with are unknown.
        """
        unknown = [key for key in self._values if key not in self._asked]
        meant = {key: did_you_mean(key, self._asked) for key in unknown}
        strange = [key for key in unknown if not meant[key]]
        for key in unknown:
            self._refuse(key, f"unknown key `{key}`{meant[key] or (self._all_keys() if key == strange[-1] else '')}")
        if self._wrongs:
            raise SettingsError(*(f"{self._file}:{line}: {message}" for line, message in sorted(self._wrongs)))

    def _take(self, key: str) -> object:
        self._asked.append(key)
        return self._values.get(key)

    def _as_words(self, key: str, value: object, wanted: str) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return tuple(value)
        self._refuse(key, f"`{key}` {wanted}")
        return ()

    def _as_table(self, key: str, value: object) -> Mapping[str, object]:
        if value is None or isinstance(value, dict):
            return value or {}
        self._wrong(key, f"a table, [{self._dotted(key)}]")
        return {}

    def _wrong(self, key: str, wanted: str) -> None:
        self._refuse(key, f"`{key}` must be {wanted}")

    def _refuse(self, key: str, message: str) -> None:
        self._wrongs.append((self._line(key), message))

    def _all_keys(self) -> str:
        return f"; the keys are {', '.join(sorted(self._asked))}"

    def _dotted(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key

    def _line(self, key: str) -> int:
        """Guess the line of a key: the first in its table that sets it, or the header that opens it; else 1.

        tomllib keeps no positions, and a guess that is wrong by a line still leads to the right screen.
        """
        sets = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[.=]""")
        opens = re.compile(rf"""\s*\[+\s*{re.escape(self._dotted(key))}\s*[].]""")
        inside = not self._name
        for number, line in enumerate(self._text.splitlines(), start=1):
            if opens.match(line):
                return number
            if line.lstrip().startswith("["):
                inside = line.strip() == f"[{self._name}]"
            elif inside and sets.match(line):
                return number
        return 1
