"""Explain what a compiler refused to build for, and kernels that were not built for the device, by the tree's lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hwlint.hardware.table import load
from hwlint.hardware.targets import is_made_up
from hwlint.judge.builds import covers, names, shown
from hwlint.model.architecture import Architecture, Vendor
from hwlint.model.crash import Crash, Explanation
from hwlint.model.finding import Finding, TraceStep
from hwlint.model.observation import BuildList
from hwlint.workflow.trace_clues import Clue
from hwlint.workflow.trace_evidence import Evidence, called, places, unexplained, where
from hwlint.workflow.trace_frames import Spot

_OUTSIDE = "nothing in the Python files of the tree lists {what}"
_BY_HAND = "CMake, Docker and shell files are not read"
_NO_SUFFIX = re.compile(r"[\"']?sm_(\d+)[\"']?\s*$")
_NONE = (None, "none")


def refused(crash: Crash, target: str, spots: Sequence[Spot], known: Evidence) -> Explanation:
    """Explain a target (`compute_120`, `sm_121a`, `gfx1200`) that the compiler which ran does not know."""
    wanted = target if target.startswith("gfx") else "sm_" + target.rpartition("_")[2]
    row = next((row for row in known.rows if row.name == wanted.rstrip("af") or row.name == wanted), None)
    if row is None:
        return unexplained(crash, spots, _not_a_target(target))
    lists = _nearest([item for item in known.builds if _asks_for(item, row)], spots)
    asked = tuple(
        TraceStep(item.place.span, f"{row.name} is asked for here: the build lists {shown(item)}") for item in lists
    )
    source = f"what is built for {wanted}" if lists else f"what was compiled for {wanted}"
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        where(spots) if spots or not lists else lists[0].place.span,
        spots[0].function if spots else lists[0].place.symbol if lists else "",
        f"the compiler that ran does not know {wanted}: {_which_do(wanted, row, known)}" + _from_outside(lists, known),
        (*called(spots, source), *asked),
        (row.name,),
        f"`{target}` is what was asked for",
        advice=_other_compiler(wanted, row, known, lists),
    )


def without_suffix(crash: Crash, spots: Sequence[Spot], known: Evidence) -> Explanation | None:
    """Explain an instruction that ptxas refuses for a plain target; None for another crash."""
    words = " ".join((crash.message, *crash.details))
    hit = re.search(r"(?P<what>(?:Instruction|Feature|Modifier) '[^']*').*\.target '?sm_(?P<digits>\d+)'?", words)
    row = next((row for row in known.rows if hit is not None and row.name == f"sm_{hit['digits']}"), None)
    if hit is None or row is None:
        return None
    suffixed = [str(row.fact(f"compiler_targets.{end}")) for end in "af"]
    suffixed = [name for name in suffixed if name not in ("None", "none")]
    lists = _nearest([item for item in known.builds if _asks_for(item, row)], spots)
    steps = tuple(TraceStep(item.place.span, f"the build lists {shown(item)} here") for item in lists)
    also = f"; {' and '.join(suffixed)} may have it" if suffixed else ""
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        where(spots) if spots or not lists else lists[0].place.span,
        spots[0].function if spots else "",
        f"{hit['what']} is not for the plain target {row.name}{also}" + _from_outside(lists, known),
        (*called(spots, f"what was compiled for {row.name}"), *steps),
        (row.name,),
        f"`{row.name}` is what was compiled for",
        advice=f"build for {' or '.join(suffixed)} where the instruction is used"
        if suffixed
        else "keep the instruction behind a test of the architecture",
    )


def by_itself(crash: Crash, spots: Sequence[Spot], known: Evidence, said: Clue | None) -> Explanation:
    """Explain a runtime compiler (NVRTC) that does not know the device that is there."""
    clues = [clue for clue in (said, *known.clues) if clue is not None]
    found, because = known.named(clues)
    release = known.toolkit
    if not found and release is not None:
        listed = load().toolkits.get(release.release, ())
        found = {row.name for row in known.rows if _is_newer(row, listed)}
        because = f"{release.text}, and CUDA {release.release} does not know these"
    if not found:
        return unexplained(
            crash,
            spots,
            "the runtime compiler was asked for an architecture that it does not know, which is one that is newer than "
            "its CUDA, or that its CUDA has dropped; the log names neither the device nor the release, and nothing in "
            "the tree does: add the output of nvidia-smi -L and of python -m torch.utils.collect_env to the log",
        )
    rows = [row for row in known.rows if row.name in found]
    which = _which_do(rows[0].name, rows[0], known) if len(rows) == 1 else "it is older than these architectures"
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        where(spots),
        spots[0].function if spots else "",
        f"the runtime compiler (NVRTC) does not know the device: {which}",
        called(spots, "what was compiled"),
        known.in_order(found),
        because,
        advice="use a build of the package (PyTorch, CuPy) for "
        + (f"CUDA {_first(rows[0].name, rows[0])} or newer" if len(rows) == 1 else "a newer CUDA")
        + ": it brings its own NVRTC, so no list of the tree has a say",
    )


def no_image(crash: Crash, spots: Sequence[Spot], known: Evidence, said: Clue | None) -> Explanation:
    """Explain a kernel that was not built for the device it is launched on."""
    found, because = known.named([clue for clue in (said, *known.clues) if clue is not None])
    found -= {row.name for row in known.rows if is_made_up(row)}
    if not found:
        return _by_the_lists(crash, spots, known)
    rows = [row for row in known.rows if row.name in found]
    builds = [item for item in known.builds if all(row.vendor is Vendor.NVIDIA for row in rows)]
    lacking = [item for item in builds if not all(_covers(item, row) for row in rows)]
    holding = [item for item in builds if item not in lacking]
    finding = _build_finding(known, found, spots)
    steps = tuple(
        TraceStep(item.place.span, f"the build covers {shown(item)} here, and not {' and '.join(sorted(found))}")
        for item in lacking
        if finding is None or item.place.span != finding.span
    )
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        finding.span if finding is not None else lacking[0].place.span if lacking else where(spots),
        spots[0].function if spots and finding is None and not lacking else "",
        _not_built(rows[0].vendor) + _whose(finding, lacking, holding),
        (*called(spots, "the launch"), *_at(finding), *steps),
        known.in_order(found),
        because,
        finding=finding,
        advice=_rebuild(rows[0]),
    )


def _by_the_lists(crash: Crash, spots: Sequence[Spot], known: Evidence) -> Explanation:
    """Where the log names no device, those that a list of the tree leaves out are what it can have been."""
    vendor = Vendor.AMD if crash.said.find("HIP") >= 0 or "hip" in crash.said else Vendor.NVIDIA
    rows = [row for row in known.rows if row.vendor is vendor and row.products and not is_made_up(row)]
    left_out = [row for row in rows if known.builds and not any(_covers(item, row) for item in known.builds)]
    ask = "nvidia-smi -L" if vendor is Vendor.NVIDIA else "rocminfo"
    if not left_out:
        lists = (
            f"the lists of the tree cover all architectures: {places(known.builds)}"
            if known.builds
            else f"{_OUTSIDE.format(what='what is built for')} ({_BY_HAND}), so the kernel is another package's"
        )
        return unexplained(
            crash,
            spots,
            "a kernel was not built for the device, and the log does not say which device that is: add its name "
            f"({ask}) to the log; {lists}",
        )
    short = [item for item in known.builds if not all(_covers(item, row) for row in left_out)]
    steps = tuple(TraceStep(item.place.span, f"the build covers {shown(item)} here") for item in short)
    finding = _build_finding(known, {row.name for row in left_out}, spots)
    return Explanation(
        crash,
        spots[0].frame if spots else None,
        short[0].place.span,
        short[0].place.symbol,
        _not_built(vendor),
        (*called(spots, "the launch"), *steps),
        known.in_order({row.name for row in left_out}),
        f"if the kernel is one that the tree builds, it is one that no list covers: {places(short)}; "
        f"the log does not name the device ({ask} does)",
        finding=finding,
        advice=_rebuild(left_out[0]),
    )


def _not_built(vendor: Vendor) -> str:
    ptx = ", and carries no PTX that its driver could compile" if vendor is Vendor.NVIDIA else ""
    return f"the kernel that was launched is not built for this device{ptx}"


def _nearest(builds: Sequence[BuildList], spots: Sequence[Spot]) -> list[BuildList]:
    """Those in the files of the traceback where there are some, else all."""
    files = {spot.path for spot in spots}
    return [item for item in builds if item.place.span.path in files] or list(builds)


def _whose(finding: Finding | None, lacking: Sequence[BuildList], holding: Sequence[BuildList]) -> str:
    """Which list of the tree is to blame, or why none is."""
    if finding is not None:
        return f"; `{finding.span.path}:{finding.span.line}` leaves it out"
    if lacking:
        return f"; {places(lacking)} leave{'s' if len(lacking) == 1 else ''} it out"
    if holding:
        return f"; the tree builds for it ({places(holding)}): an older build is installed, or the kernel is another's"
    return f"; {_OUTSIDE.format(what='what is built for')}: the kernel is another package's, or {_BY_HAND}"


def _rebuild(row: Architecture) -> str:
    if row.vendor is Vendor.AMD:
        return (
            "build the package that the kernel belongs to with this architecture in PYTORCH_ROCM_ARCH, or install a "
            "build that has it"
        )
    return (
        "build the package that the kernel belongs to with this architecture in TORCH_CUDA_ARCH_LIST, or install a "
        "build that has it; a launch error may be reported late: CUDA_LAUNCH_BLOCKING=1 shows the place"
    )


def _from_outside(lists: Sequence[BuildList], known: Evidence) -> str:
    """Where the wish comes from, if not from a list of the tree."""
    if lists:
        return ""
    others = f"; the lists that it has are {places(known.builds)}" if known.builds else ""
    return (
        f"; {_OUTSIDE.format(what='it')}, so it comes from the environment, from the device that is there or from "
        f"another package{others}"
    )


def _other_compiler(wanted: str, row: Architecture, known: Evidence, lists: Sequence[BuildList]) -> str:
    if row.vendor is Vendor.AMD:
        return "use a newer ROCm, or take the architecture out of PYTORCH_ROCM_ARCH"
    first, gone = _first(wanted, row), row.fact("cuda.dropped_in")
    out = f", or take {row.name} out of {places(lists)}" if lists else ""
    if _is_dropped(row, known):
        return f"use a CUDA before {gone}{out or f', or take {row.name} out of TORCH_CUDA_ARCH_LIST'}"
    return f"use the ptxas and nvcc of CUDA {first} or newer (for Triton, TRITON_PTXAS_PATH names the ptxas){out}"


def _which_do(wanted: str, row: Architecture, known: Evidence) -> str:
    """Which toolkits know a target, and which one the log says was there."""
    if row.vendor is Vendor.AMD:
        return "it is older than that architecture, or the name has no meaning to it"
    first, gone = _first(wanted, row), row.fact("cuda.dropped_in")
    ran = f", and {known.toolkit.text}" if known.toolkit is not None else ""
    if gone in _NONE:
        return f"CUDA {first} is the first that does{ran}"
    if known.toolkit is not None:
        return (
            f"CUDA {gone} has dropped it{ran}"
            if _is_dropped(row, known)
            else f"CUDA {first} is the first that does{ran}"
        )
    return f"CUDA {first} is the first that does, and CUDA {gone} has dropped it again"


def _first(wanted: str, row: Architecture) -> str:
    suffix = wanted[len(wanted.rstrip("af")) :]
    told = row.fact(f"compiler_targets.{suffix}_first_toolkit") if suffix else row.fact("cuda.first_toolkit")
    listed = next((release for release, targets in load().toolkits.items() if wanted in targets), None)
    return str(told or listed or "?")


def _is_dropped(row: Architecture, known: Evidence) -> bool:
    gone = row.fact("cuda.dropped_in")
    if gone in _NONE or row.vendor is not Vendor.NVIDIA:
        return False
    return known.toolkit is None or _version(known.toolkit.release) >= _version(str(gone))


def _version(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part.isdigit())


def _is_newer(row: Architecture, listed: Sequence[str]) -> bool:
    newest = max((int(re.sub(r"\D", "", name)) for name in listed), default=None)
    number = None if row.capability is None else row.capability[0] * 10 + row.capability[1]
    return row.vendor is Vendor.NVIDIA and newest is not None and number is not None and number > newest


def _not_a_target(target: str) -> str:
    releases = list(load().toolkits)
    return (
        f"`{target}` is no target of an architecture asked about, and of none that CUDA {releases[0]} to "
        f"{releases[-1]} build for: either it is older than these, or there is no such architecture"
    )


def _asks_for(item: BuildList, row: Architecture) -> bool:
    return row.vendor is Vendor.NVIDIA and row.capability is not None and names(item, row.capability)


def _covers(item: BuildList, row: Architecture) -> bool:
    return row.capability is not None and covers(item, row.capability)


def _at(finding: Finding | None) -> tuple[TraceStep, ...]:
    return () if finding is None else (TraceStep(finding.span, finding.message), *finding.trace)


def _build_finding(known: Evidence, found: set[str], spots: Sequence[Spot]) -> Finding | None:
    """What check reports of a list that leaves these out, in the files of the traceback if it can be."""
    files = {spot.path for spot in spots}
    about = [one for one in known.report.findings if one.rule == "HW401" and found & set(one.targets)]
    return max(about, key=lambda one: (one.span.path in files, one.level.rank), default=None)
