import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  dumpTables,
  eventually,
  findCanary,
  RunningPlatform,
  send,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";
import { OpenidProvider } from "@appserver/testing/kit/openid-provider";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";

const token = "a-token-of-scim-for-this-test";
const sameSite = { "sec-fetch-site": "same-origin" };
const schema = (name: string): string => `urn:ietf:params:scim:${name}`;
const schemas = { user: schema("schemas:core:2.0:User"), group: schema("schemas:core:2.0:Group") };

/** docs/interface/accounts.md#scim */
describe("people and groups that SCIM makes", () => {
  const ticker = uniqueName("com.example.ticker");
  const upstream = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: tick\n\n");
  });
  let provider: OpenidProvider;
  let platform: RunningPlatform;
  before(async () => {
    provider = await OpenidProvider.start("company", { linkByEmail: "verified", allowedDomains: ["example.test"] });
    const { id, issuer, clientId, clientSecret } = provider.options;
    const known = { id, issuer, client_id: clientId, client_secret: clientSecret, allowed_domains: ["example.test"] };
    const environment = {
      APPSERVER_IDENTITY_DRIVER: "accounts",
      APPSERVER_IDENTITY_GROUPS: JSON.stringify({ "platform-admins": "role:easy" }),
      APPSERVER_ACCOUNTS_SCIM_TOKEN: token,
      APPSERVER_ACCOUNTS_PROVIDERS: JSON.stringify([{ ...known, link_by_email: "verified" }]),
    };
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
    provider.platformUrl = platform.httpUrl;
    await once(upstream.listen(0, "127.0.0.1"), "listening");
    const routes = [{ pattern: "/**", methods: ["GET"], scopes: [] }];
    const { port } = upstream.address() as AddressInfo;
    const api = { base_path: "/", upstream_base_url: `http://127.0.0.1:${port}`, routes };
    await platform.register(await testApp({ name: ticker, web_app: { api } }));
    await platform.client().marketplace.installApp({ name: ticker });
    await untilRouted(platform.httpUrl, ticker, "/ticks");
  });
  after(async () => {
    upstream.closeAllConnections();
    upstream.close();
    await platform?.stop();
    await provider?.stop();
  });

  async function scim(method: string, path: string, given?: object, authorization = `Bearer ${token}`) {
    const body = given && JSON.stringify(given);
    const headers = { authorization, ...(body && { "content-type": "application/scim+json" }) };
    const response = await send(platform.httpUrl, `/scim/v2${path}`, { method, headers, ...(body && { body }) });
    return { status: response.status, body: response.text === "" ? undefined : JSON.parse(response.text) };
  }

  async function created(kind: "Users" | "Groups", resource: object): Promise<string> {
    const { status, body } = await scim("POST", `/${kind}`, resource);
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  }

  const patch = (path: string, ...operations: readonly object[]) =>
    scim("PATCH", path, { schemas: [schema("api:messages:2.0:PatchOp")], Operations: operations });

  const cookieOf = (response: Response, name: RegExp): string =>
    response.headers
      .getSetCookie()
      .find((each) => name.test(each))
      ?.split(";", 1)[0] ?? "";

  /** Signs in at the provider. Returns the cookie of the session. */
  async function signIn(email: string): Promise<string> {
    provider.signsIn({ sub: email, email, email_verified: true, name: email });
    const begun = await fetch(`${platform.httpUrl}/self-service/login?flow=login`, {
      method: "POST",
      headers: { accept: "application/json", ...sameSite },
      body: new URLSearchParams({ provider: "company" }),
    });
    const { redirect_browser_to } = (await begun.json()) as { redirect_browser_to: string };
    const back = await provider.visit(redirect_browser_to);
    const cookie = cookieOf(begun, /^appserver_flow=/);
    return cookieOf(await fetch(back, { redirect: "manual", headers: { cookie } }), /^appserver_session=/);
  }

  const viewer = async (cookie: string) => {
    const body = JSON.stringify({ query: "{ viewer { subject permissions } }" });
    const headers = { cookie, "content-type": "application/json", ...sameSite };
    return JSON.parse((await send(platform.httpUrl, "/graphql", { method: "POST", headers, body })).text);
  };

  /** Opens a stream of an app that does not end by itself. `ended`: when it did. */
  async function openStream(cookie: string): Promise<{ readonly ended: Promise<number> }> {
    const response = await fetch(`${platform.httpUrl}/api/apps/${ticker}/ticks`, { headers: { cookie, ...sameSite } });
    assert.equal(response.status, 200);
    const reader = response.body?.getReader() ?? assert.fail("no body");
    assert.match(new TextDecoder().decode((await reader.read()).value), /tick/);
    const untilEnd = async (): Promise<number> => {
      for (;;)
        if (
          await reader.read().then(
            ({ done }) => done,
            () => true,
          )
        )
          return performance.now();
    };
    return { ended: untilEnd() };
  }

  test("a group gives permissions; a person who is disabled is out within a second; the last administrator stays", async () => {
    const user = (name: string) => ({ schemas: [schemas.user], userName: `${name}@example.test`, active: true });
    const [ada, bob] = [await created("Users", user("ada")), await created("Users", user("bob"))];
    const members = [{ value: ada }];
    const group = await created("Groups", { schemas: [schemas.group], displayName: "platform-admins", members });

    const cookie = await signIn("ada@example.test");
    const { data } = await viewer(cookie);
    assert.equal(data.viewer.subject, `user:${ada}`);
    assert.ok(data.viewer.permissions.includes("access:manage"));
    const last = await scim("DELETE", `/Users/${ada}`);
    assert.deepEqual([last.status, last.body.status], [409, "409"]);
    assert.match(last.body.detail, /last administrator/);
    assert.equal((await patch(`/Groups/${group}`, { op: "Add", path: "members", value: [{ value: bob }] })).status, 204);

    const closed = Promise.withResolvers<number>();
    const socket = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${cookie.split("=")[1]}` },
      retryAttempts: 0,
    });
    socket.on("closed", () => closed.resolve(performance.now()));
    const opened = new Promise((resolve) => socket.on("connected", resolve));
    socket.subscribe({ query: "subscription { appStateChanged { name } }" }, { next() {}, error() {}, complete() {} });
    await opened;
    const stream = await openStream(cookie);
    const leftAt = performance.now();
    const left = await patch(`/Users/${ada}`, { op: "Replace", path: "active", value: "False" });
    assert.deepEqual([left.status, left.body.active], [200, false]);
    assert.ok((await closed.promise) - leftAt < 1_000);
    assert.ok((await stream.ended) - leftAt < 1_000, "a stream of an app ends");
    const refused = await viewer(cookie);
    assert.equal(refused.errors?.[0].extensions.code, "AUTHENTICATION_FAILED");

    const active = await patch(`/Users/${bob}`, { op: "replace", value: { active: false } });
    assert.deepEqual([active.status, active.body.scimType], [409, "mutability"]);
    const both = [{ value: ada }, { value: bob }];
    assert.equal((await patch(`/Groups/${group}`, { op: "remove", path: "members", value: both })).status, 204);
    const bobs = await signIn("bob@example.test");
    assert.ok((await viewer(bobs)).data.viewer.permissions.includes("access:manage"), "the last administrator stays");
    assert.equal((await scim("DELETE", `/Users/${ada}`)).status, 204);
    assert.equal((await scim("GET", `/Users/${ada}`)).status, 404);
  });

  test("nothing else than the token opens it, and it is stored and logged nowhere", async () => {
    const session = await signIn("eve@example.test");
    const wrong = await scim("GET", "/Users", undefined, `Bearer ${session.split("=")[1]}`);
    assert.deepEqual([wrong.status, wrong.body.schemas], [401, [schema("api:messages:2.0:Error")]]);
    const byCookie = await send(platform.httpUrl, `/scim/v2/Users?token=${token}`, { headers: { cookie: session } });
    assert.equal(byCookie.status, 401);
    await eventually(
      () => readFile(join(platform.dataDir, "server.log"), "utf8"),
      (text) => text.includes("/scim/v2/*"),
    );
    const log = (await readFile(join(platform.dataDir, "server.log"), "utf8")).replaceAll(`token=${token}`, "");
    assert.deepEqual(findCanary(token, { log, ...(await platform.onDatabase(dumpTables)) }), []);
  });
});
