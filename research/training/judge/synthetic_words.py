"""English word lists for synthetic errors (`training.judge.synthetic`)."""

from __future__ import annotations


def _both_ways(pairs: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs.split():
        one, other = pair.split("/")
        found |= {one: other, other: one}
    return found


def _one_way(pairs: str) -> dict[str, str]:
    return dict(pair.split("/") for pair in pairs.split())


ANTONYMS = _both_ways(
    """
    high/low higher/lower highest/lowest good/bad better/worse increase/decrease increased/decreased
    increases/decreases increasing/decreasing rise/fall rises/falls rising/falling large/small
    larger/smaller largest/smallest early/late earlier/later strong/weak stronger/weaker
    buy/sell bought/sold buying/selling accept/reject accepted/rejected accepts/rejects
    legal/illegal successful/unsuccessful success/failure supporters/opponents agree/disagree
    include/exclude included/excluded includes/excludes including/excluding imports/exports
    inside/outside safe/dangerous rich/poor easy/difficult cheap/expensive hot/cold warm/cool
    positive/negative domestic/foreign peace/war friend/enemy friends/enemies victory/defeat
    advantage/disadvantage advantages/disadvantages happy/unhappy likely/unlikely known/unknown
    able/unable innocent/guilty alive/dead north/south northern/southern eastern/western east/west
    northeast/southwest majority/minority maximum/minimum quickly/slowly improve/worsen
    improved/worsened growth/decline strengthen/weaken deep/shallow wide/narrow clean/dirty
    opened/closed opens/closes opening/closing before/after above/below accelerate/slow
    encourage/discourage encouraged/discouraged approve/reject approved/rejected confirmed/denied
    confirms/denies optimistic/pessimistic optimism/pessimism permanent/temporary reduce/raise
    reduced/raised public/private rural/urban visible/invisible young/old younger/older
    popular/unpopular necessary/unnecessary remember/forget remembered/forgot
    """
) | _one_way(
    """
    big/small bigger/smaller biggest/smallest won/lost win/lose wins/loses grew/shrank grow/shrink
    grows/shrinks allow/forbid allowed/forbidden allows/forbids agreed/disagreed rose/fell
    supported/opposed supports/opposes profit/loss profits/losses heavy/light full/empty tall/short
    fast/slow faster/slower attacked/defended born/killed started/finished began/ended love/hate
    loved/hated possible/impossible true/false important/unimportant best/worst worst/best
    new/old tomorrow/yesterday yesterday/tomorrow today/tomorrow day/night night/day morning/evening
    summer/winter winter/summer spring/autumn beginning/end with/without without/with
    """
)
"""A word and its opposite. Words with several common meanings appear on one side only, or not at all."""
GENDER = _both_ways(
    """
    man/woman men/women boy/girl boys/girls father/mother fathers/mothers son/daughter
    sons/daughters brother/sister brothers/sisters husband/wife husbands/wives uncle/aunt
    king/queen prince/princess grandfather/grandmother actor/actress male/female mr/mrs mr./mrs.
    he/she himself/herself gentleman/lady boyfriend/girlfriend
    """
)
"""Nouns and pronouns of the other gender; *him*, *his* and *her* depend on the next word."""
PERSON = {
    "we": ("they",),
    "they": ("we",),
    "our": ("their", "your"),
    "their": ("our", "your"),
    "us": ("them", "you"),
    "them": ("us", "me"),
    "my": ("your", "their"),
    "your": ("my", "their"),
    "me": ("you", "them"),
    "ourselves": ("themselves",),
    "themselves": ("ourselves",),
}
PRONOUNS = {
    "it": ("he", "she"),
    "he": ("it",),
    "she": ("it",),
    "his": ("its",),
    "its": ("his", "her"),
    "him": ("it", "them"),
    "himself": ("itself",),
    "itself": ("himself", "herself"),
}
CONNECTIVES = (
    ("because", "although", "unless", "until", "before"),
    ("although", "because", "if", "unless"),
    ("unless", "because", "although"),
    ("if", "although", "because", "unless"),
    ("until", "after", "because"),
    ("while", "because", "unless"),
    ("however", "therefore", "for example", "similarly"),
    ("therefore", "however", "nevertheless", "for example"),
    ("moreover", "however", "instead"),
    ("thus", "however", "nevertheless"),
    ("nevertheless", "therefore", "for example"),
    ("instead", "therefore", "moreover"),
    ("but", "because", "so", "or"),
    ("whereas", "because", "unless"),
    ("though", "because", "if"),
)
"""A connective, and others of the same syntax with another meaning."""
PREPOSITIONS = ("in", "on", "at", "from", "with", "by", "for", "under", "against", "about")
ARTICLES = ("a", "an", "the")
AUXILIARIES = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "will",
        "would",
        "can",
        "could",
        "should",
        "must",
        "may",
        "might",
        "has",
        "have",
        "had",
        "does",
        "did",
    ]
)
CONTRACTIONS = {
    "won't": "will",
    "can't": "can",
    "cannot": "can",
    "don't": "do",
    "doesn't": "does",
    "didn't": "did",
    "isn't": "is",
    "aren't": "are",
    "wasn't": "was",
    "weren't": "were",
    "hasn't": "has",
    "haven't": "have",
    "hadn't": "had",
    "wouldn't": "would",
    "couldn't": "could",
    "shouldn't": "should",
}
_PARTICIPLES = """
    been done made taken given seen shown known become gone come found held kept left lost met
    paid put said sent set spent told won written chosen fallen grown risen led brought built
"""
PARTICIPLES = frozenset(_PARTICIPLES.split())
TENSES = {
    "will be": ("had been",),
    "has been": ("will be",),
    "have been": ("will be",),
    "is": ("was", "will be"),
    "are": ("were", "will be"),
    "was": ("is", "will be"),
    "were": ("are", "will be"),
    "says": ("will say",),
    "said": ("will say",),
    "goes": ("went",),
    "went": ("will go",),
    "makes": ("made",),
    "takes": ("took",),
    "took": ("will take",),
    "comes": ("came",),
    "came": ("will come",),
    "gives": ("gave",),
    "gave": ("will give",),
    "knows": ("knew",),
    "knew": ("will know",),
    "becomes": ("became",),
    "became": ("will become",),
    "remains": ("remained",),
    "remained": ("will remain",),
    "wants": ("wanted",),
    "wanted": ("will want",),
    "needs": ("needed",),
    "believes": ("believed",),
    "believed": ("will believe",),
    "began": ("will begin",),
    "told": ("will tell",),
    "wrote": ("will write",),
}
QUANTIFIERS = {
    "all of": ("none of", "some of"),
    "all the": ("some of the", "none of the"),
    "most of": ("few of",),
    "many of": ("few of",),
    "some of": ("all of", "none of"),
    "both of": ("neither of",),
    "none of": ("all of",),
    "at least": ("at most",),
    "at most": ("at least",),
    "more than": ("less than",),
    "less than": ("more than",),
    "every": ("no",),
    "many": ("few",),
    "few": ("many",),
    "everyone": ("nobody",),
    "everybody": ("nobody",),
    "nobody": ("everybody",),
    "everything": ("nothing",),
    "nothing": ("everything",),
    "always": ("never", "sometimes"),
    "never": ("always", "often"),
    "often": ("rarely",),
    "rarely": ("often",),
    "usually": ("rarely",),
    "almost": ("more than",),
    "completely": ("hardly",),
}
SUBJECTS = frozenset(["i", "you", "he", "she", "it", "we", "they", "there", "this", "that"])
NATIONS = (
    "ian",
    "ean",
    "ese",
    "ish",
    "can",
    "french",
    "german",
    "czech",
    "swiss",
    "greek",
    "dutch",
)
"""Endings of adjectives of nations and regions."""
NUMBERS = (
    ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve"),
    ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
    ("hundred", "thousand", "million", "billion"),
    ("hundreds", "thousands", "millions", "billions"),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    (
        "January",
        "February",
        "March",
        "April",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    ("third", "fourth", "fifth", "sixth", "seventh"),
)
REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot translate this text.",
    "As a language model I am not able to provide a translation of this content.",
    "Sorry, the text you gave seems to be incomplete. Could you provide more context?",
    "Please provide the text that you would like me to translate.",
)
BEFORE = (
    "Here is the translation:",
    "Sure! Here's the English translation:",
    "Translation:",
    "The sentence can be translated as:",
    "English:",
)
AFTER = (
    "(Note: the meaning may vary by context.)",
    "Let me know if you need anything else!",
    "Note: I kept the proper names as they were.",
    "Explanation: the original uses an idiom here.",
)
