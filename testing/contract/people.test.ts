import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  createPeople,
  createPlatformClient,
  type People,
  type PlatformClient,
  type RunningApp,
  serveApp,
} from "@appserver/sdk";
import {
  approvePermissions,
  eventually,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  type TestUser,
  testApp,
  uniqueName,
  untilRouted,
} from "@appserver/testing/kit";
import { Code, ConnectError } from "@connectrpc/connect";
import { command, purgeApp } from "./commands.ts";

const name = uniqueName("com.example.people");
const scope = "people:read";
const notifyScope = "people:notify";

interface Seen {
  readonly userId?: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly canApprove: boolean;
}

interface MessagesOfPerson {
  readonly viewer: { readonly unreadMessages: unknown };
  readonly appMessages: { readonly edges: unknown };
}

const messagesQuery =
  "{ viewer { unreadMessages { appName count } } appMessages { edges { node { id appName title text path isRead } } } }";

/** docs/interface/proxy.md#people, docs/interface/grpc.md#access */
describe("an app knows people while it holds people:read, and what its callers hold", () => {
  let platform: PlatformUnderTest;
  let backend: RunningApp;
  let client: PlatformClient;
  let people: People;

  before(async () => {
    platform = await startPlatform();
    backend = await serveApp({
      host: "127.0.0.1",
      port: 0,
      forwardSecret: false,
      platform: {
        get access() {
          return client.access;
        },
      },
      routes: { "GET /me": async ({ caller, can }) => ({ json: { ...caller, canApprove: await can("items:approve") } }) },
    });
    const routes = [
      { pattern: "/me", methods: ["GET"] },
      { pattern: "/items", methods: ["POST"], scopes: ["items:approve"] },
    ];
    const api = { base_path: "/", upstream_base_url: `http://127.0.0.1:${backend.port}`, routes };
    const required_permissions = [
      { scope, resource_type: "platform", reason: "Shows who did what." },
      { scope: notifyScope, resource_type: "platform", reason: "Reminds people of what is due." },
    ];
    const assets = ["main.js"];
    const ui = { mode: "ESM_COMPONENT", entry_asset_name: "main.js", route_base: `/${name}` };
    const app = await testApp(
      { name, required_permissions, web_app: { api, ui, assets } },
      { "main.js": "export const mount = () => {};" },
    );
    client = createPlatformClient({ grpcUrl: platform.grpcUrl, app: { name, privateKey: app.keys.privateKey } });
    people = createPeople(client);
    await platform.register(app);
    assert.deepEqual([...(await approvePermissions(platform, name))].sort(), [notifyScope, scope]);
    await platform.client().marketplace.installApp({ name });
    await untilRouted(platform.httpUrl, name, "/me");
  });

  after(async () => {
    await purgeApp(platform, name);
    await platform?.stop();
    await backend?.stop();
  });

  const seenBy = async (user: TestUser): Promise<Seen> => {
    const cookie = await platform.login(user);
    return jsonOf(await send(platform.httpUrl, `/api/apps/${name}/me`, { headers: { cookie } })) as unknown as Seen;
  };
  const graphqlOf = async <Data>(user: TestUser, query: string): Promise<Data> => {
    const headers = { cookie: await platform.login(user), "content-type": "application/json" };
    const answer = jsonOf(
      await send(platform.httpUrl, "/graphql", { method: "POST", headers, body: JSON.stringify({ query }) }),
    );
    return (answer as { readonly data: Data }).data;
  };
  const ofPage = async (user: TestUser): Promise<unknown> => {
    const query = `{ frontendPage(name: "${name}") { permissions } }`;
    return (await graphqlOf<{ readonly frontendPage: { readonly permissions: unknown } }>(user, query)).frontendPage
      .permissions;
  };
  const denied = (error: unknown): boolean => {
    const { code, message } = ConnectError.from(error);
    assert.match(
      message,
      /lacks the permission people:read: its manifest must require it, and an administrator must approve it/,
    );
    return code === Code.PermissionDenied;
  };

  test("the name and the address come with each request, and people are found by them", async () => {
    const [alice, admin] = [platform.userId("alice"), platform.userId("admin")];
    const seen = await seenBy("alice");
    assert.partialDeepStrictEqual(seen, { userId: alice, displayName: "Alice Reader", canApprove: false });
    assert.match(seen.email ?? "", /@/);
    assert.equal((await seenBy("admin")).canApprove, true);
    const expected = { userId: alice, displayName: "Alice Reader", email: seen.email, isActive: true };
    const found = await people.find(seen.email ?? "");
    assert.deepEqual(
      found.filter(({ userId }) => userId === alice),
      [expected],
    );
    assert.deepEqual(await people.get(alice), expected);
    assert.equal(await people.get("no-such-person"), undefined);
    assert.deepEqual([...(await people.getEach([alice, admin, alice])).keys()].sort(), [alice, admin].sort());
    for (const text of ["a", " a ", "a".repeat(257)])
      await assert.rejects(people.find(text), (error) => ConnectError.from(error).code === Code.InvalidArgument, text);
    await assert.rejects(people.find("alice", 21), (error) => ConnectError.from(error).code === Code.InvalidArgument);
  });

  test("a page gets what its viewer holds of the app", async () => {
    assert.deepEqual([await ofPage("admin"), await ofPage("alice")], [["items:approve"], []]);
  });

  test("a person reads what the app has told them, and marks it as read", async () => {
    const own = (user: TestUser) => graphqlOf<MessagesOfPerson>(user, messagesQuery);
    const alice = platform.userId("alice");
    const id = await people.notify(alice, { title: "Card 7 is due", path: `/${name}/cards/7` });
    const { viewer, appMessages } = await own("alice");
    assert.deepEqual(viewer.unreadMessages, [{ appName: name, count: 1 }]);
    const node = { id, appName: name, title: "Card 7 is due", text: null, path: `/${name}/cards/7`, isRead: false };
    assert.deepEqual(appMessages.edges, [{ node }]);
    assert.deepEqual((await own("bob")).appMessages.edges, []);
    const { origin } = new URL(platform.httpUrl);
    const headers = { cookie: await platform.login("alice"), origin, "content-type": "application/json" };
    const read = () => send(platform.httpUrl, "/api/v2/viewer/messages/read", { method: "PUT", headers, body: "{}" });
    assert.deepEqual([jsonOf(await read()), jsonOf(await read())], [{ count: 1 }, { count: 0 }]);
    assert.deepEqual((await own("alice")).viewer.unreadMessages, []);
    await assert.rejects(people.notify("no-such-person", { title: "Hello" }), (error) => {
      return ConnectError.from(error).code === Code.NotFound;
    });
  });

  test("neither after the permission was revoked; what callers hold needs no permission", async () => {
    await command(platform, `revokePermissions(name: "${name}", scopes: ["${scope}"]) { success }`);
    const seen = await eventually(
      () => seenBy("admin"),
      ({ displayName }) => displayName === undefined,
    );
    assert.deepEqual(seen, { userId: platform.userId("admin"), canApprove: true });
    await assert.rejects(people.find("alice"), denied);
    await assert.rejects(people.get(platform.userId("alice")), denied);
    await platform.client().marketplace.uninstallApp({ name });
    const { Unauthenticated, PermissionDenied } = Code;
    const refused = (error: unknown) => [Unauthenticated, PermissionDenied].includes(ConnectError.from(error).code);
    await assert.rejects(people.find("alice"), refused);
  });
});
