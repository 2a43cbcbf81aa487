"""The arguments of the assistant's tools, as pydantic models."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field

Email = Annotated[str, Field(pattern=r'^[^@\s]+@[^@\s]+$', json_schema_extra={'format': 'email'})]
BookingId = Annotated[str, Field(pattern=r'^[A-Z]{2}-[0-9]{4}$', examples=['BK-1234'])]


class SearchFlights(BaseModel):
    """Searches flights between two cities."""

    origin: str
    destination: str
    departure_date: date
    passengers: int = Field(ge=1, le=9)


class Passenger(BaseModel):
    name: str = Field(min_length=1)
    age: int = Field(ge=0, le=120)


class BookTrip(BaseModel):
    """Books a flight for one or more passengers."""

    flight: str
    passengers: list[Passenger] = Field(min_length=1)


class CancelBooking(BaseModel):
    """Cancels a booking."""

    booking_id: BookingId


class SendItinerary(BaseModel):
    """Sends the itinerary of a booking to the traveler."""

    booking_id: BookingId
    to: Email


class SearchHotels(BaseModel):
    """Searches hotels in a city."""

    city: str
    check_in: date
    check_out: date
    guests: int = Field(default=1, ge=1, le=6)


class GetWeather(BaseModel):
    """Returns the weather in a city."""

    city: str
