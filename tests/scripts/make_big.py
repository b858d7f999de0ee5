"""Make an adapter of a wanted size, with the base record that it fits and an evaluation record that names it.

usage: make_big.py OUT --megabytes N --base-record RECORD.json [--sample tests/fixtures/sample]

RECORD.json is the base record of the sample (`retoque base record`); tensors, layers and widths are replaced by those of a
larger model, everything else is kept. OUT gets

    adapter/       adapter_config.json and adapter_model.safetensors of at least N MB (random, finite, seeded)
    evaluation/    the sample's evaluation record, with the digest of these weights in run.json
    base.json      the base record, canonical

Only the standard library is used, and memory stays at a few layers: what is measured is the product, not this script.
"""
import argparse
import hashlib
import json
import pathlib
import random
import shutil
import struct

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "sample"
RANK = 16
HIDDEN, KEYS, INNER, WORDS = 4096, 4096, 11008, 32000
# Module: where it sits in a layer, outputs, inputs.
MODULES = {
    "q_proj": ("self_attn", HIDDEN, HIDDEN),
    "k_proj": ("self_attn", KEYS, HIDDEN),
    "v_proj": ("self_attn", KEYS, HIDDEN),
    "o_proj": ("self_attn", HIDDEN, HIDDEN),
    "gate_proj": ("mlp", INNER, HIDDEN),
    "up_proj": ("mlp", INNER, HIDDEN),
    "down_proj": ("mlp", HIDDEN, INNER),
}


def layer_tensors(layer: int) -> list[tuple[str, list[int]]]:
    tensors = []
    for module, (part, out, into) in MODULES.items():
        stem = f"base_model.model.model.layers.{layer}.{part}.{module}"
        tensors += [(f"{stem}.lora_A.weight", [RANK, into]), (f"{stem}.lora_B.weight", [out, RANK])]
    return sorted(tensors)


# Clears the top bit of the exponent: finite, below 2, and as hard to compress as trained weights are.
SMALL = bytes(byte & 0xBF for byte in range(256))


def floats(count: int, source: random.Random) -> bytes:
    """Random little-endian float32 values with a magnitude below 2."""
    raw = bytearray(source.randbytes(4 * count))
    raw[3::4] = raw[3::4].translate(SMALL)
    return bytes(raw)


def write_weights(path: pathlib.Path, layers: int) -> str:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    plan = sorted(tensor for layer in range(layers) for tensor in layer_tensors(layer))
    for name, shape in plan:
        start, end = end, end + 4 * shape[0] * shape[1]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    source, digest = random.Random(7), hashlib.sha256()
    with path.open("wb") as weights:
        def put(piece: bytes) -> None:
            digest.update(piece)
            weights.write(piece)
        put(struct.pack("<Q", len(text)))
        put(text)
        for _, shape in plan:
            put(floats(shape[0] * shape[1], source))
    return digest.hexdigest()


def base_record(record: dict, layers: int) -> dict:
    tensors = [("model.embed_tokens.weight", [WORDS, HIDDEN]), ("model.norm.weight", [HIDDEN])]
    for layer in range(layers):
        stem = f"model.layers.{layer}"
        tensors += [(f"{stem}.{part}.{module}.weight", [out, into]) for module, (part, out, into) in MODULES.items()]
    record["architecture"].update(layers=layers, hidden_size=HIDDEN)
    record["tensors"] = [{"name": name, "dtype": "F32", "shape": shape} for name, shape in sorted(tensors)]
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--base-record", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=pathlib.Path, default=SAMPLE)
    args = parser.parse_args()

    per_layer = sum(4 * shape[0] * shape[1] for _, shape in layer_tensors(0))
    layers = -(-args.megabytes * 1_000_000 // per_layer)
    adapter, evaluation = args.out / "adapter", args.out / "evaluation"
    adapter.mkdir(parents=True)
    evaluation.mkdir()

    config = json.loads((args.sample / "adapter/adapter_config.json").read_text())
    config["base_model_name_or_path"] = None
    (adapter / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n")
    digest = write_weights(adapter / "adapter_model.safetensors", layers)

    for name in ("dataset.jsonl", "regression.jsonl", "outputs.jsonl", "training.json"):
        shutil.copyfile(args.sample / name, evaluation / name)
    run = json.loads((args.sample / "run.json").read_text())
    run["sha256"]["adapter/adapter_model.safetensors"] = digest
    (evaluation / "run.json").write_text(json.dumps(run, indent=2) + "\n")

    record = base_record(json.loads(args.base_record.read_text()), layers)
    (args.out / "base.json").write_text(json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    size = (adapter / "adapter_model.safetensors").stat().st_size
    print(f"{layers} layers, {size / 1e6:.0f} MB of weights, sha256:{digest}")


if __name__ == "__main__":
    main()
