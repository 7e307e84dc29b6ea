"""Adds a card for each new note. The platform keeps the hook while the board is down."""

from urllib.parse import quote

from appserver_sdk import AppClient, DropHook, Hook

from .cards import MAX_TEXT, Cards

HOOK = "com.example.notes.created"
_NOTES = "/api/apps/com.example.notes/notes/"


class NoteCards:
    def __init__(self, client: AppClient, cards: Cards) -> None:
        """`client` calls notes as the board."""
        self._client = client
        self._cards = cards

    def add(self, hook: Hook) -> None:
        """Handles the hook: reads the note and adds its card, once."""
        note_id = hook.data.get("id") if isinstance(hook.data, dict) else None
        if not isinstance(note_id, str):
            raise DropHook("the data does not describe a note")
        response = self._client.fetch(_NOTES + quote(note_id, safe=""))
        if response.status == 404:
            raise DropHook(f"the note {note_id} does not exist any more")
        if response.status != 200:
            raise RuntimeError(f"could not read the note {note_id}: {response.status}")
        note = response.json()
        self._cards.add(str(note["text"])[:MAX_TEXT], str(note["createdBy"]), note_id)
