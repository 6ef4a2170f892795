"""Read from a name which architectures it says it is for: `flash_fwd_sm100`, `compute_90a`, `wgmma`, `h100_config`."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from enum import StrEnum

from hwlint.hardware.features import feature
from hwlint.model.architecture import Architecture, Vendor

_OLDEST_CLAIM = 90
"""Code named for an older architecture runs on the newer ones; from 9.0 on there are instructions that do not."""

_TARGET = re.compile(r"(?<![a-z0-9])(?:sm_?|compute_)?(9\d|1[0-3]\d)([af])(?![a-z0-9])", re.IGNORECASE)
_SM = re.compile(r"(?<![a-zA-Z])[sS][mM]_?(\d{2,3})(?![0-9x])")
_SM_MAJOR = re.compile(r"(?<![a-z])sm_?(\d{1,2})x(?![0-9a-z])", re.IGNORECASE)
_CAMEL_SM = re.compile(r"(?<=[a-z0-9])S[Mm](\d{2,3})(?![0-9x])")
_GENERATION = re.compile(r"hopper|blackwell", re.IGNORECASE)
_PRODUCT = re.compile(r"(?<![a-z0-9])(g?[hb][1-3]00|a100)(?![a-z0-9])", re.IGNORECASE)
_FEATURES = (
    (re.compile(r"(?<![a-z])(?:fa_?3|flash_?attn_?3|flash_?attention_?3|flash_?3)(?![0-9a-z])", re.I), "wgmma"),
    (re.compile(r"(?<![a-z])(?:wgmma|warpgroup_mma|mma_?v3)(?![0-9a-z])", re.I), "wgmma"),
    (re.compile(r"(?<![a-z])(?:tcgen0?5|tmem|umma|mma_?v5|cutlass_blackwell)(?![a-z]|_geforce)", re.I), "tcgen05"),
    (re.compile(r"(?<![a-z])(?:cutlass[a-z]?-blackwell)(?![a-z]|-geforce)", re.I), "tcgen05"),
    (re.compile(r"(?<![a-z])(?:deep_?gemm|flash_?mla)(?![a-z])", re.I), "wgmma or tcgen05"),
)
"""Names of kernels and instructions, and the feature they cannot do without.

