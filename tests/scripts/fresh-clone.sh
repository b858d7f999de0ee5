#!/usr/bin/env bash
# What a stranger gets: clones the last commit to a new folder and runs the README's two commands there.
#
# usage: tests/scripts/fresh-clone.sh [--keep] [COMMAND...]     default: ./demo.sh --once, then ./test.sh
#
# Only committed files count. Nothing of this tree's target/ is used. The clone is removed unless --keep is given.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

keep=
if [ "${1:-}" = --keep ]; then keep=1; shift; fi
if [ "${1:-}" = --help ]; then sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0; fi

clone=$(mktemp -d "${TMPDIR:-/tmp}/retoque-clone.XXXXXX")
finish() {
    local status=$?
    if [ -n "$keep" ]; then echo "kept: $clone"; else rm -rf -- "$clone"; fi
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ -n "$(git status --porcelain)" ]; then echo "note: changes that are not committed are not in the clone" >&2; fi
git clone --quiet --no-local . "$clone/retoque"
cd "$clone/retoque"
# What the caller's shell happens to set must not decide the outcome.
unset CARGO_TARGET_DIR RETOQUE_TEST_POSTGRES_URL RETOQUE_PEERS_PYTHON

run() {
    local began=$SECONDS
    echo "== $(git rev-parse --short HEAD): $*"
    "$@" </dev/null
    echo "== $*: $((SECONDS - began)) s"
    [ -z "$(git status --porcelain)" ] || { git status --short; echo "$* left files that git sees" >&2; exit 1; }
}

if [ $# -gt 0 ]; then
    run "$@"
else
    run ./demo.sh --once
    run ./test.sh
fi
