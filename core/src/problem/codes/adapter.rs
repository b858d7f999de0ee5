//! Codes about adapter folders, their configuration and weights, and the base they fit.

codes! {
    // Folder
    CONFIG_MISSING = "config_missing", Invalid, "The folder has no `adapter_config.json` at its top.";
    WEIGHTS_MISSING = "weights_missing", Invalid, "The folder has no `adapter_model.safetensors` at its top.";
    WEIGHTS_AMBIGUOUS = "weights_ambiguous", Invalid, "A second file of adapter weights lies beside `adapter_model.safetensors`.";
    WEIGHTS_SHARDED = "weights_sharded", Invalid, "The adapter weights are divided into shards; one file is expected.";
    ADAPTER_AMBIGUOUS = "adapter_ambiguous", Invalid, "A second adapter or a merged model lies beside the adapter.";
    ADDED_TOKENS = "added_tokens", Invalid, "The folder brings tokens that the base's tokenizer does not have.";
    UNEXPECTED_FILE = "unexpected_file", Invalid, "A file that no trainer leaves and no package holds, such as code.";
    UNEXPECTED_PICKLE = "unexpected_pickle", Invalid, "A file in a format that runs code when it is opened.";
    ADAPTER_LINK = "adapter_link", Invalid, "A link or a special file where only regular files are read.";
    ADAPTER_PATH = "adapter_path", Invalid, "A path of the folder that is not plain, relative and unique.";
    LEFT_OUT = "left_out", Warning, "A trainer's file that does not become part of the package.";

    // adapter_config.json as a document
    CONFIG_TOO_LARGE = "config_too_large", TooLarge, "`adapter_config.json` is over 64 KiB.";
    CONFIG_INVALID_JSON = "config_invalid_json", Invalid, "`adapter_config.json` is not strict JSON.";
    CONFIG_BOM = "config_bom", Invalid, "`adapter_config.json` begins with a byte-order mark.";
    CONFIG_NUL = "config_nul", Invalid, "`adapter_config.json` holds a NUL character.";
    CONFIG_TOO_DEEP = "config_too_deep", Invalid, "`adapter_config.json` is nested deeper than 16 levels.";
    CONFIG_DUPLICATE_KEY = "config_duplicate_key", Invalid, "A key stands twice in one object of `adapter_config.json`.";
    CONFIG_NOT_OBJECT = "config_not_object", Invalid, "`adapter_config.json` is not one JSON object.";
    CONFIG_NOT_PEFT = "config_not_peft", Invalid, "`adapter_config.json` is a document of another kind.";
    CONFIG_FIELD_INVALID = "config_field_invalid", Invalid, "A field of `adapter_config.json` has a value it cannot have.";
    CONFIG_NOT_PACKAGED = "config_not_packaged", Invalid, "A packaged `adapter_config.json` is not in the form that pack writes.";
    PEFT_TYPE_MISSING = "peft_type_missing", Invalid, "`adapter_config.json` does not say which method it configures.";
    PEFT_TYPE_UNSUPPORTED = "peft_type_unsupported", Invalid, "The method is not LoRA.";
    RANK_INVALID = "rank_invalid", Invalid, "The rank is not an integer from 1 to 1,024.";
    ALPHA_INVALID = "alpha_invalid", Invalid, "The alpha is not a finite number above 0.";
    DROPOUT_INVALID = "dropout_invalid", Invalid, "The dropout is not a number from 0 to 1.";
    UNSUPPORTED_OPTION = "unsupported_option", Invalid, "An option that makes the adapter something else than plain LoRA, or that is not known.";
    COVERAGE_UNKNOWN = "coverage_unknown", Invalid, "`adapter_config.json` does not say which modules are adapted.";
    TARGETS_FROM_TENSORS = "targets_from_tensors", Warning, "The modules are named by a pattern; the packaged copy lists the modules found in the tensors.";
    PROFILE_MISMATCH = "profile_mismatch", Invalid, "The adapter differs from the training profile that this registry accepts.";

    // Base pin
    BASE_NOT_STATED = "base_not_stated", Warning, "`adapter_config.json` does not name its base; the declared pin was written.";
    REVISION_NOT_STATED = "revision_not_stated", Warning, "`adapter_config.json` does not name the base revision; the declared one was written.";
    BASE_CONFLICT = "base_conflict", Invalid, "`adapter_config.json` names something that is not the declared base.";
    BASE_MISMATCH = "base_mismatch", Invalid, "`adapter_config.json` names another repository than the declared base.";
    REVISION_NOT_PINNED = "revision_not_pinned", Invalid, "`adapter_config.json` names a branch, tag or short commit instead of the declared commit.";
    REVISION_MISMATCH = "revision_mismatch", Invalid, "`adapter_config.json` names another commit than the declared one.";

    // Weights
    WEIGHTS_LFS_POINTER = "weights_lfs_pointer", Invalid, "The weights file is a Git LFS pointer, not the weights.";
    WEIGHTS_EMPTY = "weights_empty", Invalid, "The weights file has no bytes.";
    WEIGHTS_TRUNCATED = "weights_truncated", Invalid, "The weights file ends before its tensors do.";
    WEIGHTS_TRAILING_BYTES = "weights_trailing_bytes", Invalid, "The weights file goes on after its last tensor.";
    WEIGHTS_NOT_SAFETENSORS = "weights_not_safetensors", Invalid, "The weights file is of another format.";
    WEIGHTS_PICKLE = "weights_pickle", Invalid, "The weights are a pickle, which runs code when it is opened.";
    WEIGHTS_UNREADABLE = "weights_unreadable", Invalid, "The weights file could not be read to its end.";
    HEADER_TOO_LARGE = "header_too_large", Invalid, "The safetensors header is longer than the limit or the file.";
    HEADER_INVALID = "header_invalid", Invalid, "The safetensors header is not the JSON object it must be.";
    HEADER_DUPLICATE_KEY = "header_duplicate_key", Invalid, "A name stands twice in the safetensors header.";
    METADATA_INVALID = "metadata_invalid", Invalid, "The header's `__metadata__` is not a small map of text to text.";
    METADATA_PRIVATE = "metadata_private", Invalid, "The header's `__metadata__` holds a local path or a secret.";
    TENSOR_FIELD_INVALID = "tensor_field_invalid", Invalid, "A tensor's entry has other fields or values than dtype, shape and `data_offsets`.";
    DTYPE_UNSUPPORTED = "dtype_unsupported", Invalid, "A tensor is neither F32 nor F16 nor BF16.";
    DTYPE_MIXED = "dtype_mixed", Invalid, "The tensors do not all have one dtype.";
    OFFSETS_INVALID = "offsets_invalid", Invalid, "A tensor's `data_offsets` are negative, reversed or not integers.";
    OFFSETS_OVERLAP = "offsets_overlap", Invalid, "Two tensors share bytes.";
    OFFSETS_GAP = "offsets_gap", Invalid, "Bytes of the file belong to no tensor.";
    SHAPE_MISMATCH = "shape_mismatch", Invalid, "A tensor's shape does not fill exactly its bytes.";
    TENSOR_EMPTY = "tensor_empty", Invalid, "A tensor has no values.";
    NO_TENSORS = "no_tensors", Invalid, "The weights file holds no tensor.";
    NON_FINITE = "non_finite", Invalid, "A tensor holds NaN or infinity.";
    ALL_ZERO = "all_zero", Invalid, "Every product of a LoRA pair is zero; the adapter changes nothing.";
    PAIR_INCOMPLETE = "pair_incomplete", Invalid, "A module has only one of the two matrices.";
    RANK_MISMATCH = "rank_mismatch", Invalid, "A LoRA matrix has another rank than its partner or the configuration.";
    NOT_A_MATRIX = "not_a_matrix", Invalid, "A LoRA tensor is not two-dimensional.";
    TENSOR_NAME_UNKNOWN = "tensor_name_unknown", Invalid, "A tensor has a name that plain PEFT LoRA does not write.";
    TENSOR_UNSUPPORTED = "tensor_unsupported", Invalid, "A tensor belongs to a LoRA variant that is not accepted.";
    BASE_WEIGHTS_INSIDE = "base_weights_inside", Invalid, "The file holds weights of the base itself.";
    UNDECLARED_TENSOR = "undeclared_tensor", Invalid, "A tensor that the configuration does not explain.";

    // Adapter and base together
    SHAPE_OR_LAYER_MISMATCH = "shape_or_layer_mismatch", Invalid, "A LoRA pair does not fit a tensor of the base.";
    COVERAGE_MISMATCH = "coverage_mismatch", Invalid, "The modules of the configuration and of the tensors differ.";

    // Base record
    BASE_RECORD_INVALID = "base_record_invalid", Invalid, "A base record is not in the one form that a record has.";
    BASE_FILE_INVALID = "base_file_invalid", Invalid, "A file of the base cannot be pinned.";
    BASE_FILE_MISSING = "base_file_missing", Invalid, "The base lacks a file that every base has.";
    BASE_TENSOR_DUPLICATE = "base_tensor_duplicate", Invalid, "Two weight files of the base hold a tensor of the same name.";
    BASE_INDEX_MISMATCH = "base_index_mismatch", Invalid, "The index of the base's weights and its weight files differ.";
    BASE_RECORD_OTHER = "base_record_other", Conflict, "The base record is about another base than the declared one.";

    // Proof that a folder is the base
    BASE_NOT_FOUND = "base_not_found", Verification, "No copy of the pinned base was found there.";
    BASE_FILE_ABSENT = "base_file_absent", Verification, "A pinned file of the base is missing.";
    BASE_FILE_DIFFERS = "base_file_differs", Verification, "A file of the base has other bytes than the pinned ones.";
    BASE_FILE_EXTRA = "base_file_extra", Verification, "A file lies in the base that would be loaded and is not pinned.";
    BASE_LINK_ESCAPES = "base_link_escapes", Verification, "A link leads out of the folder that was named as the base or cache.";
    BASE_COMMIT_DIFFERS = "base_commit_differs", Verification, "The local copy says that it is another commit than the pinned one.";
    BASE_UNREADABLE = "base_unreadable", Invalid, "A file of the base could not be read.";
}
