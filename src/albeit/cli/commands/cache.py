"""Show, clear or share the cache: analyses of texts, and statistics of scored sets.

albeit cache info           where it is, how big, which model versions, how many scored sets
albeit cache clear          delete it; everything is worked out anew when next needed
albeit cache export PACK/   copy the analyses into a folder that many machines may read
albeit cache import PACK/   add the analyses of such a folder to the cache
"""

from __future__ import annotations

import sys
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError

__all__ = ["configure", "run"]


def configure(parser: Parser) -> None:
    """Add the options of ``albeit cache``."""
    parser.add_argument("action", choices=("info", "clear", "export", "import"), help="what to do")
    parser.file(
        "pack",
        nargs="?",
        metavar="PACK/",
        help="the folder of export and import; named in ALBEIT_CACHE_PACKS, it is read in place",
    )
    options.add_format(parser, ("text", "json"))


def run(args: Namespace) -> None:
    """Print what there is, or what was freed."""
    from albeit.annotate.cache.folder import cache_folder, clear, file_size, info, size_limit
    from albeit.engine.store import open_store
    from albeit.metrics.others import kept

    if (args.pack is None) == (args.action in ("export", "import")):
        raise UsageError("export and import take a folder, the other actions none.")
    if args.pack is not None:
        _share(args)
        return
    folder, store = cache_folder(), open_store()
    result: dict[str, object] = {"folder": None if folder is None else str(folder)}
    if args.action == "clear":
        result["freed"] = clear() + kept.clear() + (store.clear() if store else 0)
    else:
        result["limit"] = size_limit()
        result["files"] = [
            {"version": f.version, "bytes": f.size, "records": f.records, "path": str(f.path)}
            for f in info()
        ]
        result["runs"], result["run_bytes"] = store.size() if store else (0, 0)
        result["others"] = len(kept.files())
        result["others_bytes"] = sum(map(file_size, kept.files()))
    if args.format == "json":
        import json

        sys.stdout.write(json.dumps(result, indent=2) + "\n")
        return
    if folder is None:
        sys.stdout.write("The cache is turned off (ALBEIT_CACHE=off).\n")
    elif args.action == "clear":
        sys.stdout.write(f"{folder}: {_megabytes(result['freed'])} freed\n")
    else:
        limit = _megabytes(size_limit())
        sys.stdout.write(f"{folder} (at most {limit}; set ALBEIT_CACHE_LIMIT in megabytes)\n")
        for each in info():
            count = "cannot be read" if each.records is None else f"{each.records} records"
            sys.stdout.write(f"  model {each.version}: {_megabytes(each.size)}, {count}\n")
        size = _megabytes(result["run_bytes"])
        sys.stdout.write(f"  statistics: {size}, {result['runs']} systems by a metric\n")
        size = _megabytes(result["others_bytes"])
        sys.stdout.write(f"  scores of programs: {size}, {result['others']} programs\n")


def _share(args: Namespace) -> None:
    """Write a pack, or read one."""
    from albeit.annotate.cache.packs import export_pack, import_pack

    exports = args.action == "export"
    count = export_pack(args.pack) if exports else import_pack(args.pack)
    if args.format == "json":
        import json

        sys.stdout.write(json.dumps({"pack": args.pack, "records": count}) + "\n")
    else:
        sys.stdout.write(f"{args.pack}: {count} records {'written' if exports else 'added'}\n")


def _megabytes(size: object) -> str:
    return f"{int(str(size)) / 1e6:.1f} MB"
