"""Rules choose the answer by the content of the request."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from dapr.clients.grpc.conversation import create_assistant_message, create_user_message

from travel import router
from travel.assistant import Assistant, Model, first_choice


@pytest.mark.parametrize(
    ('question', 'user', 'answer'),
    [
        (
            'Do I need a VISA for India?',
            {'contains': 'visa', 'ignore_case': True},
            'You need a visa for India.',
        ),
        ('How much luggage can I take?', {'matches': r'\b(bag|luggage)\b'}, 'One bag of 23 kg.'),
    ],
)
def test_36_the_content_of_the_prompt_chooses_the_answer(assistant, mynah, question, user, answer):
    mynah.when(user=user).respond(answer)
    assert assistant().ask(question) == answer


def test_37_router_and_specialist_get_the_same_question(mynah):
    question = 'Do I get a refund?'
    mynah.when(system={'starts_with': 'Answer with the topic'}, user='refund').respond('booking')
    money = mynah.when(system='You book and cancel trips.', user='refund')
    money.respond('You get your money back.')
    assert router.answer(Model(mynah.client), question) == 'You get your money back.'
    mynah.verify(count=2, user={'equals': question})


def test_38_a_template_escapes_the_question_as_json(mynah):
    mynah.when(user=r'What does \"flex\" mean?').respond('You can change your booking.')
    answer = router.answer_from_template(Model(mynah.client), 'What does "flex" mean?')
    assert answer == 'You can change your booking.'


def test_39_the_history_is_summarized_after_the_first_turn(assistant, mynah):
    mynah.when(user='umbrella').call_tool('get_weather', city='Rome')
    report = {'tool': 'get_weather', 'matches': r'It is (?<weather>\w+)'}
    mynah.when(tool_result=report).respond('No, it is {{ weather }}.')
    mynah.when(any_message='Summary: ', user='How long').respond('Seven days.')
    conversation = assistant()
    assert conversation.ask('Do I need an umbrella in Rome?') == 'No, it is sunny.'
    summary = create_assistant_message('Summary: Ann asked about Rome. It is sunny.')
    conversation.history = [conversation.history[0], summary]
    assert conversation.ask('How long is my trip?') == 'Seven days.'


def script(question: str, *answers: str) -> str:
    """Appends a script to a question: one answer for each turn of the model."""
    chain = json.dumps({'instruction_chain': [{'respond': answer} for answer in answers]})
    return f'{question}\n<|instruction_start|>{chain}<|instruction_end|>'


def test_40_two_users_of_one_conversation_have_scripts_of_their_own(mynah):
    model = Model(mynah.client)
    ann = create_user_message(script('Ann: where to?', 'To Rome, Ann.', 'By train.'))
    bob = create_user_message(script('Bob: and me?', 'To Oslo, Bob.', 'By ship.'))
    answers, history = [], []
    for question in (ann, create_user_message('How?'), bob, create_user_message('How?')):
        history.append(question)
        answers.append(first_choice(model.converse(history)).message.content)
        history.append(create_assistant_message(answers[-1]))
    assert answers == ['To Rome, Ann.', 'By train.', 'To Oslo, Bob.', 'By ship.']


def test_41_parallel_conversations_get_their_own_answers(mynah):
    def ask(n: int) -> str:
        session = mynah.session(str(n))
        session.when(user='Which gate?').respond(f'Gate {n}.')
        return Assistant(Model(session.client)).ask('Which gate?')

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(ask, range(64))) == [f'Gate {n}.' for n in range(64)]
