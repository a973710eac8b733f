"""The discourse profile: how each system keeps what holds a text together, and where it fails."""

from albeit.diagnose.profile.gather import Profile, ProfileRow, gather
from albeit.diagnose.profile.instances import Instance
from albeit.diagnose.profile.kinds import KINDS, Kind, fitting

__all__ = ["KINDS", "Instance", "Kind", "Profile", "ProfileRow", "fitting", "gather"]
