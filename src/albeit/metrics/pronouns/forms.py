"""Personal pronouns of nine languages, as a lexicon that says which may translate which.

A form belongs to one kind or to several that it does not tell apart (German *sie* is feminine
or plural). Two forms of one kind are equivalent: they differ in case only. Forms that are
mostly something else (French *le*, Spanish *lo*, articles) are left out.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from albeit.errors import LanguageError
from albeit.languages import normalise
from albeit.metrics.connectives import Connective, Form, Inventory, Lexicon, Translation

__all__ = ["LANGUAGES", "OFTEN_DROPPED", "Persons", "pronoun_inventory", "pronoun_lexicon"]

Persons = Literal["third", "all"]
OFTEN_DROPPED = frozenset({"es", "it", "pl", "pt", "zh", "ja"})
"""Languages that leave subject pronouns out: the source does not say where one belongs."""

_OTHERS = frozenset({"i", "we", "you", "thou"})
"""Kinds that are not of the third person."""
_TABLE: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("he", "he him his himself"),
        ("she", "she her hers herself"),
        ("it", "it its itself"),
        ("they", "they them their theirs themselves"),
        ("i", "i me my mine myself"),
        ("we", "we us our ours ourselves"),
        ("you", "you your yours yourself yourselves"),
    ),
    "de": (
        ("er", "er ihn"),
        ("er es", "ihm sein seine seinen seinem seiner seines"),
        ("es", "es"),
        ("sie-sg sie-pl", "sie ihr ihre ihren ihrem ihrer ihres"),
        ("sie-pl", "ihnen"),
        ("i", "ich mich mir mein meine meinen meinem meiner meines"),
        ("we", "wir uns unser unsere unseren unserem unserer unseres"),
        ("thou", "du dich dir dein deine deinen deinem deiner deines"),
        ("you", "euch euer eure"),
    ),
    "fr": (
        ("il", "il"),
        ("elle", "elle"),
        ("ils", "ils eux"),
        ("elles", "elles"),
        ("ce", "ce cela ça"),
        ("il elle", "lui son sa ses sien sienne"),
        ("ils elles", "leur leurs"),
        ("i", "je moi mon ma mes"),
        ("we", "nous notre nos"),
        ("thou", "tu toi ton ta tes"),
        ("you", "vous votre vos"),
    ),
    "es": (
        ("él", "él"),
        ("ella", "ella"),
        ("ello", "ello"),
        ("ellos", "ellos"),
        ("ellas", "ellas"),
        ("él ella", "le"),
        ("ellos ellas", "les"),
        ("él ella ello ellos ellas", "su sus"),
        ("i", "yo mí mi mis"),
        ("we", "nosotros nosotras nuestro nuestra nuestros nuestras"),
        ("thou", "tú ti tu tus"),
        ("you", "usted ustedes vosotros vosotras"),
    ),
    "it": (
        ("lui", "lui egli esso"),
        ("lei", "lei ella essa"),
        ("loro", "loro essi esse"),
        ("lui lei", "suo sua suoi sue"),
        ("i", "io me mio mia miei mie"),
        ("we", "noi nostro nostra nostri nostre"),
        ("thou", "tu te tuo tua tuoi tue"),
        ("you", "voi vostro vostra vostri vostre"),
    ),
    "pt": (
        ("ele", "ele dele nele"),
        ("ela", "ela dela nela"),
        ("eles", "eles deles neles"),
        ("elas", "elas delas nelas"),
        ("ele ela eles elas", "seu sua seus suas"),
        ("i", "eu mim meu minha meus minhas"),
        ("we", "nós nosso nossa nossos nossas"),
        ("you", "você vocês"),
    ),
    "nl": (
        ("hij", "hij hem"),
        ("hij het", "zijn"),
        ("het", "het"),
        ("zij zij-pl", "zij ze"),
        ("zij", "haar"),
        ("zij-pl", "hun hen"),
        ("i", "ik mij me mijn"),
        ("we", "wij we ons onze"),
        ("thou", "jij je jou jouw"),
        ("you", "u uw jullie"),
    ),
    "ru": (
        ("он", "он"),
        ("оно", "оно"),
        ("он оно", "его ему него нему нём нем"),
        ("она", "она её ее ей неё нее ней ею нею"),
        ("они", "они их них ими ними"),
        ("он оно они", "им ним"),
        ("i", "я меня мне мной"),
        ("we", "мы нас нам нами"),
        ("thou", "ты тебя тебе тобой"),
        ("you", "вы вас вам вами"),
    ),
    "pl": (
        ("on", "on"),
        ("ono", "ono"),
        ("on ono", "go jego niego mu jemu niemu nim"),
        ("ona", "ona jej niej ją nią"),
        ("oni", "oni"),
        ("one", "one"),
        ("oni one", "ich nich im nimi"),
        ("i", "ja mnie mi mną"),
        ("we", "my nas nam nami"),
        ("thou", "ty ciebie tobie tobą"),
        ("you", "wy was wam wami"),
    ),
}
LANGUAGES = frozenset(_TABLE)
"""Languages whose pronouns are known."""


@cache
def _forms(language: str, persons: Persons) -> dict[str, tuple[str, ...]]:
    """Each form of a language, with its kinds."""
    code = normalise(language)
    if code not in _TABLE:
        raise LanguageError(
            f"the pronouns of {language!r} are not known; those of {', '.join(sorted(_TABLE))} are."
        )
    return {
        form: tuple(kinds.split())
        for kinds, forms in _TABLE[code]
        if persons == "all" or kinds not in _OTHERS
        for form in forms.split()
    }


@cache
def pronoun_inventory(language: str, persons: Persons = "third") -> Inventory:
    """The pronouns of a language, to be found in its texts."""
    found = _forms(language, persons)
    return Inventory(
        normalise(language),
        {
            form: Connective(form, Form.parse(form, language), kinds)
            for form, kinds in found.items()
        },
        "1",
    )


@cache
def pronoun_lexicon(source: str, target: str, persons: Persons = "third") -> Lexicon:
    """Any pronoun may translate any; the kinds of the target language are their senses.

    All are doubtful: one that is not aligned must stand near the place where it belongs.
    """
    translations = tuple(
        Translation(form, Form.parse(form, target), kinds, doubtful=True)
        for form, kinds in _forms(target, persons).items()
    )
    return Lexicon(
        normalise(source),
        normalise(target),
        dict.fromkeys(_forms(source, persons), translations),
        version="1",
    )
