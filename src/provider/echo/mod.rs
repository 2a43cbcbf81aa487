//! `conversation.echo`: a perfect test double.
