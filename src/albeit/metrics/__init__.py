"""Metrics by family. A metric's module can import everything that it needs from here."""

from albeit.arrays import *
from albeit.data.evalset import *
from albeit.errors import *
from albeit.metrics.base import *
from albeit.metrics.batch import *
from albeit.metrics.grammar import *
from albeit.metrics.table import *
from albeit.metrics.view import *
from albeit.parsing.needs import *
