"""Write SARIF 2.1.0; the only part of hwlint that knows sarif_om."""

from hwlint.report.sarif.log import render_sarif

__all__ = ["render_sarif"]
