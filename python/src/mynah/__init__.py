"""Stands in for the language model of a Dapr application in tests.

Tests with pytest use the fixture `mynah`. Other programs start mynah with `start`.
"""

from ._binary import __version__
from ._calls import Answer, Call, CallError, Message, Tool, ToolCall, Verdict, Violation
from ._control import MynahError
from ._rules import When, tool_call
from ._session import Session
from ._sidecar import Sidecar, start

__all__ = ['Answer', 'Call', 'CallError', 'Message', 'MynahError', 'Session', 'Sidecar', 'Tool']
__all__ += ['ToolCall', 'Verdict', 'Violation', 'When', '__version__', 'start', 'tool_call']
