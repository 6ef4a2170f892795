"""Know how the products of an architecture call themselves, for code that looks at the device name."""

from __future__ import annotations

from collections.abc import Iterator

from hwlint.model.architecture import Architecture, Vendor

_ALSO: dict[str, tuple[str, ...]] = {
    "sm_80": ("NVIDIA A800",),
    "sm_86": ("NVIDIA A10G",),
    "sm_89": ("NVIDIA L20",),
    "sm_90": ("NVIDIA H20", "NVIDIA H800"),
}
"""Products that NVIDIA's list of GPUs by capability leaves out: boards for China and for one cloud.

Sources: NVIDIA driver release notes and virtual GPU documentation (A800, H800, H20, L20), the AWS G5 instance page
(A10G). The chips are those of A100, A10, L40 and H100.
"""


def device_names(row: Architecture) -> Iterator[str]:
    """Yield the names that the driver gives the products of `row`, as far as they tell the product.

    Modules of the Jetson line are left out: their GPUs have names of their own (`Orin`, `Thor`).
    """
    for product in (*row.products, *_ALSO.get(row.name, ())):
        if product.startswith("Jetson") or "(" in product:
            continue
        if row.vendor is Vendor.NVIDIA and not product.startswith(("NVIDIA", "Tesla", "Quadro")):
            yield f"NVIDIA {product}"
        else:
            yield product
