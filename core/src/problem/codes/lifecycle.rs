//! Codes about moves of a version and what they need.

codes! {
    NOT_ENTITLED = "not_entitled", State, "A paid version is served only to those who bought it";
    WRONG_STATE = "wrong_state", State, "The version is in a state from which this move does not start";
    DECISION_INVALID = "decision_invalid", Invalid, "The decision is not well-formed";
    DECISION_OUTDATED = "decision_outdated", Conflict, "The decision was signed on top of another one than the latest";
    DECISION_OTHER_VERSION = "decision_other_version", Invalid, "The decision names another registry, patch, version or manifest";
    DECISION_TIME = "decision_time", Invalid, "The time in the decision is too far from the clock of the registry";
    DECISION_ACTOR = "decision_actor", NotAllowed, "The decision names another account than the one that sends it";
    NEEDS_DATASET_RIGHTS = "needs_dataset_rights", Invalid, "Submission needs the confirmation of the rights in the dataset";
    NEEDS_BASE_COMPLIANCE = "needs_base_compliance", Invalid, "Submission needs the confirmation that the licence of the base is complied with";
    NEEDS_ATTRIBUTION = "needs_attribution", Invalid, "Submission needs the third-party attribution, or `None`";
    NEEDS_OFFER = "needs_offer", Invalid, "Submission needs an offer that can be granted and fits the patch";
    NEEDS_VERIFIED_PUBLISHER = "needs_verified_publisher", Invalid, "A paid offer needs a verified publisher";
    NEEDS_HELD_OUT = "needs_held_out", Invalid, "Submission needs a finished held-out evaluation";
    NEEDS_REGRESSION = "needs_regression", Invalid, "Submission needs results on the regression suite";
    NEEDS_INFORMATIVE_REGRESSION = "needs_informative_regression", Invalid, "The base itself must pass at least half of the regression suite";
    NEEDS_DIGESTS = "needs_digests", Invalid, "Submission needs the digests of adapter, package and manifest";
    NEEDS_SECOND_PERSON = "needs_second_person", NotAllowed, "Review is done by neither the submitter nor the pusher";
    NEEDS_CHECKLIST = "needs_checklist", Invalid, "Approval needs every item of the checklist";
    NEEDS_DISCLOSURE = "needs_disclosure", Invalid, "The decision must carry the disclosure of the reviewer's account word for word";
    NEEDS_ATTESTATION = "needs_attestation", Invalid, "Approval needs a build signature that matches the manifest digest";
    NEEDS_APPROVAL = "needs_approval", State, "Publication needs an approval of exactly this manifest digest";
    NEEDS_REASON = "needs_reason", Invalid, "This needs a reason code of its list and a text";
    NEEDS_USABLE_REPLACEMENT = "needs_usable_replacement", Invalid, "The replacement must be another published version of the patch";
    HISTORY_BROKEN = "history_broken", Verification, "Decision records do not follow from one another";
    LICENCE_NOT_GRANTED = "licence_not_granted", State, "No licence is granted for this version";
    VERSION_WITHDRAWN = "version_withdrawn", Gone, "The version was withdrawn and is no longer served";
    VERSION_TAKEN_DOWN = "version_taken_down", Gone, "The version was taken down and its bytes are erased";
}
