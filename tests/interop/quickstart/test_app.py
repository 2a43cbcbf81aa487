"""Tests of the application, which work with any provider behind its components."""

import pytest
from dapr.clients import DaprClient

import app


def components():
    with DaprClient() as client:
        registered = client.get_metadata().registered_components
    return [component.name for component in registered]


@pytest.mark.parametrize('component', components())
def test_asks(component):
    assert app.ask(component, 'What is dapr?') == 'What is dapr?'


@pytest.mark.parametrize('component', components())
def test_asks_with_tools(component):
    answer = app.ask_with_tools(component, 'What is the weather in Paris?')
    assert answer == 'Sunny in Paris'
