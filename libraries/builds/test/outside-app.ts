/** The files of an app outside of the repository, by name: plain JavaScript with its own test, and a file that only has types. */
export const outsideApp: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "outside", private: true, type: "module" }),
  "server.js": `
import { HttpError, pushedHooks, serveApp } from "@appserver/sdk";

export const start = ({ platform, settings, received }) =>
  serveApp({
    host: "127.0.0.1",
    port: 0,
    routes: {
      "GET /hello/{name}": ({ params }) => {
        if (params.name === "unknown") throw new HttpError(404, "there is no such person");
        return { json: { [settings.text("greeting", "hello")]: params.name } };
      },
      "POST /hooks": pushedHooks(platform, ({ name, data }) => void received.push([name, data])),
    },
  });
`,
  "server.test.js": `
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { appSettings, createPlatformClient, ensureAppKeys } from "@appserver/sdk";
import { database } from "@appserver/sdk/database";
import { start } from "./server.js";

const appName = "org.example.outside";
const key = Buffer.from("0123456789abcdef");
const platform = { hooks: { getPushSecret: async () => ({ secret: "whsec_" + key.toString("base64") }) } };
const received = [];

describe("the app", () => {
  let app;
  before(async () => {
    const { privateKey, certificate } = await ensureAppKeys(".", appName);
    assert.match(certificate, /BEGIN CERTIFICATE/);
    const settings = appSettings({ environment: {}, appName, privateKey });
    app = await start({ platform, settings, received });
  });
  after(() => app.stop());
  const url = (path) => "http://127.0.0.1:" + app.port + path;

  test("responds with a default of its settings", async () => {
    assert.deepEqual(await (await fetch(url("/hello/ada"))).json(), { hello: "ada" });
    assert.equal((await fetch(url("/hello/unknown"))).status, 404);
  });

  test("takes a hook that the platform signed, and no other", async () => {
    const body = JSON.stringify({ type: "made", timestamp: new Date().toISOString(), data: { id: 1 }, id: "1", attempt: 1 });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = "v1," + createHmac("sha256", key).update("1." + timestamp + "." + body).digest("base64");
    const post = (signed) => {
      const headers = { "webhook-id": "1", "webhook-timestamp": timestamp, "webhook-signature": signed };
      return fetch(url("/hooks"), { method: "POST", headers, body });
    };
    assert.equal((await post(signature)).status, 200);
    assert.equal((await post("v1,AAAA")).status, 401);
    assert.deepEqual(received, [["made", { id: 1 }]]);
  });

  test("learns which package it needs for a database", async () => {
    await assert.rejects(database(), { message: "database() needs the package pg: run \`npm install pg\` in the folder of the app" });
  });

  test("learns that no platform is there", async () => {
    const client = createPlatformClient({ grpcUrl: "http://127.0.0.1:9" });
    await assert.rejects(client.marketplace.getApp({ name: "a" }), { name: "ConnectError" });
  });
});
`,
  "stack.js": `
import { storagePath } from "@appserver/sdk";

try {
  storagePath("none", {});
} catch ({ stack }) {
  console.log(stack);
}
`,
  "typed.ts": `
import { createPlatformClient, type RunningApp, serveApp } from "@appserver/sdk";
import type { PageContext } from "@appserver/sdk/page";

const app: RunningApp = await serveApp({ host: "127.0.0.1", port: 0, routes: { "GET /": () => ({ json: {} }) } });
const { app: found } = await createPlatformClient({ grpcUrl: "http://127.0.0.1:9" }).marketplace.getApp({ name: "a" });
// @ts-expect-error: a name is a text
const wrong: number = found?.name;
export const page = (context: PageContext) => [context, app, wrong];
`,
};
