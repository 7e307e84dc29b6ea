import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  errorOf,
  eventually,
  jsonOf,
  type PlatformUnderTest,
  send,
  startPlatform,
  testApp,
  uniqueName,
} from "@appserver/testing/kit";
import { signedInAgent } from "./agent-sign-in.ts";
import { purgeApp } from "./commands.ts";
import { messageOf, type Revision } from "./mcp-messages.ts";

const secret = "s3cret-of-the-app";

interface Entry {
  readonly actor: string;
  readonly client?: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly traceId?: string;
}

/** docs/interface/operations.md#audit-log, docs/interface/mcp.md#records */
describe("what language models do is in the audit log", () => {
  let platform: PlatformUnderTest;
  let admin = "";
  let bob = "";
  const name = uniqueName("com.example.agent-audit");
  before(async () => {
    platform = await startPlatform();
    const settings = { definitions: [{ key: "token", data_type: "STRING", sensitive: true }] };
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
    await platform.register(await testApp({ name, settings, web_app: { api } }));
    await platform.client().marketplace.installApp({ name });
    admin = await platform.sessionToken("admin");
    bob = await platform.sessionToken("bob");
  });
  after(async () => {
    await purgeApp(platform, name);
    await platform?.stop();
  });

  /** Returns the text of the result of a tool. */
  const call = async (token: string, client: string, tool: string, input: object, revision: Revision = "2026-07-28") => {
    const { headers, body } = messageOf(revision, client, { name: tool, arguments: input });
    const answer = await send(platform.httpUrl, "/mcp", {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  };
  const entriesOf = async (client: string): Promise<readonly Entry[]> => {
    const path = `/api/v2/audit-log?first=100&client=${encodeURIComponent(client)}`;
    const answer = await send(platform.httpUrl, path, { headers: platform.administrator });
    return (jsonOf(answer) as { readonly items?: readonly Entry[] }).items ?? [];
  };
  /** Returns the entries of a program, oldest first. */
  const entries = (client: string, count: number): Promise<readonly Entry[]> =>
    eventually(async () => {
      const found = await entriesOf(client);
      assert.equal(found.length, count, JSON.stringify(found));
      return found.toReversed();
    });
  const by = (user: "admin" | "bob", client: string) => ({ actor: `user:${platform.userId(user)}`, client });

  test("reads, plans and refused calls are entries of their own, and a change is its own entry, each with person and program", async () => {
    const client = `editor-${name}`;
    const said = `said: ${client}`;
    await call(admin, client, "app", { id: name });
    const planned = await call(admin, client, "updateSettings", { id: name, values: { token: secret } });
    const [, confirm = ""] = /confirm\\*":\\*"([0-9a-f]+)/.exec(planned) ?? [];
    await call(admin, client, "updateSettings", { id: name, values: { token: `${secret}!` }, confirm });
    await call(admin, client, "updateSettings", { id: name, values: { token: secret }, confirm });
    await call(bob, client, "call_tool", { name: "people", arguments: { search: secret } });
    await call(admin, client, secret, { id: secret });
    await call(admin, client, "app", { id: secret });
    const found = await entries(said, 7);
    assert.deepEqual(
      found
        .map(({ actor, client: program, action, target, outcome, details }) => ({
          actor,
          client: program,
          action,
          target,
          outcome,
          details,
        }))
        .toSorted(byText),
      [
        { ...by("admin", said), action: "agent.call", target: "tool:app", outcome: "success", details: { app: name } },
        {
          ...by("admin", said),
          action: "agent.call",
          target: "tool:updateSettings",
          outcome: "success",
          details: { app: name, onlyPlanned: true },
        },
        {
          ...by("admin", said),
          action: "agent.call",
          target: "tool:updateSettings",
          outcome: "failure",
          details: { app: name, code: "CONFLICT" },
        },
        {
          ...by("admin", said),
          action: "settings.update",
          target: `app:${name}`,
          outcome: "success",
          details: { keys: ["token"] },
        },
        {
          ...by("bob", said),
          action: "agent.call",
          target: "tool:people",
          outcome: "denied",
          details: { code: "PERMISSION_DENIED" },
        },
        { ...by("admin", said), action: "agent.call", target: "tool:app", outcome: "failure", details: { code: "NOT_FOUND" } },
        {
          ...by("admin", said),
          action: "agent.call",
          target: "tool:unknown",
          outcome: "failure",
          details: { code: "NOT_FOUND" },
        },
      ].toSorted(byText),
    );
    assert.ok(found.every(({ traceId }) => traceId !== undefined));
    assert.ok(!JSON.stringify(found).includes(secret));
  });

  test("an operation that ends after its call names the program, too", async () => {
    const client = `installer-${name}`;
    for (const tool of ["uninstallApp", "installApp"]) {
      const planned = await call(admin, client, "call_tool", { name: tool, arguments: { id: name } });
      const [, confirm = ""] = /confirm\\*":\\*"([0-9a-f]+)/.exec(planned) ?? [];
      const text = await call(admin, client, "call_tool", { name: tool, arguments: { id: name, confirm } });
      assert.ok(!text.includes("isError"), text);
    }
    const found = await entries(`said: ${client}`, 4);
    const changes = found.filter(({ action }) => action !== "agent.call");
    assert.deepEqual(
      changes.map(({ actor, action }) => [actor, action]),
      ["app.uninstall", "app.install"].map((action) => [by("admin", client).actor, action]),
    );
  });

  test("a program without a client info is named by its User-Agent, and a name is bounded and has no control characters", async () => {
    const client = `legacy-${name}`;
    await call(admin, client, "viewer", {}, "2025-11-25");
    await entries(`said: ${client}`, 1);
    await call(admin, `x\u0007\u202e\n${name}${"y".repeat(1_000)}`, "viewer", {});
    await entries(`said: x${name}${"y".repeat(1_000)}`.slice(0, 120), 1);
  });

  test("a program with a consent has the name of the consent, whatever it says", async () => {
    const { agent } = await signedInAgent(platform, await platform.login("admin"), {});
    await agent.call("app", { id: name });
    await agent.close();
    const ofApp = async () => (await entriesOf("Test client")).find(({ details }) => details?.["app"] === name);
    const entry = await eventually(ofApp, (found) => found !== undefined);
    assert.partialDeepStrictEqual(entry, { ...by("admin", "Test client"), target: "tool:app", outcome: "success" });
  });

  test("calls that read the log of an app as a resource are entries", async () => {
    const client = `reader-${name}`;
    const { headers, body } = messageOf("2026-07-28", client, { uri: `appserver://apps/${name}/logs` }, "resources/read");
    const answer = await send(platform.httpUrl, "/mcp", {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${bob}` },
      body: JSON.stringify(body),
    });
    assert.match(answer.text, /PERMISSION_DENIED/);
    const [entry] = await entries(`said: ${client}`, 1);
    assert.partialDeepStrictEqual(entry, { target: "tool:appLogs", outcome: "denied", details: { app: name } });
  });

  test("a filter by a program that is not a text is refused", async () => {
    const answer = await send(platform.httpUrl, "/api/v2/audit-log?client=%00", { headers: platform.administrator });
    assert.equal(errorOf(answer).code, "INVALID_REQUEST");
  });
});

function byText(one: object, other: object): number {
  return JSON.stringify(one).localeCompare(JSON.stringify(other));
}
