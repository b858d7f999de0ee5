//! Codes about signed statuses and listings, and what they are recomputed from.

codes! {
    STATUS_INVALID = "status_invalid", Verification, "The signed status or listing is not well-formed";
    STATUS_EXPIRED = "status_expired", Stale, "The signed status has expired";
    STATUS_ROLLBACK = "status_rollback", Verification, "The signed status is older than one that was seen before";
    STATUS_MISMATCH = "status_mismatch", Verification, "Status, listing and log head are not of one moment";
    STATUS_LIE = "status_lie", Verification, "The signed status says something else than the log";
    DECISION_REPLACED = "decision_replaced", Verification, "A signed document is not the one whose digest stands in the log";
    NOT_IN_LOG = "not_in_log", Verification, "The release does not prove that one of its documents stands in the log";
    LEAF_MISMATCH = "leaf_mismatch", Verification, "An entry of the log is not that of the document beside it, or is not opened by its salt";
}
