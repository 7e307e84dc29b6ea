import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import type { JsonObject } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { appSettings, type SettingValues } from "./app-settings.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const appId = "0198c0de-0000-7000-8000-000000000001";
const appName = "com.example.app";

describe("settings of an app", () => {
  let server: Http2Server;
  let environment = { appId, grpcAddress: "" };
  const sessions = new Set<ServerHttp2Session>();
  let stored: JsonObject = { size: 20, title: "a" };
  let changed = Promise.withResolvers<void>();
  let watches: { readonly appId: string; readonly app: string | null; readonly signed: boolean }[] = [];
  const change = (values: JsonObject): void => {
    stored = { ...stored, ...values };
    const before = changed;
    changed = Promise.withResolvers();
    before.resolve();
  };

  before(async () => {
    server = createServer(
      connectNodeAdapter({
        routes: (router) =>
          router.service(SettingsService, {
            watchSettings: async function* (request, { requestHeader: headers }) {
              const signed = headers.has("x-app-signature");
              watches.push({ appId: request.appId, app: headers.get("x-app-name"), signed });
              for (;;) {
                const next = changed.promise;
                yield { settings: { values: stored } };
                await next;
              }
            },
            updateSettings: ({ values = {} }) => {
              change(values);
              return { settings: { values: stored } };
            },
          }),
      }),
    );
    server.on("session", (session) => sessions.add(session));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    environment = { appId, grpcAddress: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  });
  after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });

  test("are the last values from the platform, also after the connection was lost", async () => {
    watches = [];
    const seen: SettingValues[] = [];
    const lost: unknown[] = [];
    let next = Promise.withResolvers<void>();
    const settings = appSettings({
      environment,
      appName,
      privateKey,
      onChange: (values) => {
        seen.push(values);
        next.resolve();
        next = Promise.withResolvers();
      },
      onLost: (error) => lost.push(error),
    });
    assert.equal(settings.number("size", 7), 7);
    await settings.ready;
    assert.deepEqual([settings.number("size", 7), settings.text("title"), settings.text("none", "x")], [20, "a", "x"]);
    assert.deepEqual([settings.number("title", 1), settings.text("size")], [1, undefined]);
    const afterChange = next.promise;
    change({ size: 30 });
    await afterChange;
    assert.equal(settings.values["size"], 30);
    const afterLoss = next.promise;
    for (const session of sessions) session.destroy();
    await afterLoss;
    assert.equal(lost.length, 1);
    await settings.update({ title: "mine" });
    assert.equal(settings.text("title"), "mine");
    settings.close();
    assert.ok(seen.length >= 3);
    assert.deepEqual(
      watches,
      [1, 2].map(() => ({ appId, app: appName, signed: true })),
    );
  });

  test("print the missing variable if the platform did not start the app", (t) => {
    const logged = t.mock.method(console, "error", () => {});
    appSettings({ environment: { ...environment, appId: undefined }, appName, privateKey }).close();
    const [message] = logged.mock.calls[0]?.arguments ?? [];
    assert.match(
      String(message),
      /^settings of com\.example\.app are empty, because APP_ID is not set: the platform sets APP_ID and APPSERVER_GRPC_ADDRESS .*appctl get/,
    );
  });

  test("are empty if the platform did not start the app", async (t) => {
    t.mock.method(console, "error", () => {});
    const settings = appSettings({ environment: { appId: undefined, grpcAddress: undefined }, appName, privateKey });
    assert.deepEqual([settings.values, settings.number("size", 5)], [{}, 5]);
    await assert.rejects(settings.update({ size: 1 }), /not started by a platform/);
    settings.close();
  });
});
