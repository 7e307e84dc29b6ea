import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createPlatformClient, type PlatformClient, registerApp } from "./platform-client.ts";

const refusal = "registration needs a token";
const isRefusal = (error: unknown) => error instanceof ConnectError && error.rawMessage === refusal;

/** Number of messages that the platform reads before it refuses a stream. */
let messagesRead = 0;
/** Resolve when the streams of the calls so far have ended on the platform's side. */
let ends: Promise<unknown>[] = [];
let platform: PlatformClient;

async function refuse(messages: AsyncIterable<unknown>): Promise<never> {
  const iterator = messages[Symbol.asyncIterator]();
  for (let left = messagesRead; left > 0; left -= 1) await iterator.next();
  throw new ConnectError(refusal, Code.Unauthenticated);
}

const server = createServer(
  connectNodeAdapter({
    routes: (router) => {
      router.service(MarketplaceService, { registerAppStream: refuse, getApp: () => ({}) });
      router.service(HooksService, {
        async *subscribe(messages) {
          yield {};
          await refuse(messages);
        },
      });
    },
  }),
);
server.on("stream", (stream: ServerHttp2Stream) => ends.push(once(stream, "close")));

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  platform = createPlatformClient({ grpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
beforeEach(() => {
  ends = [];
});
after(() => server.close());

for (const count of [0, 1, 5]) {
  test(`registering large assets ends when the platform refuses after ${count} messages`, { timeout: 10_000 }, async () => {
    messagesRead = count;
    const assets = [{ name: "main.js", contents: new Uint8Array(8 * 1024 * 1024) }];
    const manifest = create(AppManifestSchema, { name: "com.example.app", webApp: { assets } });
    await assert.rejects(registerApp(platform, { manifest, signature: new Uint8Array(3) }), isRefusal);
    await Promise.all(ends);
    // The connection stays usable.
    await platform.marketplace.getApp({ name: "com.example.app" });
  });
}

test("a stream in both directions ends when the platform ends it, while the app has nothing to send", {
  timeout: 10_000,
}, async () => {
  messagesRead = 1;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* messages() {
    yield {};
    await held;
  }
  let received = 0;
  const receive = async (): Promise<void> => {
    for await (const _ of platform.hooks.subscribe(messages())) received += 1;
  };
  await assert.rejects(receive(), isRefusal);
  assert.equal(received, 1);
  await Promise.all(ends);
  release();
});
