"""Commands: functions of their options, in a module per task; see ``albeit.cli.COMMANDS``."""
