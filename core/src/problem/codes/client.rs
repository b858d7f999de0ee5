//! Codes about the command line and the network between it and a registry.

codes! {
    USAGE = "usage", Usage, "The command line is not well-formed";
    CONFIRMATION_NEEDED = "confirmation_needed", Usage, "This needs an explicit yes";
    INTERRUPTED = "interrupted", Invalid, "The command was interrupted";
    FILE_UNREADABLE = "file_unreadable", Invalid, "A file cannot be read";
    FILE_UNWRITABLE = "file_unwritable", Invalid, "A file cannot be written";
    FILE_TOO_LARGE = "file_too_large", TooLarge, "A file is larger than what it can be";
}
