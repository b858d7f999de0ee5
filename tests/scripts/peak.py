"""Run a command and print its peak resident memory.

usage: peak.py NAME COMMAND...

Prints `NAME: N MB peak, S s` to standard error when the command ends, and passes its exit status on.
"""
import resource
import subprocess
import sys
import time


def main(name: str, *command: str) -> int:
    began = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    peak_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{name}: {peak_kib * 1024 / 1e6:.0f} MB peak, {time.monotonic() - began:.1f} s", file=sys.stderr)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
