"""A passive monitor of both directions of a link, and the rules that both sides have to keep."""

from ..protocol.rules import DEVICE, HOST, Rule, Violation
from .monitor import Monitor, SeenFrame

__all__ = ["DEVICE", "HOST", "Monitor", "Rule", "SeenFrame", "Violation"]
