"""Load an adapter folder with PEFT onto the sample's base and reproduce ten recorded outputs, text for text.

usage: peft_outputs.py FOLDER [--sample tests/fixtures/sample] [--count 10]

FOLDER is a folder that `retoque pull` wrote, or any PEFT adapter folder. The outputs are greedy, so they are the same on
every run; those are taken in which the adapter changes the base's answer, so that a folder that loads but does nothing
fails. With the adapter switched off, the base's recorded answer has to come back. Exit status 1 at the first difference.

Run by hand, because torch is too large for every run of the tests:

    python3 -m venv /tmp/peft-venv
    /tmp/peft-venv/bin/pip install torch==2.15.0 transformers==5.24.0 peft==0.21.2 tokenizers==0.23.3 safetensors==0.8.0
    /tmp/peft-venv/bin/python tests/scripts/peft_outputs.py FOLDER

Measured on 2 cores without a GPU that were busy with other work, Python 3.11, versions as above: the installation took 90 s
and 5.4 GB of disk; `peft_outputs.py tests/fixtures/sample/adapter` took 24 s (11 s of processor time), of which 1.4 s load
the model and answer ten questions twice; the rest is Python importing torch, transformers and peft.
"""
import argparse
import json
import os
import pathlib
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"  # the base comes from the sample; a look-up by its pinned name would be a defect

import torch  # noqa: E402
from peft import PeftModel  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "sample"


def lines(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def chosen(sample: pathlib.Path, count: int) -> list[tuple[dict, dict[str, str]]]:
    """The rows to ask, with the recorded text per arm, spread evenly over the cases that the adapter changes."""
    recorded: dict[tuple[str, int], dict[str, str]] = {}
    for output in lines(sample / "outputs.jsonl"):
        recorded.setdefault((output["suite"], output["line"]), {})[output["arm"]] = output["output"]
    changed = [case for case, arms in recorded.items() if arms["patched"] != arms["base"]]
    if len(changed) < count:
        sys.exit(f"only {len(changed)} recorded cases differ between base and patched")
    rows = {"regression": lines(sample / "regression.jsonl")}
    dataset = lines(sample / "dataset.jsonl")
    picked = [changed[i * len(changed) // count] for i in range(count)]
    return [(rows.get(suite, dataset)[line - 1], recorded[suite, line]) for suite, line in picked]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sample", type=pathlib.Path, default=SAMPLE)
    parser.add_argument("--count", type=int, default=10)
    args = parser.parse_args()
    began = time.monotonic()

    run = json.loads((args.sample / "run.json").read_text(encoding="utf-8"))
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(args.sample / "base")
    base = AutoModelForCausalLM.from_pretrained(args.sample / "base", dtype=torch.float32)
    model = PeftModel.from_pretrained(base, args.folder).eval()
    loaded = time.monotonic()

    def answer(row: dict) -> str:
        chat = [{"role": "system", "content": row.get("system", run["default_system"])},
                {"role": "user", "content": row["user"]}]
        text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            made = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False,
                                  max_new_tokens=run["max_new_tokens"])
        return tokenizer.decode(made[0, ids.shape[1]:], skip_special_tokens=True)

    cases = chosen(args.sample, args.count)
    for row, arms in cases:
        with_adapter = answer(row)
        with model.disable_adapter():
            without = answer(row)
        for arm, text in (("patched", with_adapter), ("base", without)):
            if text != arms[arm]:
                print(f"{arm} differs for {row['user'][:60]!r}:\n  recorded {arms[arm]!r}\n  now      {text!r}")
                return 1
    print(f"{len(cases)} recorded outputs reproduced with the adapter and without it; "
          f"loading {loaded - began:.1f} s, answering {time.monotonic() - loaded:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
