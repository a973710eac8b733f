"""Everything that albeit stores between runs, in one cache folder.

========================  =====================================================================
``layers-VERSION.sqlite``  annotations by text, one file per annotator version
``others/NAME.sqlite``     scores of external programs by line, one file per metric
``runs/KEY``               statistics of a metric and a system, one sealed file each
``paraphrases/``, ``networks/``  compiled tables and weights, sealed files
========================  =====================================================================

``ALBEIT_CACHE`` names the folder; ``off`` turns it off. ``ALBEIT_CACHE_LIMIT`` is its size limit in
megabytes (4096). Results never depend on it: what is damaged is deleted with one warning and
computed again, and what can't be written is computed each time.
"""

from albeit.store.files import (
    CacheWarning,
    Store,
    cache_folder,
    file_digest,
    make_private,
    map_file,
    open_store,
    size_limit,
    stored_bytes,
)
from albeit.store.records import Cache, Content, Records, ScoreRecords, content_key, open_cache
from albeit.store.sharing import clear, describe, export_pack, import_pack

__all__ = [
    "Cache",
    "CacheWarning",
    "Content",
    "Records",
    "ScoreRecords",
    "Store",
    "cache_folder",
    "clear",
    "content_key",
    "describe",
    "export_pack",
    "file_digest",
    "import_pack",
    "make_private",
    "map_file",
    "open_cache",
    "open_store",
    "size_limit",
    "stored_bytes",
]
