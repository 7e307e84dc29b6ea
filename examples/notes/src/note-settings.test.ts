import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type RunningApp, serveApp } from "@appserver/sdk";
import { NoteChanges } from "./note-changes.ts";
import { noteRoutes } from "./note-routes.ts";
import { type NotesDatabase, startNotesDatabase } from "./notes-database.suite.ts";

describe("the notes backend and its settings", () => {
  let database: NotesDatabase;
  let app: RunningApp;
  let pageSize = 2;
  let exportToken: string | undefined;
  before(async () => {
    database = await startNotesDatabase();
    const store = await database.open();
    for (const text of ["a", "b", "c"]) await store.add(text, "user:alice");
    const settings = { pageSize: () => pageSize, exportToken: () => exportToken };
    app = await serveApp({ host: "127.0.0.1", port: 0, routes: noteRoutes(store, new NoteChanges(store), () => {}, settings) });
  });
  after(async () => {
    await app.stop();
    await database.stop();
  });

  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`http://127.0.0.1:${app.port}${path}`, { headers });
    const { notes } = (await response.json()) as { notes?: unknown[] };
    return [response.status, notes?.length];
  };

  test("the page size is the current setting unless the caller sets a limit", async () => {
    assert.deepEqual(await get("/notes"), [200, 2]);
    pageSize = 1;
    assert.deepEqual(await get("/notes"), [200, 1]);
    assert.deepEqual(await get("/notes?limit=3"), [200, 3]);
  });

  test("the export requires the token, and is refused if no token is set", async () => {
    assert.deepEqual(await get("/export", { "x-export-token": "" }), [404, undefined]);
    exportToken = "a-long-token";
    assert.deepEqual(await get("/export", { "x-export-token": "a-long-token" }), [200, 3]);
    for (const headers of [{}, { "x-export-token": "a-long-toke" }])
      assert.deepEqual(await get("/export", headers), [403, undefined]);
  });
});
