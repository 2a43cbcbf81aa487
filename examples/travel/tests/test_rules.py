"""Tests fail if the rules lack an answer."""

import pytest
from conftest import connect

from travel.assistant import Assistant, Model


def test_a_missing_rule_is_noticed(session, mynah):
    question = 'Who built the Pantheon?'
    with connect(session) as client:
        Assistant(Model(client, 'assistant')).ask(question)
    assert len(mynah.unmatched()) == 1
    with pytest.raises(AssertionError):
        mynah.check_rules()


def test_a_failure_on_purpose_is_no_missing_rule(session, mynah):
    mynah.set_faults({'error': {'code': 'UNAVAILABLE'}})
    with connect(session) as client, pytest.raises(Exception, match='UNAVAILABLE'):
        Assistant(Model(client, 'assistant')).ask('Who built the Pantheon?')
    mynah.check_rules()
