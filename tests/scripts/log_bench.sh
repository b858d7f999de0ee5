#!/usr/bin/env bash
# Figures of the log: appends per second on SQLite and on a PostgreSQL of its own whose commits wait for the disk, proofs
# and their verification at 10, 1,000 and 100,000 leaves, replay of 100,000 leaves; the crate tlog_tiles beside ours.
#
# usage: tests/scripts/log_bench.sh [--dev] [--full]
#
#   --dev    the profile of the tests: slower, but built already
#   --full   also 1,000,000 leaves in memory, and 100,000 in the databases
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

profile=--release
arguments=()
for argument in "$@"; do
    case $argument in
        --dev) profile= ;;
        --full) arguments+=(--full) ;;
        *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
cargo build $profile --locked --quiet --package retoque-tests --example log_bench
if [ -n "$profile" ]; then folder=release; else folder=debug; fi
program=${CARGO_TARGET_DIR:-$PWD/target}/$folder/examples/log_bench

bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || { echo "PostgreSQL is missing: ./test.sh tools" >&2; exit 1; }
work=$(mktemp -d /tmp/retoque-log-bench.XXXXXX)
# PostgreSQL does not run as root.
as() { if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"); else "$@"; fi; }
finish() {
    local status=$?
    as "$bin/pg_ctl" -D "$work/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf -- "$work"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [ "$(id -u)" = 0 ]; then chown postgres: "$work"; fi
as "$bin/initdb" -D "$work/data" -U postgres -A trust --encoding=UTF8 --locale=C >"$work/initdb.log"
as "$bin/pg_ctl" -D "$work/data" -w -l "$work/postgres.log" start \
    -o "-c listen_addresses='' -c unix_socket_directories=$work" >/dev/null </dev/null
export RETOQUE_TEST_POSTGRES_URL="postgres:///postgres?host=$work&user=postgres"

# The embedded database lies where TMPDIR says; a folder in memory would flatter it.
echo "$(nproc) cores, $(uname -m), load $(cut -d' ' -f1 /proc/loadavg); ${folder} build; databases on $(df --output=source,fstype "${TMPDIR:-/tmp}" | tail -1 | tr -s ' ')"
"$program" "${arguments[@]}"
