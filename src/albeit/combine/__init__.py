"""Combine metrics: with equal weights, or with weights tuned on human preferences."""

from albeit.combine.metric import *
from albeit.combine.tune import *
from albeit.combine.uniform import *
