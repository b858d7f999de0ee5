//! Codes about keys, signatures, roots and verification.

codes! {
    KEY_INVALID = "key_invalid", Invalid, "Not an Ed25519 key in the expected form";
    KEY_ENCRYPTED = "key_encrypted", Invalid, "The private key is encrypted and no passphrase was given";
    PASSPHRASE_WRONG = "passphrase_wrong", Invalid, "The passphrase does not open the private key";
    PASSPHRASE_SHORT = "passphrase_short", Invalid, "The passphrase is too short to protect a key";
    KEY_WEAK = "key_weak", Invalid, "A public key that other signers could share, or with a second spelling";
    ENVELOPE_INVALID = "envelope_invalid", Verification, "Not a well-formed DSSE envelope";
    UNSIGNED = "unsigned", Verification, "There is no signature";
    SIGNATURE_INVALID = "signature_invalid", Verification, "A signature that names a trusted key does not verify";
    SIGNER_UNKNOWN = "signer_unknown", Verification, "Signed, but by no key that the trusted root or the registrations name";
    WRONG_ROLE = "wrong_role", Verification, "Signed by a trusted key of another role";
    THRESHOLD = "threshold", Verification, "Fewer different trusted keys signed than the role demands";
    PAYLOAD_TYPE = "payload_type", Verification, "The signed payload is of another type";
    STATEMENT_INVALID = "statement_invalid", Verification, "The signed payload is not the statement it should be";
    SUBJECT_MISMATCH = "subject_mismatch", Verification, "The statement is about other bytes";
    ROOT_INVALID = "root_invalid", Verification, "Not a well-formed root of trust";
    ROOT_UNPINNED = "root_unpinned", Verification, "The root is not the pinned one";
    ROOT_VERSION = "root_version", Verification, "A root whose version is not exactly the next one";
    ROOT_UNLINKED = "root_unlinked", Verification, "A root that names another root before it than the one that is known";
    ROOT_KEY_LEFT = "root_key_left", Verification, "A root in which a key leaves a role without being revoked and leaving every role";
    ROOT_REVOCATION = "root_revocation", Verification, "A root that takes back or postpones a revocation, or gives a revoked key a role";
    ROOT_LOG = "root_log", Verification, "A root that forgets an origin of the log";
    ROOT_EXPIRED = "root_expired", Stale, "The newest known root has expired";
    KEY_REVOKED = "key_revoked", Verification, "Signed by a key that the root revokes";
    KEY_UNREGISTERED = "key_unregistered", Verification, "Signed by a key that no registration binds to the acting account";
    MEMBERSHIP_MISSING = "membership_missing", Verification, "The registration does not give the account the needed role in the org";
    REGISTRY_MISMATCH = "registry_mismatch", Verification, "The document is of another registry";
    RELEASE_INVALID = "release_invalid", Verification, "release.json is not well-formed";
    RELEASE_NOT_CANONICAL = "release_not_canonical", Verification, "release.json is not exactly in its canonical form";
    RELEASE_MANIFEST = "release_manifest", Verification, "manifest.json cannot be read as a manifest";
    NAME_MISMATCH = "name_mismatch", Verification, "Another patch or version than the one asked for";
    FILE_MISSING = "file_missing", Verification, "A file of the release is not there";
    FILE_UNEXPECTED = "file_unexpected", Verification, "A file that is not part of the release";
    FILE_UNREADABLE = "file_unreadable", Verification, "A file of the release cannot be read as an ordinary file";
    SIZE_MISMATCH = "size_mismatch", Verification, "A file is not as long as the manifest says";
    DIGEST_MISMATCH = "digest_mismatch", Verification, "A file does not have the digest that was signed";
    PIECE_MISMATCH = "piece_mismatch", Verification, "One piece of a file does not have the digest that was signed";
    ATTESTATION_MISMATCH = "attestation_mismatch", Verification, "attestation.json and the attestation in release.json differ";
    DECISION_MISMATCH = "decision_mismatch", Verification, "A decision of the release is not the one that belongs there";
    SELF_REVIEW = "self_review", Verification, "The approval comes from the submitter or the pusher";
    LICENCE_MISMATCH = "licence_mismatch", Verification, "The licence record does not fit the release";
}
