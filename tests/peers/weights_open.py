"""Open a weights file with the reference safetensors reader and read every tensor.

usage: weights_open.py adapter_model.safetensors

Prints one JSON object: tensor names with dtype, shape and the sha256 of the bytes. bfloat16 has no NumPy type and is
reported without a digest. Exit status 1 when the reader refuses the file.
"""
import hashlib
import json
import sys

from safetensors import SafetensorError, safe_open


def main(path: str) -> int:
    tensors = {}
    try:
        with safe_open(path, framework="numpy") as weights:
            for name in weights.keys():
                part = weights.get_slice(name)
                entry = {"dtype": part.get_dtype(), "shape": list(part.get_shape())}
                if entry["dtype"] != "BF16":
                    entry["sha256"] = hashlib.sha256(weights.get_tensor(name).tobytes()).hexdigest()
                tensors[name] = entry
    except SafetensorError as error:
        print(json.dumps({"refused": str(error)}))
        return 1
    print(json.dumps(tensors, sort_keys=True))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
