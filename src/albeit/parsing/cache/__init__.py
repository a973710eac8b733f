"""Analyses kept on disk: packed layers by text, where they lie, and packs that machines share."""

from albeit.parsing.cache.folder import (
    CacheWarning,
    cache_files,
    cache_folder,
    clear,
    info,
    size_limit,
)
from albeit.parsing.cache.layers import Cache, Content, open_cache
from albeit.parsing.cache.packs import export_pack, import_pack

__all__ = [
    "Cache",
    "CacheWarning",
    "Content",
    "cache_files",
    "cache_folder",
    "clear",
    "export_pack",
    "import_pack",
    "info",
    "open_cache",
    "size_limit",
]
