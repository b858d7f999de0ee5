//! Codes about bundles: a pulled folder in one file, with what proves its state.

codes! {
    BUNDLE_ENTRY = "bundle_entry", Verification, "An entry that does not belong there in a bundle";
    BUNDLE_LINK = "bundle_link", Verification, "An entry of a bundle is a link, folder, device or something else that is no file";
    BUNDLE_HEADER = "bundle_header", Verification, "A tar header of a bundle is not in its one form";
    BUNDLE_SIZE = "bundle_size", Verification, "An entry of a bundle is longer than it can be";
    BUNDLE_TRUNCATED = "bundle_truncated", Verification, "A bundle ends before it is complete";
    BUNDLE_TRAILING = "bundle_trailing", Verification, "There are other bytes than zeros after an entry, or bytes after the end of a bundle";
    BUNDLE_UNREADABLE = "bundle_unreadable", Invalid, "Reading or writing a bundle failed for a reason outside of it";
}
