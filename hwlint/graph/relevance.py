"""Find the files that hardware values can reach, so that no other file has to be parsed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from hwlint.graph.bindings import Import, Outline
from hwlint.graph.carriers import FURTHEST, NOTHING, ORIGIN, Carries, carried, is_nearer
from hwlint.graph.givers import givers
from hwlint.graph.spoken import folder, means, spoken, stem
from hwlint.graph.spoken import inside as inside_of

# Shorter names say too little to be followed from file to file by their text.
SHORTEST_NEEDLE = 4
# A name that more files than this hold is a word of the trade, not a lead.
MOST_FILES = 150
# A function furthest from the hardware, such as one that may only raise by it, is followed to so many times fewer.
FEWER = 10
HANDED = "()"
"""Ends a name in what a file is told: not the name carries something, but members of the class it stands for do."""
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

    The names bound at module level, the imports, the members and bases of each class, and which names stand for one,
    or for one that the module was said to be handed.
    """

    bound: frozenset[str]
    imports: tuple[Import, ...]
    members: Mapping[str, frozenset[str]]
    gives: Mapping[str, frozenset[str]]
    bases: Mapping[str, tuple[str, ...]]


Known: TypeAlias = Mapping[str, Carries]
"""What names carry."""
Work: TypeAlias = Callable[[Mapping[str, Known]], Mapping[str, tuple[Surface, dict[str, Carries]] | None]]


Members: TypeAlias = Mapping[str, Known]
"""What the members of classes carry, by the names that stand for these."""


