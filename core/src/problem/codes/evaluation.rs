//! Codes about evaluation records and evidence.

codes! {
    RECORD_TOO_LARGE = "record_too_large", TooLarge, "A file of the evaluation record is larger than its limit";
    RECORD_NOT_JSON = "record_not_json", Invalid, "A file or line of the evaluation record is not strict JSON";
    RECORD_FIELD = "record_field", Invalid, "A field of the evaluation record is missing or not of its kind";
    RECORD_DISAGREES = "record_disagrees", Invalid, "Two files of the evaluation record contradict each other";
    OUTPUT_UNKNOWN_CASE = "output_unknown_case", Invalid, "An output belongs to a line that is no case of its suite";
    OUTPUT_REPEATED = "output_repeated", Invalid, "A case has two outputs of one arm";
    OUTPUT_MISSING = "output_missing", Invalid, "A case lacks the output of an arm";
    REGRESSION_TOO_SMALL = "regression_too_small", Invalid, "The regression suite has fewer cases than the minimum";
    REGRESSION_SUITE_OTHER = "regression_suite_other", Invalid, "The regression suite is not the one that the operator set";
    CONTROL_LINES = "control_lines", Invalid, "The worked examples of the control arm are not those of the rule";
    EVIDENCE_DISAGREES = "evidence_disagrees", Invalid, "A stated value is not the one computed from the evaluation record";
    TRAINING_PROFILE = "training_profile", Invalid, "A training setting is not that of the training profile";
    TRAINING_SETTING_LEFT_OUT = "training_setting_left_out", Warning, "A training setting holds a local path and is not published";
    NO_CASE_PASSED = "no_case_passed", Warning, "The patched model passes no case of a suite; the answer format may be at fault";
    ONE_ANSWER_FOR_ALL = "one_answer_for_all", Warning, "The patched model gives the same answer to every held-out case";
    PATCH_WITHOUT_EFFECT = "patch_without_effect", Warning, "The patched model answers like the base in every case";
}
