#!/usr/bin/env bash
# The whole main job on real input: a trained adapter travels from a trainer's folder to a verified folder, through a
# registry that checks and signs it, re-derives its evidence, has it reviewed by a second person, and withdraws it.
#
#   ./demo.sh          leaves the registry running and prints its address and how to stop it
#   ./demo.sh --once   ends the registry and removes the demo folder at the end
#
# Everything lives in ./demo (removed and made anew at each run). Nothing outside the checkout is touched.
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
sample=$root/tests/fixtures/sample
commit=0123456789abcdef0123456789abcdef01234567
base=acme-models/tiny-desk@$commit

bold='' dim='' green='' red='' off=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' off=$'\e[0m'; fi

step() { printf '\n%s== %s%s\n' "$bold" "$*" "$off"; }
note() { printf '%s%s%s\n' "$dim" "$*" "$off"; }
fail() { printf '%s%s%s\n' "$red" "demo: $*" "$off" >&2; exit 1; }

# Prints the command as a person would type it, then runs it.
run() { printf '%s$ %s%s\n' "$bold" "$(shown "$@")" "$off"; "$@"; }

# The same for a command that has to be refused with the given exit status.
refused() {
  local want=$1 got=0
  shift
  printf '%s$ %s%s\n' "$bold" "$(shown "$@")" "$off"
  "$@" || got=$?
  [ "$got" = "$want" ] || fail "expected exit status $want, got $got"
  printf '%s(refused with exit status %s, as it must be)%s\n' "$green" "$got" "$off"
}

shown() {
  local out='' word
  for word in "$@"; do
    word=${word//"$demo"/demo}
    word=${word//"$sample"/tests/fixtures/sample}
    case $word in *[!A-Za-z0-9_./:@=,^-]*|'') word="'$word'" ;; esac
    out+="${out:+ }$word"
  done
  printf '%s' "$out"
}

# Each person has a home of their own: token, key and pinned root never mix.
as() { local who=$1; shift; RETOQUE_HOME=$demo/people/$who retoque "$@"; }
