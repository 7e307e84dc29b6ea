import assert from "node:assert/strict";
import { test } from "node:test";
import { column, columns, json } from "./columns.ts";

interface Shelf {
  readonly id: string;
  readonly bookCount: number;
  readonly digest: string | undefined;
  readonly tags: readonly string[];
  readonly openedAt?: Date | undefined;
  readonly isFull: boolean;
}

const shelves = columns<Shelf>({
  id: column,
  bookCount: column,
  digest: { name: "sha256" },
  tags: json,
  openedAt: { read: (stored) => new Date(String(stored)), write: (at) => at?.toISOString() },
  isFull: { expression: "book_count > 9" },
});

const full: Shelf = { id: "a", bookCount: 10, digest: "d", tags: ["x"], openedAt: new Date(0), isFull: true };

test("the names, the selection and the values of columns have one order", () => {
  assert.equal(shelves.selected, "id, book_count, sha256, tags, opened_at, book_count > 9 as is_full");
  assert.deepEqual(shelves.names(), ["id", "book_count", "sha256", "tags", "opened_at"]);
  assert.deepEqual(shelves.values(full), ["a", 10, "d", '["x"]', "1970-01-01T00:00:00.000Z"]);
});

test("some fields can be written alone", () => {
  assert.deepEqual(shelves.names(["digest", "bookCount"]), ["sha256", "book_count"]);
  assert.deepEqual(shelves.values(full, ["digest", "bookCount"]), ["d", 10]);
});

test("a row becomes a record, and null an absent value", () => {
  const row = { id: "a", book_count: 10, sha256: "d", tags: ["x"], opened_at: "1970-01-01T00:00:00.000Z", is_full: true };
  assert.deepEqual(shelves.record(row), full);
  const absent = { ...full, digest: undefined, openedAt: undefined };
  assert.deepEqual(shelves.record({ ...row, sha256: null, opened_at: null }), absent);
  assert.deepEqual(shelves.values(absent), ["a", 10, null, '["x"]', null]);
});
