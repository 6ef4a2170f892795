"""Find the files that hardware values can reach, so that no other file has to be parsed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from hwlint.graph.bindings import Import, Outline
from hwlint.graph.carriers import FURTHEST, NOTHING, ORIGIN, Carries, carried, is_nearer

# Shorter names say too little to be followed from file to file by their text.
SHORTEST_NEEDLE = 4
# A name that more files than this hold is a word of the trade, not a lead.
MOST_FILES = 150
# A function furthest from the hardware, such as one that may only raise by it, is followed to so many times fewer.
FEWER = 10
_A_LAST_CALL = Carries(FURTHEST + 1, FURTHEST)


@dataclass(frozen=True, slots=True)
class Relevance:
    """What can matter: `files`, and the `names` that may carry hardware values in any of them.

    `local` adds, for single files, the names that carry such values there but are too common to be followed
    elsewhere by their text. A name with a dot in front carries them as an attribute only.
    """

    files: frozenset[str]
    names: frozenset[str]
    local: Mapping[str, frozenset[str]]

    def names_in(self, path: str) -> frozenset[str]:
        """Return every name that may carry a hardware value in this file."""
        return self.names | self.local.get(path, frozenset())


@dataclass(frozen=True, slots=True)
class Surface:
    """What following names from file to file needs of an outline.

    The names bound at module level, the imports, and the members of each class and of the objects made of one.
    """

    bound: frozenset[str]
    imports: tuple[Import, ...]
    members: Mapping[str, frozenset[str]]


Known: TypeAlias = Mapping[str, Carries]
"""What names carry."""
Work: TypeAlias = Callable[[Mapping[str, Known]], Mapping[str, tuple[Surface, dict[str, Carries]] | None]]


def passed_on(outline: Outline, active: Known) -> tuple[Surface, dict[str, Carries]]:
    """Return what other files can see of one, and what its names carry when the `active` names do."""
    return Surface(frozenset(outline.bindings), outline.imports, _all_members(outline)), carried(outline, active)


def grow(
    seed_files: Mapping[str, AbstractSet[str]],
    work: Work,
    search: Callable[[frozenset[str]], Mapping[str, AbstractSet[str]]],
    most_files: int = MOST_FILES,
) -> Relevance:
    """Follow hardware values from name to name and from file to file until nothing new comes.

    `seed_files` gives the origin names found in each file that has any. `work` is given files with what names carry
    there, and returns what `passed_on` says of each, None for one that cannot be read; it may do so for many files
    at once. `search` returns, for each file that has any of the given words as an
    identifier or in a string, those that it has. A name goes on when a function returns the value, or a constant
    or an attribute holds it; names are followed by their text, except those that are single words or found in
    more than `most_files` files, which are followed along imports only.
    """
    growth = _Growth(work, search, most_files)
    for path, names in seed_files.items():
        both = dict.fromkeys([*names, *(f".{name}" for name in names)], ORIGIN)
        growth.tell(path, both)
        growth.needles.update(both)
    while growth.news:
        growth.step()
    return Relevance(
        frozenset(growth.active),
        frozenset(growth.needles),
        {path: frozenset(names) for path, names in sorted(growth.local.items()) if names},
    )


class _Growth:
    """The state of the fixpoint: what each name carries, and which files have news to take in."""

    def __init__(
        self,
        work: Work,
        search: Callable[[frozenset[str]], Mapping[str, AbstractSet[str]]],
        most_files: int,
    ) -> None:
        self.work = work
        self.search = search
        self.most_files = most_files
        self.needles: dict[str, Carries] = {}
        self.places: dict[str, tuple[str, ...]] = {}
        self.holders: dict[str, frozenset[str]] = {}
        self.surfaces: dict[str, Surface | None] = {}
        self.active: dict[str, dict[str, Carries]] = {}
        self.local: dict[str, set[str]] = defaultdict(set)
        self.news: set[str] = set()

    def tell(self, path: str, names: Mapping[str, Carries]) -> None:
        """Let a file know what names carry; it has news if that is more than it knew."""
        active = self.active.setdefault(path, {})
        for name, carries in names.items():
            if is_nearer(carries, active.get(name, NOTHING)):
                active[name] = active.get(name, NOTHING).joined(carries)
                self.news.add(path)

    def step(self) -> None:
        """Work off all news once."""
        news, self.news = sorted(self.news), set()
        found: dict[str, dict[str, Carries]] = {}
        for path, leaving in self._passed_on({path: self.active[path] for path in news}).items():
            self.active[path].update(leaving)
            if leaving:
                found[path] = leaving
        self._follow_text(found)
        self._follow_text(self._follow_imports(found))

    def _passed_on(self, news: Mapping[str, Known]) -> dict[str, dict[str, Carries]]:
        """What each file passes on; its surface is kept."""
        found = self.work(news)
        self.surfaces.update({path: None if result is None else result[0] for path, result in found.items()})
        return {path: result[1] for path, result in sorted(found.items()) if result is not None}

    def _follow_text(self, found: Mapping[str, Mapping[str, Carries]]) -> None:
        """Follow telling names to every file that has them."""
        fresh: dict[str, Carries] = {}
        for leaving in found.values():
            for name, carries in leaving.items():
                if is_distinctive(name) and is_nearer(carries, self.needles.get(name, NOTHING)):
                    fresh[name] = fresh.get(name, NOTHING).joined(carries)
        words = {name.removeprefix(".") for name in fresh}
        self._locate(frozenset((fresh.keys() | words) - self.places.keys()))
        for name, carries in sorted(fresh.items()):
            most = self.most_files // FEWER if carries == _A_LAST_CALL else self.most_files
            if len(self.places[name.removeprefix(".")]) <= most or name in self.needles:
                self.needles[name] = self.needles.get(name, NOTHING).joined(carries)
                for path in self.places[name]:
                    self.tell(path, {name: carries})

    def _locate(self, names: frozenset[str]) -> None:
        """Learn which files have the names."""
        if names:
            places: dict[str, list[str]] = {name: [] for name in names}
            for path, held in self.search(names).items():
                for name in held:
                    places[name].append(path)
            self.places.update((name, tuple(sorted(paths))) for name, paths in places.items())
            self.holders.update((name, frozenset(paths)) for name, paths in places.items())

    def _follow_imports(self, found: Mapping[str, Mapping[str, Carries]]) -> dict[str, dict[str, Carries]]:
        """Follow names that are not followed by text to the files that import them, on through re-exports.

        Returns the telling names that an import gave them, by file: a star import hands those on without a word.
        """
        wave: Sequence[tuple[str, Mapping[str, Carries]]] = sorted(found.items())
        renamed: dict[str, dict[str, Carries]] = defaultdict(dict)
        while wave:
            following: list[tuple[str, dict[str, Carries]]] = []
            self._locate_asked(wave)
            for path, leaving in wave:
                common = {
                    name: carries
                    for name, carries in leaving.items()
                    if name not in self.needles and not self._is_worn_out(name, carries)
                }
                self.local[path].update(common)
                surface = self.surfaces[path]
                bound = {} if surface is None else {n: c for n, c in common.items() if n in surface.bound}
                inside = {} if surface is None else _members(surface, common)
                users = self._possible_importers(path, {*bound, *inside}) if bound or inside else []
                self._passed_on({user: {} for user in users if user not in self.surfaces})
                self._locate(frozenset().union(*inside.values()) - self.places.keys())
                for user in users:
                    gained = self._imported(user, stem(path), bound, inside)
                    active = self.active.get(user, {})
                    if any(is_nearer(carries, active.get(name, NOTHING)) for name, carries in gained.items()):
                        self.tell(user, gained)
                        following.append((user, gained))
                        renamed[user].update((name, carries) for name, carries in gained.items() if name not in bound)
            wave = following
        return renamed

    def _is_worn_out(self, name: str, carries: Carries) -> bool:
        """True for a function furthest from the hardware that has the name of many others, such as `forward`."""
        return carries == _A_LAST_CALL and len(self.places.get(name, ())) > self.most_files // FEWER

    def _locate_asked(self, wave: Iterable[tuple[str, Mapping[str, Carries]]]) -> None:
        """Learn at once where the words are by which importers are found: a search goes over all files."""
        asked: set[str] = set()
        self._locate(
            frozenset(name for _, leaving in wave for name, carries in leaving.items() if carries == _A_LAST_CALL)
            - self.places.keys()
        )
        for path, leaving in wave:
            surface = self.surfaces[path]
            common = leaving.keys() - self.needles.keys()
            bound = set() if surface is None else surface.bound & common
            inside = {} if surface is None else _members(surface, {name: leaving[name] for name in common})
            if bound or inside:
                asked.update(bound, inside, _spoken(path), *inside.values())
        self._locate(frozenset(asked - self.places.keys() - {""}))

    def _possible_importers(self, path: str, names: Iterable[str]) -> list[str]:
        """List the files that may import one of the names from a file, by the words in them alone.

        They have the name and the module's own name, and the folder's too unless they lie in it: a folder is
        left out of an import only by relative imports from inside.
        """
        stem, parent = _spoken(path)
        folder = _folder(path)
        if not stem:  # a file that is called `.py` cannot be imported
            return []
        self._locate(frozenset({stem, parent, *names}) - self.places.keys() - {""})
        users = {user for user in self.places[stem] if any(user in self.holders[name] for name in names)}
        named = users & self.holders[parent] if parent else users
        inside = {user for user in users if user.startswith(f"{folder}/")}
        return sorted((named | inside) - {path})

    def _imported(
        self, user: str, stem: str, names: Mapping[str, Carries], inside: Mapping[str, Mapping[str, Carries]]
    ) -> dict[str, Carries]:
        """Return the names that a file gains by its imports from a module with that last name.

        `inside` holds, by the name of a class or an object of one, the members that carry something.
        """
        gained: dict[str, Carries] = {}
        surface = self.surfaces[user]
        for record in () if surface is None else surface.imports:
            from_it = record.module.rpartition(".")[2] == stem
            if from_it and record.attribute in inside:
                members = inside[record.attribute]
                gained.update((name, carries) for name, carries in members.items() if user in self.holders[name])
            if from_it and record.attribute in names:
                gained[record.name] = names[record.attribute]
            elif (from_it and record.attribute in ("", "*")) or record.attribute == stem:
                gained.update((name, carries) for name, carries in names.items() if user in self.holders[name])
        return gained


def _members(surface: Surface, names: Known) -> dict[str, dict[str, Carries]]:
    """Return the names that are members of a class, by the classes and by the module's objects that are made of one."""
    found = {owner: {name: names[name] for name in names.keys() & held} for owner, held in surface.members.items()}
    return {owner: held for owner, held in found.items() if held}


