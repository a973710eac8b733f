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

Records by key are in :mod:`albeit.store.records`, which is imported only if it is needed.
"""

from albeit.store.files import CacheWarning, Store, cache_folder, open_store, stored_bytes

__all__ = ["CacheWarning", "Store", "cache_folder", "open_store", "stored_bytes"]
