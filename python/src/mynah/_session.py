"""A session: what a test says to mynah and asks it."""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from . import _calls, _rules
from ._control import Control, MynahError, Object
from ._rules import Json, When, conditions
from ._variables import lock, pointed_anywhere, pointed_at

Count: TypeAlias = int | Mapping[str, int]

FAILED = {'outcome': 'failed'}
__tracebackhide__ = True  # A failed check is shown in the test.

if TYPE_CHECKING:
    from dapr.aio.clients import DaprClient as AsyncDaprClient
    from dapr.clients import DaprClient


class Session(AbstractContextManager['Session']):
    """A part of mynah with addresses, rules, faults and calls of its own."""

    def __init__(self, control: Control, name: str, folder: Path | None = None) -> None:
        self._control = control
        self._folder = folder or Path()
        self._rules = 0
        self._faults: dict[str | None, list[Json]] = {}
        self._opened: list[Session] = []
        self._path = f'sessions/{quote(name.encode("utf-8", "backslashreplace"), safe="")}'
        addresses = control.request('PUT', self._path)
        self.name: str = addresses['session']  # A long name is shortened.
        self.grpc: str = addresses['grpc']
        self.http: str = addresses['http']
        self.openai_base_url = f'http://{self.http}/v1'
        self.endpoint = control.endpoint

    @cached_property
    def client(self) -> 'DaprClient':
        """A client of Dapr's SDK. It is closed with the session."""
        return self.connect()

    def connect(self, **options: Any) -> 'DaprClient':  # noqa: ANN401
        """Returns a new client of Dapr's SDK, which gets the options."""
        from dapr.clients import DaprClient

        with lock, pointed_anywhere(self.name, self.grpc, self.http):
            return DaprClient(self.grpc, **options)

    def connect_async(self, **options: Any) -> 'AsyncDaprClient':  # noqa: ANN401
        """Returns a new asynchronous client of Dapr's SDK, which gets the options."""
        from dapr.aio.clients import DaprClient

        with lock, pointed_anywhere(self.name, self.grpc, self.http):
            return DaprClient(self.grpc, **options)

    def variables(self) -> AbstractContextManager[None]:
        """Sets the DAPR_* variables while the context lasts. Fails if another session has them."""
        return pointed_at(self.name, self.grpc, self.http)

    def session(self, name: str) -> 'Session':
        """Opens a further session, for callers at the same time. It is closed with this one."""
        session = Session(self._control, f'{self.name}/{name}', self._folder)
        self._opened.append(session)
        return session

    def when(self, **match: Json) -> When:
        """Starts rules for requests with these conditions; without any, for all requests."""
        return When(self._add_rule, match)

    def rules(self, path: str | Path) -> None:
        """Adds the rules of a file."""
        self._add_rules((self._folder / path).read_text(encoding='utf-8'))

    def _add_rule(self, rule: Object) -> None:
        rules = {'rules': [_rules.named(self._rules + 1, rule)]}
        self._add_rules(json.dumps(rules, ensure_ascii=False))

    def _add_rules(self, text: str) -> None:
        self._control.request('POST', 'rules', text, session=self.name)
        self._rules += 1

    def fault(self, *, component: str | None = None, **fault: Json) -> None:
        """Adds a fault, for one component or all: `fault(fail_first=1, error="UNAVAILABLE")`."""
        if isinstance(code := fault.get('error'), str):
            fault['error'] = {'code': code}
        faults = [*self._faults.get(component, ()), fault]
        target = {'session': self.name} | ({'component': component} if component else {})
        self._control.request('PUT', 'faults', {**target, 'faults': faults})
        self._faults[component] = faults

    def end_waits(self) -> None:
        """Removes the faults. Calls that wait are answered now; those that hang fail."""
        self._control.request('DELETE', 'faults', session=self.name)
        self._faults.clear()

    def calls(self) -> list[_calls.Call]:
        """Returns the calls that have ended, the oldest first."""
        calls: list[_calls.Call] = []
        selected = {'session': self.name, 'normalized': 'true'}
        page: Object = {'more': True, 'next': 0}
        while page['more']:
            page = self._control.request('GET', 'journal', **selected, since=str(page['next']))
            calls += map(_calls.call, page['entries'])
        return calls

    def all_calls(self) -> list[_calls.Call]:
        """Returns the calls that have ended, with those of further sessions."""
        return [*self.calls(), *(call for one in self._opened for call in one.all_calls())]

    @property
    def last_call(self) -> _calls.Call:
        """The call that has ended last."""
        calls = self.calls()
        assert calls, f'no call has ended in session {self.name!r}'
        return calls[-1]

    def forget_failed_calls(self) -> None:
        """Removes the failed calls from the journal, so that they need no rule."""
        self._control.request('DELETE', 'journal', session=self.name, **FAILED)

    def verdict(self) -> _calls.Verdict:
        """Judges how the application retries."""
        return _calls.verdict(self._control.request('GET', 'verdict', session=self.name))

    def verify(
        self, count: Count = 1, *, wait: str = '1s', scrubbed: bool = False, **match: Json
    ) -> None:
        """Fails unless as many calls match. Waits for calls that are about to end."""
        check = {'match': conditions(match), 'count': count, 'wait': wait}
        self._check({**check, 'scrubbed': scrubbed})

    def verify_rules(self, *, every_call: bool = False) -> None:
        """Fails if a call failed because no rule answered it, or if a rule was not used.

        Calls that a component answers without rules, like echo, are all right, unless `every_call`
        needs a rule. This checks all calls and rules so far, also those of further sessions.
        """
        selected = {} if every_call else FAILED
        self._check({'no_unmatched': True, **selected})
        if self._rules:
            self._check({'unused': True})
        for session in self._opened:
            session.verify_rules(every_call=every_call)

    def verify_recorded(self) -> None:
        """Fails if a replayed request is not recorded, also one of a further session."""
        self._check({'recorded': True})
        for session in self._opened:
            session.verify_recorded()

    def wait_for_calls(self, count: int, *, wait: str = '10s') -> None:
        """Waits until as many calls wait for their answers, because of a `delay` or a fault."""
        self._check({'waiting': count, 'wait': wait})

    def _check(self, check: Mapping[str, Json]) -> None:
        answer = self._control.request('POST', 'verify', {'session': self.name, **check})
        if not answer['ok']:
            raise AssertionError(answer['report'])

    def report(self) -> str:
        """Returns the calls, and the nearest rules of those that no rule answered, as a text."""
        text = self._control.text('GET', 'report', session=self.name)
        return '\n'.join([text, *(session.report() for session in self._opened)])

    def close(self) -> None:
        """Closes the session, and forgets its rules, faults and calls."""
        self.disconnect()
        self.forget()

    def disconnect(self) -> None:
        """Closes the client, and ends the waits of calls. The rest is kept."""
        for session in self._opened:
            session.disconnect()
        if self._rules or self._faults:  # Those of files are ended with the session.
            self.end_waits()
        if client := self.__dict__.pop('client', None):
            client.close()

    def forget(self) -> None:
        """Closes the addresses, and removes the rules, faults and calls."""
        for session in self._opened:
            session.forget()
        with suppress(MynahError):  # The application may have closed it.
            self._control.request('DELETE', self._path)
        self._control.request('POST', 'reset', session=self.name)
        self._rules = 0

    def __exit__(self, *_: object) -> None:
        """Closes the session."""
        self.close()
