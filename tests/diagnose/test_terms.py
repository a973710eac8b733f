from albeit.diagnose.terms import has_term, inconsistent_terms, is_name, is_no_term, mean_the_same

REFERENCE = ["The tanker left in May.", "A tanker was seen.", "The tanker was released in August."]


def test_a_term_that_strays_in_one_line() -> None:
    text = ["The tanker left in May.", "A tanker was seen.", "The lorry was released in August."]
    [one] = inconsistent_terms("A", 10, text, REFERENCE)
    assert (one.line, one.start, one.end, one.suggestion) == (12, 4, 9, "tanker")
    assert one.fixed == "The tanker was released in August."


def test_a_text_with_a_word_of_its_own_throughout_does_not_stray() -> None:
    text = [line.replace("tanker", "lorry") for line in REFERENCE]
    assert list(inconsistent_terms("A", 0, text, REFERENCE)) == []


def test_a_word_that_the_reference_has_too_stands_for_nothing_else() -> None:
    text = [*REFERENCE[:2], "It was released in August."]
    assert list(inconsistent_terms("A", 0, text, REFERENCE)) == []


def test_common_words_are_no_terms() -> None:
    assert all(map(is_no_term, ("yesterday", "way", "allowed", "makes", "reported")))
    assert not any(map(is_no_term, ("tanker", "Huawei", "semiconductor")))


def test_two_spellings_or_synonyms_are_no_faults() -> None:
    assert mean_the_same("Méndez", "Mendez")
    assert mean_the_same("elevations", "altitude")
    assert not mean_the_same("tanker", "lorry")
    assert mean_the_same("RMB", "Renminbi's")
    assert not mean_the_same("NASA", "radio")


def test_names_are_known_by_capitals_where_common_words_have_none() -> None:
    assert is_name("Lang", "The coach Lang is calm.")
    assert not is_name("Coach", "Coach Lang is calm.")
    assert not is_name("White", "White Paper: China Has Found A Path")


def test_a_term_is_found_in_its_forms() -> None:
    assert has_term("Two tankers sank.", "tanker")
    assert not has_term("Two lorries sank.", "tanker")
