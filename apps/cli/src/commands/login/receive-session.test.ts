import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { sealFor } from "@appserver/contracts/command-line";
import { receiveSession } from "./receive-session.ts";

/** Sends a request target as it is. */
async function statusOf(port: number, target: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  return (await text(socket)).split(" ")[1] ?? "";
}

test("no other request to the port ends the login, whatever its target is", { timeout: 60_000 }, async () => {
  let address: URL | undefined;
  const received = receiveSession("http://127.0.0.1:8080", (url) => {
    address = new URL(url);
  });
  while (!address) await new Promise(setImmediate);
  const { searchParams: asked } = address;
  const port = Number(asked.get("port"));
  for (const target of ["//", "/\\", "http://[", "/?state=x", `/?state=${asked.get("state")}&session=AAAA`])
    assert.equal(await statusOf(port, target), "400", target);
  const session = sealFor(asked.get("key") ?? "", "the token");
  const query = new URLSearchParams({ state: asked.get("state") ?? "", session });
  assert.equal(await statusOf(port, `/?${query}`), "303");
  assert.equal(await received, "the token");
});
