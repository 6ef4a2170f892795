"""Check that relevance follows hardware values and nothing else."""

from __future__ import annotations

import pytest

from hwlint.graph.relevance import Relevance, grow, is_distinctive
from tests.graph.trees import Tree

SEEDS = frozenset({"get_device_capability"})
ORIGIN = "from torch.cuda import get_device_capability\n"


def relevance(sources: dict[str, str], most_files: int = 150) -> Relevance:
    tree = Tree(sources)
    return grow(tree.search(SEEDS), tree.work, tree.search, most_files)


def files(sources: dict[str, str]) -> set[str]:
    return set(relevance(sources).files)


def test_a_file_without_any_carrier_is_left_out_and_never_outlined() -> None:
    tree = Tree({"a.py": ORIGIN + "x = get_device_capability()", "b.py": "print('hello')"})
    found = grow(tree.search(SEEDS), tree.work, tree.search)
    assert found.files == {"a.py"}
    assert tree.outlined == ["a.py"]


@pytest.mark.parametrize(
    "carrier",
    [
        "def is_new():\n    return get_device_capability()[0] == 9",
        "def is_new():\n    cap = get_device_capability()\n    if cap < (9, 0):\n        return False\n    return True",
        "def is_new():\n    if get_device_capability()[0] == 9:\n        return 'hopper'\n    return 'other'",
        "def _major(n):\n    return get_device_capability()[0] in n\nis_new = cache(1)(partial(_major, n=[9]))",
        "is_new = lambda: get_device_capability()[0] == 9",
        "is_new = get_device_capability() >= (9, 0)",
        "is_new = False\ndef setup():\n    global is_new\n    is_new = get_device_capability()[0] == 9",
        "class P:\n    @property\n    def is_new(self):\n        return get_device_capability()[0] == 9",
        "class P:\n    def __init__(self):\n        self.is_new = get_device_capability()[0] == 9",
        "def probe():\n    return get_device_capability()[0] == 9\nPROBES = {'is_new': 'probe'}\n"
        "class P:\n    def __getattr__(self, name):\n        return globals()[PROBES[name]]()",
    ],
)
def test_a_name_that_carries_the_hardware_leads_to_the_files_that_use_it(carrier: str) -> None:
    assert files({"a.py": ORIGIN + carrier, "b.py": "print(x.is_new)", "c.py": "print('old')"}) == {"a.py", "b.py"}


@pytest.mark.parametrize(
    "sink",
    [
        "def run_it(q):\n    get_device_capability()\n    return q",
        "def run_it(q):\n    if get_device_capability()[0] == 9:\n        q.go()\n    return q",
        "def run_it(q):\n    kernel = fast if get_device_capability()[0] == 9 else slow\n    return kernel(q)",
        "def run_it():\n    return props.multi_processor_count + get_device_capability().total_memory",
        "def run_it():\n    return f'the device has {get_device_capability()}'",
    ],
)
def test_a_function_that_only_uses_the_hardware_does_not_carry_it_on(sink: str) -> None:
    assert files({"a.py": ORIGIN + sink, "b.py": "print(x.run_it)"}) == {"a.py"}


def test_an_alias_carries_what_it_stands_for() -> None:
    sources = {
        "a.py": ORIGIN + "def is_new():\n    return get_device_capability()[0] == 9",
        "b.py": "from a import is_new as fresh_one\nuse_it = fresh_one()",
        "c.py": "from b import use_it",
    }
    assert files(sources) == {"a.py", "b.py", "c.py"}


ON_AN_OBJECT = ORIGIN + "class P:\n    def __init__(self):\n        self.is_new = get_device_capability()[0] == 9\n"


@pytest.mark.parametrize(
    "user",
    ["print(x.is_new)", "print(getattr(x, 'is_new'))", "class Q(P):\n    def f(self):\n        return self.is_new"],
)
def test_an_attribute_is_followed_to_where_it_is_read(user: str) -> None:
    assert files({"a.py": ON_AN_OBJECT, "b.py": user}) == {"a.py", "b.py"}


@pytest.mark.parametrize("other", ["is_new = 3\nprint(is_new)", "f(is_new=3)", "def f(is_new):\n    return is_new"])
def test_an_attribute_is_not_taken_for_a_variable_of_the_same_name(other: str) -> None:
    assert files({"a.py": ON_AN_OBJECT, "b.py": other}) == {"a.py"}


def test_an_own_attribute_is_not_taken_for_a_name_of_a_module() -> None:
    flag = ORIGIN + "is_new = get_device_capability()[0] == 9"
    other = "class Q:\n    def is_odd(self):\n        return self.is_new\n"
    assert "is_odd" not in relevance({"a.py": flag, "b.py": other}).names
    assert ".is_odd" in relevance({"a.py": flag, "b.py": other.replace("self.is_new", "settings.is_new")}).names


