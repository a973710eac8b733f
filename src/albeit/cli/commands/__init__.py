"""The commands, one module each: ``configure`` adds its options, ``run`` does what they say.

``albeit.cli.COMMANDS`` lists them; what several share stands in ``albeit.cli``.
"""
