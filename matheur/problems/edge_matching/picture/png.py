"""Boards as PNG, drawn with numpy: triangles by supersampling, marks and digits by their coverage of each pixel."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.picture.palette import BACKGROUND, EMPTY_CELL, colour_of
from matheur.problems.edge_matching.picture.scene import Scene

__all__ = ["draw_png"]

_SAMPLES = 4  # per pixel and axis
_MARGIN, _TITLE = 10, 26
_BLACK, _WHITE, _RED = (np.array(rgb, dtype=np.float32) for rgb in ((0, 0, 0), (255, 255, 255), (208, 0, 0)))
# Digits and the slash as 3 x 5 dots, one octal digit per row from the top.
_GLYPHS = dict(
    zip(
        "0123456789/ ",
        ["75557", "26227", "71747", "71717", "55711", "74717", "74757", "71122", "75757", "75717", "11244", "00000"],
        strict=True,
    )
)

Image = NDArray[np.float32]


def draw_png(scene: Scene) -> bytes:
    """Draw the scene as an RGB image; the title is also in its text chunk."""
    size = int(np.clip(1100 // max(scene.rows, scene.columns), 14, 64))
    step = size if scene.placed else size + max(3, size // 6)
    grid = _cells(scene, size, step)
    image = np.empty((grid.shape[0] + 2 * _MARGIN + _TITLE, grid.shape[1] + 2 * _MARGIN, 3), dtype=np.float32)
    image[:] = _rgb(BACKGROUND)
    image[_MARGIN + _TITLE : -_MARGIN, _MARGIN:-_MARGIN] = grid
    if scene.score:
        _write(image, scene.score, _MARGIN, _MARGIN, 3)
    for cell in range(scene.rows * scene.columns):
        row, column = divmod(cell, scene.columns)
        top, left = _MARGIN + _TITLE + row * step, _MARGIN + column * step
        if scene.hinted[cell]:
            _outline(image, top, left, size)
        _number(image, scene.labels[cell], top, left, size)
    for wrong, rows, columns in ((scene.across, 0.5, 1.0), (scene.down, 1.0, 0.5)):
        for cell in np.flatnonzero(wrong).tolist():
            row, column = divmod(cell, scene.columns)
            _mark(
                image, _MARGIN + _TITLE + (row + rows) * size, _MARGIN + (column + columns) * size, size, columns == 1.0
            )
    return _encode(np.rint(image).astype(np.uint8), scene.title)


def _rgb(colour: str) -> Image:
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)], dtype=np.float32)


def _cells(scene: Scene, size: int, step: int) -> Image:
    """All cells on their background."""
    fine = size * _SAMPLES
    v, u = np.mgrid[0:fine, 0:fine].astype(np.float32) + 0.5
    side = np.where(v < u, np.where(v < fine - u, 0, 1), np.where(v < fine - u, 3, 2))
    border = np.minimum(np.minimum(u, v), np.minimum(fine - u, fine - v)) < _SAMPLES / 2
    diagonal = np.minimum(abs(u - v), abs(u + v - fine)) < _SAMPLES / 2
    shade = np.where(border, 0.35, np.where(diagonal, 0.7, 1.0)).astype(np.float32)
    colours = int(scene.sides.max(initial=0)) + 1
    palette = np.stack([_rgb(colour_of(colour)) for colour in range(colours)])
    gap = step - size
    image = np.empty((scene.rows * step - gap, scene.columns * step - gap, 3), dtype=np.float32)
    image[:] = _rgb(BACKGROUND)
    # Averaging a template once per side gives the weight of each side in each pixel; a cell is then a small product.
    weights = np.stack(
        [((side == which) * shade).reshape(size, _SAMPLES, size, _SAMPLES).mean(axis=(1, 3)) for which in range(4)]
    )
    for cell in range(scene.rows * scene.columns):
        row, column = divmod(cell, scene.columns)
        tile = (
            np.tensordot(weights, palette[scene.sides[cell]], axes=(0, 0)) if scene.labels[cell] else _rgb(EMPTY_CELL)
        )
        image[row * step : row * step + size, column * step : column * step + size] = tile
        if scene.labels[cell]:
            _minuses(image, scene.signs[cell].tolist(), row * step, column * step, size)
    return image


def _minuses(image: Image, signs: list[int], top: int, left: int, size: int) -> None:
    """A dark stub at each side with a minus."""
    length, depth = max(2, size // 4), max(1, size // 10)
    begin, far = (size - length) // 2, size - depth
    for sign, (down, right, height, width) in zip(
        signs,
        (
            (0, begin, depth, length),
            (begin, far, length, depth),
            (far, begin, depth, length),
            (begin, 0, length, depth),
        ),
        strict=True,
    ):
        if sign < 0:
            image[top + down : top + down + height, left + right : left + right + width] = _BLACK


def _blend(image: Image, top: int, left: int, coverage: NDArray[np.floating], colour: Image) -> None:
    """Paint a colour through a mask of coverages, clipped to the image."""
    height, width = image.shape[:2]
    first_row, first_column = max(0, -top), max(0, -left)
    mask = coverage[first_row : max(0, height - top), first_column : max(0, width - left), None].astype(np.float32)
    part = image[top + first_row :, left + first_column :][: mask.shape[0], : mask.shape[1]]
    part += mask * (colour - part)


def _dots(text: str, scale: int) -> NDArray[np.float32]:
    columns = []
    for letter in text:
        rows = [int(digit) for digit in _GLYPHS.get(letter, _GLYPHS[" "])]
        columns += [[(row >> bit) & 1 for row in rows] for bit in (2, 1, 0)] + [[0] * 5]
    return np.kron(np.array(columns[:-1], dtype=np.float32).T, np.ones((scale, scale), dtype=np.float32))


def _write(image: Image, text: str, top: int, left: int, scale: int) -> None:
    _blend(image, top, left, _dots(text, scale), _BLACK)


def _number(image: Image, text: str, top: int, left: int, size: int) -> None:
    """A piece number in the middle of its cell, if there is room."""
    scale = max(1, size // 26)
    if not text or 4 * len(text) * scale + scale > size:
        return
    dots = _dots(text, scale)
    top, left = top + (size - dots.shape[0]) // 2, left + (size - dots.shape[1]) // 2
    _blend(
        image, top - scale, left - scale, np.full((dots.shape[0] + 2 * scale, dots.shape[1] + 2 * scale), 0.8), _WHITE
    )
    _blend(image, top, left, dots, _BLACK)


def _outline(image: Image, top: int, left: int, size: int) -> None:
    """A black frame with a white line inside, within the cell."""
    v, u = np.mgrid[0:size, 0:size]
    depth = np.minimum(np.minimum(u, v), np.minimum(size - 1 - u, size - 1 - v))
    thick = max(1, size // 24)
    _blend(image, top, left, ((depth >= 1) & (depth < 1 + 2 * thick)).astype(float), _BLACK)
    _blend(image, top, left, ((depth >= 1 + thick // 2) & (depth < 1 + thick // 2 + thick)).astype(float), _WHITE)


def _mark(image: Image, y: float, x: float, size: int, vertical: bool) -> None:
    """A bar along a joint and a red cross on a white disc in its middle."""
    half = size // 2 + 1
    top, left = round(y) - half, round(x) - half
    v, u = np.mgrid[0 : 2 * half, 0 : 2 * half] + 0.5
    v, u = v + top - y, u + left - x
    along, beside = (v, u) if vertical else (u, v)
    reach, radius, bar = 0.36 * size, max(3.0, 0.14 * size), max(1.6, 0.06 * size)
    distance = np.hypot(beside, np.maximum(0, abs(along) - reach))
    centre = np.hypot(u, v)
    cross = np.minimum(abs(u - v), abs(u + v)) / np.sqrt(2)
    _blend(image, top, left, _cover(distance, bar), _BLACK)
    _blend(image, top, left, _cover(distance, bar / 2), _WHITE)
    _blend(image, top, left, _cover(centre, radius), _BLACK)
    _blend(image, top, left, _cover(centre, radius * 0.75), _WHITE)
    _blend(image, top, left, _cover(cross, max(0.8, radius * 0.16)) * _cover(centre, radius * 0.6), _RED)


def _cover(distance: NDArray[np.floating], radius: float) -> NDArray[np.floating]:
    """Share of a pixel that lies within a radius, from the distance of its centre."""
    return np.clip(radius - distance + 0.5, 0, 1)


def _encode(pixels: NDArray[np.uint8], title: str) -> bytes:
    """PNG (ISO/IEC 15948): header, an international text chunk, the rows with filter 0, end."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"iTXt", b"Title\0\0\0\0\0" + title.encode("utf-8", "replace")),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d)) for kind, d in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body
