from tickets import summarize


def test_names_the_order():
    summary = summarize('I sent back order A17 two weeks ago. Where is my money?')
    assert 'A17' in summary and len(summary) < 100


def test_names_the_product():
    summary = summarize('The lamp arrived, but it does not turn on. I want another one.')
    assert 'lamp' in summary and len(summary) < 100
