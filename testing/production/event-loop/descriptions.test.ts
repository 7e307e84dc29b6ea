import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { EventLoopGuard, type PlatformUnderTest, RunningPlatform, testApp } from "@appserver/testing/kit";

const members = (count: number, of: (index: number) => readonly [string, unknown]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => of(index)));
const documentOf = (fields: object): string => JSON.stringify({ openapi: "3.1.0", ...fields });
const bodyOf = ($ref: string) => ({ requestBody: { content: { "application/json": { schema: { $ref } } } } });

/** The most expensive contents of each kind that a document can have, those that are refused included. */
const worst: Readonly<Record<string, string>> = {
  "a million brackets": "[".repeat(1_000_000),
  "49,000 names": documentOf({ paths: members(49_000, (index) => [`/${index}`, 0]) }),
  "49,000 lists": documentOf({ paths: {}, x: Array.from({ length: 49_000 }, () => []) }),
  "10,000 operations": documentOf({ paths: members(10_000, (index) => [`/${index}`, { get: {} }]) }),
  "references that stand for a billion schemas": documentOf({
    paths: { "/a": { post: bodyOf("#/s/0") } },
    s: members(10, (level) => [
      `${level}`,
      { properties: members(10, (index) => [`p${index}`, { $ref: `#/s/${level + 1}` }]) },
    ]),
  }),
  "500 operations with all that is kept": documentOf({
    paths: members(500, (index) => [
      `/items${"/abcdefghij".repeat(5)}/${index}/{a}/{b}`,
      { post: { summary: "\u202e x".repeat(100), description: "é \u0000".repeat(100), ...bodyOf("#/s") } },
    ]),
    s: { properties: members(15, (index) => [`p${index}`, { type: "string", minLength: 1, format: "date" }]) },
  }),
};

describe("the event loop while documents of apps are read", () => {
  let platform: PlatformUnderTest;
  let guard: EventLoopGuard;
  let server: Server;
  let body = "";
  let apps = 0;

  before(async () => {
    server = createServer((_request, response) => response.end(body));
    await once(server.listen(0, "127.0.0.1"), "listening");
    guard = await EventLoopGuard.create();
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment: guard.environment });
    // One-time compilation and loading must not count for the first document.
    await read(documentOf({ paths: {} }));
  });
  after(async () => {
    await platform?.stop();
    server?.close();
    server?.closeAllConnections();
  });

  /** Resolves when an app runs whose document was read. */
  const read = async (document: string): Promise<void> => {
    body = document;
    const name = `com.example.documented${apps++}`;
    const api = { base_path: "/", upstream_base_url: urlOf(server), openapi_url: "/openapi.json" };
    await platform.register(await testApp({ name, web_app: { api } }));
    await platform.client().marketplace.installApp({ name });
    const { data } = await platform.graphql(`{ app(name: "${name}") { api { description { readAt } } } }`);
    assert.ok((data as { app: { api: { description: object | null } } }).app.api.description);
  };

  for (const [name, document] of Object.entries(worst)) test(name, () => guard.assertUnharmed(() => read(document)));
});

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
