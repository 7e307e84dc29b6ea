"""The polls, in the database of the app."""

from typing import Any

from psycopg.errors import ForeignKeyViolation, UniqueViolation
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

# How many polls the list has.
MAX_POLLS = 100

_SUMMARY = """select id, question, created_by as "createdBy", created_at as "createdAt", closed_at is not null as closed,
  (select count(*) from votes where poll_id = id)::int as votes,
  (select position from votes where poll_id = id and user_id = %s) as "ownChoice" from polls"""
_CHOICES = """select text, count(user_id)::int as votes from choices left join votes using (poll_id, position)
  where poll_id = %s group by position, text order by position"""
# The lock keeps the poll open until the vote is stored.
_VOTE = """insert into votes (poll_id, user_id, position)
  select id, %s, %s from (select id from polls where id = %s and closed_at is null for share) open_poll"""


class VotedError(Exception):
    """The person has a vote in the poll."""


class Polls:
    """Any thread may call it: each call takes a connection of the pool."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def all(self, user_id: str) -> list[dict[str, Any]]:
        """Open polls first, then the newest first."""
        return self._rows(f"{_SUMMARY} order by closed, id desc limit %s", user_id, MAX_POLLS)

    def find(self, poll_id: int, user_id: str) -> dict[str, Any] | None:
        """A poll as `user_id` sees it: with numbers of votes after the own vote, and when it is closed."""
        found = self._rows(f"{_SUMMARY} where id = %s", user_id, poll_id)
        if not found:
            return None
        shows_votes = found[0]["closed"] or found[0]["ownChoice"] is not None
        choices = self._rows(_CHOICES, poll_id)
        return found[0] | {"choices": choices if shows_votes else [{"text": each["text"]} for each in choices]}

    def add(self, question: str, choices: list[str], user_id: str) -> int:
        """Returns the id of the poll."""
        sql = """with poll as (insert into polls (question, created_by) values (%s, %s) returning id), added as (
          insert into choices (poll_id, position, text)
          select poll.id, position - 1, text from poll, unnest(%s::text[]) with ordinality as list (text, position))
          select id from poll"""
        return int(self._rows(sql, question, user_id, choices)[0]["id"])

    def vote(self, poll_id: int, user_id: str, choice: int) -> bool:
        """Returns False if the poll is closed or has no such choice. Raises VotedError at the second vote of a person."""
        try:
            return self._change(_VOTE, user_id, choice, poll_id)
        except ForeignKeyViolation:
            return False
        except UniqueViolation as error:
            raise VotedError from error

    def close(self, poll_id: int) -> bool:
        """Returns False if the poll was closed before."""
        return self._change("update polls set closed_at = now() where id = %s and closed_at is null", poll_id)

    def check(self) -> None:
        """Raises psycopg.Error if the database does not respond."""
        self._rows("select 1")

    def _rows(self, sql: str, *values: object) -> list[dict[str, Any]]:
        with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(sql, values).fetchall()

    def _change(self, sql: str, *values: object) -> bool:
        with self._pool.connection() as connection:
            return connection.execute(sql, values).rowcount == 1
