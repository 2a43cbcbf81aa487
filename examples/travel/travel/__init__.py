"""A travel assistant: a Dapr application that talks to a language model and calls tools."""
