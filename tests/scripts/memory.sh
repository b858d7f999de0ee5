#!/usr/bin/env bash
# Peak memory of packing, pushing, pulling and verifying packages of the given sizes, in both programs.
#
# usage: tests/scripts/memory.sh [MEGABYTES...]      default: 128 512
#
# Prints one table and fails when a peak is over LIMIT_MB (default 200). The client's peak is the one that the kernel
# accounts for the ended process; the registry's is VmHWM, set back before each act.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

LIMIT_MB=${LIMIT_MB:-200}
[ $# -gt 0 ] || set -- 128 512
# The programs as the demo builds and people use them.
cargo build --release --locked --quiet --bins
retoque=${CARGO_TARGET_DIR:-$PWD/target}/release/retoque
registry=${CARGO_TARGET_DIR:-$PWD/target}/release/retoque-registry
scripts=$PWD/tests/scripts
work=$(mktemp -d "${TMPDIR:-/tmp}/retoque-memory.XXXXXX")
server=
over=0
table=()

finish() {
    local status=$?
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    rm -rf -- "$work"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

row() { # act, program, peak in MB
    table+=("$(printf '%-8s %-9s %-9s %5d MB' "$1" "$2" "$3" "$4")")
    if [ "$4" -gt "$LIMIT_MB" ]; then over=1; fi
}

# Runs one act of the client and records both peaks.
act() { # size, name, command...
    local size=$1 name=$2 peak
    shift 2
    if [ -n "$server" ]; then echo 5 >"/proc/$server/clear_refs"; fi
    python3 "$scripts/peak.py" "$name" "$@" >/dev/null 2>"$work/peak" || { cat "$work/peak" >&2; exit 1; }
    peak=$(sed -n "s/^$name: \([0-9]*\) MB peak.*/\1/p" "$work/peak")
    row "$size" "$name" client "$peak"
    if [ -n "$server" ]; then
        row "$size" "$name" registry "$(awk '/^VmHWM/ {print int($2 * 1024 / 1000000)}' "/proc/$server/status")"
    fi
}

commit=0123456789abcdef0123456789abcdef01234567
sample=$PWD/tests/fixtures/sample
as() { RETOQUE_HOME=$work/people/$1 "$retoque" --quiet "${@:2}" >/dev/null; }

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
"$registry" init --dir "$work/registry" --url "$url" --listen "127.0.0.1:$port" >/dev/null
mkfifo "$work/ready"
"$registry" serve --dir "$work/registry" >"$work/ready" 2>"$work/registry.log" &
server=$!
# The first line says that it listens.
read -r _ <"$work/ready" || { cat "$work/registry.log" >&2; exit 1; }

mkdir "$work/people"
as operator trust add "$url" --root "$work/registry/root.json"
as operator login "$url" --token-file "$work/registry/operator.token"
as operator suite add "$sample/regression.jsonl" --name general-skills
as operator account create worker --display Worker --role build
as operator account create ada --display Ada
as operator account create rita --display Rita --role review
as operator org create acme --display Acme
as operator org member set acme ada --role admin
for who in worker ada rita; do
    RETOQUE_HOME=$work/people/operator "$retoque" --quiet token create --account $who --label memory --scope write >"$work/$who.token"
    as $who trust add "$url" --root "$work/registry/root.json"
    as $who login "$url" --token-file "$work/$who.token"
    as $who key generate
    as $who key register
done
as operator key authorize rita --role review --out "$work/2.root.json" --publish \
    --root-key "$work/registry/keys/root-1.pem" --root-key "$work/registry/keys/root-2.pem"
as consumer trust add "$url" --root "$work/registry/root.json"

for size in "$@"; do
    base=acme-models/big-$size@$commit patch=acme/big-$size ref=acme/big-$size@1.0.0 big=$work/$size
    as operator base record "$sample/base" --repo "acme-models/big-$size" --revision $commit --licence CC0-1.0 --out "$work/$size.json"
    python3 "$scripts/make_big.py" "$big" --megabytes "$size" --base-record "$work/$size.json"
    as operator base add "$big/base.json"
    cat >"$big/patch.toml" <<PATCH
name = "$patch"
title = "A large adapter of $size MB"
problem = "Measures how much memory the programs need for a package of this size."
success_criterion = "Memory does not grow with the package."
category = "classification"
base = "$base"
visibility = "public"
licensing = "free"
PATCH
    as ada patch create "$big/patch.toml"
    export RETOQUE_HOME=$work/people/worker
    act "$size" pack "$retoque" --quiet pack "$big/adapter" --patch "$patch" --version 1.0.0 --base "$base" \
        --base-record "$big/base.json" --record "$big/evaluation" --seed 7 --dataset-source own-generated \
        --dataset-licence CC0-1.0 --out "$big/package.tar.zst"
    act "$size" push "$retoque" --quiet push "$big/package.tar.zst" --record "$big/evaluation"
    as ada submit "$ref" --dataset-rights --base-licence-compliance --keep-cases --attribution None --licence CC0-1.0 --yes
    as rita review approve "$ref" --all
    as ada publish "$ref" --yes
    export RETOQUE_HOME=$work/people/consumer
    act "$size" pull "$retoque" --quiet pull "$ref" --dir "$big/pulled"
    act "$size" verify "$retoque" --quiet verify "$big/pulled"
    rm -rf -- "$big"
done

printf '%s\n' "size     act       program   peak" "${table[@]}"
if [ "$over" = 1 ]; then echo "a peak is over $LIMIT_MB MB" >&2; exit 1; fi
