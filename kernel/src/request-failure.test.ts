import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, before, test } from "node:test";
import { requestFailure } from "./request-failure.ts";

const silent = createServer(() => {});
const closing = createTcpServer((socket) => socket.destroy());

before(async () => {
  for (const server of [silent, closing]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
after(() => {
  silent.closeAllConnections();
  for (const server of [silent, closing]) server.close();
});

async function failureOf(port: number, timeoutMs = 20_000): Promise<string> {
  try {
    await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(timeoutMs) });
    return "no failure";
  } catch (error) {
    return requestFailure(error, timeoutMs);
  }
}

test("a failed request is described in a few words", async () => {
  const gone = createTcpServer();
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
  const { port: free } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  assert.equal(await failureOf(free), "connection refused");
  assert.equal(await failureOf((closing.address() as AddressInfo).port), "connection closed before a response");
  assert.equal(await failureOf((silent.address() as AddressInfo).port, 200), "no response within 0.2 s");
});

test("an error without a known code is described by its message", () => {
  assert.equal(requestFailure(new Error("the address 10.0.0.1 is not allowed"), 1), "the address 10.0.0.1 is not allowed");
  assert.equal(requestFailure("broken", 1), "broken");
});
