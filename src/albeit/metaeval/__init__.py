"""Meta-evaluation: the correlation of metrics with human judgments."""

from albeit.metaeval.judged_set import *
from albeit.metaeval.measure import *
from albeit.metaeval.rank import *
from albeit.metaeval.significance import *
