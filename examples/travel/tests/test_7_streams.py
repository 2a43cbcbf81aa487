"""Answers that arrive in chunks."""

import time

import pytest
from scripts import script, text

from travel.assistant import ModelError
from travel.streaming import stream

WORDS = 'Rome is lovely in June.'


def test_50_server_sent_events_carry_the_answer_word_by_word():
    chunks = list(stream('scripted', script('Rome?', text(WORDS))))
    assert chunks == ['Rome', ' is', ' lovely', ' in', ' June.']


def test_51_the_script_sets_the_pace():
    slowly = text(WORDS, words_per_chunk=2, chunk_delay='50ms', time_to_first_chunk='100ms')
    started = time.monotonic()
    chunks = list(stream('scripted', script('Rome?', slowly)))
    assert chunks == ['Rome is', ' lovely in', ' June.']
    assert time.monotonic() - started >= 0.2


def test_52_a_stream_that_breaks_off_is_an_error():
    busy = {'error': {'code': 'UNAVAILABLE', 'message': 'the model is busy'}}
    chunks = stream('scripted', script('Rome?', {'messages': [{'text': 'Rome is'}, busy]}))
    assert [next(chunks), next(chunks)] == ['Rome', ' is']
    with pytest.raises(ModelError, match='the model is busy'):
        next(chunks)


def test_53_grpc_streams_with_stubs_made_from_the_proto_files(grpc_stream):
    messages = list(grpc_stream('scripted', script('Rome?', text(WORDS))))
    assert ''.join(message.chunk.content for message in messages) == WORDS
    assert messages[-1].complete.outputs[0].choices[0].message.content == WORDS
