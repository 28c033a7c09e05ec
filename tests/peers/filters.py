# SPDX-FileCopyrightText: The memtile authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters of random images beside those of SciPy, OpenCV and scikit-image, where they mean the same. What is not installed is
skipped with a word.

    filters.py PROGRAM [SEED]
"""

import importlib
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import house

MODES = {"reflect": "reflect", "mirror": "reflect101", "nearest": "replicate", "wrap": "wrap"}  # SciPy's names, and memtile's


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"skipped: {name} is not installed")
        return None


np, ndimage, cv2, skimage = (library(name) for name in ("numpy", "scipy.ndimage", "cv2", "skimage"))
if np is None:
    sys.exit(0)


def by_scipy(filter, x, mode, a, b, weights):
    """In doubles, whatever the image is of."""
    x = x.astype(float)
    return {"gaussian": lambda: ndimage.gaussian_filter(x, a, mode=mode, radius=3),
            "sobel": lambda: ndimage.sobel(x, axis=int(a), mode=mode),
            "laplace": lambda: ndimage.laplace(x, mode=mode),
            "median": lambda: ndimage.median_filter(x, size=int(a), mode=mode),
            "minimum": lambda: ndimage.minimum_filter(x, size=5, mode=mode),
            "maximum": lambda: ndimage.maximum_filter(x, size=5, mode=mode),
            "rank": lambda: ndimage.rank_filter(x, int(a), size=3, mode=mode),
            "uniform": lambda: ndimage.uniform_filter(x, size=(int(a), int(b)), mode=mode),
            "correlate": lambda: ndimage.correlate(x, weights, mode=mode)}.get(filter, lambda: None)()


def by_opencv(filter, x, mode, a, b, weights):
    if mode == "wrap" or min(x.shape) < 6:  # it has no `wrap` here, and reflects once only
        return None
    border = {"reflect": cv2.BORDER_REFLECT, "mirror": cv2.BORDER_REFLECT_101, "nearest": cv2.BORDER_REPLICATE}[mode]
    y = x.astype(np.float32)
    box = np.ones((5, 5), np.uint8)
    return {"gaussian": lambda: cv2.GaussianBlur(y, (7, 7), a, borderType=border),
            "sobel": lambda: cv2.Sobel(y, cv2.CV_32F, int(a), 1 - int(a), borderType=border),
            "laplace": lambda: cv2.Laplacian(y, cv2.CV_32F, borderType=border),
            "median": lambda: cv2.medianBlur(x, int(a)) if mode == "nearest" and x.dtype == np.uint8 else None,
            "minimum": lambda: cv2.erode(x, box, borderType=border),
            "maximum": lambda: cv2.dilate(x, box, borderType=border),
            "uniform": lambda: cv2.blur(y, (int(b), int(a)), borderType=border) if a % 2 and b % 2 else None,
            "correlate": lambda: cv2.filter2D(y, cv2.CV_32F, weights.astype(np.float32), borderType=border)
            if weights.shape[0] % 2 and weights.shape[1] % 2 else None}.get(filter, lambda: None)()


def by_scikit_image(filter, x, mode, a, b, weights):
    from skimage import filters, morphology, restoration
    padding = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap"}[mode]
    y = x.astype(float)
    # By tables of weights: that of values is long enough not to matter; that of distances begins at -3 for a width of 5 (0.26), so
    # these are made to weigh alike.
    if filter == "bilateral" and min(x.shape) >= 6:
        return restoration.denoise_bilateral(y, 5, b, a, bins=10**6, mode=padding)
    if filter == "median":
        return filters.median(x, np.ones((int(a), int(a))), mode=mode)
    if mode != "reflect":  # the border of the others
        return None
    return {"minimum": lambda: morphology.erosion(x, np.ones((5, 5))),
            "maximum": lambda: morphology.dilation(x, np.ones((5, 5))),
            "unsharp": lambda: filters.unsharp_mask(y, a, b, preserve_range=True)}.get(filter, lambda: None)()


PEERS = {"SciPy": (by_scipy, ndimage), "OpenCV": (by_opencv, cv2), "scikit-image": (by_scikit_image, skimage)}
EXACT = ("median", "minimum", "maximum", "rank")


def random_cases(random):
    for filter in ("gaussian", "sobel", "laplace", "median", "minimum", "maximum", "rank", "uniform", "correlate", "bilateral",
                   "unsharp"):
        for _ in range(12):
            type = np.float32 if random.integers(2) else np.uint8
            shape = random.integers(1, (30, 160))
            x = random.integers(0, 256, shape).astype(type)
            if type == np.float32:
                x = (x / 256 + random.random(shape)).astype(type)
            a, b = {"gaussian": (random.uniform(0.5, 2), 0), "sobel": (random.integers(2), 0), "median": (random.choice([3, 5]), 0),
                    "rank": (random.integers(9), 0), "uniform": tuple(random.integers(1, 24, 2)),
                    "correlate": tuple(random.integers(1, 8, 2)),
                    "bilateral": (1e4, random.uniform(0.1, 0.5) * (x.max() + 0.1)),
                    "unsharp": (random.uniform(0.4, 0.6), random.uniform(0, 2))}.get(filter, (0, 0))
            weights = random.integers(-9, 10, (int(a), int(b))) / 16 if filter == "correlate" else np.zeros((0, 0))
            yield filter, x, str(random.choice(list(MODES))), float(a), float(b), weights


seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20261130
cases = list(random_cases(np.random.default_rng(seed)))
words = [f"{'float' if x.dtype == np.float32 else 'uint8'} {filter} {mode} {a!r} {b!r} {x.shape[0]} {x.shape[1]} "
         + " ".join(f"{float(v):.9g}" for v in [*x.ravel(), *weights.ravel()]) for filter, x, mode, a, b, weights in cases]
result = subprocess.run([sys.argv[1]], input="\n".join(words), text=True, capture_output=True)
checks = house.Checks()
lines = result.stdout.splitlines()
checks.that(result.returncode == 0 and len(lines) == len(cases), "all cases run", result.stderr)
compared = dict.fromkeys(PEERS, 0)
for (filter, x, mode, a, b, weights), line in zip(cases, lines):
    got = np.array(line.split(), float).astype(x.dtype).astype(float).reshape(x.shape)
    for name, (peer, module) in PEERS.items():
        expected = peer(filter, x, mode, a, b, weights) if module else None
        if expected is None:
            continue
        compared[name] += 1
        expected = np.asarray(expected, float)
        bound = 0 if filter in EXACT else (1e-4 if filter == "bilateral" else 2e-5) * (1 + float(x.max()))
        if x.dtype == np.uint8:  # rounded and saturated; on which side of a half the peer was, nobody knows
            expected, bound = np.clip(expected, 0, 255), bound and 0.5 + bound
        worst = np.abs(got - expected).max()
        checks.that(worst <= bound, f"{name}: {filter} {a:g} {b:g}, {mode} ({MODES[mode]}), {x.dtype} {x.shape[0]}x{x.shape[1]}",
                    f"differs by {worst}, more than {bound}; seed {seed}")
print(", ".join(f"{count} compared with {name}" for name, count in compared.items()))
checks.end()
