"""The cards of the board, in a SQLite file."""

import sqlite3
import threading
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

COLUMNS = ("todo", "doing", "done")
MAX_TEXT = 500

_SCHEMA = """
create table if not exists cards (
  position integer primary key autoincrement,
  id text not null unique,
  text text not null,
  column_name text not null,
  created_by text not null,
  note_id text unique
)
"""
_FIELDS = "id, text, column_name, created_by, note_id"


@dataclass(frozen=True)
class Card:
    id: str
    text: str
    # One of COLUMNS.
    column: str
    # "user:<id>" or "app:<name>".
    created_by: str
    # The note that it is about, if any.
    note_id: str | None

    def to_json(self) -> dict[str, str | None]:
        fields = asdict(self)
        return {"id": self.id, "text": self.text, "column": self.column} | {
            "createdBy": fields["created_by"],
            "noteId": fields["note_id"],
        }


class BoardIsFull(Exception):
    """A card cannot start: too many are in progress."""


class Cards:
    """Stores cards. Each method commits before it returns. Any thread may call it."""

    def __init__(self, folder: Path, limit: int) -> None:
        """`limit` is the maximum number of cards in progress."""
        self._limit = limit
        self._changed = threading.Condition()
        self._released = False
        self._revision = uuid.uuid4().int >> 75
        # Autocommit, because each method is one statement or begins its own transaction.
        self._database = sqlite3.connect(folder / "board.db", check_same_thread=False, isolation_level=None)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = full")
        self._database.execute(_SCHEMA)

    def all(self) -> tuple[int, list[Card]]:
        """Returns the revision of the board, and the cards, oldest first."""
        with self._changed:
            rows = self._database.execute(f"select {_FIELDS} from cards order by position").fetchall()
            return self._revision, [Card(*row) for row in rows]

    def wait(self, revision: int, seconds: float) -> None:
        """Waits until the board has another revision, at most for a time."""
        with self._changed:
            self._changed.wait_for(lambda: self._released or self._revision != revision, timeout=seconds)

    def add(self, text: str, created_by: str, note_id: str | None = None) -> Card | None:
        """Adds a card to the first column. Returns None if the note already has a card."""
        card = Card(str(uuid.uuid4()), text, COLUMNS[0], created_by, note_id)
        with self._changed:
            added = self._database.execute(
                f"insert into cards ({_FIELDS}) values (?, ?, ?, ?, ?) on conflict (note_id) do nothing",
                (card.id, card.text, card.column, card.created_by, card.note_id),
            ).rowcount
            if added == 0:
                return None
            self._tell()
            return card

    def change(self, card_id: str, text: str | None, column: str | None) -> Card | None:
        """Changes what is not None. Returns None if there is no such card. Raises BoardIsFull."""
        with self._changed:
            row = self._database.execute(f"select {_FIELDS} from cards where id = ?", (card_id,)).fetchone()
            if row is None:
                return None
            card = Card(*row)
            if column == "doing" and card.column != "doing" and self._count("doing") >= self._limit:
                raise BoardIsFull(f"at most {self._limit} cards may be in progress")
            card = Card(card.id, text or card.text, column or card.column, card.created_by, card.note_id)
            self._database.execute("update cards set text = ?, column_name = ? where id = ?", (card.text, card.column, card.id))
            self._tell()
            return card

    def remove(self, card_id: str) -> bool:
        """Returns whether there was such a card."""
        with self._changed:
            removed = self._database.execute("delete from cards where id = ?", (card_id,)).rowcount > 0
            if removed:
                self._tell()
            return removed

    def check(self) -> None:
        """Raises sqlite3.Error if the cards cannot be read."""
        with self._changed:
            self._count("todo")

    def release(self) -> None:
        """Ends all waits, and lets none begin."""
        with self._changed:
            self._released = True
            self._changed.notify_all()

    def close(self) -> None:
        """Later calls fail."""
        with self._changed:
            self._database.close()

    def _count(self, column: str) -> int:
        (number,) = self._database.execute("select count(*) from cards where column_name = ?", (column,)).fetchone()
        return int(number)

    def _tell(self) -> None:
        self._revision += 1
        self._changed.notify_all()
