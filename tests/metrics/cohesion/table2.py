"""The worked example of Gong and Zhou (2015), Table 2: chains of four references and one system."""

from __future__ import annotations


def chains(text: str) -> dict[str, str]:
    """Words with the sentences that they are in, as the paper writes them."""
    return {row.split()[0]: row.split()[1] for row in text.split(";")}


COMMON = chains(
    "government 4,5; ople 2,4; ambassador 2,4; australian 2,6,7; attack 1,8; terrorist 1,6,8;"
    "threat 1,5,6,8; manila 0-2,6; embassy 0-3,5-7; reopen 0,1,3; australium 0,1,3; week 1,3"
)
UNION = "european 3,7; union 3,7"
REFERENCES = {
    name: COMMON | chains(own)
    for name, own in {
        "E01": "philippine 1,2,4; shut 1,8",
        "E02": f"philippine 1,2,4,5; close 1,8; {UNION}; express 4,8",
        "E03": f"philippine 1,2,4,5; shut 1,3,5,8; {UNION}; so-call 1,5; officer 6,7; due 1,8",
        "E04": "threat 1,5,6; manila 0,1,6; australium 0,1,3,6; philippine 2,4,5; close 1,3,5,8;"
        "eu 3,7; so-call 1,5; mission 7,8",
    }.items()
}
SYSTEM = chains(
    "ambassador 1,2; attack 1,8; terrorist 1,6,8; threat 1,6,8; embassy 0,1; reopen 0,1;"
    "australium 0-3,6-7; philippine 1,4; week 1,3; close 1,3,5,8; open 0,1,5,6; canada 3,6;"
    "china 1,4; chinese 2,5; collaboration 1,3,5"
)


def places(text: str) -> list[int]:
    """``0-3,5`` to 0, 1, 2, 3, 5."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def bits(chains: dict[str, str]) -> dict[str, int]:
    """Chains as albeit keeps them."""
    return {word: sum(1 << place for place in places(text)) for word, text in chains.items()}


def sentences(chains: dict[str, str], count: int = 9) -> tuple[str, ...]:
    """A text of nine sentences that has exactly these chains."""
    lines: list[list[str]] = [[] for _ in range(count)]
    for word, text in chains.items():
        for place in places(text):
            lines[place].append(word)
    return tuple("The " + " and the ".join(words) + "." for words in lines)