FlashAttention 3 is written with wgmma; Triton calls wgmma version 3 of its matrix instructions, and tcgen05 version 5;
CUTLASS calls its tcgen05 kernels `blackwell` and those for 12.x
`blackwell_geforce`. DeepGEMM and FlashMLA have kernels of wgmma for 9.0 and of tcgen05 for 10.x.
"""

_ANY_HINT = re.compile(r"[0-9]|hopper|blackwell|wgmma|warpgroup|tcgen|tmem|umma|deep_?gemm|flash_?mla", re.IGNORECASE)
"""What every claim has: most names have none of it, and are not looked at any further."""

_AMD_LINE = re.compile(r"(?<![a-z])(?:[cr]dna|navi)\d?(?![a-z0-9])", re.IGNORECASE)
_OF_NAVI = {"NAVI": "RDNA", "NAVI3": "RDNA3", "NAVI4": "RDNA4"}
"""The chips of RDNA are called Navi, with the generation as their first digit from the third on."""

_SIZES = re.compile(
    r"(?:block|tile)(?:_?size)?(?:_?[mnkhqvd]\w{0,3})?|b[mnk]|\w*tile_len\w*|(?:num_)?stages|\w*(?:smem|shared_mem|shared_bytes)\w*|"
    r"(?:max_)?(?:warps|threads)_per_(?:mp|sm|multiprocessor)",
    re.IGNORECASE,
)
"""Names of sizes that take a share of a multiprocessor."""

EITHER = " or "
"""Between the features of which a kernel needs one."""


class ClaimKind(StrEnum):
    """What sort of word makes the claim."""

    TARGET = "target"
    """A compiler target with a suffix: `90a`, `sm_100f`."""
    FEATURE = "feature"
    """An instruction, or a kernel that is made of it."""
    SM = "sm"
    """`sm90`, `Sm100`, `sm12x` in a name."""
    GENERATION = "generation"
    """`hopper`, `blackwell`."""
    PRODUCT = "product"
    """`h100`, `A100`: tuned on it, and not bound to it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: the word as written, its kind, and its meaning (`90a`, `wgmma`, `100`, `9x`, `hopper`, `h100`)."""

    word: str
    kind: ClaimKind
    value: str


@functools.lru_cache(maxsize=8192)
def claims_of(text: str) -> tuple[Claim, ...]:
    """Return what a name or text claims, the sharpest kind first; empty where it names nothing newer than 8.x."""
    if _ANY_HINT.search(text) is None:
        return ()
    found = [Claim(m[0], ClaimKind.TARGET, f"{m[1]}{m[2].lower()}") for m in _TARGET.finditer(text)]
    found += [Claim(m[0], ClaimKind.FEATURE, name) for word, name in _FEATURES for m in word.finditer(text)]
    digits = {int(m[1]): m[0] for pattern in (_SM, _CAMEL_SM) for m in pattern.finditer(text)}
    found += [
        Claim(word, ClaimKind.SM, str(number)) for number, word in sorted(digits.items()) if number >= _OLDEST_CLAIM
    ]
    found += [
        Claim(m[0], ClaimKind.SM, f"{m[1]}x") for m in _SM_MAJOR.finditer(text) if int(m[1]) * 10 >= _OLDEST_CLAIM
    ]
    found += [Claim(m[0], ClaimKind.GENERATION, m[0].lower()) for m in _GENERATION.finditer(text)]
    found += [Claim(m[0], ClaimKind.PRODUCT, m[0].lower()) for m in _PRODUCT.finditer(text)]
    return tuple(found)


def is_for(claim: Claim, arch: Architecture) -> bool:
    """Tell whether the claim covers the architecture; AMD has none of these.

    Target `90a` means 9.0 alone, `100f` its family from there on (compiler targets of the catalogue). A number in a
    name without a suffix means all of its major, a feature what the catalogue says, a product its architecture.
    """
    if arch.vendor is not Vendor.NVIDIA or arch.capability is None:
        return False
    major, minor = arch.capability
    match claim.kind:
        case ClaimKind.TARGET:
            number, suffix = int(claim.value[:-1]), claim.value[-1]
            if suffix == "a":
                return major * 10 + minor == number
            return major == number // 10 and minor >= number % 10
        case ClaimKind.FEATURE:
            return any(feature(arch, name) is not False for name in claim.value.split(EITHER))
        case ClaimKind.SM:
            return major == major_of(claim)
        case ClaimKind.GENERATION:
            return arch.generation.lower() == claim.value or (claim.value == "blackwell" and major >= 10)
        case ClaimKind.PRODUCT:
            word = re.compile(rf"\b{claim.value}\b", re.IGNORECASE)
            return any(word.search(product) for product in arch.products)


def major_of(claim: Claim) -> int | None:
    """The first number of the capability that a claim names, or None where it names none."""
    match claim.kind:
        case ClaimKind.TARGET:
            return int(claim.value[:-1]) // 10
        case ClaimKind.SM:
            return int(claim.value[:-1])
        case ClaimKind.FEATURE | ClaimKind.GENERATION | ClaimKind.PRODUCT:
            return None


@functools.cache
def _spelt(arch: Architecture) -> re.Pattern[str] | None:
    if arch.vendor is not Vendor.NVIDIA or arch.capability is None or arch.capability < (10, 0):
        return None
    major, minor = arch.capability
    names = [
        re.escape(name)
        for product in arch.products
        for name in product.split()
        if re.fullmatch(r"[A-Z]{1,2}\d{2,3}", name)
    ]
    forms = (rf"{major}\.{minor}", rf"\(\s*{major},\s*{minor}\s*\)", rf"(?:sm_?)?{major}{minor}[af]?", *names)
    return re.compile(rf"(?<![0-9A-Za-z.])(?:{'|'.join(forms)})(?![0-9.]|[A-Za-z])", re.IGNORECASE)


def is_named(arch: Architecture, text: str) -> bool:
    """Tell whether a text names the architecture, from 10.0 on: `12.1`, `(12, 1)`, `sm_121a`, `GB10`."""
    pattern = _spelt(arch)
    return pattern is not None and pattern.search(text) is not None


def amd_lines(name: str) -> tuple[str, ...]:
    """The lines of AMD's products, or generations of them, that a name speaks of: `CDNA`, `RDNA4`."""
    lower = name.lower()
    if "dna" not in lower and "navi" not in lower:
        return ()
    found = (hit.upper() for hit in _AMD_LINE.findall(name))
    return tuple(dict.fromkeys(_OF_NAVI.get(word, word) for word in found if word not in ("NAVI1", "NAVI2")))


def is_size(name: str) -> bool:
    """Tell whether a name is that of a size that takes a share of a multiprocessor: `BLOCK_M`, `num_stages`."""
    return _SIZES.fullmatch(name) is not None


def shared_kib(arch: Architecture) -> int | None:
    """The shared memory that one block may have, in KiB; None where the sources do not tell."""
    found = arch.fact("limits.shared_mem_per_block_optin_kib")
    return found if isinstance(found, int) else None
