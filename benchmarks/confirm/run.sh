#!/bin/sh
# Run the jobs where the device is: `benchmarks/confirm/run.sh jobs.zip OUT`. Needs a Python with torch, nothing else.
set -eu
jobs=${1:?jobs file, made by: python -m benchmarks.confirm make jobs.zip}
out=${2:?folder for the results}
mkdir -p "$out"
{
    date -u +%Y-%m-%dT%H:%M:%SZ
    nvidia-smi || true
    python3 --version
    python3 "$jobs" --out "$out/results.json" 2>&1
} | tee "$out/log.txt"
test -s "$out/results.json"
