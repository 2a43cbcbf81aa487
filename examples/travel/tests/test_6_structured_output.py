"""Answers that are instances of pydantic models."""

from datetime import date

import pytest
from pydantic import BaseModel, Field, ValidationError

from travel.assistant import Model
from travel.structured import ask_and_repair, ask_by_call, ask_for


class Leg(BaseModel):
    """A flight between two cities."""

    origin: str
    destination: str
    departure_date: date


class Trip(BaseModel):
    """A trip with its flights."""

    legs: list[Leg] = Field(min_length=1)
    passengers: int = Field(ge=1, le=9)


ROME = {
    'legs': [{'origin': 'Berlin', 'destination': 'Rome', 'departure_date': '2025-06-01'}],
    'passengers': 2,
}
TRIP = Trip.model_validate(ROME)
NOBODY = {**ROME, 'passengers': 0}


@pytest.fixture
def echo(mynah) -> Model:
    return Model(mynah.client, 'echo')


@pytest.fixture
def model(mynah) -> Model:
    return Model(mynah.client)


def test_42_echo_answers_with_a_valid_instance(echo):
    assert isinstance(ask_for(echo, Trip, 'Plan a trip.'), Trip)


def test_43_echo_calls_a_function_with_a_valid_instance(echo):
    leg = ask_by_call(echo, Leg, 'From Berlin to Rome on 2025-06-01')
    assert leg == TRIP.legs[0]


def test_44_a_rule_gives_the_exact_instance(model, mynah):
    mynah.when(user='Plan a trip').respond([{'json': ROME}])
    assert ask_for(model, Trip, 'Plan a trip.') == TRIP


def test_45_a_rule_calls_a_function_with_the_exact_instance(model, mynah):
    mynah.when(user='Plan a trip').call_tool('Trip', **ROME)
    assert ask_by_call(model, Trip, 'Plan a trip.') == TRIP


def test_46_an_answer_that_is_not_json_is_an_error(model, mynah):
    mynah.when(user='Plan a trip').respond('Sure! Here is your trip.')
    with pytest.raises(ValidationError, match='Invalid JSON'):
        ask_for(model, Trip, 'Plan a trip.')


def test_47_a_repair_loop_keeps_the_invalid_answer_in_the_history(model, mynah):
    mynah.when(user='Plan a trip', turn=0).respond([{'json': NOBODY}])
    mynah.when(user='That is invalid', turn=1).respond([{'json': ROME}])
    assert ask_and_repair(model, Trip, 'Plan a trip.') == TRIP


def test_48_the_same_request_gets_an_invalid_and_then_a_valid_answer(model, mynah):
    trips = mynah.when(user='a trip to Rome', response_format='present')
    trips.sequence([[{'json': {'legs': [], 'passengers': 0}}], [{'json': ROME}]])
    assert ask_and_repair(model, Trip, 'Plan a trip to Rome.', keep_answers=False) == TRIP
