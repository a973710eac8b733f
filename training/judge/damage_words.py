"""The words that made-up damage puts in place of others, and what today's models say unasked."""

from __future__ import annotations

CONNECTIVES = (
    "but", "and", "because", "although", "while", "however", "therefore", "if", "unless", "since",
    "though", "or", "so", "when", "before", "after", "until", "instead", "moreover", "then", "thus",
)  # fmt: skip
PRONOUNS = (
    ("he", "she", "it", "they", "we", "i", "you"),
    ("him", "her", "them", "us", "me"),
    ("his", "her", "its", "their", "our", "my", "your"),
    ("himself", "herself", "itself", "themselves", "ourselves"),
    ("who", "which", "what"),
    ("this", "that", "these", "those"),
)
PREPOSITIONS = (
    "in",
    "on",
    "at",
    "to",
    "from",
    "with",
    "by",
    "for",
    "of",
    "under",
    "over",
    "against",
)
VERBS = (
    ("is", "was", "will be"), ("are", "were", "will be"), ("has", "had", "will have"),
    ("have", "had", "will have"), ("will", "would"), ("can", "could", "must"), ("may", "must"),
    ("should", "must"), ("says", "said"), ("does", "did"), ("goes", "went"), ("makes", "made"),
)  # fmt: skip
OPPOSITES = (
    ("more", "less"), ("most", "least"), ("first", "last"), ("before", "after"), ("all", "none"),
    ("always", "never"), ("high", "low"), ("higher", "lower"), ("good", "bad"), ("better", "worse"),
    ("increase", "decrease"), ("increased", "decreased"), ("rise", "fall"), ("rose", "fell"),
    ("old", "new"), ("large", "small"), ("big", "small"), ("early", "late"), ("many", "few"),
    ("above", "below"), ("up", "down"), ("win", "lose"), ("won", "lost"), ("buy", "sell"),
    ("north", "south"), ("east", "west"), ("left", "right"), ("open", "closed"), ("long", "short"),
    ("men", "women"), ("man", "woman"), ("father", "mother"), ("son", "daughter"), ("day", "night"),
    ("yesterday", "tomorrow"), ("million", "billion"), ("success", "failure"), ("same", "other"),
    ("war", "peace"), ("strong", "weak"), ("possible", "impossible"), ("legal", "illegal"),
    ("true", "false"), ("began", "ended"), ("start", "end"), ("accept", "reject"), ("with", "without"),
)  # fmt: skip
AUXILIARIES = (
    "is", "are", "was", "were", "will", "would", "can", "could", "should", "has", "have", "had",
    "does", "did", "may", "must",
)  # fmt: skip
NUMBERS = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "hundred",
    "thousand", "million", "billion", "half", "third", "twice", "Monday", "Tuesday", "Wednesday",
    "Thursday", "Friday", "January", "March", "April", "June", "July", "September", "October",
)  # fmt: skip
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
    "Output:",
)
AFTER = (
    "(Note: the meaning may vary by context.)",
    "Let me know if you need anything else!",
    "Note: I kept the proper names as they were.",
    "Explanation: the original uses an idiom here.",
    "Is there anything else you would like me to translate?",
)
HARMLESS = (
    ("do not", "don't"), ("does not", "doesn't"), ("is not", "isn't"), ("cannot", "can't"),
    ("will not", "won't"), ("did not", "didn't"), ("it is", "it's"), ("was not", "wasn't"),
    ("percent", "per cent"), ("%", " percent"), ("“", '"'), ("”", '"'), ("’", "'"), (" - ", " – "),
    ("U.S.", "US"), ("organization", "organisation"), ("color", "colour"), ("center", "centre"),
    ("defense", "defence"), ("labor", "labour"), ("toward ", "towards "), ("also", "as well"),
    ("said that", "said"), ("in order to", "to"), ("such as", "like"), ("however", "but"),
    ("whether or not", "whether"), ("more than", "over"), ("about", "around"), ("because", "since"),
    ("large", "big"), ("begin", "start"), ("began", "started"), ("many", "a lot of"), ("but", "yet"),
    ("approximately", "about"), ("purchase", "buy"), ("assist", "help"), ("although", "though"),
)  # fmt: skip
"""Changes of form that leave the meaning: both directions are ties."""


def like(model: str, word: str) -> str:
    """`word` with the casing and the closing punctuation of `model`."""
    core = model.strip(".,;:!?\"')(")
    tail = model[len(model.rstrip(".,;:!?\"')")) :]
    if core[:1].isupper() and not core[1:2].isupper():
        word = word[:1].upper() + word[1:]
    return word + tail


def bare(word: str) -> str:
    """A word without the punctuation around it, in lower case."""
    return word.strip(".,;:!?\"'()[]“”‘’").lower()
