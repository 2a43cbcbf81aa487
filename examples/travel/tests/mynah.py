"""A client of mynah's control API, for one session."""

import json
import os
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen


@dataclass
class Mynah:
    """What a test asks mynah about its session."""

    session: str

    def reset(self) -> None:
        """Removes the calls, counts and faults of an earlier run of the test."""
        self.request('POST', f'/reset?{urlencode({"session": self.session})}')

    def journal(self) -> list[dict[str, Any]]:
        """Returns the calls of the session, the oldest first."""
        return self.request('GET', f'/journal?{urlencode({"session": self.session})}')['entries']

    def verify(self, match: dict[str, Any], count: Any) -> None:
        """Fails unless as many calls of the session match."""
        check = {'session': self.session, 'match': match, 'count': count}
        self.request('POST', '/verify', check)

    def unmatched(self) -> list[dict[str, Any]]:
        """Returns the calls to the component with rules that no rule and no script answered."""
        calls = [entry for entry in self.journal() if entry['component'] == 'assistant']
        return [entry for entry in calls if not entry['answered_by']]

    def check_rules(self) -> None:
        """Fails if a rule is missing."""
        assert self.unmatched() == []

    def set_faults(self, faults: dict[str, Any], session: str | None = None) -> None:
        """Makes calls fail, by default those of the session."""
        self.request('PUT', '/faults', {'session': session or self.session, **faults})

    def violations(self) -> list[dict[str, Any]]:
        """Returns what the client did wrong after errors."""
        return self.request('GET', f'/verdict?{urlencode({"session": self.session})}')['violations']

    def request(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {
            'Content-Type': 'application/json',
            'dapr-api-token': os.environ.get('DAPR_API_TOKEN', ''),
        }
        request = Request(os.environ['MYNAH_ENDPOINT'] + path, data, headers, method=method)
        try:
            with urlopen(request) as response:
                return json.loads(response.read() or b'null')
        except HTTPError as error:
            raise AssertionError(f'{method} {path}: {error.read().decode()}') from None