def passed_on(outline: Outline, active: Known) -> tuple[Surface, dict[str, Carries]]:
    """Return what other files can see of one, and what its names carry when the `active` names do.

    An active `Name()` says that members of the class carry something for which the imported `Name` stands.
    """
    members = {
        owner: frozenset(f".{name}" for name in held | outline.attributes.get(owner, frozenset()))
        for owner, held in outline.members.items()
        if "." not in owner
    }
    handed = [name.removesuffix(HANDED) for name in active if name.endswith(HANDED)]
    leaving = carried(outline, active)
    known = active.keys() | leaving.keys()
    telling = [owner for owner, held in members.items() if not held.isdisjoint(known)]
    gives = givers(outline, [*members, *handed], {*telling, *handed})
    bases = {owner: outline.classes[owner] for owner in members if any(outline.classes[owner])}
    return Surface(frozenset(outline.bindings), outline.imports, members, gives, bases), leaving


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
        self.handed: dict[str, dict[str, dict[str, Carries]]] = {}
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
        marked = {
            path: {**known, **{f"{name}{HANDED}": ORIGIN for name in self.handed.get(path, ())}}
            for path, known in news.items()
        }
        found = self.work(marked)
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

        So are the members of classes, by whatever name an object of the class, or a function that returns one, has
        where it is imported. Returns the telling names that an import gave, by file: a star import hands those on
        without a word.
        """
        wave: list[_Leaving] = [_Leaving(path, leaving, {}) for path, leaving in sorted(found.items())]
        renamed: dict[str, dict[str, Carries]] = defaultdict(dict)
        while wave:
            following: list[_Leaving] = []
            self._locate_asked(wave)
            for step in wave:
                common = self._common(step.names)
                self.local[step.path].update(common)
                bound, inside = self._shown(step.path, common, step.handed)
                self._tell_bases(step.path, common)
                users = self._users(step, bound, inside)
                self._passed_on({user: {} for user in users if user not in self.surfaces})
                for user in users:
                    gained = self._imported(user, step.path, bound, inside)
                    active = self.active.get(user, {})
                    news = any(is_nearer(carries, active.get(name, NOTHING)) for name, carries in gained.items())
                    handed = self._handed_on(user, step.path, inside)
                    if news:
                        self.tell(user, gained)
                        renamed[user].update((name, carries) for name, carries in gained.items() if name not in bound)
                    if news or handed:
                        following.append(_Leaving(user, gained if news else {}, handed))
            self._passed_on({step.path: {} for step in following if step.handed})
            wave = following
        return renamed

    def _common(self, names: Known) -> Known:
        """Those of the names that are followed along imports: not by their text, and not worn out."""
        return {
            name: carries
            for name, carries in names.items()
            if name not in self.needles and not self._is_worn_out(name, carries)
        }

    def _is_worn_out(self, name: str, carries: Carries) -> bool:
        """True for a function furthest from the hardware that has the name of many others, such as `forward`."""
        return carries == _A_LAST_CALL and len(self.places.get(name, ())) > self.most_files // FEWER

    def _tell_bases(self, path: str, names: Known) -> None:
        """Let the files of bases know what members of a class carry that methods there may read off `self`."""
        for record, members in self._bases(path, names):
            for other in self.places[record.attribute]:
                if other != path and means(record, path, other):
                    told = {name: carries for name, carries in members.items() if other in self.holders[name]}
                    if told:
                        self.tell(other, told)

    def _bases(self, path: str, names: Known) -> Iterator[tuple[Import, Known]]:
        """The imports of bases, each with what members of a class below carry."""
        surface = self.surfaces[path]
        for owner, members in _members(surface, names).items() if surface is not None else ():
            bases = surface.bases.get(owner, ()) if surface is not None else ()
            for record in surface.imports if surface is not None and bases else ():
                if record.attribute and record.name in bases:
                    yield record, members

    def _shown(self, path: str, names: Known, handed: Members) -> tuple[Known, Members]:
        """What of `names` a file binds, and what members carry, by the names in it that stand for their classes."""
        surface = self.surfaces[path]
        if surface is None:
            return {}, {}
        owned = {**_members(surface, names), **handed}
        inside: dict[str, dict[str, Carries]] = {}
        for name, owners in surface.gives.items() if owned else ():
            for owner in sorted(owners & owned.keys()) if name in surface.bound else ():
                inside[name] = _joined(inside.get(name, {}), owned[owner])
        return {name: carries for name, carries in names.items() if name in surface.bound}, inside

    def _users(self, step: _Leaving, bound: Known, inside: Members) -> list[str]:
        """Who may import what leaves a file; members that are only handed on lead to who has them, and packages."""
        if not bound and not inside:
            return []
        users = self._possible_importers(step.path, {*bound, *inside})
        members = frozenset().union(*inside.values())
        self._locate(members - self.places.keys())
        if step.names:
            return users
        having = {path for name in members for path in self.places[name]}
        return [user for user in users if user in having or user.endswith("__init__.py")]

    def _locate_asked(self, wave: Iterable[_Leaving]) -> None:
        """Learn at once where the words are by which importers are found: a search goes over all files."""
        asked: set[str] = set()
        self._locate(
            frozenset(name for step in wave for name, carries in step.names.items() if carries == _A_LAST_CALL)
            - self.places.keys()
        )
        for step in wave:
            common = self._common(step.names)
            bound, inside = self._shown(step.path, common, step.handed)
            for record, members in self._bases(step.path, common):
                asked.update([record.attribute, *members])
            if bound or inside:
                asked.update(bound, inside, spoken(step.path), *inside.values())
        self._locate(frozenset(asked - self.places.keys() - {""}))

    def _possible_importers(self, path: str, names: Iterable[str]) -> list[str]:
        """List the files that may import one of the names from a file, by the words in them alone.

        They have the name and the module's own name, and the folder's too unless they lie in it: a folder is
        left out of an import only by relative imports from inside, which may leave out a package's name as well.
        """
        last, parent = spoken(path)
        if not last:  # a file that is called `.py` cannot be imported
            return []
        self._locate(frozenset({last, parent, *names}) - self.places.keys() - {""})
        having = frozenset().union(*(self.holders[name] for name in names))
        users = having & self.holders[last]
        named = users & self.holders[parent] if parent else users
        beside = {user for user in users if user.startswith(f"{folder(path)}/")}
        package = inside_of(path)
        below = {user for user in having if user.startswith(package)} if package else set()
        return sorted((named | beside | below) - {path})

    def _imported(self, user: str, path: str, names: Known, inside: Members) -> dict[str, Carries]:
        """Return the names that a file gains by its imports from another, as far as they may mean it.

        `inside` holds, by the name of a class or of what gives objects of one, the members that carry something.
        """
        gained: dict[str, Carries] = {}
        surface = self.surfaces[user]
        for record in () if surface is None else surface.imports:
            from_it = means(record, user, path)
            if from_it and record.attribute in inside:
                self._gain(user, gained, inside[record.attribute])
            if from_it and record.attribute in names:
                gained[record.name] = names[record.attribute]
            elif (from_it and record.attribute in ("", "*")) or record.attribute == stem(path):
                self._gain(user, gained, names)
                for owner, members in inside.items():
                    if user in self.holders[owner]:
                        self._gain(user, gained, members)
        return gained

    def _gain(self, user: str, gained: dict[str, Carries], names: Known) -> None:
        """Add the names that a file has."""
        gained.update((name, carries) for name, carries in names.items() if user in self.holders[name])

    def _handed_on(self, user: str, path: str, inside: Members) -> dict[str, dict[str, Carries]]:
        """Return the members of classes that a file may hand on by a name of its own, where that is news."""
        surface = self.surfaces[user]
        known = self.handed.setdefault(user, {})
        fresh: dict[str, dict[str, Carries]] = {}
        for record in () if surface is None or not inside else surface.imports:
            if not means(record, user, path):
                continue
            if record.attribute in inside:
                fresh[record.name] = _joined(fresh.get(record.name, {}), inside[record.attribute])
            elif record.attribute == "*":
                for owner, members in inside.items():
                    fresh[owner] = _joined(fresh.get(owner, {}), members)
        fresh = {name: members for name, members in fresh.items() if _brings_more(members, known.get(name, {}))}
        for name, members in fresh.items():
            known[name] = _joined(known.get(name, {}), members)
        return fresh


@dataclass(frozen=True, slots=True)
class _Leaving:
    """What leaves a file: names that carry something, and members of classes that it only hands on."""

    path: str
    names: Known
    handed: Members


def _members(surface: Surface, names: Known) -> dict[str, dict[str, Carries]]:
    """Return the names that are members of a class, by the classes."""
    found = {owner: {name: names[name] for name in names.keys() & held} for owner, held in surface.members.items()}
    return {owner: held for owner, held in found.items() if held}


def _joined(one: Known, other: Known) -> dict[str, Carries]:
    """Return what names carry on either way."""
    return {name: one.get(name, NOTHING).joined(other.get(name, NOTHING)) for name in (*one, *other)}


def _brings_more(one: Known, other: Known) -> bool:
    """Tell whether a name of the first carries something nearer than it does in the second."""
    return any(is_nearer(carries, other.get(name, NOTHING)) for name, carries in one.items())


def is_distinctive(name: str) -> bool:
    """Tell whether a name is telling enough to be followed by its text alone: two words, or a word and a number."""
    core = name.strip("._")
    single_word = core.isalpha() and (core.islower() or core.isupper() or core.istitle())
    return len(core) >= SHORTEST_NEEDLE and not name.startswith(("__", ".__")) and not single_word
