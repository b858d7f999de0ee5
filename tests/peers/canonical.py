"""Tell whether files are byte for byte what rfc8785 makes of their own content.

usage: canonical.py FILE.json...

Exit status 1 and the names of those that are not.
"""
import json
import pathlib
import sys

import rfc8785


def main(paths: list[str]) -> int:
    other = [path for path in paths if rfc8785.dumps(json.loads(pathlib.Path(path).read_bytes())) != pathlib.Path(path).read_bytes()]
    print(json.dumps({"checked": len(paths), "not_canonical": other}))
    return 1 if other or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
