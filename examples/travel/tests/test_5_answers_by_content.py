"""Rules choose the answer by the content of the request."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import connect
from dapr.clients.grpc.conversation import create_assistant_message, create_user_message
from scripts import script, text

from travel import router
from travel.assistant import Assistant, Model, first_choice


@pytest.mark.parametrize(
    ('question', 'answer'),
    [
        ('Do I need a VISA for India?', 'You need a visa for India.'),
        ('How much luggage can I take?', 'One bag of 23 kg.'),
    ],
)
def test_36_the_content_of_the_prompt_chooses_the_answer(assistant, question, answer):
    assert assistant('assistant').ask(question) == answer


def test_37_router_and_specialist_get_the_same_question(client, mynah):
    question = 'Do I get a refund?'
    assert router.answer(Model(client), question) == 'You get your money back.'
    mynah.verify({'user': {'equals': question}}, count=2)


def test_38_a_template_escapes_the_question_as_json(client):
    answer = router.answer_from_template(Model(client), 'What does "flex" mean?')
    assert answer == 'You can change your booking.'


def test_39_the_history_is_summarized_after_the_first_turn(assistant):
    conversation = assistant('assistant')
    assert conversation.ask('Do I need an umbrella in Rome?') == 'No, it is sunny.'
    summary = create_assistant_message('Summary: Ann asked about Rome. It is sunny.')
    conversation.history = [conversation.history[0], summary]
    assert conversation.ask('How long is my trip?') == 'Seven days.'


def test_40_two_users_of_one_conversation_have_scripts_of_their_own(client):
    model = Model(client, 'scripted')
    ann = create_user_message(script('Ann: where to?', text('To Rome, Ann.'), text('By train.')))
    bob = create_user_message(script('Bob: and me?', text('To Oslo, Bob.'), text('By ship.')))
    answers, history = [], []
    for question in (ann, create_user_message('How?'), bob, create_user_message('How?')):
        history.append(question)
        answers.append(first_choice(model.converse(history)).message.content)
        history.append(create_assistant_message(answers[-1]))
    assert answers == ['To Rome, Ann.', 'By train.', 'To Oslo, Bob.', 'By ship.']


def test_41_parallel_conversations_get_their_own_answers(session):
    def ask(n: int) -> str:
        with connect(f'{session}-{n}') as client:
            conversation = Assistant(Model(client, 'scripted'))
            return conversation.ask(script('Which gate?', text(f'Gate {n}.')))

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(ask, range(64))) == [f'Gate {n}.' for n in range(64)]
