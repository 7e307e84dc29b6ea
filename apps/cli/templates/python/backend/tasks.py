"""The tasks, in the database of the app."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

# How many tasks the list has.
MAX_TASKS = 200

_COLUMNS = "id::text, title, details, created_by, created_at, done_at"


@dataclass(frozen=True)
class Task:
    id: str
    title: str
    details: str
    # The id of a user, or the name of an app.
    created_by: str
    created_at: datetime
    # None while the task is open.
    done_at: datetime | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns it as the API sends it. Times are ISO 8601."""
        done = {} if self.done_at is None else {"doneAt": self.done_at.isoformat()}
        named = {"createdBy": self.created_by, "createdAt": self.created_at.isoformat()}
        return {"id": self.id, "title": self.title, "details": self.details} | named | done


class Tasks(Protocol):
    """What the routes need. The test has other tasks, in memory."""

    def all(self) -> list[Task]:
        """The newest first."""

    def find(self, task_id: str) -> Task | None: ...

    def add(self, title: str, details: str, created_by: str) -> Task: ...

    def set_done(self, task_id: str, done: bool) -> Task | None:
        """Returns the changed task. None if there is none."""

    def remove(self, task_id: str) -> bool:
        """Returns whether there was such a task."""


class SqlTasks:
    """Any thread may call it: each call takes a connection of the pool."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def all(self) -> list[Task]:
        return self._tasks(f"select {_COLUMNS} from tasks order by tasks.created_at desc limit %s", MAX_TASKS)

    def find(self, task_id: str) -> Task | None:
        return next(iter(self._tasks(f"select {_COLUMNS} from tasks where id = %s", task_id)), None)

    def add(self, title: str, details: str, created_by: str) -> Task:
        sql = f"insert into tasks (title, details, created_by) values (%s, %s, %s) returning {_COLUMNS}"
        return self._tasks(sql, title, details, created_by)[0]

    def set_done(self, task_id: str, done: bool) -> Task | None:
        sql = f"update tasks set done_at = case when %s then coalesce(done_at, now()) end where id = %s returning {_COLUMNS}"
        return next(iter(self._tasks(sql, done, task_id)), None)

    def remove(self, task_id: str) -> bool:
        return self._count("delete from tasks where id = %s", task_id) == 1

    def remove_done(self, days: int) -> int:
        """Removes what was done a while ago. Returns the number of tasks."""
        return self._count("delete from tasks where done_at < now() - make_interval(days => %s)", days)

    def check(self) -> None:
        """Raises psycopg.Error if the database does not respond."""
        with self._pool.connection() as connection:
            connection.execute("select 1")

    def _tasks(self, sql: str, *values: object) -> list[Task]:
        # The transaction is committed at the end of `with`, or rolled back after an exception.
        with self._pool.connection() as connection, connection.cursor(row_factory=class_row(Task)) as cursor:
            return cursor.execute(sql, values).fetchall()

    def _count(self, sql: str, *values: object) -> int:
        with self._pool.connection() as connection:
            return connection.execute(sql, values).rowcount
