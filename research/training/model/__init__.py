"""The network in plain PyTorch: an encoder and its heads."""
