"""Answers that arrive in chunks."""

import time

import pytest

from travel.assistant import ModelError
from travel.streaming import stream

WORDS = 'Rome is lovely in June.'


def test_50_server_sent_events_carry_the_answer_word_by_word(mynah):
    mynah.when(user='Rome?').respond(WORDS)
    chunks = list(stream('assistant', 'Rome?'))
    assert chunks == ['Rome', ' is', ' lovely', ' in', ' June.']


def test_51_the_rule_sets_the_pace(mynah):
    pace = {'words_per_chunk': 2, 'chunk_delay': '50ms', 'time_to_first_chunk': '100ms'}
    mynah.when(user='Rome?').respond({'respond': WORDS, **pace})
    started = time.monotonic()
    chunks = list(stream('assistant', 'Rome?'))
    assert chunks == ['Rome is', ' lovely in', ' June.']
    assert time.monotonic() - started >= 0.2


def test_52_a_stream_that_breaks_off_is_an_error(mynah):
    busy = {'error': {'code': 'UNAVAILABLE', 'message': 'the model is busy'}}
    mynah.when(user='Rome?').respond([{'text': 'Rome is'}, busy])
    chunks = stream('assistant', 'Rome?')
    assert [next(chunks), next(chunks)] == ['Rome', ' is']
    with pytest.raises(ModelError, match='the model is busy'):
        next(chunks)


def test_53_grpc_streams_with_stubs_made_from_the_proto_files(grpc_stream, mynah):
    mynah.when(user='Rome?').respond(WORDS)
    messages = list(grpc_stream('assistant', 'Rome?'))
    assert ''.join(message.chunk.content for message in messages) == WORDS
    assert messages[-1].complete.outputs[0].choices[0].message.content == WORDS
