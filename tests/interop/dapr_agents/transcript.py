"""Prints what a DurableAgent prints, and its answers."""

from dapr_agents import DurableAgent, tool

from durable import Activities


@tool
def get_weather(location: str) -> str:
    """Returns the weather in a place."""
    return f'It rains in {location}.'


if __name__ == '__main__':
    agent = DurableAgent(
        name='Weatherman',
        role='Weather agent',
        goal='Tell the weather.',
        instructions=['Be brief.'],
        tools=[get_weather],
    )
    activities = Activities(agent, 'weather')
    answer = activities.call_llm('What is the weather in Paris?')
    while answer.get('tool_calls'):
        print(answer)
        activities.run_tools(answer['tool_calls'])
        answer = activities.call_llm()
    print(answer)
