//! Codes about the command line and the network between it and a registry.

codes! {
    USAGE = "usage", Usage, "The command line is not well-formed";
    CONFIRMATION_NEEDED = "confirmation_needed", Usage, "This needs an explicit yes";
    INTERRUPTED = "interrupted", Invalid, "The command was interrupted";
    INPUT_UNREADABLE = "input_unreadable", Invalid, "A file cannot be read";
    OUTPUT_UNWRITABLE = "output_unwritable", Invalid, "A file cannot be written";
    INPUT_TOO_LARGE = "input_too_large", TooLarge, "A file is larger than what it can be";
}
