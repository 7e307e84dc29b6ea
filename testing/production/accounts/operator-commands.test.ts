import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "@appserver/testing/kit";
import {
  appserver,
  ProductionServer,
  type ProductionServices,
  runAppserver,
  startProductionServices,
} from "@appserver/testing/kit/production";

const services = await startProductionServices();
const password = "a horse is no battery";

/** docs/interface/accounts.md#people */
describe("appserver accounts, while servers run", {
  skip: "unavailable" in services ? services.unavailable : false,
}, () => {
  let platform: ProductionServices;
  let environment: Readonly<Record<string, string>>;
  let server: ProductionServer;
  before(async () => {
    if ("unavailable" in services) throw new Error("skipped");
    platform = services;
    const groups = JSON.stringify({ finance: "role:readers" });
    environment = { ...platform.environment, APPSERVER_IDENTITY_DRIVER: "accounts", APPSERVER_IDENTITY_GROUPS: groups };
    await appserver(["migrate"], environment);
    await appserver(["authz", "bootstrap"], environment);
    server = await ProductionServer.create(environment);
    server.start();
    await server.ready();
  });
  after(async () => {
    await server?.kill();
    await platform?.stop();
  });

  /** Invites a person, completes the account, and returns the cookie of its session. */
  async function join(email: string, ...flags: readonly string[]): Promise<string> {
    const link = await appserver(["accounts", "invite", "--email", email, ...flags], environment);
    const token = new URL(link.trim()).hash.replace("#token=", "");
    const response = await fetch(`${server.httpUrl}/self-service/registration?flow=link`, {
      method: "POST",
      headers: { accept: "application/json", "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ method: "password", token, name: email, password }),
    });
    assert.equal(response.status, 200, await response.text());
    return response.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  async function subjectOf(cookie: string): Promise<string | undefined> {
    const response = await fetch(`${server.httpUrl}/graphql`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ query: "{ viewer { subject } }" }),
    });
    return ((await response.json()) as { data?: { viewer?: { subject?: string } } }).data?.viewer?.subject;
  }

  const isAdministrator = async (subject: string): Promise<boolean> =>
    (await runAppserver(["authz", "check", subject, "assignee", "platform_role:admin"], environment)).code === 0;

  test("a person is disabled, enabled, exported and removed, and an administrator is left", async () => {
    const ada = await join("ada@example.test", "--admin");
    const { code, stderr } = await runAppserver(["accounts", "disable", "ada@example.test"], environment);
    assert.equal(code, 1);
    assert.match(stderr, /there would be no administrator/);
    const grace = await join("grace@example.test", "--admin");
    const subject = (await subjectOf(ada)) ?? "";
    assert.match(subject, /^user:/);

    await appserver(["accounts", "disable", "ada@example.test"], environment);
    await until("the session has ended", async () => (await subjectOf(ada)) === undefined);
    assert.notEqual(await subjectOf(grace), undefined);
    await appserver(["accounts", "enable", subject.slice("user:".length)], environment);

    const exported = JSON.parse(await appserver(["accounts", "export", "ada@example.test"], environment));
    assert.deepEqual(
      [exported.account[0].email, exported.tuples[0].object, exported.groups],
      ["ada@example.test", "role:easy", []],
    );
    assert.match(await appserver(["authz", "groups", "preview", "ada@example.test"], environment), /is in no group/);

    await appserver(["accounts", "remove", "ada@example.test"], environment);
    assert.equal(await isAdministrator(subject), false);
    const gone = await runAppserver(["accounts", "export", "ada@example.test"], environment);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /no account has the address/);
  });

  test("the keys of secrets are rotated with those of accounts", async () => {
    assert.match(await appserver(["settings", "rotate-key"], environment), /0 values encrypted with the key/);
  });
});
