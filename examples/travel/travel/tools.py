"""The tools of the assistant, and how calls of the model run them."""

import json
from collections.abc import Callable
from typing import Any

from dapr.clients.grpc.conversation import (
    ConversationToolCalls,
    ConversationTools,
    ConversationToolsFunction,
)
from pydantic import BaseModel, ValidationError

from .models import BookTrip, CancelBooking, GetWeather, SearchFlights, SearchHotels, SendItinerary


class Agency:
    """A travel agency in memory. Its public fields record what the tools did."""

    def __init__(self) -> None:
        self.booked: list[BookTrip] = []
        self.cancelled: list[str] = []
        self.sent: list[SendItinerary] = []

    def search_flights(self, search: SearchFlights) -> str:
        route = f'{search.origin} to {search.destination}'
        return f'LH-100, {route}, {search.departure_date}, {95 * search.passengers} EUR'

    def book_trip(self, booking: BookTrip) -> str:
        self.booked.append(booking)
        return f'Booked {booking.flight} as BK-{1000 + len(self.booked)}.'

    def cancel_booking(self, booking: CancelBooking) -> str:
        self.cancelled.append(booking.booking_id)
        return f'Cancelled {booking.booking_id}.'

    def send_itinerary(self, itinerary: SendItinerary) -> str:
        self.sent.append(itinerary)
        return f'Sent {itinerary.booking_id} to {itinerary.to}.'

    def search_hotels(self, search: SearchHotels) -> str:
        nights = (search.check_out - search.check_in).days
        return f'Hotel Aurora, {search.city}, {nights} nights, {80 * nights} EUR'

    def get_weather(self, weather: GetWeather) -> str:
        return f'It is sunny in {weather.city}.'


class Toolbox:
    """The tools that the model can call, each with the model of its arguments."""

    def __init__(self, agency: Agency) -> None:
        self.tools: dict[str, tuple[type[BaseModel], Callable[[Any], str]]] = {
            'search_flights': (SearchFlights, agency.search_flights),
            'book_trip': (BookTrip, agency.book_trip),
            'cancel_booking': (CancelBooking, agency.cancel_booking),
            'send_itinerary': (SendItinerary, agency.send_itinerary),
            'search_hotels': (SearchHotels, agency.search_hotels),
            'get_weather': (GetWeather, agency.get_weather),
        }

    def definitions(self) -> list[ConversationTools]:
        """Returns the definitions that a request offers to the model."""
        return [definition(name, model) for name, (model, _) in self.tools.items()]

    def run(self, call: ConversationToolCalls) -> str:
        """Runs a call. Reports mistakes of the model as the result, so that it can try again."""
        name = call.function.name
        if name not in self.tools:
            return f'Error: there is no tool {name}; use one of: {", ".join(self.tools)}.'
        model, function = self.tools[name]
        try:
            return function(model.model_validate(json.loads(call.function.arguments)))
        except json.JSONDecodeError as error:
            return f'Error: the arguments of {name} are not JSON: {error}.'
        except ValidationError as error:
            problems = (
                '.'.join(map(str, one['loc'])) + ': ' + one['msg'] for one in error.errors()
            )
            return f'Error: the arguments of {name} are invalid: {"; ".join(problems)}.'


def definition(name: str, model: type[BaseModel]) -> ConversationTools:
    """Returns a tool whose arguments are an instance of a pydantic model."""
    function = ConversationToolsFunction(
        name=name, description=model.__doc__, parameters=model.model_json_schema()
    )
    return ConversationTools(function=function)
