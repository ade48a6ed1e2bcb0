"""test_shardings.py LIBRARY: shardings against XLA's own, of jaxlib: what their text parses and
prints as, which devices they name, and which part of an array each device of a mesh holds. Exits
with 77 without jax."""

import ctypes
import itertools
import os
import random
import sys

DEVICES = 32
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
os.environ["JAX_PLATFORMS"] = "cpu"

try:
    import jax
    import numpy
    from jax._src.lib import xla_client
    parse_xla = xla_client.HloSharding.from_string
except (ImportError, AttributeError) as missing:
    print(missing)
    sys.exit(77)

from relayout_library import MAX_RANK, Error, Relayout, Shape

TEXTS, MESHES = 20000, 300
Indices = ctypes.c_int64 * MAX_RANK


class Sharding:
    """A relayout_sharding, which takes less than 8 KiB."""

    def __init__(self, relayout, text):
        self.relayout = relayout
        self.memory = (ctypes.c_int64 * 1024)()
        relayout("sharding_parse", text.encode(), self.memory)

    def __str__(self):
        text = ctypes.create_string_buffer(16384)
        self.relayout.library.relayout_sharding_format.restype = ctypes.c_size_t
        self.relayout.library.relayout_sharding_format(self.memory, text,
                                                       ctypes.c_size_t(len(text)))
        return text.value.decode()

    def devices(self):
        count = self.relayout.library.relayout_sharding_device_count
        count.restype = ctypes.c_int64
        device = ctypes.c_int64()
        found = []
        for number in range(count(self.memory)):
            self.relayout("sharding_device", self.memory, ctypes.c_int64(number),
                          ctypes.byref(device))
            found.append(device.value)
        return found

    def box(self, shape, device):
        start, sizes = Indices(), Indices()
        self.relayout("sharding_box", self.memory, ctypes.byref(shape), ctypes.c_int64(device),
                      start, sizes, None)
        return [(start[d], start[d] + sizes[d]) for d in range(shape.rank)]


def factors_of(number):
    """Some factors of it, in some order, ones among them."""
    factors = [1] * random.choice([0, 0, 1, 2])
    while number > 1:
        factors.append(random.choice([f for f in range(2, number + 1) if number % f == 0]))
        number //= factors[-1]
    random.shuffle(factors)
    return factors or [1]


def joined(numbers):
    return ",".join(map(str, numbers))


def random_text():
    """Most are shardings; some lack a T, or have one too many."""
    count = random.choice([1, 2, 4, 6, 8, 12, 16, 24, 32, 36, 48, 64])
    dimensions = factors_of(count)
    text = f"{{devices=[{joined(dimensions)}]"
    if random.random() < 0.7:
        sizes = factors_of(count)
        text += f"<=[{joined(sizes)}]"
        if random.random() < (0.95 if len(sizes) > 1 else 0.05):
            text += f"T({joined(random.sample(range(len(sizes)), len(sizes)))})"
    elif count > 1:  # XLA refuses a list of one
        text += joined(random.sample(range(count), count))
    ending = random.random()
    if ending < 0.35:
        text += " last_tile_dim_replicate"
    elif ending < 0.7:
        kinds = random.choices(["manual", "replicated", "unreduced"],
                               k=random.randint(1, len(dimensions)))
        text += f" last_tile_dims={{{', '.join(kinds)}}}"
    return text + "}"


def try_to(function, *arguments):
    """What it returns; None where the text is refused."""
    try:
        return function(*arguments)
    except Exception:  # XLA's has no class of its own
        return None


def check_text(relayout, text):
    xla, own = try_to(parse_xla, text), try_to(Sharding, relayout, text)
    assert (xla is None) == (own is None), f"{text}: XLA {xla}, here {own}"
    if xla is None:
        return 1
    # XLA prints what is unreduced alone as shards, and reads that as {unreduced}; of shards that
    # are none it prints what it does not read.
    if str(own) == "{unreduced}" or str(xla) == "{devices=[]<=[1]}":
        return 0
    assert str(own) == str(xla), f"{text}: XLA {xla}, here {own}"
    assert not xla.is_tiled() or own.devices() == list(xla.tile_assignment_devices()), text
    return 0


def shape_of(relayout, dimensions):
    shape = Shape()
    relayout("shape_parse", f"f32[{joined(dimensions)}]".encode(), ctypes.byref(shape))
    return shape


def check_mesh(relayout):
    """What jax's NamedSharding puts on each device, in a mesh of any order of devices."""
    all_sizes = [s for r in (1, 2, 3) for s in itertools.product([1, 2, 3, 4, 8], repeat=r)]
    sizes = random.choice([s for s in all_sizes if 1 < numpy.prod(s) <= DEVICES])
    order = random.sample(range(int(numpy.prod(sizes))), int(numpy.prod(sizes)))
    names = "xyz"[:len(sizes)]
    mesh = jax.sharding.Mesh(numpy.array(jax.devices())[order].reshape(sizes), list(names))
    rank = random.randint(1, 3)
    uses = [[] for _ in range(rank)]
    for name in random.sample(names, len(names)):
        if random.random() < 0.7:
            random.choice(uses).append(name)
    cuts = [int(numpy.prod([mesh.shape[n] for n in use])) for use in uses]
    dimensions = [cut * random.randint(1, 4) for cut in cuts]  # no others are jax's
    named = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*map(tuple, uses)))
    axes = ",".join(f"{n}={s}" for n, s in zip(names, sizes))
    text = (f"{{mesh[{axes}], device_ids=({joined(order)}), "
            f"[{', '.join('{' + ', '.join(use) + '}' for use in uses)}]}}")
    own, shape = Sharding(relayout, text), shape_of(relayout, dimensions)
    xla = Sharding(relayout, str(named._to_xla_hlo_sharding(rank)))
    for device, index in named.devices_indices_map(tuple(dimensions)).items():
        held = [s.indices(n)[:2] for s, n in zip(index, dimensions)]
        # jax numbers the devices by their places in the mesh for XLA.
        for sharding, number in ((own, device.id), (xla, order.index(device.id))):
            assert sharding.box(shape, number) == held, f"{text}, device {device.id}"


def main():
    random.seed(20261128)
    relayout = Relayout(sys.argv[1], device=None)
    refused = sum(check_text(relayout, random_text()) for _ in range(TEXTS))
    for text in ("{replicated}", "{manual}", "{unknown}", "{unreduced}", "{maximal device=3}"):
        assert check_text(relayout, text) == 0
    for _ in range(MESHES):
        check_mesh(relayout)
    print(f"{TEXTS} texts, {refused} of them refused by both; {MESHES} meshes")
    assert 0 < refused < TEXTS / 2


if __name__ == "__main__":
    main()
