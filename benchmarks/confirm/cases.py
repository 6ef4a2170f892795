"""The fixes that a device is asked about: small projects whose tables lack 9.0, and what an H200 has to say of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One finding with one fix; `edits` are (path, old text, new text), `expected` is the verdict by architecture.

    The verdicts are those of a machine with one device of compute capability 9.0, with Triton and without.
    """

    name: str
    files: Mapping[str, str]
    lookup: str
    edits: tuple[tuple[str, str, str], ...]
    outcome: str
    expected: Mapping[str, tuple[str, ...]]
    path: str = "pkg/mod.py"
    probe: str = ""


_MAJOR = "torch.cuda.get_device_capability()[0]"
_ONE = {"sm_90": ("confirmed",)}

CASES = (
    Case(
        "a dict across modules",
        {
            "pkg/tables.py": "TABLE = {\n    8: 'ampere',\n    10: 'blackwell',\n}\n",
            "pkg/__init__.py": "from pkg.tables import TABLE\n",
            "pkg/mod.py": f"import torch\nfrom pkg import TABLE as NAMES\n\ndef pick():\n    major = {_MAJOR}\n"
            "    if major < 8:\n        return None\n    return NAMES[major]\n",
        },
        "NAMES[major]",
        (("pkg/tables.py", "    10: 'blackwell',\n", "    9: 'hopper',\n    10: 'blackwell',\n"),),
        "KeyError: 9",
        _ONE,
    ),
    Case(
        "the same fix for 12.0, which is not here",
        {
            "pkg/tables.py": "TABLE = {\n    8: 'ampere',\n    10: 'blackwell',\n}\n",
            "pkg/mod.py": f"import torch\nfrom pkg.tables import TABLE\n\ndef pick():\n    return TABLE[{_MAJOR}]\n",
        },
        f"TABLE[{_MAJOR}]",
        (("pkg/tables.py", "    10: 'blackwell',\n", "    10: 'blackwell',\n    12: 'rtx',\n"),),
        "KeyError: 12",
        {"sm_120": ("simulated",)},
    ),
    Case(
        "a nested dict",
        {
            "pkg/mod.py": "import torch\nTILES = {'gemm': {8: 64, 10: 256}, 'attn': {8: 32, 9: 64, 10: 128}}\n\n"
            "def tile():\n    capability = torch.cuda.get_device_capability()\n"
            "    return TILES['gemm'][capability[0]]\n"
        },
        "TILES['gemm'][capability[0]]",
        (("pkg/mod.py", "{8: 64, ", "{8: 64, 9: 128, "),),
        "KeyError: 9",
        _ONE,
    ),
    Case(
        "a list",
        {
            "pkg/mod.py": "import torch\nNAMES = ['', '', '', '', '', 'maxwell', 'pascal', 'volta', 'ampere']\n\n"
            f"def name():\n    return NAMES[{_MAJOR}]\n"
        },
        f"NAMES[{_MAJOR}]",
        (("pkg/mod.py", "'ampere']", "'ampere', 'hopper']"),),
        "IndexError: list index out of range",
        _ONE,
    ),
    Case(
        "a table keyed by text",
        {
            "pkg/mod.py": "import torch\nFLAGS = {'sm_80': '-O2', 'sm_100': '-O3'}\n\ndef flags():\n"
            "    major, minor = torch.cuda.get_device_capability()\n    arch = f'sm_{major}{minor}'\n"
            "    return FLAGS[arch]\n"
        },
        "FLAGS[arch]",
        (("pkg/mod.py", "'sm_80': '-O2', ", "'sm_80': '-O2', 'sm_90': '-O3', "),),
        "KeyError: 'sm_90'",
        _ONE,
    ),
    Case(
        "a table keyed by tuples",
        {
            "pkg/mod.py": "import torch\nSTAGES = {(8, 0): 3, (10, 0): 4}\n\ndef stages(device=0):\n"
            "    return STAGES[torch.cuda.get_device_capability(device)]\n"
        },
        "STAGES[torch.cuda.get_device_capability(device)]",
        (("pkg/mod.py", "(8, 0): 3, ", "(8, 0): 3, (9, 0): 4, "),),
        "KeyError: (9, 0)",
        _ONE,
    ),
    Case(
        "a chain of helpers and tables",
        {
            "pkg/arch.py": "import functools\nimport torch\nNAMES = {8: 'ampere', 9: 'hopper', 10: 'blackwell'}\n\n"
            f"@functools.lru_cache\ndef family():\n    return NAMES[{_MAJOR}]\n",
            "pkg/mod.py": "from pkg.arch import family\nWARPS = {'ampere': 4, 'blackwell': 8}\n\n"
            "def warps(count):\n    return WARPS[family()] * count\n",
        },
        "WARPS[family()]",
        (("pkg/mod.py", "'ampere': 4, ", "'ampere': 4, 'hopper': 8, "),),
        "KeyError: 'hopper'",
        _ONE,
    ),
    Case(
        "an attribute set in a constructor, in a module that cannot be imported",
        {
            "pkg/mod.py": "import torch\nimport a_package_that_is_not_installed\n\nclass Runner:\n"
            "    SIZES = {8: 1, 10: 2}\n\n    def __init__(self, group, device):\n        self.group = group.name\n"
            "        self.major = torch.cuda.get_device_capability(device)[0]\n\n"
            "    def size(self):\n        return self.SIZES[self.major]\n"
        },
        "self.SIZES[self.major]",
        (("pkg/mod.py", "{8: 1, ", "{8: 1, 9: 2, "),),
        "KeyError: 9",
        _ONE,
    ),
    Case(
        "a second table behind it",
        {
            "pkg/mod.py": "import torch\nTILES = {8: 64, 10: 128}\nSTAGES = {8: 3, 10: 5}\n\ndef pick():\n"
            f"    major = {_MAJOR}\n    tile = TILES[major]\n    return tile, STAGES[major]\n"
        },
        "TILES[major]",
        (("pkg/mod.py", "{8: 64, ", "{8: 64, 9: 64, "),),
        "KeyError: 9",
        {"sm_90": ("refuted",)},
    ),
    Case(
        "a failure that did not happen: something fills the table at import",
        {
            "pkg/extra.json": '{"9": 128}\n',
            "pkg/mod.py": "import json\nimport pathlib\nimport torch\nTILES = {8: 64, 10: 128}\n"
            "TILES.update({int(key): value for key, value in "
            "json.loads(pathlib.Path(__file__).with_name('extra.json').read_text()).items()})\n\n"
            f"def pick():\n    return TILES[{_MAJOR}]\n",
        },
        f"TILES[{_MAJOR}]",
        (("pkg/mod.py", "{8: 64, ", "{8: 64, 9: 64, "),),
        "KeyError: 9",
        {"sm_90": ("refuted",)},
    ),
    Case(
        "a shared-memory size that the device has",
        {
            "pkg/mod.py": f"import torch\nSHARED = {{8: 166912, 10: 232448}}\n\n"
            f"def size():\n    return SHARED[{_MAJOR}]\n"
        },
        f"SHARED[{_MAJOR}]",
        (("pkg/mod.py", "{8: 166912, ", "{8: 166912, 9: 232448, "),),
        "KeyError: 9",
        {"sm_90": ("exercised",)},
        probe="shared-memory",
    ),
    Case(
        "a shared-memory size that the probe rejects",
        {"pkg/mod.py": f"import torch\nSHARED = {{8: 163, 10: 228}}\n\ndef size():\n    return SHARED[{_MAJOR}]\n"},
        f"SHARED[{_MAJOR}]",
        (("pkg/mod.py", "{8: 163, ", "{8: 163, 9: 228, "),),
        "KeyError: 9",
        {"sm_90": ("refuted",)},
        probe="shared-memory:unit=KiB",
    ),
    Case(
        "a tile that fits 9.0 and not 12.0",
        {
            "pkg/mod.py": f"import torch\nTILES = {{10: (128, 128, 64, 6, 8)}}\n\n"
            f"def tile():\n    return TILES[{_MAJOR}]\n"
        },
        f"TILES[{_MAJOR}]",
        (
            (
                "pkg/mod.py",
                "{10: (128, 128, 64, 6, 8)",
                "{9: (128, 128, 64, 6, 8), 10: (128, 128, 64, 6, 8), 12: (128, 128, 64, 6, 8)",
            ),
        ),
        "KeyError",
        {"sm_90": ("exercised",), "sm_120": ("refuted", "simulated")},
        probe="triton-tile",
    ),
    Case(
        "a tile that fits 12.0 as well",
        {
            "pkg/mod.py": f"import torch\nTILES = {{10: (128, 128, 64, 3, 8)}}\n\n"
            f"def tile():\n    return TILES[{_MAJOR}]\n"
        },
        f"TILES[{_MAJOR}]",
        (
            (
                "pkg/mod.py",
                "{10: (128, 128, 64, 3, 8)",
                "{9: (128, 128, 64, 3, 8), 10: (128, 128, 64, 3, 8), 12: (128, 128, 64, 3, 8)",
            ),
        ),
        "KeyError",
        {"sm_90": ("exercised",), "sm_120": ("compiled", "simulated")},
        probe="triton-tile",
    ),
    Case(
        "a tile whose kernel the device cannot launch",
        {
            "pkg/mod.py": f"import torch\nTILES = {{10: (128, 256, 128, 4, 8)}}\n\n"
            f"def tile():\n    return TILES[{_MAJOR}]\n"
        },
        f"TILES[{_MAJOR}]",
        (("pkg/mod.py", "{10: ", "{9: (128, 256, 128, 4, 8), 10: "),),
        "KeyError: 9",
        {"sm_90": ("refuted",)},
        probe="triton-tile",
    ),
)

