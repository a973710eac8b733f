"""Does the word fit? Pronouns and connectives hidden, and guessed from the text around them."""
