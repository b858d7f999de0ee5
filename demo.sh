#!/usr/bin/env bash
# The whole main job on real input: a trained adapter travels from a trainer's folder to a verified folder, through a
# registry that checks and signs it, re-derives its evidence, has it reviewed by a second person, and withdraws it.
#
#   ./demo.sh          leaves the registry running and prints its address and how to stop it
#   ./demo.sh --once   ends the registry and removes its folder at the end
#
# Everything lives in ./demo, which is made anew at each run, or in ./demo-once, so that a demo that somebody left running
# is not disturbed. Nothing outside of the checkout is touched.
set -euo pipefail
cd "$(dirname "$0")"

once=false
case "${1:-}" in
  --once) once=true ;;
  "") ;;
  *) sed -n '2,9p' "$0" | cut -c3-; exit 2 ;;
esac

root=$PWD
demo=$root/demo
[ "$once" = false ] || demo=$root/demo-once
sample=$root/tests/fixtures/sample
commit=0123456789abcdef0123456789abcdef01234567
base=acme-models/tiny-desk@$commit
patch=acme/ticket-router

bold='' dim='' green='' red='' off=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' off=$'\e[0m'; fi

step() { printf '\n%s== %s%s\n' "$bold" "$*" "$off"; }
note() { printf '%s%s%s\n' "$dim" "$*" "$off"; }
fail() { printf '%sdemo: %s%s\n' "$red" "$*" "$off" >&2; exit 1; }

# Prints a command as a person would type it, then runs it.
run() { show "$@"; "$@"; }

# The same for a command that has to be refused with this exit status.
refused() {
  local want=$1 got=0
  shift
  show "$@"
  "$@" || got=$?
  [ "$got" = "$want" ] || fail "this should have ended with exit status $want, not $got"
  printf '%s(refused with exit status %s, as it has to be)%s\n' "$green" "$got" "$off"
}

show() {
  local line='' word
  for word in "$@"; do
    word=${word//"$demo"/"${demo##*/}"}
    word=${word//"$sample"/tests/fixtures/sample}
    case $word in *[!A-Za-z0-9_./:@=,^-]*|'') word="'$word'" ;; esac
    line+="${line:+ }$word"
  done
  case $line in as\ *) line=${line#as }; line="[${line%% *}] \$ retoque ${line#* }" ;; *) line="\$ $line" ;; esac
  printf '%s%s%s\n' "$bold" "$line" "$off"
}

# Each person has a home of their own: tokens, keys and pinned roots never mix.
as() {
  local who=$1
  shift
  RETOQUE_HOME=$demo/people/$who retoque "$@"
}

# Ends the registry of an earlier run, by the process id that it left, if that is still a registry.
stop_earlier() {
  local pid
  [ -f "$demo/registry.pid" ] || return 0
  pid=$(cat "$demo/registry.pid")
  if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = retoque-registr ]; then
    kill "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  fi
}

start_registry() {
  show retoque-registry serve --dir "$demo/registry" '&'
  retoque-registry serve --dir "$demo/registry" 2>>"$demo/registry.log" &
  pid=$!
  echo "$pid" >"$demo/registry.pid"
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || { cat "$demo/registry.log"; fail "the registry did not start"; }
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
    sleep 0.1
  done
  fail "the registry does not listen on port $port"
}

stop_registry() {
  show kill "$pid"
  kill "$pid"
  wait "$pid" || true
}

step "Build both programs (the first time takes some minutes)"
command -v cargo >/dev/null || fail "cargo is missing; install Rust from https://rustup.rs and run this again"
command -v cc >/dev/null || fail "a C compiler is missing; on Debian: apt-get install gcc"
show cargo build --release --locked --bins
CARGO_TERM_COLOR=auto cargo build --release --locked --bins
PATH=${CARGO_TARGET_DIR:-$root/target}/release:$PATH
export PATH
unset RETOQUE_REGISTRY RETOQUE_TOKEN RETOQUE_HOME

stop_earlier
rm -rf "$demo"
mkdir -p "$demo/people"
pid=''
finish() {
  local status=$?
  if [ "$once" = true ] || [ $status != 0 ]; then
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    [ -z "$pid" ] || wait "$pid" 2>/dev/null || true
    [ "$once" = false ] || rm -rf "$demo"
  fi
  [ $status = 0 ] || printf '%sdemo: ended with exit status %s%s\n' "$red" "$status" "$off" >&2
  exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM

step "A registry on this machine: settings, database, keys and root of trust in one folder"
# A free port, so that the demo runs beside anything else.
port=8480
while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
url=http://127.0.0.1:$port
run retoque-registry init --dir "$demo/registry" --url "$url" --listen "127.0.0.1:$port"
start_registry

step "The operator: pins the root, logs in, sets the base and the regression suite"
run as operator trust add "$url" --root "$demo/registry/root.json"
run as operator login "$url" --token-file "$demo/registry/operator.token"
run as operator base record "$sample/base" --repo acme-models/tiny-desk --revision "$commit" --licence CC0-1.0 \
  --out "$demo/tiny-desk.base.json"
run as operator base add "$demo/tiny-desk.base.json"
run as operator suite add "$sample/regression.jsonl" --name general-skills --allowance 5
operator_key=$demo/registry/keys/operator.pem

step "People: a build worker, a publisher of the org acme, a reviewer"
run as operator account create worker --display "Build worker" --role build
run as operator account create ada --display "Ada, publisher"
run as operator account create rita --display "Rita, reviewer" --role review
run as operator org create acme --display "Acme"
run as operator org member set acme ada --role admin
for who in worker ada rita; do
  show as operator token create --account $who --label demo --scope write
  as operator --quiet token create --account $who --label demo --scope write >"$demo/people/$who.token"
  note "(the token is not shown here)"
  show as $who trust add "$url" --root "$demo/registry/root.json"
  as $who trust add "$url" --root "$demo/registry/root.json" >/dev/null
  run as $who login "$url" --token-file "$demo/people/$who.token"
done
for who in ada rita; do
  run as $who key generate
  run as $who key register
done
note "A reviewer's key has to stand in the root: two of the three offline root keys sign the next root."
run as operator key authorize rita --role review --out "$demo/2.root.json" --publish \
  --root-key "$demo/registry/keys/root-1.pem" --root-key "$demo/registry/keys/root-2.pem"

step "The publisher: describes the failure that the patch repairs, and checks the dataset"
cat >"$demo/patch.toml" <<PATCH
name = "$patch"
title = "Routes support tickets as JSON"
problem = "The base answers support tickets in prose; the desk needs queue and priority as one JSON object."
success_criterion = "The answer is the JSON object with the right queue and priority."
category = "structured-output"
base = "$base"
visibility = "public"
licensing = "free"
PATCH
run as ada patch create "$demo/patch.toml"
run as ada dataset check "$sample/dataset.jsonl"

step "The build worker: packs what the trainer left, and pushes it with the private evaluation record"
mkdir "$demo/record"
cp "$sample"/{dataset.jsonl,regression.jsonl,outputs.jsonl,run.json,training.json} "$demo/record/"
run as worker pack "$sample/adapter" --patch $patch --version 1.0.0 --base "$base" \
  --base-record "$demo/tiny-desk.base.json" --record "$demo/record" --seed 7 \
  --dataset-source own-generated --dataset-licence CC0-1.0 --out "$demo/ticket-router-1.0.0.tar.zst"
run as worker inspect "$demo/ticket-router-1.0.0.tar.zst"
run as worker push "$demo/ticket-router-1.0.0.tar.zst" --record "$demo/record"
note "Pushing the same again succeeds quietly:"
run as worker push "$demo/ticket-router-1.0.0.tar.zst" --record "$demo/record"

step "The publisher submits it; she cannot approve her own work"
run as ada submit $patch@1.0.0 --dataset-rights --base-licence-compliance --publish-cases --attribution None \
  --licence CC0-1.0 --yes
refused 5 as ada review approve $patch@1.0.0 --all

step "The reviewer sees everything recomputed, and approves exactly this manifest digest"
run as rita review list
run as rita review show $patch@1.0.0
run as rita review approve $patch@1.0.0 --all

step "The publisher publishes it: the licence is granted, the release is frozen"
run as ada publish $patch@1.0.0 --yes
run as ada show $patch@1.0.0

step "A consumer without an account: pins the root, finds the patch, pulls and verifies it"
run as consumer trust add "$url" --root "$demo/registry/root.json"
run as consumer search ticket
run as consumer pull $patch --dir "$demo/ticket-router"
run ls -l "$demo/ticket-router"
run as consumer verify "$demo/ticket-router" --base "$sample/base"

step "One file for a machine without a network: package, signatures, roots, proofs from the log, status"
run as consumer bundle create $patch@1.0.0 --out "$demo/ticket-router.bundle.tar"
run tar -tf "$demo/ticket-router.bundle.tar"
if unshare -rn true 2>/dev/null; then
  note "In a namespace that has no network at all:"
  show unshare -rn retoque verify "$demo/ticket-router.bundle.tar"
  RETOQUE_HOME=$demo/people/consumer unshare -rn retoque verify "$demo/ticket-router.bundle.tar"
else
  run as consumer verify "$demo/ticket-router.bundle.tar" --offline
fi

step "The log: every decision so far, recomputed by the consumer"
run as consumer log verify

step "One changed byte in the weights"
cp -r "$demo/ticket-router" "$demo/tampered"
printf '\377' | dd of="$demo/tampered/adapter_model.safetensors" bs=1 seek=200000 conv=notrunc status=none
refused 3 as consumer verify "$demo/tampered"

backup=$demo/yesterday.db
stop_registry
run cp "$demo/registry/registry.db" "$backup"
start_registry

step "The operator deprecates it: still served, with a warning"
run as operator deprecate $patch@1.0.0 --reason regression-found \
  --text "Answers to chat openings in lower case got worse." --key "$operator_key"
run as consumer pull $patch@1.0.0 --dir "$demo/pulled-while-deprecated"

step "The operator withdraws it: no longer served; evidence and decisions stay"
run as operator withdraw $patch@1.0.0 --reason wrong-evidence --yes \
  --text "The evaluation was run with another decoding than recorded." --key "$operator_key"
refused 4 as consumer pull $patch@1.0.0 --dir "$demo/pulled-after-withdrawal"
[ ! -e "$demo/pulled-after-withdrawal" ] || fail "a refused pull left a folder behind"
run as consumer decisions $patch@1.0.0
note "What was pulled before is what it was, but the consumer has heard of the withdrawal and remembers it, offline too."
refused 4 as consumer verify "$demo/ticket-router" --offline

step "Somebody brings yesterday's database back, with every key of the platform, and goes on from there"
stop_registry
cp "$demo/registry/registry.db" "$demo/today.db"
run cp "$backup" "$demo/registry/registry.db"
start_registry
note "In that history nothing was withdrawn; it grows beyond the size that the consumer has seen."
# The operator's own client remembers the log too and would refuse to go on; whoever does this makes it forget.
rm -rf "$demo"/people/operator/trust/*/logs
for _ in 1 2 3; do
  as operator --quiet deprecate $patch@1.0.0 --reason other --text "Nothing happened." --key "$operator_key" >/dev/null
  as operator --quiet restore $patch@1.0.0 --reason other --text "Nothing happened." --key "$operator_key" >/dev/null
done
note "Every signature in it is good. But the consumer remembers the head that it saw:"
refused 3 as consumer pull $patch@1.0.0 --dir "$demo/pulled-from-a-fork"
[ ! -e "$demo/pulled-from-a-fork" ] || fail "a refused pull left a folder behind"
stop_registry
run cp "$demo/today.db" "$demo/registry/registry.db"
start_registry
note "With the true history back, the consumer goes on:"
refused 4 as consumer pull $patch@1.0.0 --dir "$demo/pulled-after-withdrawal"

step "Done"
if [ "$once" = true ]; then
  echo "The registry is ended and its folder removed."
else
  echo "The registry runs at $url (process $pid, log demo/registry.log; it goes on after this script)."
  echo "Look at it:   RETOQUE_HOME=demo/people/consumer target/release/retoque show $patch@1.0.0"
  echo "End it:       kill $pid"
  disown "$pid"
fi
