#!/usr/bin/env bash
# Builds and tests everything: installs what is missing, starts what the tests need, ends what it started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

STEPS=(tools peers build test demo memory bench)

usage() {
    cat <<'HELP'
usage: ./test.sh [STEP...]

Without arguments every step runs, in this order:

  tools    system packages: a C compiler, git, Python with venv, OpenSSL, zstd, PostgreSQL, Go
           with its packages for logs (installed when missing and root)
  peers    verifiers that are not ours, from PyPI, in target/peers-venv
  build    cargo build --workspace --all-targets
  test     cargo test --workspace, with a private PostgreSQL that ends with the run
  demo     ./demo.sh --once: the whole journey of one adapter
  memory   peak memory of packing, pushing, pulling and verifying 128 MB and 512 MB
  bench    figures of the log: appends per second on both databases, proofs at 10, 1,000 and 100,000
           leaves, replay of 100,000; fails when a proof is longer than the logarithm of the tree

Further steps, only by name:

  unit     the unit tests of the members alone; needs no server

Set RETOQUE_PG_BIN to choose the folder of PostgreSQL's programs.
HELP
}

say() { printf '== %s\n' "$*"; }
fail() { printf 'test.sh: %s\n' "$*" >&2; exit 1; }
line() { printf '%-7s %-7s %5d s' "$1" "$current" $((SECONDS - began)); }
have() { command -v "$1" >/dev/null 2>&1; }

# --- what is cleaned up, however the run ends ---------------------------------------------------------------------

scratch=
postgres_pid=
summary=()
current=
began=0

stop_postgres() {
    [ -n "$postgres_pid" ] || return 0
    local pid=$postgres_pid signal
    postgres_pid=
    # Fast, then at once: the data is thrown away with the folder.
    for signal in INT QUIT KILL; do
        kill -s "$signal" "$pid" 2>/dev/null || return 0
        if timeout 10 tail --pid="$pid" -f /dev/null; then return 0; fi
    done
}

