"""Calls the workflow activities of a DurableAgent, because its workflow engine requires daprd."""

from typing import Any

from dapr.ext.workflow import WorkflowActivityContext
from dapr.ext.workflow._durabletask.task import ActivityContext
from dapr_agents import DurableAgent


class Activities:
    """The activities of one instance of an agent's workflow."""

    def __init__(self, agent: DurableAgent, instance: str) -> None:
        self.agent = agent
        self.instance = instance
        self.tasks = 0

    def context(self) -> WorkflowActivityContext:
        self.tasks += 1
        return WorkflowActivityContext(ActivityContext(self.instance, self.tasks))

    def call_llm(self, task: str | None = None) -> dict[str, Any]:
        return self.agent.call_llm(self.context(), {'instance_id': self.instance, 'task': task})

    def run_tools(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Runs the tools, adds their results to the history and returns them."""
        results = [
            self.agent.run_tool(self.context(), {'instance_id': self.instance, 'tool_call': call})
            for call in calls
        ]
        payload = {'instance_id': self.instance, 'tool_results': results}
        self.agent.save_tool_results(self.context(), payload)
        return results
