"""Audits a served log with aics-tlog and has aics-witness, a real witness behind HTTP, cosign it and refuse forks.

    tlog_witness.py FOLDER

FOLDER has `job.json`: {"url", "key", "seen": [notes, oldest first], "forks": [{"note", "old", "proof"}]}. Prints one JSON document: what
was audited, the witness's verifier key, the newest note with its cosignature, and what it said of each fork.
"""

import base64
import json
import os
import sys
import threading

from aics_tlog import (
    HttpTileReader,
    VerifiedTileReader,
    audit_tiles,
    consistency_proof_from_tiles,
    parse_checkpoint,
    parse_note,
    parse_vkey,
    verify_checkpoint,
    verify_consistency,
)
from aics_witness import (
    LogConfig,
    Witness,
    WitnessClient,
    WitnessStore,
    load_or_create_key,
    make_server,
    merge_cosignatures,
)


def main(folder: str) -> int:
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    key = parse_vkey(job["key"])
    # No proxy: the log is on this machine.
    reader = HttpTileReader(job["url"] + "/log", proxies={})
    newest = reader.read_checkpoint()
    result = verify_checkpoint(parse_note(newest), key, expected_origin=key.name)
    if not result.ok:
        print(json.dumps({"error": result.error}))
        return 1
    report = audit_tiles(reader, result.size, result.root, entries=True)
    proven = VerifiedTileReader(reader, result.size, result.root)

    def proof(old: int, new: int) -> list[bytes]:
        return consistency_proof_from_tiles(proven, old, new)

    for text in job["seen"]:
        old = verify_checkpoint(parse_note(text), key, expected_origin=key.name)
        if not old.ok or not verify_consistency(
            old.size, result.size, old.root, result.root, proof(old.size, result.size)
        ):
            print(json.dumps({"error": f"a remembered checkpoint of {old.size} is not continued"}))
            return 1

    private, _, _ = load_or_create_key(os.path.join(folder, "witness.key"))
    with WitnessStore(os.path.join(folder, "witness.db"), create=True) as store:
        logs = [LogConfig.from_strings(key.name, [job["key"]])]
        witness = Witness("witness.example/peer", private, store, logs)
        store.bind_witness_vkey(witness.vkey_text)
        server = make_server(witness)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = WitnessClient(server.url, witness.vkey_text, max_attempts=1)
        sizes = []
        for text in [*job["seen"], newest.decode("utf-8")]:
            line = client.submit(text, proof)
            sizes.append(parse_checkpoint(parse_note(text).text).size)
        cosigned = merge_cosignatures(newest, line).decode("utf-8")
        refused = []
        for fork in job["forks"]:
            try:
                client.submit(fork["note"], (fork["old"], [base64.b64decode(hash) for hash in fork["proof"]]))
                refused.append("cosigned")
            except Exception as error:  # every way of refusing is told
                refused.append(f"{type(error).__name__} {getattr(error, 'status', '')}".strip())
        client.close()
        server.shutdown()
        server.server_close()
    print(
        json.dumps(
            {
                "size": result.size,
                "tiles": report.tiles,
                "bundles": report.bundles,
                "witness": witness.vkey_text,
                "submitted": sizes,
                "cosigned": cosigned,
                "refused": refused,
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
