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

describe("the backend of notes 1.1", () => {
  let app: RunningExample;
  let server: TestPostgres;
  let database: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    database = await createTestDatabase(server);
    app = await startExample(join(import.meta.dirname, ".."), {
      APP_NAME: "com.example.notes",
      ...databaseVariables(database),
    });
    for (const text of ["Buy milk", "Milk the cow", "Call Ada"]) {
      const response = await fetch(`${app.url}/notes`, { method: "POST", body: JSON.stringify({ text }) });
      assert.equal(response.status, 201);
    }
  });
  after(async () => {
    await app.stop();
    await database.stop();
    await server.stop();
  });

  const search = async (query: string) => fetch(`${app.url}/search?${new URLSearchParams({ query })}`);

  test("finds the notes that contain every word, newest first, in any case", async () => {
    const found = async (query: string) => {
      const { notes, total } = (await (await search(query)).json()) as { notes: { text: string }[]; total: number };
      assert.equal(total, notes.length);
      return notes.map(({ text }) => text);
    };
    assert.deepEqual(await found("MILK"), ["Milk the cow", "Buy milk"]);
    assert.deepEqual(await found(" milk  buy "), ["Buy milk"]);
    assert.deepEqual(await found("bread"), []);
  });

  test("refuses a query without a word, and one that is too long", async () => {
    assert.deepEqual([(await search(" ")).status, (await search("x".repeat(201))).status], [400, 400]);
    assert.equal((await fetch(`${app.url}/search`)).status, 400);
  });

  test("keeps the routes of 1.0", async () => {
    assert.deepEqual(await (await fetch(`${app.url}/ping`)).json(), { pong: true });
    assert.equal((await fetch(`${app.url}/notes`)).status, 200);
  });
});
