import assert from "node:assert/strict";
import test from "node:test";
import type { Caller } from "@appserver/kernel";
import { graphqlAuthenticate } from "./caller-access.ts";

test("an app's signature of a URL with a query does not open a GraphQL WebSocket", async () => {
  const app: Caller = { kind: "app", name: "clock", id: "id" };
  const authenticate = graphqlAuthenticate({ authenticate: () => app }, "required");
  const headers: Readonly<Record<string, string>> = { "x-app-signature": "c2ln", "x-app-name": "clock" };
  const header = (name: string): string | undefined => headers[name];
  const signed = { method: "GET", header, remoteAddress: "127.0.0.1", readBody: () => new Uint8Array() };
  const socket = { ...signed, connectionParams: {} };
  assert.equal(await authenticate({ ...signed, url: "/graphql?query={health{status}}" }), app);
  assert.equal(await authenticate({ ...socket, url: "/graphql" }), app);
  assert.throws(() => authenticate({ ...socket, url: "/graphql?query={health{status}}" }), { code: "AUTHENTICATION_FAILED" });
});
