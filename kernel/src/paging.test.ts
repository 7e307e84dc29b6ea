import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppError, Cursors, connectionOf, pageOf, pageSize } from "./index.ts";

const refusedFor = (field: string) => (error: AppError) =>
  error.code === "INVALID_REQUEST" && error.message.startsWith(`${field} `) && error.violations[0]?.field === field;
const cursors = new Cursors("number", (text) => /^\d+$/.test(text));
const present = { cursor: (item: number) => cursors.of(String(item)), node: (item: number) => ({ item }) };

test("a page has 1 to 250 items, by default 50", () => {
  assert.deepEqual(
    [pageSize(undefined), pageSize(null), pageSize(undefined, 20), pageSize(1), pageSize(250)],
    [50, 50, 20, 1, 250],
  );
  for (const first of [0, -1, 251, 1.5, Number.NaN]) assert.throws(() => pageSize(first), refusedFor("first"));
});

test("a cursor is read as it was written, and cursors of other lists are refused", () => {
  assert.equal(cursors.read(cursors.of("7")), "7");
  for (const none of [undefined, null, ""]) assert.equal(cursors.read(none), undefined);
  for (const after of ["7", "number:7", cursors.of("seven"), new Cursors("name", () => true).of("7")])
    assert.throws(() => cursors.read(after), refusedFor("after"));
});

test("a cursor with U+0000, which no database stores, is refused", () => {
  const names = new Cursors("app", () => true);
  assert.equal(names.read(names.of("com.example.notes")), "com.example.notes");
  for (const after of ["YXBwOgA", names.of("com.example\0")]) assert.throws(() => names.read(after), refusedFor("after"));
});

test("one item more than the page size means that more follow", () => {
  assert.deepEqual(pageOf([1, 2, 3], 2), { items: [1, 2], hasNext: true });
  assert.deepEqual(pageOf([1, 2], 2), { items: [1, 2], hasNext: false });
});

test("a connection contains its first and last cursor", () => {
  const { edges, pageInfo } = connectionOf(pageOf([1, 2, 3], 2), undefined, present);
  assert.deepEqual(
    edges.map(({ cursor, node }) => ({ cursor, node })),
    [1, 2].map((item) => ({ cursor: cursors.of(String(item)), node: { item } })),
  );
  assert.deepEqual(pageInfo, {
    hasNextPage: true,
    hasPreviousPage: false,
    startCursor: cursors.of("1"),
    endCursor: cursors.of("2"),
  });
  assert.deepEqual(connectionOf(pageOf([], 2), cursors.of("2"), present), {
    edges: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
  });
});
