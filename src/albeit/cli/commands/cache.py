"""Show, clear or share the cache: analyses of texts, and statistics of scored sets.

albeit cache info           where it is, how big, which model versions, how many scored sets
albeit cache clear          delete it; everything is worked out anew when next needed
albeit cache export PACK/   copy the analyses into a folder that many machines may read
albeit cache import PACK/   add the analyses of such a folder to the cache
"""

from __future__ import annotations

import json
from argparse import Namespace

from albeit.cli import options
from albeit.cli.parser import Parser, UsageError


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
    from albeit.store import cache_folder
    from albeit.store.records import clear, describe

    if (args.pack is None) == (args.action in ("export", "import")):
        raise UsageError("export and import take a folder, the other actions none.")
    if args.pack is not None:
        _share(args)
        return
    folder = cache_folder()
    result: dict[str, object] = {"folder": None if folder is None else str(folder)}
    if args.action == "clear":
        result["freed"] = clear()
        lines = [f"{folder}: {_megabytes(result['freed'])} freed"]
    else:
        result = found = describe()
        lines = [
            f"{folder} (at most {_megabytes(found['limit'])}; set ALBEIT_CACHE_LIMIT in megabytes)",
            *(
                f"  model {f['version']}: {_megabytes(f['bytes'])}, {_records(f['records'])}"
                for f in found["files"]
            ),
            f"  statistics: {_megabytes(found['run_bytes'])}, {found['runs']} systems by a metric",
            f"  scores of programs: {_megabytes(found['others_bytes'])}, {found['others']} programs",
            f"  networks of judge-many: {_megabytes(found['networks_bytes'])}",
        ]
    off = ["The cache is turned off (ALBEIT_CACHE=off)."]
    _print(args, result, off if folder is None else lines)


def _share(args: Namespace) -> None:
    """Write a pack, or read one."""
    from albeit.store.records import export_pack, import_pack

    exports = args.action == "export"
    count = export_pack(args.pack) if exports else import_pack(args.pack)
    line = f"{args.pack}: {count} records {'written' if exports else 'added'}"
    _print(args, {"pack": args.pack, "records": count}, [line])


def _print(args: Namespace, result: dict[str, object], lines: list[str]) -> None:
    print(json.dumps(result, indent=2) if args.format == "json" else "\n".join(lines))


def _records(count: int | None) -> str:
    return "cannot be read" if count is None else f"{count} records"


def _megabytes(size: object) -> str:
    return f"{int(str(size)) / 1e6:.1f} MB"
