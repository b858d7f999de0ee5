//! Codes about the command line and the network between it and a registry.

codes! {
    USAGE = "usage", Usage, "The command line is not well-formed";
    CONFIRMATION_NEEDED = "confirmation_needed", Usage, "This needs an explicit yes";
    INTERRUPTED = "interrupted", Invalid, "The command was interrupted";
    INPUT_UNREADABLE = "input_unreadable", Invalid, "A file cannot be read";
    OUTPUT_UNWRITABLE = "output_unwritable", Invalid, "A file cannot be written";
    INPUT_TOO_LARGE = "input_too_large", TooLarge, "A file is larger than what it can be";
    REGISTRY_URL = "registry_url", Usage, "Not the address of a registry";
    REGISTRY_UNKNOWN = "registry_unknown", Usage, "No registry is named or configured";
    REGISTRY_UNTRUSTED = "registry_untrusted", Verification, "No root of trust is pinned for this registry";
    SETTINGS_INVALID = "settings_invalid", Invalid, "A file of the configuration cannot be used";
    HOME_UNKNOWN = "home_unknown", Usage, "There is no folder for the configuration";
    SECRET_EXPOSED = "secret_exposed", Invalid, "A secret can be read by others on this machine";
    KEY_EXISTS = "key_exists", Conflict, "There is a key already";
    KEY_MISSING = "key_missing", NotAllowed, "There is no key to sign with";
    TRUST_PINNED = "trust_pinned", Conflict, "Another root is pinned for this registry already";
    TRUST_STORE = "trust_store", Verification, "The stored roots do not lead from the pinned one to the newest";
    TRUST_BUSY = "trust_busy", Conflict, "Another command changes what is remembered about the registry";
    PLAIN_HTTP = "plain_http", Usage, "A token would travel unencrypted";
    UNREACHABLE = "unreachable", Network, "The registry cannot be reached";
    TOO_SLOW = "too_slow", Network, "The registry sends too slowly or not at all";
    REDIRECTED = "redirected", Network, "The registry points to another host";
    REDIRECT_LOOP = "redirect_loop", Network, "The registry sends a request round in circles";
    RESPONSE_TOO_LARGE = "response_too_large", Network, "An answer is larger than it can be";
    RESPONSE_INVALID = "response_invalid", Network, "An answer is not what this request is answered with";
    NO_VERSION = "no_version", NotFound, "No published version fits the reference";
    DEGRADED_ONLY = "degraded_only", State, "Only versions with DEGRADED evidence fit the reference";
    DEPRECATED_ONLY = "deprecated_only", State, "Only deprecated versions fit the reference";
    CHECKLIST_INCOMPLETE = "checklist_incomplete", Usage, "Not every item of the checklist was confirmed";
    NOT_PUBLISHED = "not_published", State, "The version is not published";
    FOLDER_OCCUPIED = "folder_occupied", Conflict, "The folder holds something else";
    FOLDER_BUSY = "folder_busy", Conflict, "Another command works in the folder";
    ORIGIN_CLAIMED = "origin_claimed", Verification, "The registry calls itself by another address than the one it has";
}
