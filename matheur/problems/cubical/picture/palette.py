"""Colours of rings: a ring named after a CSS colour has that colour, other rings get distinguishable colours."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["colours_of", "dark_text", "marks_of"]

# The named colours of CSS Color Module Level 4.
_TABLE = """
aliceblue=f0f8ff antiquewhite=faebd7 aqua=00ffff aquamarine=7fffd4 azure=f0ffff beige=f5f5dc bisque=ffe4c4
black=000000 blanchedalmond=ffebcd blue=0000ff blueviolet=8a2be2 brown=a52a2a burlywood=deb887 cadetblue=5f9ea0
chartreuse=7fff00 chocolate=d2691e coral=ff7f50 cornflowerblue=6495ed cornsilk=fff8dc crimson=dc143c cyan=00ffff
darkblue=00008b darkcyan=008b8b darkgoldenrod=b8860b darkgray=a9a9a9 darkgreen=006400 darkgrey=a9a9a9 darkkhaki=bdb76b
darkmagenta=8b008b darkolivegreen=556b2f darkorange=ff8c00 darkorchid=9932cc darkred=8b0000 darksalmon=e9967a
darkseagreen=8fbc8f darkslateblue=483d8b darkslategray=2f4f4f darkslategrey=2f4f4f darkturquoise=00ced1
darkviolet=9400d3 deeppink=ff1493 deepskyblue=00bfff dimgray=696969 dimgrey=696969 dodgerblue=1e90ff firebrick=b22222
floralwhite=fffaf0 forestgreen=228b22 fuchsia=ff00ff gainsboro=dcdcdc ghostwhite=f8f8ff gold=ffd700 goldenrod=daa520
gray=808080 green=008000 greenyellow=adff2f grey=808080 honeydew=f0fff0 hotpink=ff69b4 indianred=cd5c5c indigo=4b0082
ivory=fffff0 khaki=f0e68c lavender=e6e6fa lavenderblush=fff0f5 lawngreen=7cfc00 lemonchiffon=fffacd lightblue=add8e6
lightcoral=f08080 lightcyan=e0ffff lightgoldenrodyellow=fafad2 lightgray=d3d3d3 lightgreen=90ee90 lightgrey=d3d3d3
lightpink=ffb6c1 lightsalmon=ffa07a lightseagreen=20b2aa lightskyblue=87cefa lightslategray=778899
lightslategrey=778899 lightsteelblue=b0c4de lightyellow=ffffe0 lime=00ff00 limegreen=32cd32 linen=faf0e6
magenta=ff00ff maroon=800000 mediumaquamarine=66cdaa mediumblue=0000cd mediumorchid=ba55d3 mediumpurple=9370db
mediumseagreen=3cb371 mediumslateblue=7b68ee mediumspringgreen=00fa9a mediumturquoise=48d1cc mediumvioletred=c71585
midnightblue=191970 mintcream=f5fffa mistyrose=ffe4e1 moccasin=ffe4b5 navajowhite=ffdead navy=000080 oldlace=fdf5e6
olive=808000 olivedrab=6b8e23 orange=ffa500 orangered=ff4500 orchid=da70d6 palegoldenrod=eee8aa palegreen=98fb98
paleturquoise=afeeee palevioletred=db7093 papayawhip=ffefd5 peachpuff=ffdab9 peru=cd853f pink=ffc0cb plum=dda0dd
powderblue=b0e0e6 purple=800080 rebeccapurple=663399 red=ff0000 rosybrown=bc8f8f royalblue=4169e1 saddlebrown=8b4513
salmon=fa8072 sandybrown=f4a460 seagreen=2e8b57 seashell=fff5ee sienna=a0522d silver=c0c0c0 skyblue=87ceeb
slateblue=6a5acd slategray=708090 slategrey=708090 snow=fffafa springgreen=00ff7f steelblue=4682b4 tan=d2b48c
teal=008080 thistle=d8bfd8 tomato=ff6347 turquoise=40e0d0 violet=ee82ee wheat=f5deb3 white=ffffff whitesmoke=f5f5f5
yellow=ffff00 yellowgreen=9acd32
"""
_NAMED = dict(pair.split("=") for pair in _TABLE.split())
# Okabe and Ito's colours, which colour-blind readers can distinguish; black is too dark for the marks.
_APART = ("0072b2", "e69f00", "009e73", "d55e00", "56b4e9", "cc79a7", "f0e442", "999999")
# The same eight again, lightened and darkened.
_SHADES = (0.0, 0.5, -0.45, 0.25, -0.25)


def colours_of(names: Sequence[str]) -> tuple[str, ...]:
    """`#rrggbb` of each ring."""
    taken = {_NAMED[name.lower()] for name in names if name.lower() in _NAMED}
    free = [colour for colour in _apart(len(names) + len(taken)) if colour not in taken]
    return tuple("#" + (_NAMED.get(name.lower()) or free.pop(0)) for name in names)


def _apart(number: int) -> list[str]:
    return [_shade(_APART[i % len(_APART)], _SHADES[i // len(_APART) % len(_SHADES)]) for i in range(number)]


def _shade(colour: str, amount: float) -> str:
    """Shift a colour towards white for positive amounts, towards black for negative ones."""
    end, share = (255, amount) if amount > 0 else (0, -amount)
    parts = (int(colour[i : i + 2], 16) for i in (0, 2, 4))
    return "".join(f"{round(part + share * (end - part)):02x}" for part in parts)


def dark_text(colour: str) -> bool:
    """Whether black is easier to read than white on this colour (relative luminance of WCAG 2)."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.3


def marks_of(names: Sequence[str]) -> tuple[str, ...]:
    """One to three characters for each ring: its first letters if these are distinct for all rings, else its number."""
    for length in (1, 2):
        marks = tuple(name[:length].upper() if length == 1 else name[:length].capitalize() for name in names)
        if len(set(marks)) == len(marks) and all(mark.strip() and len(mark) <= length for mark in marks):
            return marks
    return tuple(str(number) for number in range(1, len(names) + 1))
