//! Codes about datasets.

codes! {
    DATASET_EMPTY = "empty_file", Invalid, "The file holds nothing, or only blank lines";
    DATASET_TOO_LARGE = "dataset_too_large", TooLarge, "The dataset is larger than the limit";
    DATASET_BOM = "bom", Invalid, "The file begins with a byte-order mark";
    DATASET_NOT_UTF8 = "not_utf8", Invalid, "The bytes are not UTF-8 text";
    DATASET_LFS_POINTER = "lfs_pointer", Invalid, "The file is a Git LFS pointer, not the content it stands for";
    DATASET_NOT_JSON_LINES = "not_json_lines", Invalid, "The file is something else than one JSON object per line";
    DATASET_WRONG_SHAPE = "wrong_shape", Invalid, "The rows have the fields of another format";
    ROW_INVALID_JSON = "invalid_json", Invalid, "A line is not one strict JSON document";
    ROW_CONTROL_CHARACTER = "control_character", Invalid, "A line holds a raw control character";
    ROW_LONE_SURROGATE = "lone_surrogate", Invalid, "A string escape is half of a surrogate pair";
    ROW_DUPLICATE_KEY = "duplicate_key", Invalid, "A field stands twice in one row";
    ROW_NOT_OBJECT = "row_not_object", Invalid, "A row is not a JSON object";
    ROW_UNKNOWN_FIELD = "unknown_field", Invalid, "A row has a field that rows do not have";
    ROW_MISSING_FIELD = "missing_field", Invalid, "A row lacks a required field";
    ROW_WRONG_TYPE = "wrong_type", Invalid, "A field is not a string";
    ROW_EMPTY_FIELD = "empty_field", Invalid, "A field holds nothing but white space and invisible characters";
    ROW_TOO_LONG = "row_too_long", Invalid, "A line has more characters than the limit";
    ROW_REPEATED_PAIR = "repeated_pair", Invalid, "Two rows have the same user and assistant texts";
    TOO_FEW_ROWS = "too_few_rows", Invalid, "Fewer valid rows than the minimum";
    TOO_FEW_FAMILIES = "too_few_families", Invalid, "Fewer distinct families than the minimum";
    SECRET_FOUND = "secret_found", Invalid, "A text holds what looks like a secret";
    PERSONAL_DATA = "personal_data", Invalid, "A text holds likely personal data that nobody acknowledged";
    PERSONAL_DATA_ACKNOWLEDGED = "personal_data_acknowledged", Warning, "A text holds likely personal data, acknowledged for exactly this file";
    POSSIBLE_SECRET = "possible_secret", Warning, "A text holds what may be a placeholder or a test key";
    CONFLICTING_ANSWERS = "conflicting_answers", Warning, "One user text has different answers";
    NEAR_REPEATS = "near_repeats", Warning, "Rows differ only by blanks, letter case or Unicode composition";
    FAMILY_TWINS = "family_twins", Warning, "Two family names differ only by blanks, letter case or Unicode composition";
    FAMILY_OF_ONE = "family_of_one", Warning, "A family has a single row";
    BIDI_CONTROLS = "bidi_controls", Warning, "Texts hold characters that change the direction of writing";
    TAG_CHARACTERS = "tag_characters", Warning, "Texts hold invisible tag characters";
    CONTROL_TOKENS = "control_tokens", Warning, "Texts hold tokens that chat templates use as control marks";
    CODE_FENCES = "code_fences", Warning, "Answers are JSON inside code fences, which the grader compares as plain text";
    CONTROL_ESCAPES = "control_escapes", Warning, "Texts hold control characters, written as escapes";
}
