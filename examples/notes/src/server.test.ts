import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  createTestDatabase,
  databaseVariables,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { type RunningExample, startExample } from "../../start-example.ts";

const folder = join(import.meta.dirname, "..");

describe("the notes backend", () => {
  let app: RunningExample;
  let server: TestPostgres;
  let database: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    database = await createTestDatabase(server);
    app = await startExample(folder, { APP_NAME: "com.example.notes", ...databaseVariables(database) });
  });
  after(async () => {
    await app?.stop();
    await database?.stop();
    await server?.stop();
  });

  const get = async (path: string) => (await fetch(app.url + path)).json();
  const post = (body: string) =>
    fetch(`${app.url}/notes`, { method: "POST", body, headers: { "content-type": "application/json", "x-user-id": "alice" } });

  test("stores a note and returns its location", async () => {
    const response = await post('{"text": "  Buy milk #shop, see list.txt  "}');
    assert.equal(response.status, 201);
    const note = (await response.json()) as { id: string; text: string; createdBy: string };
    assert.equal(note.text, "Buy milk #shop, see list.txt");
    assert.equal(note.createdBy, "user:alice");
    assert.equal(response.headers.get("location"), `/api/apps/com.example.notes/notes/${note.id}`);
    assert.deepEqual(await get(`/notes/${note.id}`), note);
    assert.deepEqual(await get("/notes"), { notes: [note], total: 1 });
    assert.deepEqual(await get("/tags/shop"), { tag: "shop", notes: [note] });
    assert.deepEqual(await get("/files/list.txt"), { path: "list.txt", notes: [note] });
    const year = new Date().getUTCFullYear();
    assert.deepEqual(await get(`/reports/${year}`), { year: String(year), notes: 1 });
  });

  test("edits and deletes a note, and tells who waits for a change", async () => {
    const { id } = (await (await post('{"text": "draft"}')).json()) as { id: string };
    const revision = async (after = "") =>
      ((await get(`/changes?${new URLSearchParams({ after })}`)) as { revision: string }).revision;
    const before = await revision();
    const waiting = revision(before);
    const put = (path: string, body: string) => fetch(app.url + path, { method: "PUT", body });
    const edited = await put(`/notes/${id}`, '{"text": " final "}');
    assert.equal(edited.status, 200);
    assert.partialDeepStrictEqual(await edited.json(), { id, text: "final", createdBy: "user:alice" });
    const after = await waiting;
    assert.notEqual(after, before);
    assert.equal((await put(`/notes/${id}`, '{"text": ""}')).status, 400);
    assert.equal((await fetch(`${app.url}/notes/${id}`, { method: "DELETE" })).status, 204);
    assert.notEqual(await revision(), after);
    for (const method of ["DELETE", "PUT", "GET"]) {
      const body = method === "PUT" ? { body: '{"text": "x"}' } : {};
      assert.equal((await fetch(`${app.url}/notes/${id}`, { method, ...body })).status, 404, method);
    }
  });

  test("still has every confirmed note after it was killed", async () => {
    const own = await createTestDatabase(server);
    const first = await startExample(folder, { APP_NAME: "com.example.notes", ...databaseVariables(own) });
    const body = '{"text": "survives"}';
    assert.equal((await fetch(`${first.url}/notes`, { method: "POST", body })).status, 201);
    first.process.kill("SIGKILL");
    const second = await startExample(folder, { APP_NAME: "com.example.notes", ...databaseVariables(own) });
    const { total } = (await (await fetch(`${second.url}/notes`)).json()) as { total: number };
    assert.equal(total, 1);
    assert.equal(await second.stop(), 0);
    await own.stop();
  });

  test("is unhealthy while the database refuses it, and needs no restart", async () => {
    const own = await createTestDatabase(server);
    const { database: name } = own.connection;
    const second = await startExample(folder, { APP_NAME: "com.example.notes", ...databaseVariables(own) });
    const health = () => fetch(`${second.url}/health`);
    await database.database.query(`alter database ${name} allow_connections false`);
    await database.database.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1", [name]);
    const unhealthy = await health();
    assert.equal(unhealthy.status, 503);
    assert.partialDeepStrictEqual(await unhealthy.json(), { status: "unhealthy" });
    await database.database.query(`alter database ${name} allow_connections true`);
    assert.equal((await health()).status, 200);
    assert.equal(await second.stop(), 0);
    await own.stop();
  });

  for (const [body, message] of [
    ["{", "the body is not JSON"],
    ["[]", 'the body must be an object with a string "text", like {"text": "Buy milk"}'],
    ['{"text": 7}', 'the body must be an object with a string "text", like {"text": "Buy milk"}'],
    ['{"text": "  "}', "text must not be empty"],
    ['{"text": "a\\u0000b"}', "text must not contain the character U+0000"],
    [JSON.stringify({ text: "x".repeat(10_001) }), "text must have at most 10000 characters, got 10001"],
  ] as const) {
    test(`refuses ${body.slice(0, 20)}`, async () => {
      const response = await post(body);
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), { error: message });
    });
  }

  test("returns 404 for an unknown note and 400 for an invalid limit", async () => {
    assert.equal((await fetch(`${app.url}/notes/none`)).status, 404);
    assert.equal((await fetch(`${app.url}/notes?limit=0`)).status, 400);
  });

  test("serves every path that the manifest routes to it", async () => {
    for (const path of ["/ping", "/limited", "/files", "/files/a/b.txt", "/tags/x", "/reports/2024"]) {
      assert.equal((await fetch(app.url + path)).status, 200, path);
    }
  });
});
