"""DR, DR-LEX and DiscoTK-light: similarity of rhetorical structure trees (Guzmán et al. 2014)."""
