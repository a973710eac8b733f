"""What checks read in a line: its numbers, its words, its names. No check is made here."""
