import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createPlatformClient, type PlatformClient } from "./platform-client.ts";

/** How many calls the server still refuses, and with which code. */
let refusals: { left: number; readonly code: number } = { left: 0, code: constants.NGHTTP2_NO_ERROR };
let calls = 0;
let platform: PlatformClient;

const handle = connectNodeAdapter({
  routes: (router) => router.service(MarketplaceService, { getApp: ({ name }) => ({ app: { name } }) }),
});
const server = createServer((request, response) => {
  calls += 1;
  if (refusals.left === 0) return handle(request, response);
  refusals.left -= 1;
  request.stream.close(refusals.code);
});

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  platform = createPlatformClient({ grpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, idleMs: 100 });
});
after(() => server.close());

async function called(left: number, code: number): Promise<string | undefined> {
  refusals = { left, code };
  calls = 0;
  return (await platform.marketplace.getApp({ name: "any" })).app?.name;
}

test("a call that was refused before the server looked at it is repeated, twice", async () => {
  assert.equal(await called(2, constants.NGHTTP2_REFUSED_STREAM), "any");
  assert.equal(calls, 3);
  await assert.rejects(called(3, constants.NGHTTP2_REFUSED_STREAM), ConnectError);
  assert.equal(calls, 3);
});

test("a call that may have had an effect is not repeated", async () => {
  await assert.rejects(
    called(1, constants.NGHTTP2_CANCEL),
    (error) => error instanceof ConnectError && error.code === Code.Canceled,
  );
  assert.equal(calls, 1);
  await assert.rejects(called(1, constants.NGHTTP2_INTERNAL_ERROR), ConnectError);
  assert.equal(calls, 1);
});
