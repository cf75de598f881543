"""The boundary between the core and any PHY."""

from .port import DwordPort

__all__ = ["DwordPort"]
