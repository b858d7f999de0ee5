//! Codes about running a registry: its settings, database, storage, keys and socket.

codes! {
    CONFIG_UNREADABLE = "config_unreadable", Usage, "The settings file cannot be read";
    CONFIG_INVALID = "config_invalid", Usage, "A setting has a value that it cannot have";
    CONFIG_UNKNOWN = "config_unknown", Usage, "A setting that does not exist";
    ADDRESS_IN_USE = "address_in_use", Unavailable, "Another program listens on the address";
    ADDRESS_UNUSABLE = "address_unusable", Invalid, "The address cannot be listened on";
    DATABASE_MISSING = "database_missing", NotFound, "There is no registry database at the configured place";
    DATABASE_OLDER = "database_older", Conflict, "The database needs `migrate` before this program can use it";
    DATABASE_NEWER = "database_newer", Conflict, "The database was used by a newer program";
    DATABASE_UNUSABLE = "database_unusable", Unavailable, "The database cannot be opened or brought up to date";
    STORAGE_UNUSABLE = "storage_unusable", Unavailable, "The object store cannot be written and read";
    STORAGE_FULL = "storage_full", Unavailable, "The disk or the quota of the object store is used up";
    INSTALLATION_INCOMPLETE = "installation_incomplete", NotFound, "The database holds no installation; `init` did not finish";
    PLATFORM_KEY_UNREADABLE = "platform_key_unreadable", NotFound, "A platform key cannot be read";
    PLATFORM_KEY_MISMATCH = "platform_key_mismatch", Conflict, "A mounted key is not the one that the database expects";
    PLATFORM_KEY_RETIRED = "platform_key_retired", Unavailable, "This replica holds a platform key that was replaced; it signs nothing any more";
    LOG_NOT_BUILT = "log_not_built", Conflict, "The database has leaves without the tree over them; `migrate` builds it";
    LOG_DAMAGED = "log_damaged", Internal, "What is stored of the log contradicts itself";
    LOG_SIGNED_BY_OTHER = "log_signed_by_other", Conflict, "The newest checkpoint was signed by a key that is not the log's";
    OBJECT_MISSING = "object_missing", Verification, "An object that a version needs is not in the store";
    OBJECT_DAMAGED = "object_damaged", Verification, "A stored object has other bytes than its digest says";
    RECORD_DAMAGED = "record_damaged", Verification, "A stored decision, its leaf in the log and its signatures do not belong together";
    ORIGIN_MISMATCH = "origin_mismatch", Conflict, "The configured address is not the origin that signed documents name";
    FOLDER_NOT_EMPTY = "folder_not_empty", Conflict, "The folder for a new installation holds something already";
    FOLDER_UNWRITABLE = "folder_unwritable", Invalid, "The folder cannot be made or written";
}
