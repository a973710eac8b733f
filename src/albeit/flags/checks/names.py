"""Names that a translation misspells, exchanges, or spells in two ways.

Flagged, where the source has names in Latin letters: a capitalised word that is not in the source
line and differs by a letter or two from one that is, and that the translation lacks (*Merkel*,
*Mekrel*); and a name whose neighbour was kept while it was not (*Angela Merkel*, *Angela
Johnson*). Where the source is Chinese: a word that is written as Chinese is romanised, and that
no characters of the source line are read as. In any language: two spellings of what the source
spells in one way, within a document. Not flagged: translated names (*Moskau*, *Moscow*), endings,
other transliterations (*Jelzin*, *Yeltsin*), accents, names that are left out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from albeit.corpus.levels import Unit
from albeit.corpus.plausible import scripts_of
from albeit.flags.checks.passage import Check, Passage
from albeit.flags.finding import Finding
from albeit.flags.text.names import alike, names_in, sure_names
from albeit.flags.text.pinyin import is_pinyin, nearest, read_in
from albeit.flags.text.words import Word, distance, is_english, is_known, words_in

__all__ = ["CHECK"]

MISSPELLED, EXCHANGED, ROMANISED, UNREAD, TWICE = 0.85, 0.75, 0.8, 0.6, 0.75
"""How sure a finding is: a letter off, a neighbour kept, a letter off Chinese, unlike all of it, two
spellings."""
_GERMAN = frozenset(
    [
        "europa",
        "nord",
        "irland",
        "island",
        "nil",
        "parlament",
        "prag",
        "libanon",
        "rom",
        "prinz",
        "grieche",
        "brite",
        "griechen",
        "kroate",
        "serbe",
        "russe",
        "tscheche",
        "türke",
        "schwede",
        "finne",
        "däne",
        "pole",
        "sommer",
        "winter",
        "februar",
        "juni",
        "juli",
        "märz",
        "dezember",
        "oktober",
        "haus",
        "schule",
        "familie",
        "universität",
        "minister",
        "klub",
        "präsident",
        "soldat",
    ]
)
"""German names that are English ones but for a letter."""
_FOREIGN = frozenset("尔斯特夫克拉尼亚洛卡巴萨姆伊奥维罗诺杜菲穆库帕塔贝托莱蒂")
"""Characters that most often spell foreign names, which are read otherwise."""
_CHINESE = re.compile("^(?:zh|x|q)|iang|uang|iao|ang|eng|ong|ing|uan|ian|ao|ou|ui|uo")
"""What hardly any name has that is not Chinese."""
SHORT, LONG = 4, 7
"""Names of fewer letters say nothing; from the second on, two letters may differ."""


def find(passage: Passage) -> Iterator[Finding]:
    """The names of each line, and those of the document together."""
    latin = {
        side: "LATIN" in scripts_of(side) for side in (passage.source_lang, passage.target_lang)
    }
    if not latin[passage.target_lang]:
        return
    kept = _kept(passage)
    seen = Counter(form for line in passage.lines for form in {w.form for w in names_in(line)})
    flagged: set[tuple[int, int]] = set()
    for number, line, source in passage.pairs():
        found = [*_against_source(number, line, source, passage, kept, seen)]
        if passage.source_lang == "zh":
            found += _against_chinese(number, line, source, passage, seen)
        for each in found:
            if (number, each.start) not in flagged:
                flagged.add((number, each.start))
                yield each
    for each in _two_spellings(passage):
        if (each.line, each.start) not in flagged:
            yield each


def _kept(passage: Passage) -> Counter[str]:
    """Capitalised words that stand in a line and in its source, and in how many lines they do."""
    found: Counter[str] = Counter()
    for _, line, source in passage.pairs():
        theirs = {word.form for word in names_in(source)}
        found.update(theirs & {word.form for word in names_in(line)})
    return found


def _against_source(
    number: int,
    line: str,
    source: str,
    passage: Passage,
    kept: Counter[str],
    seen: Counter[str],
) -> Iterator[Finding]:
    """Names that the source has in Latin letters."""
    langs = (passage.source_lang, passage.target_lang)
    ours, theirs = names_in(line), names_in(source)
    all_ours = {word.form.lower() for word in words_in(line)} | {w.form.lower() for w in ours}
    all_theirs = {word.form.lower() for word in words_in(source)} | {w.form.lower() for w in theirs}
    all_ours |= _joined(line)
    all_theirs |= _joined(source)
    strange = [
        word
        for word in ours
        if word.form.lower() not in all_theirs
        and len(word.form) >= SHORT
        and seen[word.form] == 1  # what is written so again is written so on purpose
        and not any(alike(word.form, form, langs) for form in all_theirs)
    ]
    lost = [
        word
        for word in theirs
        if word.form.lower() not in all_ours
        and not any(alike(word.form, form, langs) for form in all_ours)
    ]
    for one in strange:
        for other in lost:
            if _misspelled(one.form, other.form, passage, kept):
                yield _finding(
                    number,
                    one,
                    f"{one.form!r} is spelled {other.form!r} in the source",
                    MISSPELLED,
                    other.form,
                )
                break
        else:
            other_name = _exchanged(one, ours, lost, theirs, line, source)
            if other_name is None and "LATIN" not in scripts_of(passage.source_lang):
                other_name = next((o.form for o in lost if len(o.form) >= SHORT), None)
            if other_name is not None and not _translated(one.form, other_name, passage):
                yield _finding(
                    number,
                    one,
                    f"{one.form!r} stands where the source has {other_name!r}",
                    EXCHANGED,
                    other_name,
                )


def _joined(line: str) -> set[str]:
    """Neighbouring parts of words as one: *El-Baradei* is *ElBaradei*."""
    parts = re.findall(r"[^\W\d_]+", line.lower())
    return {one + other for one, other in pairwise(parts)}


def _misspelled(one: str, other: str, passage: Passage, kept: Counter[str]) -> bool:
    """Whether a word is a name of the source with a letter or two wrong."""
    if len(other) < SHORT or len(one) < SHORT:
        return False
    far = distance(one.lower(), other.lower())
    if far > (1 if len(other) < LONG else 2):
        return False
    if passage.target_lang == "en" and is_known(one):
        return False
    if kept[other]:  # the translation has this name elsewhere, as it is
        return True
    if passage.source_lang != "en":
        return passage.target_lang == "en"
    if not is_english(other):
        return True
    return passage.target_lang == "de" and far == 1 and one.lower() not in _GERMAN


def _exchanged(
    one: Word,
    ours: Sequence[Word],
    lost: Sequence[Word],
    theirs: Sequence[Word],
    line: str,
    source: str,
) -> str | None:
    """The name of the source whose neighbour stands beside this word in the translation."""
    beside = _beside(one, ours, line)
    for other in lost:
        if len(other.form) >= SHORT and beside & _beside(other, theirs, source):
            return other.form
    return None


def _beside(word: Word, names: Sequence[Word], line: str) -> set[tuple[str, int]]:
    """The names directly before and after a word."""
    found = set()
    for one, other in pairwise(names):
        if line[one.end : other.start] == " ":
            if other == word:
                found.add((one.form, -1))
            if one == word:
                found.add((other.form, 1))
    return found


def _translated(one: str, other: str, passage: Passage) -> bool:
    """Whether both may be words that are translated (*President Obama*, *Präsident Obama*)."""
    if passage.target_lang == "en" and is_known(one):
        return True
    return passage.source_lang == "en" and is_english(other)


def _against_chinese(
    number: int, line: str, source: str, passage: Passage, seen: Counter[str]
) -> Iterator[Finding]:
    """Words that are romanised Chinese, or nearly."""
    around = "".join(passage.source)
    names = names_in(line)
    for word in sure_names(line):
        form = word.form
        plain = form.isascii() and form[1:].islower() and not is_english(form)
        if len(form) < 5 or not plain or form in source or seen[form] > 1 or read_in(form, around):
            continue
        family = next((one for one, after in pairwise(names) if after == word), None)
        person = (
            family is not None and line[family.end : word.start] == " " and len(family.form) < 7
        )
        surname = (
            family.form if person and family is not None and read_in(family.form, source) else ""
        )
        near = nearest(form, source, surname) if surname else None
        far = 1 if len(form) < LONG else 2
        if near is None or near[2] > far:
            near, far = nearest(form, source), 1
        foreign = near is not None and not surname and bool(_FOREIGN & set(near[0]))
        if near is not None and near[2] <= far and len(near[0]) > 1 and not foreign:
            message = f"{form!r} is not how {near[0]} is read"
            yield _finding(number, word, message, ROMANISED, near[1].capitalize())
        elif is_pinyin(form) and (surname or _CHINESE.search(form.lower())):
            message = f"{form!r} is read from no characters of the source"
            yield _finding(number, word, message, UNREAD, None)


def _two_spellings(passage: Passage) -> Iterator[Finding]:
    """A name that is written otherwise once, while the source writes what it always writes."""
    places: defaultdict[str, list[tuple[int, Word, str]]] = defaultdict(list)
    for number, line, source in passage.pairs():
        for word in names_in(line):
            if len(word.form) > SHORT and not is_english(word.form):
                places[word.form].append((number, word, source))
    for form, found in places.items():
        if len(found) > 1:
            continue
        number, word, source = found[0]
        for other, others in places.items():
            far = 1 if len(form) < LONG else 2
            usual = len({line for line, *_ in others}) > 1 and other not in source
            usual &= passage.target_lang == "en" or all(other in s for _, _, s in others)
            near = form[0] == other[0] and 0 < distance(form, other) <= far
            apart = usual and near and not alike(form, other, (passage.target_lang,))
            if apart and _one_name(source, [s for _, _, s in others], passage):
                message = f"{form!r} is spelled {other!r} elsewhere in this text"
                yield _finding(number, word, message, TWICE, other)
                break


def _one_name(source: str, others: list[str], passage: Passage) -> bool:
    """Whether a line of the source shares a name with all of these and with no other line."""
    pieces = _pieces(source)
    for each in others:
        pieces &= _pieces(each)
    rest = [line for line in passage.source if line != source and line not in others]
    return any(all(piece not in line for line in rest) for piece in pieces)


def _pieces(source: str) -> set[str]:
    """Capitalised words, or pairs of characters where there are none."""
    words = {word.form for word in names_in(source)}
    east = [c if "\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" else " " for c in source]
    return words | {a + b for a, b in pairwise(east) if " " not in (a, b)}


def _finding(
    number: int, word: Word, message: str, probability: float, suggestion: str | None
) -> Finding:
    evidence = (("suggested", suggestion),) if suggestion else ()
    return Finding(
        "names", number, word.start, word.end, message, probability, suggestion, evidence
    )


CHECK = Check(
    "names that are misspelled, exchanged, or spelled in two ways",
    find,
    Unit.DOCUMENT,
    precision=0.47,
)
