"""The error of all steps."""


class Failure(Exception):
    """The packages cannot be made."""
