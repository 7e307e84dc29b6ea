"""The database of an app (docs/interface/containers.md#environment)."""

import os
import ssl
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .log_line import log_line
from .migrations import apply_migrations, read_migrations

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

_PAUSE = 0.5
_EXAMPLE = "postgresql://user:password@localhost:5432/name"


def database(
    *,
    migrations: str | Path | None = None,
    env: Mapping[str, str] = os.environ,
    start_timeout: float = 60,
    **pool: Any,
) -> "ConnectionPool[Connection[Any]]":
    """Connects to the database of the app, which DATABASE_URL names, and applies its migrations. `migrations` is a folder with files
    `0001_notes.sql`; a relative path begins in the working directory, which is the folder of the app.

    Returns a pool of psycopg, of at most 4 connections, which replaces those that it loses. `pool` has arguments of ConnectionPool
    that differ: `max_size=8`. `close` of the pool ends it.

    Waits for a server that is starting. Raises TimeoutError after `start_timeout` seconds, ValueError for a wrong variable,
    MigrationError for a wrong migration, and ModuleNotFoundError without psycopg.
    """
    try:
        import psycopg
        import psycopg_pool
    except ModuleNotFoundError as error:
        text = 'database() needs psycopg: add "psycopg[binary,pool]" to requirements.txt and install it with pip'
        raise ModuleNotFoundError(text, name=error.name) from error
    url = env.get("DATABASE_URL")
    if not url:
        raise ValueError(
            "DATABASE_URL is not set: the platform sets it for the apps that it runs. For an app that you start yourself, set it, as "
            + _EXAMPLE
        )
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # Its message has the password.
        parts = {}
    if not parts.get("host"):
        raise ValueError(f"DATABASE_URL is not the URL of a PostgreSQL database: expected one as {_EXAMPLE}")
    options = _options(parts, env)
    files = [] if migrations is None else read_migrations(Path(migrations))
    deadline = time.monotonic() + start_timeout
    where = f"{parts['host']}:{parts.get('port', 5432)}"
    waits = False
    while True:
        try:
            with psycopg.connect(url, autocommit=True, **options) as connection:
                apply_migrations(connection, files)
            break
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the database at {where} could not be opened within {start_timeout} s: {error}") from error
            if not waits:
                log_line("warn", "waiting for the database", where=where, reason=str(error))
            waits = True
        time.sleep(_PAUSE)
    # A connection is checked before it is used, because it may have been lost since.
    defaults: dict[str, Any] = {"min_size": 1, "max_size": 4, "check": psycopg_pool.ConnectionPool.check_connection}
    return psycopg_pool.ConnectionPool(url, kwargs=options, open=True, **{**defaults, **pool})


def _options(parts: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = {
        "application_name": env.get("APP_NAME", "app"),
        "connect_timeout": 5,
        "options": "-c idle_in_transaction_session_timeout=60000",
    }
    # libpq knows no authorities of the system for `verify-ca`.
    if str(parts.get("sslmode", "")).startswith("verify-") and not (parts.get("sslrootcert") or env.get("PGSSLROOTCERT")):
        options["sslrootcert"] = ssl.get_default_verify_paths().cafile
    elif env.get("PGSSLROOTCERT"):
        options["sslrootcert"] = env["PGSSLROOTCERT"]
    return options
