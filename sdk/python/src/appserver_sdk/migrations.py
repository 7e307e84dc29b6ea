"""The tables of an app's database, from a folder of SQL files: the rules of the SDK for TypeScript, and the same records."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg import Connection

_PATTERN = re.compile(r"(\d{4})_[a-z0-9_-]+\.sql", re.ASCII)
# The key of the lock under which processes of the app migrate: that of the SDK for TypeScript.
_LOCK = 7_041_776


class MigrationError(Exception):
    """A file of migrations is wrong, or its statements failed. Another attempt would fail as well."""


@dataclass(frozen=True, slots=True)
class Migration:
    # "0001_notes.sql"
    name: str
    sql: str
    # SHA-256 in hex, the same for both kinds of line ends.
    digest: str


def read_migrations(folder: Path) -> list[Migration]:
    """Reads the files `NNNN_name.sql` of a folder, in order. Raises MigrationError for another `.sql` file, or a number twice."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.name.endswith(".sql"))
    except OSError as error:
        raise MigrationError(f"the folder {folder} with the migrations cannot be read: {error}") from error
    numbers: dict[str, str] = {}
    for name in names:
        match = _PATTERN.fullmatch(name)
        if match is None:
            raise MigrationError(f"{folder / name} is no migration: expected four digits and a name, as 0001_notes.sql")
        other = numbers.setdefault(match[1], name)
        if other != name:
            raise MigrationError(f"{folder / name} has the number of {other}: expected one for each file")
    return [_read(folder / name) for name in names]


def _read(path: Path) -> Migration:
    sql = path.read_bytes().replace(b"\r\n", b"\n")
    return Migration(path.name, sql.decode(), hashlib.sha256(sql).hexdigest())


def apply_migrations(connection: "Connection[Any]", migrations: list[Migration]) -> None:
    """Applies what the database does not have yet, in order, each in a transaction with its record in `app_migrations`. Processes that
    start at once wait for each other. Migrations of a newer version of the app, which are not in the list, stay. Raises MigrationError
    if an applied file has changed, a new one stands before an applied one, or statements fail.
    """
    for migration in migrations:
        with connection.transaction():
            # For a wait for another process, and for statements that take long.
            connection.execute("set local statement_timeout = 0")
            connection.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
            connection.execute(
                "create table if not exists app_migrations "
                "(name text primary key, digest text not null, applied_at timestamptz not null default now())"
            )
            applied = dict(connection.execute("select name, digest from app_migrations").fetchall())
            if _is_missing(migration, migrations, applied):
                _apply(connection, migration)


def _is_missing(migration: Migration, migrations: list[Migration], applied: dict[str, str]) -> bool:
    name = migration.name
    if name in applied:
        if applied[name] == migration.digest:
            return False
        raise MigrationError(f"{name} has changed after it was applied to this database: undo the change, and make it in a new file")
    later = next((each.name for each in migrations if each.name > name and each.name in applied), None)
    if later is not None:
        raise MigrationError(f"{name} is new, and stands before {later}, which was applied to this database: give it a higher number")
    return True


def _apply(connection: "Connection[Any]", migration: Migration) -> None:
    try:
        # Without parameters, a text may have several statements.
        connection.execute(migration.sql.encode())
    except Exception as error:
        diagnostics = getattr(error, "diag", None)
        # Not from the server: the connection was lost.
        if diagnostics is None or diagnostics.message_primary is None:
            raise
        position = diagnostics.statement_position
        line = "" if position is None else f":{migration.sql.count(chr(10), 0, int(position) - 1) + 1}"
        raise MigrationError(f"{migration.name}{line}: {diagnostics.message_primary}") from error
    connection.execute("insert into app_migrations (name, digest) values (%s, %s)", [migration.name, migration.digest])
