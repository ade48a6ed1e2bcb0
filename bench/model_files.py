#!/usr/bin/env python3
"""Times `relayout convert` of a model's files from two devices to eight, in turns with what else
there is: copying the files, and a script that loads, joins, cuts and saves by NumPy.

    bench/model_files.py build/release/tools/relayout FOLDER [LAYERS] [ROUNDS]

FOLDER gets the model, of about 250 MB a layer, and what is made of it; both are removed. Each way
ends when its files are on the disk. Prints the medians of seconds, ratios, and the most memory that
a process had at a time. The files that are read are in the system's cache, unless they are larger.
"""
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

import numpy

FROM, TO = 2, 8
AXES = {"q_proj": 0, "up_proj": 0, "o_proj": 1, "down_proj": 1}  # that are cut
SHAPES = {"q_proj": (2048, 4096), "o_proj": (4096, 2048), "up_proj": (5504, 4096),
          "down_proj": (4096, 5504)}  # of the shards of each of the two


def sharding(axis, devices):
    return f"{{devices=[{devices},1]<=[{devices}]}}" if axis == 0 else \
        f"{{devices=[1,{devices}]<=[{devices}]}}"


def save(path, tensors):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "BF16", "shape": values.shape,
                        "data_offsets": (end, end + values.nbytes)}
        end += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(numpy.ascontiguousarray(values).data)
        file.flush()
        os.fsync(file.fileno())


def load(path):
    bytes_read = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", bytes_read[:8])[0]
    return {name: numpy.frombuffer(bytes_read, numpy.uint16, int(numpy.prod(of["shape"])),
                                   8 + size + of["data_offsets"][0]).reshape(of["shape"])
            for name, of in json.loads(bytes_read[8:8 + size]).items() if name != "__metadata__"}


def make(folder, layers):
    random = numpy.random.default_rng(1)
    for device in range(FROM):
        save(folder / f"in-{device}.safetensors", {
            f"layers.{layer}.{name}.weight": random.integers(0, 65536, shape, numpy.uint16)
            for layer in range(layers) for name, shape in SHAPES.items()})


def by_numpy(folder):
    parts = [load(folder / f"in-{device}.safetensors") for device in range(FROM)]
    made = [{} for _ in range(TO)]
    for name in parts[0]:
        axis = AXES[name.split(".")[2]]
        whole = numpy.concatenate([part[name] for part in parts], axis)
        for device, values in enumerate(numpy.split(whole, TO, axis)):
            made[device][name] = numpy.ascontiguousarray(values)
    for device in range(TO):
        save(folder / f"out-{device}.safetensors", made[device])


def timed(words, folder):
    for old in folder.glob("out-*"):
        old.unlink()
    begun = time.monotonic()
    process = subprocess.Popen(words)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{words[0]} failed")
    return time.monotonic() - begun, used.ru_maxrss


def main():
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] in ("--make", "--numpy"):  # in processes that own what memory they take
        make(folder, int(sys.argv[3])) if sys.argv[1] == "--make" else by_numpy(folder)
        return
    layers = sys.argv[3] if len(sys.argv) > 3 else "6"
    subprocess.run([sys.executable, __file__, "--make", folder, layers], check=True)
    (folder / "rules").write_text("".join(
        f"*.{name}.weight {sharding(axis, FROM)} {sharding(axis, TO)}\n"
        for name, axis in AXES.items()))
    copies = " && ".join(f"cp '{folder}/in-{i}.safetensors' '{folder}/out-{i}'"
                         for i in range(FROM))
    ways = {"copy": ["sh", "-c", f"{copies} && sync '{folder}'/out-*"],
            "relayout": [sys.argv[1], "convert", "--device", "cpu", "--rules", folder / "rules",
                         folder / "in-{device}.safetensors", folder / "out-{device}.safetensors"],
            "numpy": [sys.executable, __file__, "--numpy", folder]}
    runs = {way: [] for way in ways}
    for _ in range(int(sys.argv[4]) if len(sys.argv) > 4 else 5):
        for way, words in ways.items():
            runs[way].append(timed(words, folder))
    for way, found in runs.items():
        seconds = statistics.median(run[0] for run in found)
        ratio = seconds / statistics.median(run[0] for run in runs["copy"])
        most = max(run[1] for run in found) >> 10
        print(f"{way:10} {seconds:6.2f} s {ratio:6.2f} copies {most:6} MiB")
    for file in [*folder.glob("in-*"), *folder.glob("out-*"), folder / "rules"]:
        file.unlink()


main()
