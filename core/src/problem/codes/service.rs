//! Codes of the service itself: requests, credentials, names, storage.

codes! {
    BAD_REQUEST = "bad_request", Usage, "The request is not well-formed";
    UNKNOWN_ROUTE = "unknown_route", NotFound, "No such route";
    JSON_INVALID = "json_invalid", Usage, "The body is not strict JSON";
    QUERY_INVALID = "query_invalid", Usage, "A query parameter is unknown, repeated or unreadable";
    MEDIA_TYPE = "media_type", MediaType, "The body is not of the type that the route reads";
    RANGE_UNSATISFIABLE = "range_unsatisfiable", Range, "The byte range lies outside of the thing";
    REQUEST_TIMEOUT = "request_timeout", Timeout, "The request took longer than the limit of the route";
    METHOD_NOT_ALLOWED = "method_not_allowed", Method, "The route exists, but not for this method";
    TOKEN_MISSING = "token_missing", Unauthenticated, "This needs a token";
    TOKEN_MALFORMED = "token_malformed", Unauthenticated, "The credential is not a token of a registry";
    TOKEN_UNKNOWN = "token_unknown", Unauthenticated, "The registry does not know the token";
    TOKEN_EXPIRED = "token_expired", Unauthenticated, "The token has expired";
    TOKEN_REVOKED = "token_revoked", Unauthenticated, "The token was revoked";
    ACCOUNT_DISABLED = "account_disabled", Unauthenticated, "The account may no longer act";
    TOKEN_SCOPE = "token_scope", NotAllowed, "The account may, but this token does not reach that far";
    NOT_ALLOWED = "not_allowed", NotAllowed, "The account has not got the right for this";
    NOT_FOUND = "not_found", NotFound, "Not there, or not visible to the caller";
    NAME_INVALID = "name_invalid", Invalid, "A name breaks the naming rules";
    FIELD_INVALID = "field_invalid", Invalid, "A field breaks its rule";
    FIELD_UNKNOWN = "field_unknown", Invalid, "A field that the request does not have";
    FIELD_MISSING = "field_missing", Invalid, "A required field is absent";
    BASE_UNSUPPORTED = "base_unsupported", Invalid, "The base revision is not among the supported ones";
    ALREADY_EXISTS = "already_exists", Conflict, "The name is taken";
    CHANGED_MEANWHILE = "changed_meanwhile", Conflict, "Somebody else changed it first";
    TOO_MANY_KEPT = "too_many_kept", Conflict, "The account has as many of these as it may have";
    BODY_TOO_LARGE = "body_too_large", TooLarge, "The body is larger than the limit of the route";
    BODY_LENGTH = "body_length", Usage, "The body is not as long as announced";
    BODY_DIGEST = "body_digest", Usage, "The body is not the one whose digest was announced";
    TOO_MANY_REQUESTS = "too_many_requests", Busy, "Too many requests";
    SERVICE_BUSY = "service_busy", Unavailable, "The service is at its limit of concurrent requests";
    UPLOAD_UNKNOWN = "upload_unknown", NotFound, "No such upload of the caller";
    ROOT_ORPHANS = "root_orphans", Conflict, "The next root would make signed documents worthless that stand in the log";
    VERSION_EXISTS = "version_exists", Conflict, "The version name stands for other bytes already";
    SUITE_UNKNOWN = "suite_unknown", Invalid, "The regression suite is not one that the operator set";
    SIGNING_KEY_MISSING = "signing_key_missing", NotAllowed, "The account has no key that may sign this";
    STORAGE_UNAVAILABLE = "storage_unavailable", Unavailable, "The database or the object store cannot be used now";
    INTERNAL = "internal", Internal, "A fault of the service; the log has the detail under the request id";
    RELEASE_PENDING = "release_pending", Unavailable, "The version is published, and the proofs of its release are being made";
}