cleanup() {
    local status=$?
    trap - EXIT INT TERM HUP
    stop_postgres
    if [ -n "$scratch" ]; then rm -rf -- "$scratch"; fi
    if [ -n "$current" ]; then summary+=("$(line FAILED)"); fi
    if [ "${#summary[@]}" -gt 0 ]; then printf '\n%s\n' "$(printf '%s\n' "${summary[@]}")"; fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- steps --------------------------------------------------------------------------------------------------------

postgres_bin() {
    local found
    if [ -n "${RETOQUE_PG_BIN:-}" ]; then printf '%s\n' "$RETOQUE_PG_BIN"; return; fi
    found=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    if [ ! -x "$found/initdb" ] && have pg_config; then found=$(pg_config --bindir); fi
    if [ -x "$found/initdb" ] && [ -x "$found/postgres" ]; then printf '%s\n' "$found"; fi
}

step_tools() {
    local missing=() version
    if ! have cargo && [ -r "$HOME/.cargo/env" ]; then . "$HOME/.cargo/env"; fi
    have cargo || fail "cargo is missing: install Rust 1.95 or newer with rustup (https://rustup.rs)"
    have cc || missing+=(build-essential)
    have git || missing+=(git)
    have openssl || missing+=(openssl)
    have zstd || missing+=(zstd)
    have tar || missing+=(tar)
    have curl || missing+=(curl)
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
    { [ -n "$(postgres_bin)" ] && have psql; } || missing+=(postgresql)
    have go || missing+=(golang-go)
    [ -d /usr/share/gocode/src/golang.org/x/mod/sumdb ] || missing+=(golang-golang-x-mod-dev)
    [ -r /etc/ssl/certs/ca-certificates.crt ] || missing+=(ca-certificates)
    if [ "${#missing[@]}" -gt 0 ]; then
        local command=(apt-get install -y --no-install-recommends "${missing[@]}")
        have apt-get || fail "missing: ${missing[*]} (names of Debian's packages); install them and run again"
        [ "$(id -u)" = 0 ] || fail "missing: ${missing[*]}; as root: ${command[*]}"
        say "installing ${missing[*]}"
        # The tests start a cluster of their own; Debian's would only take a port.
        if [[ " ${missing[*]} " == *" postgresql "* ]] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
            mkdir -p /etc/postgresql-common
            echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
        fi
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq || fail "apt-get update failed: is a package mirror reachable?"
        "${command[@]}" </dev/null >/dev/null || fail "failed: ${command[*]}"
        [ -n "$(postgres_bin)" ] || fail "PostgreSQL was installed, but no initdb is under /usr/lib/postgresql/*/bin"
    fi
    version=$(rustc --version) || fail "rustc does not run"
    say "$version; PostgreSQL in $(postgres_bin); $(openssl version); $(python3 --version)"
}

step_peers() {
    local venv=$PWD/target/peers-venv wanted=tests/peers/requirements.txt newer=tests/peers/requirements-newer.txt
    if ! cat "$wanted" "$newer" | cmp -s - "$venv/installed.txt" || ! "$venv/bin/python" -c '' 2>/dev/null; then
        rm -rf -- "$venv"
        mkdir -p target
        python3 -m venv "$venv" || fail "python3 -m venv failed: install python3-venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-input --requirement "$wanted" ||
            fail "pip could not install $wanted"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-input --no-deps --ignore-requires-python \
            --requirement "$newer" || fail "pip could not install $newer"
        cat "$wanted" "$newer" >"$venv/installed.txt"
    fi
    export RETOQUE_PEERS_PYTHON=$venv/bin/python
    "$RETOQUE_PEERS_PYTHON" -c 'import aics_tlog, aics_witness, in_toto_attestation.v1.statement, rfc8785, safetensors.numpy, securesystemslib.dsse, tuf'
}

# Runs a command as the user that PostgreSQL accepts: itself, or "postgres" when this is root.
as_postgres() {
    if [ "$(id -u)" != 0 ]; then "$@"; return; fi
    id postgres >/dev/null 2>&1 || fail "PostgreSQL does not run as root, and there is no user postgres: apt-get install postgresql"
    (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
}

start_postgres() {
    [ -z "$postgres_pid" ] || return 0
    local bin data port try secret
    bin=$(postgres_bin)
    [ -n "$bin" ] || fail "PostgreSQL is missing: apt-get install postgresql, or set RETOQUE_PG_BIN"
    # /tmp: socket paths are limited to 107 bytes, and the user postgres must be able to enter the folder.
    scratch=$(mktemp -d /tmp/retoque-test.XXXXXX)
    data=$scratch/data
    secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '%s\n' "$secret" >"$scratch/password"
    if [ "$(id -u)" = 0 ]; then chown -R postgres: "$scratch"; fi
    as_postgres "$bin/initdb" -D "$data" -U postgres -A password --pwfile="$scratch/password" --encoding=UTF8 --locale=C --no-sync \
        >"$scratch/initdb.log" || { cat "$scratch/initdb.log" >&2; fail "initdb failed"; }
    for try in 1 2 3 4 5; do
        port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
        if as_postgres "$bin/pg_ctl" start -w -s -t 60 -D "$data" -l "$scratch/postgres.log" -o "-p $port -c listen_addresses=127.0.0.1 \
            -c unix_socket_directories=$scratch -c max_connections=200 -c fsync=off -c synchronous_commit=off -c full_page_writes=off" \
            >/dev/null </dev/null; then
            postgres_pid=$(head -n 1 "$data/postmaster.pid")
            break
        fi
        [ "$try" -lt 5 ] || { tail -n 20 "$scratch/postgres.log" >&2; fail "PostgreSQL did not start"; }
    done
    export RETOQUE_TEST_POSTGRES_URL="postgres://postgres:$secret@127.0.0.1:$port/postgres"
    say "PostgreSQL on 127.0.0.1:$port, process $postgres_pid"
}

step_build() { cargo build --locked --workspace --all-targets; }

step_unit() { cargo test --locked --workspace --exclude retoque-tests --no-fail-fast; }

step_test() {
    [ -n "${RETOQUE_PEERS_PYTHON:-}" ] || step_peers
    start_postgres
    cargo test --locked --workspace --no-fail-fast
}

step_demo() {
    ./demo.sh --once </dev/null
}

step_bench() {
    tests/scripts/log_bench.sh
}

step_memory() {
    tests/scripts/memory.sh 128 512
}

# --- run ----------------------------------------------------------------------------------------------------------

for argument in "$@"; do
    case $argument in
        -h | --help) usage; exit 0 ;;
        tools | peers | build | unit | test | demo | memory | bench) ;;
        *) usage >&2; printf '\ntest.sh: no step is called %s\n' "$argument" >&2; exit 2 ;;
    esac
done
if [ $# -gt 0 ]; then STEPS=("$@"); fi

for step in "${STEPS[@]}"; do
    say "$step"
    current=$step
    began=$SECONDS
    # Not in a condition: there bash would go on after a failed command inside the step.
    "step_$step"
    summary+=("$(line ok)")
    current=
done
say "all steps passed in $SECONDS s"
