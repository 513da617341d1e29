#!/usr/bin/env python3
"""Builds the window's fonts: subsets of Noto Sans CJK SC and Noto Sans Mono CJK SC under names of their own.

Usage: build_fonts.py [FOLDER OF THE .ttc FILES]      (needs python3-fonttools and fonts-noto-cjk)

A subset holds the base below and every character of the lessons and of the window's phrases, so that later lessons
rarely need a new one. tests/test_viz_fonts.cpp says which characters are missing when they do.
"""
import pathlib
import sys

from fontTools import subset
from fontTools.pens.roundingPen import RoundingPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SANS, MONO = 2, 7  # places of the SC faces in the collection

SYMBOLS = ("–—‘’“”…‰′″←↑→↓↔⇒⇔␣∀∂∃∅∈∑−∓√∝∞∧∨∩∪∫≈≠≡≤≥≪≫⊕⊗⊥⋯■□▲△▶▷▼▽◆◇○●◀ℓ")
CJK_PUNCTUATION = "　、。〈〉《》「」『』【】〔〕！（），．：；？［］｛｝～％"
# Drawn from other glyphs, because Noto lacks them: target → (source, scale, rise).
RAISED = {t: (s, 0.6, 441) for t, s in zip("⁰⁵⁶⁷⁸⁹⁺⁻", "056789+−")}
LOWERED = {t: (s, 0.6, -150) for t, s in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789")}


def base():
    greek = {*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)}
    chars = {chr(c) for c in {*range(0x20, 0x7F), *range(0xA0, 0x100)} | greek}
    return chars | set(SYMBOLS + CJK_PUNCTUATION)


def common_hanzi():
    """GB 2312 level 1: the 3,755 hanzi in everyday use."""
    return {bytes((row, cell)).decode("gb2312")
            for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF)
            if not (row == 0xD7 and cell > 0xF9)}


def used():
    """Every character of the project's own texts."""
    files = [*ROOT.glob("lessons/**/*.md"), *ROOT.glob("lessons/**/*.toml"), ROOT / "viz/strings.inc"]
    return {c for f in files for c in f.read_text(encoding="utf-8") if c.isprintable()}


def add_glyph(font, char, advance, draw):
    """Gives `char` a glyph of its own in a CID-keyed CFF font."""
    top = font["CFF "].cff.topDictIndex[0]
    like = font.getBestCmap()[ord("0")]
    pen = T2CharStringPen(advance, font.getGlyphSet())
    draw(pen)
    name, fd = f"cid{60000 + len(top.charset):05d}", top.FDSelect[font.getGlyphID(like)]
    private = top.FDArray[fd].Private
    top.CharStrings.charStringsIndex.append(pen.getCharString(private, top.GlobalSubrs))
    top.CharStrings.charStrings[name] = len(top.charset)
    top.charset.append(name)
    top.FDSelect.append(fd)
    font["hmtx"].metrics[name] = (advance, 0)
    font.setGlyphOrder(top.charset)
    font["maxp"].numGlyphs = top.numGlyphs = len(top.charset)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[ord(char)] = name


def add_small_digits(font):
    for target, (source, scale, rise) in {**RAISED, **LOWERED}.items():
        glyphs, name = font.getGlyphSet(), font.getBestCmap()[ord(source)]
        margin = (411 - glyphs[name].width * scale) / 2
        add_glyph(font, target, 411, lambda pen: glyphs[name].draw(
            TransformPen(RoundingPen(pen), (scale, 0, 0, scale, margin, rise))))


def add_return_sign(font):
    """↵: a stem that turns to the left, with a head."""
    def draw(pen):
        for corners in (((740, 640), (740, 230), (250, 230), (250, 300), (668, 300), (668, 640)),
                        ((120, 265), (330, 420), (330, 110))):
            pen.moveTo(corners[0])
            for corner in corners[1:]:
                pen.lineTo(corner)
            pen.closePath()
    add_glyph(font, "↵", 860, draw)


def build(collection, number, chars, family, style, target):
    options = subset.Options(layout_features=[], hinting=True, notdef_outline=True, font_number=number,
                             name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14],
                             drop_tables=["BASE", "GPOS", "GSUB", "VORG", "vhea", "vmtx", "STAT", "DSIG"])
    font = subset.load_font(str(collection), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(chars)))
    subsetter.subset(font)
    add_small_digits(font)
    add_return_sign(font)
    rename(font, family, style)
    font["head"].modified = font["head"].created  # the same input gives the same bytes
    font.recalcTimestamp = False
    font.save(target)
    covered = set(map(chr, TTFont(target).getBestCmap()))
    missing = " ".join(sorted(chars - covered))
    print(f"{target.name}: {target.stat().st_size // 1024} kB, {len(covered)} characters"
          f"{', not in Noto: ' + missing if missing else ''}")


def rename(font, family, style):
    postscript = f"{family.replace(' ', '')}-{style}"
    names = {1: family, 2: style, 3: postscript, 4: f"{family} {style}", 6: postscript}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.toUnicode())
    cff = font["CFF "].cff
    cff.fontNames = [postscript]
    cff.topDictIndex[0].FullName, cff.topDictIndex[0].FamilyName = f"{family} {style}", family


def main():
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/opentype/noto")
    text = base() | common_hanzi() | used()
    latin = base() | {c for c in used() if ord(c) < 0x2E80}
    for style in ("Regular", "Bold"):
        build(source / f"NotoSansCJK-{style}.ttc", SANS, text, "FDLab Sans SC", style,
              HERE / f"FDLabSansSC-{style}.otf")
    build(source / "NotoSansCJK-Regular.ttc", MONO, latin, "FDLab Mono SC", "Regular", HERE / "FDLabMonoSC-Regular.otf")


if __name__ == "__main__":
    main()
