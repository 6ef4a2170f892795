"""Origins: what ships is consistent and true, and what does not fit is refused in words a user can act on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hwlint.model.errors import RuleError
from hwlint.model.origin import CATALOGUE_NAMES, Origin, OriginKind
from hwlint.rulebook.location import origins_folder
from hwlint.rulebook.origins import load_origins, origins_from_settings, read_origins

ORIGINS = load_origins()
CONSUMER = {"major": 12, "minor": 0, "sm": 120, "name": "sm_120", "gfx": None, "vendor": "nvidia", "warp_size": 32,
            "shared_mem_per_block_optin": 101376}  # fmt: skip
INSTINCT = {"major": 9, "minor": 4, "name": "gfx942", "gfx": "gfx942", "vendor": "amd", "warp_size": 64}


def answer(origin: Origin, row: dict[str, Any], **arguments: object) -> object:
    """Evaluate an origin as CPython would, with the catalogue names that `row` does not give as marks."""
    names = {name: f"<{name}>" for name in CATALOGUE_NAMES} | row
    defaults = {parameter.name: parameter.default for parameter in origin.parameters}
    allowed = {"isinstance": isinstance, "tuple": tuple, "int": int, "str": str, "len": len, "list": list}
    return eval(origin.value or "None", {"__builtins__": allowed}, names | defaults | arguments)  # noqa: S307


def only(name: str) -> Origin:
    """Return the one origin with this name."""
    (origin,) = ORIGINS.fallback(name[2:]) if name.startswith("*.") else ORIGINS.named(name)
    return origin


@pytest.mark.parametrize(
    ("name", "row", "expected"),
    [
        ("torch.cuda.get_device_capability", CONSUMER, (12, 0)),
        ("torch.cuda.get_device_capability", INSTINCT, (9, 4)),
        ("torch.version.hip", CONSUMER, None),
        ("torch.version.cuda", INSTINCT, None),
        ("torch._C._CudaDeviceProperties.gcnArchName", INSTINCT, "gfx942:sramecc+:xnack-"),
        ("torch._C._CudaDeviceProperties.gcnArchName", {**INSTINCT, "gfx": "gfx1100"}, "gfx1100"),
        ("torch.cuda.is_bf16_supported", CONSUMER, True),
        ("torch.cuda.is_tf32_supported", INSTINCT, True),
        ("triton.backends.compiler.GPUTarget.arch", CONSUMER, 120),
        ("triton.backends.compiler.GPUTarget.arch", INSTINCT, "gfx942"),
        ("triton.backends.compiler.GPUTarget.backend", INSTINCT, "hip"),
        ("triton.backends.driver.DeviceProperties.max_shared_mem", CONSUMER, 101376),
        ("cupy.cuda.device.Device.compute_capability", CONSUMER, "120"),
        ("numba.cuda.cudadrv.driver.Device.compute_capability", CONSUMER, (12, 0)),
        ("jax.Device.compute_capability", CONSUMER, "12.0"),
        ("jax.Device.compute_capability", INSTINCT, "gfx942"),
        ("tensorflow.DeviceDetails.compute_capability", CONSUMER, (12, 0)),
        ("pynvml.nvmlDeviceGetCudaComputeCapability", CONSUMER, (12, 0)),
        ("cuda.core.Device.arch", CONSUMER, "120"),
        ("pycuda.driver.Device.compute_capability", CONSUMER, (12, 0)),
        ("cutlass.base_dsl.arch.Arch.name", CONSUMER, "sm_120a"),
        ("cutlass.base_dsl.arch.Arch.name", {**CONSUMER, "major": 11}, "sm_101a"),
        ("cutlass.base_dsl.arch.Arch.name", {**CONSUMER, "major": 8, "minor": 9}, "sm_89"),
        ("flashinfer.utils.is_sm120a_supported", CONSUMER, True),
        ("flashinfer.utils.is_sm120a_supported", {**CONSUMER, "minor": 1}, False),
        ("vllm.platforms.interface.DeviceCapability.to_int", CONSUMER, 120),
        ("vllm.platforms.interface.DeviceCapability.as_version_str", CONSUMER, "12.0"),
    ],
)
def test_an_origin_answers_what_the_library_answers(name: str, row: dict[str, Any], expected: object) -> None:
    assert expected == answer(only(name), row)


@pytest.mark.parametrize(
    ("name", "capability", "expected"),
    [
        ("*.has_device_capability", 90, True),
        ("*.has_device_capability", (12, 1), False),
        ("*.is_device_capability", 100, False),
        ("*.is_device_capability", (12, 0), True),
        ("*.is_device_capability_family", 120, True),
        ("*.is_device_capability_family", 100, False),
    ],
)
def test_a_predicate_takes_a_number_or_a_tuple(name: str, capability: object, expected: object) -> None:
    assert expected == answer(only(name), CONSUMER, capability=capability)


def test_the_driver_answers_the_attribute_that_it_is_asked_for() -> None:
    query = only("cuda.bindings.driver.cuDeviceGetAttribute")
    number = only("cuda.bindings.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR")
    assert (0, 12) == answer(query, CONSUMER, attrib=answer(number, CONSUMER))
    assert (0, "<unknown>") == answer(query, CONSUMER, attrib=16)


@pytest.mark.parametrize("origin", ORIGINS.all, ids=lambda origin: f"{origin.name} {origin.kind}")
def test_every_origin_has_a_source_and_says_what_it_is(origin: Origin) -> None:
    assert origin.source
    assert origin.doc.endswith(".")


def test_every_type_that_is_returned_has_members_and_every_item_belongs_to_one() -> None:
    types = {origin.returns for origin in ORIGINS.all if origin.returns}
    owners = {origin.name.rpartition(".")[0] for origin in ORIGINS.all}
    assert types <= owners
    assert {o.name.rpartition(".")[0] for o in ORIGINS.all if o.kind is OriginKind.ITEM} <= types | {"*"}


def test_the_libraries_that_are_promised_have_origins() -> None:
    roots = {origin.name.split(".")[0] for origin in ORIGINS.all}
    promised = {"torch", "triton", "vllm", "sglang", "flashinfer", "cupy", "numba", "jax", "tensorflow", "pynvml",
                "cuda", "pycuda", "cutlass", "paddle", "*"}  # fmt: skip
    assert promised <= roots


def test_needles_find_the_origins_and_not_every_file() -> None:
    needles = ORIGINS.needles()
    assert {"get_device_capability", "get_device_properties", "get_current_target"} <= needles
    assert not {"major", "name", "is_available", "Device", "devices", "hip", "cuda"} & needles


def test_a_device_name_is_told_apart_from_what_the_architecture_decides() -> None:
    assert only("torch.cuda.get_device_name").is_device_name
    assert not only("torch.cuda.get_device_capability").is_device_name


def test_a_project_declares_origins_of_its_own() -> None:
    bare, full = origins_from_settings(
        {
            "pkg.chip_number": "major * 10 + minor",
            "pkg.chip.text": {"kind": "attribute", "value": "f'{major}.{minor}'", "vendors": ["nvidia"]},
        }
    )
    assert ("pkg.chip_number", OriginKind.CALL) == (bare.name, bare.kind)
    assert (OriginKind.ATTRIBUTE, ("nvidia",)) == (full.kind, full.vendors)
    assert 120 == answer(bare, CONSUMER)


def test_what_a_project_declares_wins_over_what_ships() -> None:
    origins = load_origins(declared={"torch.cuda.get_device_capability": "(9, 0)"})
    (origin,) = origins.named("torch.cuda.get_device_capability")
    assert "(9, 0)" == origin.value


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ('nmae = "a.b"\nvalue = "major"', "did you mean `name`"),
        ('name = "a.b"\nvalue = "major"\nkind = "atribute"', "did you mean `attribute`"),
        ('name = "b"\nvalue = "major"', "not a dotted name"),
        ('name = "a.b"', "neither `value` nor `returns`"),
        ('name = "a.b"\nvalue = "mayor"', "did you mean `major`"),
        ('name = "a.b"\nvalue = 12', "takes a text in quotes"),
        ('name = "a.b"\nvalue = "major +"', "is not a Python expression"),
        ('name = "a.b"\nvalue = "__import__(\'os\')"', "may call only"),
        ('name = "a.b"\nvalue = "name.upper()"', "may call only"),
        ('name = "a.b"\nvalue = "name.upper"', "uses Attribute"),
        ('name = "a.b"\nvalue = "[x for x in products]"', "uses ListComp"),
        ('name = "a.b"\nvalue = "(lambda: 1)"', "uses Lambda"),
        ('name = "a.b"\nvalue = "2 ** 9999999"', "uses Pow"),
        ('name = "a.b"\nvalue = "f\'{major:>9999999}\'"', "formats a value"),
        ('name = "a.b"\nvalue = "isinstance(name, bytes)"', "takes one of"),
        ('name = "a.b"\nvalue = "str"', "unknown name `str`"),
        ('name = "a.b"\nvalue = "major"\nvendors = ["intel"]', "a list of nvidia and amd"),
        ('name = "a.b"\nvalue = "x"\nparameters = ["x=f()"]', "not a constant"),
        ('name = "a.b"\nvalue = "x"\nparameters = "x"', "takes a list such as"),
        ('name = "a.b"\nvalue = "x"\nkind = "attribute"\nparameters = ["x"]', "has parameters but is not called"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused_with_file_entry_and_remedy(
    entry: str, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'[[origin]]\nname = "good.one"\nvalue = "major"\n\n[[origin]]\n{entry}\n', encoding="utf-8")
    with pytest.raises(RuleError) as refused:
        read_origins(file)
    message = str(refused.value)
    assert complaint in message
    assert f"{file}: origin 2" in message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[origin]\n", "cannot read the origins"),
        ('[[origins]]\nname = "a.b"\n', "`origins` is not known there"),
        ("origin = 3\n", "not a list of tables"),
        ('[[origin]]\nname = "a.b"\nvalue = "major"\n' * 2, "declared twice"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RuleError, match=complaint):
        read_origins(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="cannot read the origins"):
        load_origins([tmp_path / "absent.toml"])


def test_a_deeply_nested_expression_is_refused_and_does_not_crash() -> None:
    for value in ("(" * 400 + "major" + ")" * 400, "-" * 990 + "major", "major" + "+1" * 490):
        with pytest.raises(RuleError):
            origins_from_settings({"a.b": value})


def test_shipped_files_hold_no_entry_twice() -> None:
    names = [(o.name, o.kind, o.vendors) for file in origins_folder().glob("*.toml") for o in read_origins(file)]
    assert sorted(set(names)) == sorted(names)


def test_every_origin_of_a_project_that_does_not_fit_is_told() -> None:
    declared = {"house.sm": {"valu": "major", "kin": "call"}, "house.one": "major", "house.mm": "mayor"}
    with pytest.raises(RuleError) as refusal:
        origins_from_settings(declared)
    assert ["`kin`", "`valu`", "`mayor`"] == [re.findall(r"`[^`]*`", one)[1] for one in refusal.value.messages]
