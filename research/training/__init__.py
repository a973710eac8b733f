"""How the shipped analyser was made: from corpora to ONNX files, re-runnable step by step."""