def _all_members(outline: Outline) -> dict[str, frozenset[str]]:
    """Return the members of every class of a module, and those of its objects that are made of one."""
    found = {
        owner: frozenset(f".{name}" for name in members | outline.attributes.get(owner, frozenset()))
        for owner, members in outline.members.items()
        if "." not in owner
    }
    for unit in outline.units if found else ():
        owners = [] if unit.name else sorted(unit.mentions & found.keys())
        for flow in unit.flows if owners else ():
            for owner in owners:
                if owner in flow.sources and flow.target in outline.bindings:
                    found[flow.target] = found[owner] | found.get(flow.target, frozenset())
    return found


def is_distinctive(name: str) -> bool:
    """Tell whether a name is telling enough to be followed by its text alone: two words, or a word and a number."""
    core = name.strip("._")
    single_word = core.isalpha() and (core.islower() or core.isupper() or core.istitle())
    return len(core) >= SHORTEST_NEEDLE and not name.startswith(("__", ".__")) and not single_word


def _folder(path: str) -> str:
    """The folder of a module, or the one around it for a package."""
    folder, _, leaf = path.rpartition("/")
    return folder.rpartition("/")[0] if leaf == "__init__.py" else folder


def _spoken(path: str) -> tuple[str, str]:
    """What an import calls a file: its own name and the one of its folder; empty where there is none."""
    return stem(path), _folder(path).rpartition("/")[2]


def stem(path: str) -> str:
    """The name that an import calls a file by: its own, or that of its folder for a package."""
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
