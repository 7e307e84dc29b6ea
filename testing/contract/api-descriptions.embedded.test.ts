import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  containerApi,
  eventually,
  type PlatformUnderTest,
  publishApp,
  startPlatform,
  type TestApp,
  testApp,
  uniqueName,
  untilState,
  writeAppFolder,
} from "@appserver/testing/kit";
import { dataOf, purgeApp, switchBy } from "./commands.ts";

const sdk = pathToFileURL(join(resolve(import.meta.dirname, "../.."), "sdk/src/index.ts"));

/** Refuses requests that the platform did not sign, as every app with the SDK does. */
const backend = (path: string): string => `
import { appEnvironment, serveApp } from "${sdk}";
const { host, port } = appEnvironment(process.env);
const document = { openapi: "3.1.0", info: { title: "Items", version: "1" }, paths: { "${path}": { get: {}, delete: {} } } };
await serveApp({ host, port, routes: { "GET /openapi.json": ({ caller }) => ({ json: { ...document, "x-caller": caller } }) } });
`;

interface Described {
  readonly state: string;
  readonly version: string;
  readonly api: {
    readonly description: {
      readonly digest: string | null;
      readonly operations: number;
      readonly problem: string | null;
      readonly readAt: string;
    } | null;
  };
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

/** docs/interface/proxy.md#app-documents */
describe("descriptions of APIs", () => {
  let platform: PlatformUnderTest;
  let server: Server;
  let serverUrl: string;
  let respond = (_request: IncomingMessage, response: ServerResponse): unknown => response.writeHead(404).end();
  const [names, folders]: [string[], string[]] = [[], []];
  before(async () => {
    platform = await startPlatform();
    server = createServer((request, response) => void respond(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    for (const name of names) await purgeApp(platform, name);
    await platform?.stop();
    server?.close();
    server?.closeAllConnections();
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  const appOf = async (name: string): Promise<Described> => {
    const fields = "state version api { description { digest operations problem readAt } } conditions { type message }";
    return (await dataOf<{ readonly app: Described }>(platform, `{ app(name: "${name}") { ${fields} } }`)).app;
  };
  const newName = (part: string): string => {
    const name = uniqueName(`com.example.${part}`);
    names.push(name);
    return name;
  };
  /** Installs an app with an external backend, and returns it when it runs. */
  const external = async (part: string, openapi_url: string): Promise<Described> => {
    const name = newName(part);
    const api = { base_path: "/", upstream_base_url: serverUrl, openapi_url };
    await platform.register(await testApp({ name, web_app: { api } }));
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    return appOf(name);
  };

  test("that of a container is read before it serves, with the platform's signature, and again for the next release", async () => {
    const name = newName("described");
    const api = { ...containerApi(name), openapi_url: "/openapi.json" };
    const release = async (version: string, path: string, keys?: TestApp["keys"]) => {
      const folder = await writeAppFolder(backend(path));
      folders.push(folder);
      await publishApp(platform, name, folder);
      const app = await testApp({ name, version, web_app: { api } }, {}, keys);
      await platform.register(app);
      return app;
    };
    const { keys } = await release("1.0.0", "/items/{id}");
    await platform.client().marketplace.installApp({ name });
    await untilState(platform, name, "RUNNING");
    const first = await appOf(name);
    assert.deepEqual([first.api.description?.problem, first.api.description?.operations], [null, 2]);
    assert.deepEqual(first.conditions, []);
    await release("1.1.0", "/parts", keys);
    await switchBy(platform, `upgradeApp(name: "${name}")`, 60_000);
    const { version, api: next } = await appOf(name);
    assert.equal(version, "1.1.0");
    assert.match(next.description?.digest ?? "", /^[0-9a-f]{64}$/);
    assert.notEqual(next.description?.digest, first.api.description?.digest);
  });

  test("that of another server is read without what belongs to a caller or the app", async () => {
    const seen: IncomingMessage[] = [];
    respond = (request, response) => {
      seen.push(request);
      response.end(JSON.stringify({ openapi: "3.0.3", paths: { "/a": { get: {} } } }));
    };
    const { api } = await external("elsewhere", `${serverUrl}/documents/openapi.json?v=1`);
    assert.equal(api.description?.operations, 1);
    const [request] = seen;
    assert.deepEqual([request?.method, request?.url], ["GET", "/documents/openapi.json?v=1"]);
    for (const header of ["cookie", "authorization", "x-appserver-signature", "x-user-id"])
      assert.equal(request?.headers[header], undefined, header);
  });

  test("an address that no backend may have is not read, also after a redirection, and the app runs", async () => {
    const reached: string[] = [];
    respond = (request, response) => {
      reached.push(request.url ?? "");
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" }).end();
    };
    const port = await platform.onDatabase(async (sql) => {
      const { rows } = await sql.query<{ port: number }>("select inet_server_port() as port");
      return rows[0]?.port ?? assert.fail("the database has no port");
    });
    for (const [part, url, problem] of [
      ["metadata", "http://169.254.169.254/latest/meta-data/", /169\.254\.169\.254 is not an address that upstreams may have/],
      ["own", `${platform.httpUrl}/api/v2/apps`, /belongs to the platform/],
      ["database", `http://127.0.0.1:${port}/`, /belongs to the platform/],
      ["moved", `${serverUrl}/moved`, /returned 302; expected 200/],
    ] as const) {
      const { state, api, conditions } = await external(`inward.${part}`, url);
      assert.equal(state, "RUNNING");
      assert.match(api.description?.problem ?? "", problem, part);
      assert.deepEqual([api.description?.digest, api.description?.operations], [null, 0]);
      assert.ok(conditions.some(({ type, message }) => type === "ApiDescribed" && problem.test(message)));
    }
    assert.deepEqual(reached, ["/moved"]);
  });

  test("a server that does not respond, or without end, delays the app by 5 s, and the operator sees why", async () => {
    respond = (_request, response) => response.writeHead(200).write("{");
    const startedAt = Date.now();
    const slow = await external("slow", `${serverUrl}/slow`);
    assert.match(slow.api.description?.problem ?? "", /no response within 5 s/);
    assert.ok(Date.now() - startedAt < 15_000);
    respond = (_request, response) => response.end(Buffer.alloc(2 * 1_048_576, " "));
    const large = await external("large", `${serverUrl}/large`);
    assert.match(large.api.description?.problem ?? "", /more than 1048576 bytes/);
    const log = await eventually(
      () => platform.log(),
      (text) => text.includes("the description of an API was not read"),
    );
    assert.match(log, /more than 1048576 bytes/);
  });
});
