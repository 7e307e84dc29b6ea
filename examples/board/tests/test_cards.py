import sqlite3
import tempfile
import threading
import unittest
from pathlib import Path

from board.cards import BoardIsFull, Cards


class CardsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cards = Cards(self.folder, limit=2)

    def tearDown(self) -> None:
        self.cards.close()

    def texts(self) -> list[str]:
        return [card.text for card in self.cards.all()[1]]

    def test_keeps_cards_in_order_and_after_a_restart(self) -> None:
        for text in ("a", "b"):
            self.cards.add(text, "user:ada")
        self.cards.close()
        self.cards = Cards(self.folder, limit=2)
        self.assertEqual(self.texts(), ["a", "b"])

    def test_a_note_has_one_card(self) -> None:
        self.assertIsNotNone(self.cards.add("note", "user:ada", "n1"))
        self.assertIsNone(self.cards.add("note", "user:ada", "n1"))
        self.assertEqual(self.texts(), ["note"])

    def test_changes_and_removes(self) -> None:
        card = self.cards.add("a", "user:ada")
        assert card
        changed = self.cards.change(card.id, "b", "done")
        assert changed
        self.assertEqual((changed.text, changed.column), ("b", "done"))
        self.assertIsNone(self.cards.change("unknown", "b", None))
        self.assertTrue(self.cards.remove(card.id))
        self.assertFalse(self.cards.remove(card.id))

    def test_refuses_more_cards_in_progress_than_the_limit(self) -> None:
        ids = [card.id for card in (self.cards.add(text, "user:ada") for text in "abc") if card]
        for card_id in ids[:2]:
            self.cards.change(card_id, None, "doing")
        with self.assertRaises(BoardIsFull):
            self.cards.change(ids[2], None, "doing")
        self.assertEqual([card.column for card in self.cards.all()[1]], ["doing", "doing", "todo"])
        # A card that is in progress can be edited.
        self.cards.change(ids[0], "edited", "doing")

    def test_a_wait_ends_with_the_next_change(self) -> None:
        revision, _ = self.cards.all()
        self.cards.wait(revision + 1, 60)
        waiting = threading.Thread(target=self.cards.wait, args=(revision, 60))
        waiting.start()
        self.cards.add("a", "user:ada")
        waiting.join()
        self.assertNotEqual(self.cards.all()[0], revision)
        waiting = threading.Thread(target=self.cards.wait, args=(self.cards.all()[0], 60))
        waiting.start()
        self.cards.release()
        waiting.join()

    def test_check_fails_without_the_database(self) -> None:
        self.cards.check()
        self.cards.close()
        with self.assertRaises(sqlite3.Error):
            self.cards.check()


if __name__ == "__main__":
    unittest.main()
