#!/usr/bin/env bash
# The work of action.yml: install hwlint, write the SARIF log, print the findings, and say how it went in $GITHUB_OUTPUT.
# Findings do not fail this script, so that the upload comes first; wrong usage does.
set -euo pipefail

# HWLINT_INSTALLED=1 takes the hwlint that is on the path, for runners that bring their own.
if [ "${HWLINT_INSTALLED:-}" != 1 ]; then
    python -m venv "$RUNNER_TEMP/hwlint"
    bin="$RUNNER_TEMP/hwlint/bin"
    [ -d "$bin" ] || bin="$RUNNER_TEMP/hwlint/Scripts"
    "$bin/python" -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
    PATH="$bin:$PATH"
fi

options=()
[ -z "${HWLINT_TARGETS:-}" ] || options+=(--targets "$HWLINT_TARGETS")
[ -z "${HWLINT_LEVEL:-}" ] || options+=(--level "$HWLINT_LEVEL")
since=${HWLINT_SINCE:-}
if [ "$since" = base ]; then
    # Outside of pull requests there is no base, and everything is reported.
    since=${HWLINT_BASE_REF:+origin/$HWLINT_BASE_REF...}
fi
[ -z "$since" ] || options+=(--since "$since")
# Words are split at blanks and line ends; nothing in them is expanded.
read -r -d '' -a more <<< "${HWLINT_ARGS:-}" || true
read -r -d '' -a paths <<< "${HWLINT_PATHS:-.}" || true
options+=(${more[@]+"${more[@]}"})

run() {  # once for the log that is uploaded and once for people, the second time from the cache
    local status=0
    hwlint check ${options[@]+"${options[@]}"} "$@" -- ${paths[@]+"${paths[@]}"} || status=$?
    return $status
}

status=0
run --output-format sarif --output-file "$HWLINT_SARIF" || status=$?
case $status in 0 | 1 | 3) ;; *) exit "$status" ;; esac
echo "status=$status" >> "$GITHUB_OUTPUT"

text=$(run --output-format text --statistics) || true
printf '%s\n' "$text"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    # Four blanks make it a code block in Markdown, whatever the findings say. GitHub takes 1 MiB a step.
    { printf '### hwlint\n\n'; printf '%s\n' "$text" | head -n 200 | sed 's/^/    /'; } >> "$GITHUB_STEP_SUMMARY"
fi
