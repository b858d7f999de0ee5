"""Verify a DSSE envelope with securesystemslib, and its statement with in-toto-attestation and rfc8785.

usage: dsse_verify.py ENVELOPE.json [--threshold N] KEY.pem...

Prints one JSON object: the key ids that verified, payload type, predicate type, subject digests, and whether the payload
is RFC 8785 canonical. Exit status 1 when fewer than N of the given public keys verify or the statement is not valid.
"""
import argparse
import json
import pathlib
import sys

import rfc8785
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf.json_format import Parse, ParseDict, ParseError
from in_toto_attestation.predicates.provenance.v1.provenance_pb2 import Provenance as ProvenanceMessage
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as StatementMessage
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

STATEMENT = "application/vnd.in-toto+json"
PROVENANCE = "https://slsa.dev/provenance/v1"


def check_statement(raw: bytes, payload: dict) -> None:
    """Parse with the published message definitions, which refuse unknown fields, and validate."""
    Statement.copy_from_pb(Parse(raw, StatementMessage())).validate()
    if payload["predicateType"] == PROVENANCE:
        ParseDict(payload["predicate"], ProvenanceMessage())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("envelope", type=pathlib.Path)
    parser.add_argument("keys", type=pathlib.Path, nargs="+")
    parser.add_argument("--threshold", type=int, default=1)
    args = parser.parse_args()

    try:
        envelope = Envelope.from_dict(json.loads(args.envelope.read_bytes()))
    except ValueError as error:
        print(json.dumps({"refused": f"envelope: {error}"}))
        return 1
    keys = [SSlibKey.from_crypto(load_pem_public_key(path.read_bytes())) for path in args.keys]
    try:
        verified = envelope.verify(keys, args.threshold)
    except VerificationError as error:
        print(json.dumps({"refused": str(error)}))
        return 1

    payload = json.loads(envelope.payload)
    said = {
        "keyids": sorted(verified),
        "payloadType": envelope.payload_type,
        "canonical": rfc8785.dumps(payload) == envelope.payload,
    }
    if envelope.payload_type == STATEMENT:
        try:
            check_statement(envelope.payload, payload)
        except (ParseError, ValueError) as error:
            print(json.dumps({"refused": f"statement: {error}"}))
            return 1
        said["predicateType"] = payload["predicateType"]
        said["subjects"] = {subject.get("name", ""): subject["digest"] for subject in payload["subject"]}
    print(json.dumps(said, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
