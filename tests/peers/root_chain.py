"""Load a root and its successors with python-tuf, which checks signatures, thresholds and version steps.

usage: root_chain.py ROOT.json [NEXT_ROOT.json ...]

Prints one JSON object: the version and expiry of the last root and its role names. Exit status 1 when a root is refused.
"""
import json
import pathlib
import sys

from tuf.api.exceptions import RepositoryError
from tuf.ngclient._internal.trusted_metadata_set import TrustedMetadataSet
from tuf.ngclient.config import EnvelopeType


def main(paths: list[str]) -> int:
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    current = paths[0]
    try:
        trusted = TrustedMetadataSet(pathlib.Path(paths[0]).read_bytes(), EnvelopeType.SIMPLE)
        for current in paths[1:]:
            trusted.update_root(pathlib.Path(current).read_bytes())
    except RepositoryError as error:
        print(json.dumps({"refused": f"{type(error).__name__}: {error}", "file": pathlib.Path(current).name}))
        return 1
    root = trusted.root
    extra = root.unrecognized_fields.get("x-roles", {})
    print(json.dumps({
        "version": root.version,
        "expires": root.expires.isoformat(),
        "roles": {name: sorted(role.keyids) for name, role in root.roles.items()},
        "x-roles": {name: sorted(role["keyids"]) for name, role in extra.items()},
    }, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
