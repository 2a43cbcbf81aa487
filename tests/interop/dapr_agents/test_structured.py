"""Tests that Dapr Agents gets valid instances of complex models as structured answers."""

import unittest
from datetime import date
from enum import Enum
from typing import Annotated, Literal
from uuid import UUID

from dapr_agents import DaprChatClient
from pydantic import BaseModel, Field


class Severity(str, Enum):
    LOW = 'low'
    HIGH = 'high'


class Address(BaseModel):
    street: str = Field(min_length=20, max_length=40)
    postcode: str = Field(pattern=r'^[0-9]{5}$')
    country: Literal['IT', 'FR']


class Person(BaseModel):
    name: str = Field(max_length=6)
    age: int = Field(ge=18, le=30)
    email: str | None = None
    addresses: list[Address] = Field(min_length=2, max_length=3)


class Ticket(BaseModel):
    """A support request."""

    id: UUID
    opened: date
    severity: Severity
    urgent: bool
    reporter: Person
    watchers: list[Person] = Field(default_factory=list)
    tags: list[Annotated[str, Field(min_length=3, pattern=r'^[a-z]+$')]] = Field(min_length=1)
    cost: float = Field(gt=0, lt=10, multiple_of=0.5)
    attempts: int = Field(ge=100, multiple_of=7)
    scores: dict[str, int]
    parent: int | None = None
    contact: Person | None = None
    source: int | Literal['mail']


class Structured(unittest.TestCase):
    def setUp(self) -> None:
        self.llm = DaprChatClient()

    def test_answers_are_valid_in_both_modes(self) -> None:
        for mode in ('json', 'function_call'):
            with self.subTest(mode):
                # generate() raises an exception if pydantic rejects the answer.
                ticket = self.llm.generate(
                    messages='Open a ticket.', response_format=Ticket, structured_mode=mode
                )
                self.assertIsInstance(ticket, Ticket)
                self.assertEqual((ticket.severity, ticket.attempts), (Severity.LOW, 105))
                self.assertEqual(ticket.reporter.age, 30)
                self.assertGreaterEqual(len(ticket.reporter.addresses), 2)

    def test_same_question_gives_the_same_instance(self) -> None:
        first, second = (
            self.llm.generate(messages='Open a ticket.', response_format=Ticket) for _ in range(2)
        )
        self.assertEqual(first, second)

    def test_returns_a_list_of_models(self) -> None:
        for mode in ('json', 'function_call'):
            with self.subTest(mode):
                people = self.llm.generate(
                    messages='List them.', response_format=list[Person], structured_mode=mode
                ).objects
                self.assertTrue(people)
                self.assertTrue(all(isinstance(person, Person) for person in people))

    def test_echoes_a_valid_instance_from_the_user(self) -> None:
        address = Address(street='1 Very Long Street Name', postcode='75001', country='FR')
        answer = self.llm.generate(
            messages=address.model_dump_json(), response_format=Address, structured_mode='json'
        )
        self.assertEqual(answer, address)


if __name__ == '__main__':
    unittest.main()
