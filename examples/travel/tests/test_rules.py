"""Tests fail if the rules lack an answer."""

import pytest


def test_a_missing_rule_is_noticed(assistant, mynah):
    with pytest.raises(Exception, match='NOT_FOUND'):
        assistant().ask('Who built the Pantheon?')
    with pytest.raises(AssertionError, match='neither a rule nor a chain answered call'):
        mynah.verify_rules()
    mynah.forget_failed_calls()


def test_a_failure_on_purpose_is_no_missing_rule(assistant, mynah):
    mynah.fault(error={'code': 'UNAVAILABLE'})
    with pytest.raises(Exception, match='UNAVAILABLE'):
        assistant().ask('Who built the Pantheon?')
    mynah.verify_rules()