def test_members_go_by_their_plain_names_inside_the_class() -> None:
    members = "class P:\n    is_new = get_device_capability()[0] == 9\n    is_odd = not is_new\n"
    assert files({"a.py": ORIGIN + members, "b.py": "print(P.is_odd)"}) == {"a.py", "b.py"}


def test_a_record_of_answers_hands_them_on_by_its_fields() -> None:
    record = "def probe():\n    is_new = get_device_capability()[0] == 9\n    return Support(is_new=is_new)\n"
    assert files({"a.py": ORIGIN + record, "b.py": "print(x.is_new)"}) == {"a.py", "b.py"}


def test_a_function_and_the_half_that_does_its_work_count_as_one() -> None:
    sources = {
        "a.py": ORIGIN + "def types_of():\n    if get_device_capability() < (8, 0):\n        return []\n    return [x]",
        "b.py": "def _can_do(x):\n    if x not in types_of(): return False, f'no {x}'\n    return True, None\n"
        "def can_do(x):\n    answer, _ = _can_do(x)\n    return answer\n",
        "c.py": "print(can_do(3))",
    }
    assert files(sources) == {"a.py", "b.py", "c.py"}


def test_a_common_word_is_followed_along_imports_only() -> None:
    sources = {
        "pkg/caps.py": ORIGIN + "CAP = get_device_capability()",
        "pkg/__init__.py": "from .caps import CAP",
        "user.py": "from pkg import CAP\nprint(CAP)",
        "module.py": "from pkg import caps\nprint(caps.CAP)",
        "stranger.py": "CAP = 3\nprint(CAP)",
    }
    found = relevance(sources)
    assert found.files == {"pkg/caps.py", "pkg/__init__.py", "user.py", "module.py"}
    assert "CAP" in found.names_in("user.py")
    assert "CAP" not in found.names_in("stranger.py")


def test_a_name_that_too_many_files_have_is_not_followed_by_its_text() -> None:
    sources = {"a.py": ORIGIN + "def is_new():\n    return get_device_capability()[0] == 9"}
    sources |= {f"u{n}.py": "print(x.is_new)" for n in range(5)}
    assert len(relevance(sources, most_files=6).files) == 6
    assert relevance(sources, most_files=3).files == {"a.py"}


def test_a_word_of_the_trade_is_not_followed_where_it_is_an_attribute_either() -> None:
    sources = {"a.py": ON_AN_OBJECT, "u.py": "print(x.is_new)"}
    sources |= {f"w{n}.py": "is_new = 3" for n in range(5)}
    assert "u.py" in relevance(sources, most_files=7).files
    assert relevance(sources, most_files=6).files == {"a.py"}


def test_answers_to_questions_about_answers_are_followed_only_so_far() -> None:
    sources = {"a.py": ORIGIN + "def step_0():\n    return get_device_capability()[0] == 9"}
    sources |= {f"m{n}.py": f"def step_{n + 1}():\n    return not step_{n}()" for n in range(8)}
    found = files(sources)
    assert "m0.py" in found
    assert "m7.py" not in found


def test_the_identity_itself_is_followed_to_the_end() -> None:
    sources = {"a.py": ORIGIN + "def step_0():\n    return get_device_capability()[0]"}
    sources |= {f"m{n}.py": f"def step_{n + 1}():\n    return step_{n}() * 10" for n in range(8)}
    assert "m7.py" in files(sources)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("is_hopper", True), ("SM90", True), ("gcnArchName", True), ("CAP", False), ("name", False), ("__init__", False)],
)
def test_a_telling_name_has_two_parts(name: str, *, expected: bool) -> None:
    assert expected == is_distinctive(name)


def test_a_telling_name_that_an_import_gives_goes_on_through_a_star_import() -> None:
    sources = {
        "pkg/chip.py": ORIGIN + "def major():\n    return get_device_capability()[0]",
        "pkg/hardware.py": "from pkg.chip import major as gpu_major",
        "pkg/__init__.py": "from pkg.hardware import *",
        "use.py": "from pkg import gpu_major\nx = {9: 1}[gpu_major()]",
        "other.py": "from pkg import something_else",
    }
    assert "use.py" in files(sources)
    assert "other.py" not in files(sources)


def test_a_file_that_is_called_nothing_but_py_is_read_and_imported_by_nobody() -> None:
    assert files({"a/.py": ORIGIN + "x = get_device_capability()[0]", "b.py": "from a import x"}) == {"a/.py"}


