//! Codes about `patches.toml`, `patches.lock` and the folders that they name.

codes! {
    WANTS_MISSING = "wants_missing", Invalid, "There is no patches.toml";
    WANTS_INVALID = "wants_invalid", Invalid, "An entry of patches.toml cannot be used";
    LOCK_MISSING = "lock_missing", Invalid, "There is no patches.lock";
    LOCK_INVALID = "lock_invalid", Invalid, "patches.lock is not as `retoque lock` writes it";
    LOCK_OUTDATED = "lock_outdated", Conflict, "patches.toml and patches.lock disagree";
    LOCK_REGISTRY = "lock_registry", Verification, "The lock is of another registry";
    LOCK_DIGEST = "lock_digest", Verification, "The registry has other bytes under the name that is locked";
    LOCK_FACTS = "lock_facts", Verification, "The lock says something else of a version than its signed documents";
    LOCK_POSITION = "lock_position", Verification, "The log is not a continuation of the one at which the lock was made";
    LOCK_SELECTION = "lock_selection", Invalid, "A patch is named that patches.toml does not hold";
}
