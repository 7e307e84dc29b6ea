import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { dumpTables, eventually, findCanary, RunningPlatform, send } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";

const password = "a horse is no battery";
const sameSite = { "sec-fetch-site": "same-origin" };

/** docs/interface/accounts.md */
describe("appserver dev with identity.driver accounts", () => {
  let platform: RunningPlatform;
  let link: URL;
  before(async () => {
    const environment = { APPSERVER_IDENTITY_DRIVER: "accounts" };
    platform = await RunningPlatform.start({ flags: ["--no-examples"], environment });
    const [printed = ""] = /^ {2}http:\S+$/m.exec(platform.printed) ?? [];
    link = new URL(printed.trim());
  });
  after(() => platform?.stop());

  async function post(path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${platform.httpUrl}/self-service/${path}`, {
      method: "POST",
      headers: { accept: "application/json", ...sameSite, ...headers },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
  }

  const viewer = async (cookie: string) => {
    const body = JSON.stringify({ query: "{ viewer { subject displayName permissions } }" });
    const headers = { cookie, "content-type": "application/json", ...sameSite };
    const { text } = await send(platform.httpUrl, "/graphql", { method: "POST", headers, body });
    return JSON.parse(text);
  };

  test("the first administrator opens the link, signs in elsewhere, and ends all other sessions", async () => {
    assert.equal(link.pathname, "/login/registration");
    const token = link.hash.replace("#token=", "");
    const account = { method: "password", token, email: "ada@example.test", name: "Ada", password };
    const crossSite = await post("registration?flow=link", account, { "sec-fetch-site": "cross-site" });
    assert.equal(crossSite.status, 403, "a page of another site cannot complete it");
    const registered = await post("registration?flow=link", account);
    assert.equal(registered.status, 200);
    assert.equal((await post("registration?flow=link", account)).status, 400);
    const { data } = await viewer(registered.cookie);
    assert.equal(data.viewer.displayName, "Ada");
    assert.ok(data.viewer.permissions.includes("access:manage"));

    const elsewhere = await post("login?flow=login", { method: "password", identifier: "ADA@example.test", password });
    assert.equal(elsewhere.status, 200);
    const closed = Promise.withResolvers<void>();
    const socket = createClient({
      url: `${platform.httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${elsewhere.cookie.split("=")[1]}` },
      retryAttempts: 0,
    });
    socket.on("closed", () => closed.resolve());
    const opened = new Promise((resolve) => socket.on("connected", resolve));
    socket.subscribe({ query: "subscription { appStateChanged { name } }" }, { next() {}, error() {}, complete() {} });
    await opened;
    const ended = await post("settings?flow=settings", { sessions_end_others: "true" }, { cookie: registered.cookie });
    assert.equal(ended.status, 200);
    await closed.promise;
    await eventually(
      () => viewer(elsewhere.cookie),
      ({ errors }) => errors?.[0].extensions.code === "AUTHENTICATION_FAILED",
    );
    assert.equal((await viewer(registered.cookie)).data.viewer.displayName, "Ada");

    const log = await readFile(join(platform.dataDir, "server.log"), "utf8");
    const tables = await platform.onDatabase(dumpTables);
    const secrets = { token, password, session: registered.cookie.split("=")[1] ?? "" };
    for (const [name, secret] of Object.entries(secrets)) {
      assert.deepEqual(findCanary(secret, { log, ...tables }), [], name);
    }
  });

  test("an administrator invites, disables, exports and removes a person, and stays the last one", async () => {
    const as = async (cookie: string, query: string) => {
      const headers = { cookie, "content-type": "application/json", ...sameSite };
      const { text } = await send(platform.httpUrl, "/graphql", { method: "POST", headers, body: JSON.stringify({ query }) });
      const { data, errors } = JSON.parse(text);
      return { data, code: errors?.[0].extensions.code as string | undefined };
    };
    const ada = (await post("login?flow=login", { method: "password", identifier: "ada@example.test", password })).cookie;
    const admin = (query: string) => as(ada, query);
    const { data } = await admin('mutation { invitePerson(email: "bob@example.test") { subject { id } link } }');
    const { subject, link: path } = data.invitePerson;
    const person = `id: "${subject.id}"`;
    assert.equal((await admin(`{ personAccount(${person}) { state } }`)).data.personAccount.state, "INVITED");
    assert.equal((await admin(`mutation { setPersonActive(${person}, isActive: false) { id } }`)).code, "INVALID_STATE");
    const registration = { method: "password", token: path.split("#token=")[1], name: "Bob", password };
    const bob = (await post("registration?flow=link", registration)).cookie;
    const bobsRecords = await as(bob, `{ personRecords(${person}) }`);
    assert.equal(bobsRecords.code, "PERMISSION_DENIED");

    const records = (await admin(`{ personRecords(${person}) }`)).data.personRecords;
    assert.deepEqual([records.account[0].email, records.sessions.length], ["bob@example.test", 1]);
    assert.deepEqual(findCanary(bob.split("=")[1] ?? "", { records: JSON.stringify(records) }), []);
    const disabled = await admin(`mutation { setPersonActive(${person}, isActive: false) { state } }`);
    assert.equal(disabled.data.setPersonActive.state, "DISABLED");
    await eventually(
      () => viewer(bob),
      ({ errors }) => errors?.[0].extensions.code === "AUTHENTICATION_FAILED",
    );
    assert.equal((await admin(`mutation { removePerson(${person}) }`)).data.removePerson, subject.id);
    assert.equal((await admin(`{ personAccount(${person}) { state } }`)).data.personAccount, null);
    for (const missing of [`mutation { removePerson(${person}) }`, `{ personRecords(${person}) }`])
      assert.equal((await admin(missing)).code, "NOT_FOUND");
    assert.equal((await admin('mutation { removePerson(id: "ada") }')).code, "NOT_FOUND");

    const own = `id: "${(await viewer(ada)).data.viewer.subject}"`;
    for (const last of [`setPersonActive(${own}, isActive: false) { id }`, `removePerson(${own})`])
      assert.equal((await admin(`mutation { ${last} }`)).code, "INVALID_STATE");
    const log = await admin(`{ auditLog(target: "${subject.id}", first: 20) { edges { node { action outcome } } } }`);
    const actions = log.data.auditLog.edges.map(({ node }: { node: { action: string } }) => node.action);
    for (const action of ["person.invite", "person.disable", "person.export", "person.remove"])
      assert.ok(actions.includes(action), `${action} of ${actions}`);
  });
});
