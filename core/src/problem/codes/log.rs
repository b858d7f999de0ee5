//! Codes about the transparency log: notes, checkpoints, tiles, proofs, witnesses and their times.

codes! {
    NOTE_INVALID = "note_invalid", Verification, "Not a well-formed signed note, or not in its one spelling";
    VERIFIER_KEY_INVALID = "verifier_key_invalid", Invalid, "Not a verifier key of a log or a witness (`name+hash+key`)";
    CHECKPOINT_INVALID = "checkpoint_invalid", Verification, "Not a checkpoint: origin, size and root hash without further lines";
    CHECKPOINT_UNSIGNED = "checkpoint_unsigned", Verification, "A checkpoint that no trusted key of the log signed";
    LOG_ORIGIN_MISMATCH = "log_origin_mismatch", Verification, "A checkpoint of another log than the one that is asked";
    INCLUSION_FAILED = "inclusion_failed", Verification, "An inclusion proof does not lead to the root of the checkpoint";
    CONSISTENCY_FAILED = "consistency_failed", Verification, "A consistency proof does not lead from the older to the newer root";
    LOG_FORK = "log_fork", Verification, "Two different roots for one size: the log shows different histories";
    LOG_ROLLBACK = "log_rollback", Verification, "A checkpoint that is smaller than one that was seen before";
    TILE_INVALID = "tile_invalid", Verification, "A tile or entry bundle that is not as long or as wide as it must be";
    PROOF_INVALID = "proof_invalid", Verification, "Not a well-formed proof of the log";
    COSIGNATURE_INVALID = "cosignature_invalid", Verification, "A line that names a known witness, but that the witness did not sign";
    QUORUM_MISSING = "quorum_missing", Verification, "Fewer witnesses cosigned the checkpoint than the policy demands";
    POLICY_INVALID = "policy_invalid", Invalid, "Not a well-formed policy of logs and witnesses";
    CHECKPOINT_STALE = "checkpoint_stale", Stale, "The newest cosignature of the checkpoint is older than is allowed";
    CLOCK_BEHIND = "clock_behind", Stale, "The clock here is behind the time of what was signed";
    WITNESS_ANSWER = "witness_answer", Network, "A witness answers otherwise than its protocol says";
    WITNESS_STATE = "witness_state", Internal, "What a witness keeps cannot be read or written";
    WITNESS_IN_USE = "witness_in_use", Unavailable, "Another process serves the same witness";
    WITNESS_LOGS = "witness_logs", Usage, "The logs of a witness are not a list of verifier keys";
    CLOCK_AHEAD = "clock_ahead", Stale, "The clock here is ahead of the time that the other end states";
    LOG_ENTRY = "log_entry", Verification, "An entry that is not the one in the tree of the log";
    LOG_CONTRADICTION = "log_contradiction", Verification, "An entry of the log contradicts the trusted roots or its own document";
    DOCUMENT_WITHHELD = "document_withheld", Verification, "A signed document whose digest stands in the log is not shown";
}