BUFFERS = "import torch\nSIZES = {\n    10: %s,\n}\n\ndef size():\n" + f"    return SIZES[{_MAJOR}]\n"
_ROW = "{2: 67108864, 4: 67108864, 6: 134217728, 8: 134217728}"


def _buffer(name: str, row: str, expected: tuple[str, ...], options: str = "") -> Case:
    edit = (("pkg/mod.py", "    10: ", f"    9: {row},\n    10: "),)
    files = {"pkg/mod.py": BUFFERS % _ROW}
    return Case(
        name, files, f"SIZES[{_MAJOR}]", edit, "KeyError: 9", {"sm_90": expected}, probe=f"symmetric-memory{options}"
    )


SYMMETRIC_MEMORY = (
    _buffer("a symmetric buffer of the table's size", _ROW, ("exercised", "confirmed")),
    _buffer(
        "a symmetric buffer too small for the payload that the code admits",
        "{2: 1048576, 4: 1048576}",
        ("refuted", "confirmed"),
        ":payload=67108864",
    ),
    _buffer("a symmetric buffer that cannot be allocated", "{1: 1099511627776, 2: 1099511627776}", ("refuted",)),
)
"""On one GPU the first two stay `confirmed`: without a second one nothing is sent."""

SGLANG_FOLDER = "sglang/srt/distributed/device_communicators/"
SGLANG_ROW = (
    "    9: {\n        2: 64 * MiB,  # 64 MB\n        4: 64 * MiB,  # 64 MB\n"
    "        6: 128 * MiB,  # 128 MB\n        8: 128 * MiB,  # 128 MB\n    },\n"
)
"""The row of SGLang 0.5.9 that is taken out, and that the fix puts back."""