@pytest.mark.parametrize(
    "making", ["Settings(sm_number)", "Settings(sm_number=sm_number)", "super().__init__(sm_number)"]
)
def test_what_a_constructor_is_given_is_known_by_the_name_of_the_argument(making: str) -> None:
    body = "def setup():\n    sm_number = get_device_capability()[0]\n    {}\n"
    assert files({"a.py": ORIGIN + body.format(making), "b.py": "print(x.sm_number)"}) == {"a.py", "b.py"}
    assert files({"a.py": ORIGIN + body.format("print(sm_number)"), "b.py": "print(x.sm_number)"}) == {"a.py"}


CHIP = ORIGIN + "class Chip:\n    @classmethod\n    def major(cls):\n        return get_device_capability()[0]\n"


@pytest.mark.parametrize(
    "package",
    [
        "from chips.cuda import Chip as thing",
        "from chips.cuda import *\nthing = Chip",
        "from chips.cuda import Chip\nthing = Chip()",
        "from .cuda import Chip\nBY_NAME = {'cuda': Chip}\nthing = BY_NAME['cuda']()",
        "from chips.cuda import Chip\ndef _find():\n    return Chip()\nthing = _find()",
        "def thing():\n    from chips.cuda import Chip\n    found = Chip()\n    return found",
        "from chips.cuda import Chip\nclass thing(Chip):\n    pass",
        "from chips.cuda import Chip\nthing = None\ndef start():\n    global thing\n    thing = Chip()",
    ],
)
def test_a_member_of_a_class_is_followed_through_a_package_that_does_not_name_it(package: str) -> None:
    sources = {
        "chips/cuda.py": CHIP,
        "chips/__init__.py": package,
        "use.py": "from chips import thing\nprint(thing.major())",
        "by_module.py": "import chips\nprint(chips.thing.major())",
        "other.py": "from chips import thing\nprint(thing.minor())",
        "stranger.py": "from tunes import thing\nprint(thing.major())",
    }
    assert files(sources) == {"chips/cuda.py", "use.py", "by_module.py"}


def test_a_member_is_followed_through_packages_inside_packages() -> None:
    sources = {
        "chips/cuda.py": CHIP,
        "chips/__init__.py": "from chips.cuda import Chip",
        "hardware/__init__.py": "from chips import Chip\nchip = Chip()",
        "use.py": "from hardware import chip\nprint(chip.major())",
    }
    assert "use.py" in files(sources)


def test_packages_that_import_each_other_come_to_an_end() -> None:
    sources = {
        "chips/cuda.py": CHIP,
        "chips/__init__.py": "from chips.cuda import Chip\nfrom hardware import Chip as Other",
        "hardware/__init__.py": "from chips import Chip, Other",
        "use.py": "from hardware import Other\nprint(Other.major())",
    }
    assert "use.py" in files(sources)


def test_a_package_that_uses_a_class_without_handing_it_on_leads_nowhere() -> None:
    sources = {
        "chips/cuda.py": CHIP,
        "chips/__init__.py": "from chips.cuda import Chip\ndef size():\n    print(Chip.name)\n    return 3",
        "use.py": "from chips import size\nprint(size().major())",
    }
    assert files(sources) == {"chips/cuda.py"}


def test_the_fields_of_a_record_are_followed_to_who_imports_the_function_that_returns_it() -> None:
    record = (
        "class Gpu:\n    gen: int\n    name: str\n\ndef probe(n):\n    return Gpu(gen=get_device_capability(n)[0])\n"
    )
    sources = {
        "a.py": ORIGIN + record,
        "b.py": "from a import probe\nclass P:\n    def __init__(self):\n        self.gpu = probe(0)\n"
        "    def tile(self):\n        return {9: 1}[self.gpu.gen]",
        "c.py": "from z import probe\nprint(probe(0).gen)",
    }
    found = relevance(sources)
    assert ".gen" in found.names_in("b.py")
    assert "c.py" not in found.files


@pytest.mark.parametrize(
    "child",
    [
        "class K(Base):\n    def __init__(self):\n        self.gen = get_device_capability()[0]\n",
        "class K(Base):\n    def gen(self):\n        return get_device_capability()[0]\n",
        "class K(Base):\n    gen = get_device_capability()[0]\n",
    ],
)
def test_a_base_that_reads_a_member_of_a_class_below_is_reached(child: str) -> None:
    sources = {
        "pkg/child.py": ORIGIN + "from pkg.base import Base\n" + child,
        "pkg/base.py": "class Base:\n    def row(self):\n        return self.ROWS[self.gen]\n",
        "pkg/other.py": "class Base:\n    def row(self):\n        return self.ROWS[self.gen]\n",
    }
    assert files(sources) == {"pkg/child.py", "pkg/base.py"}
    sources["pkg/base.py"] = "class Base:\n    def row(self):\n        return self.ROWS[self.size]\n"
    assert files(sources) == {"pkg/child.py"}
