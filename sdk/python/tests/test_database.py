import os
import socket
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from appserver_sdk import MigrationError, database

_server = os.environ["DATABASE_URL"]


class DatabaseTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        name = f"test_{uuid.uuid4().hex[:12]}"
        self.administer(sql.SQL("create database {}").format(sql.Identifier(name)))
        self.addCleanup(self.administer, sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
        self.env = {"DATABASE_URL": urlunsplit(urlsplit(_server)._replace(path=f"/{name}")), "APP_NAME": "com.example.todos"}

    def administer(self, statement: sql.Composed) -> None:
        with psycopg.connect(_server, autocommit=True) as connection:
            connection.execute(statement)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / f"{name[1:]}.sql").write_bytes(text.encode())

    def migrate(self) -> None:
        database(env=self.env, migrations=self.folder).close()

    def query(self, statement: str) -> list[Any]:
        with psycopg.connect(self.env["DATABASE_URL"], autocommit=True) as connection:
            return connection.execute(statement.encode()).fetchall()

    def test_processes_that_start_at_once_apply_each_migration_once_in_order(self) -> None:
        self.write(_0001_todos="create table todos (id int primary key);", _0002_first="insert into todos values (1); insert into todos values (2)")
        threads = [threading.Thread(target=self.migrate) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.query("select id from todos order by id"), [(1,), (2,)])
        self.write(_0010_more="insert into todos values (3)")
        self.migrate()
        names = self.query("select name from app_migrations order by applied_at")
        self.assertEqual(names, [("0001_todos.sql",), ("0002_first.sql",), ("0010_more.sql",)])

    def test_the_digest_is_that_of_the_sdk_for_typescript(self) -> None:
        self.write(_0001_none="select 1\r\n")
        self.migrate()
        # printf 'select 1\n' | sha256sum
        self.assertEqual(self.query("select left(digest, 12) from app_migrations"), [("8903abffd687",)])

    def test_a_migration_that_fails_leaves_nothing_behind_and_the_error_names_file_and_line(self) -> None:
        self.write(_0001_todos="create table todos (id int)", _0002_bad="create table others (id int);\nselect 1 fro todos;")
        with self.assertRaisesRegex(MigrationError, r'^0002_bad\.sql:2: syntax error at or near "todos"$'):
            self.migrate()
        found = self.query("select to_regclass('todos') is null, to_regclass('others') is null")
        self.assertEqual(found, [(False, True)])

    def test_an_applied_file_must_not_change_and_a_new_one_has_a_higher_number(self) -> None:
        self.write(_0002_todos="create table todos (\nid int)")
        self.migrate()
        self.write(_0002_todos="create table todos (\r\nid int)")
        self.migrate()
        self.write(_0001_other="select 1")
        with self.assertRaisesRegex(MigrationError, r"^0001_other\.sql is new, and stands before 0002_todos\.sql"):
            self.migrate()
        (self.folder / "0001_other.sql").unlink()
        self.write(_0002_todos="create table todos (id bigint)")
        with self.assertRaisesRegex(MigrationError, r"^0002_todos\.sql has changed after it was applied"):
            self.migrate()

    def test_files_with_other_names_and_numbers_that_two_files_have_are_refused(self) -> None:
        (self.folder / "1-todos.sql").touch()
        with self.assertRaisesRegex(MigrationError, r"1-todos\.sql is no migration: expected four digits and a name"):
            self.migrate()
        (self.folder / "1-todos.sql").unlink()
        self.write(_0001_a="", _0001_b="")
        with self.assertRaisesRegex(MigrationError, r"0001_b\.sql has the number of 0001_a\.sql"):
            self.migrate()

    def test_a_lost_connection_is_replaced_before_it_is_used(self) -> None:
        pool = database(env=self.env)
        self.addCleanup(pool.close)
        with pool.connection() as connection:
            connection.execute("select 1")
        self.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'com.example.todos'")
        with pool.connection() as connection:
            self.assertEqual(connection.execute("select 1").fetchall(), [(1,)])

    def test_waits_for_a_server_that_is_starting_at_most_for_its_time(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with self.assertRaisesRegex(TimeoutError, rf"^the database at 127\.0\.0\.1:{port} could not be opened within 0 s: "):
            database(env={"DATABASE_URL": f"postgresql://u:p@127.0.0.1:{port}/d"}, start_timeout=0)

    def test_a_wrong_variable_is_named_without_the_password(self) -> None:
        with self.assertRaisesRegex(ValueError, "^DATABASE_URL is not set: .* set it, as postgresql://user:password@localhost:5432/name$"):
            database(env={})
        for wrong in ("mysql://u:canary@h/d", "postgresql://u:canary%@h/d", "canary"):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "^DATABASE_URL is not the URL of a PostgreSQL database") as raised:
                database(env={"DATABASE_URL": wrong})
            self.assertNotIn("canary", str(raised.exception))
