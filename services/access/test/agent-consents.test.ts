import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { SystemClock } from "@appserver/kernel";
import { callBy, SqlAuditLog, type TestDatabase } from "@appserver/testing/kit";
import { pruneAgentConsents, sqlAgentConsents } from "../src/adapters/sql-agent-consents.ts";
import { sqlOAuthRecords } from "../src/adapters/sql-oauth-records.ts";
import {
  authenticateAgent,
  endConsent,
  giveConsent,
  isActivePerson,
  readConsents,
} from "../src/use-cases/agents/agent-access.ts";
import { SignInRecords } from "../src/use-cases/agents/sign-in-records.ts";
import { openHome } from "./access-fixture.ts";

const clock = new SystemClock();
const ada = callBy({ kind: "user", id: "ada", displayName: "Ada" });
const resource = "https://apps.example.com/mcp";

describe("what the sign-in of programs stores", () => {
  let home: TestDatabase;
  let records: SignInRecords;
  before(async () => {
    home = await openHome();
    records = new SignInRecords(sqlOAuthRecords(home.database), clock);
  });
  after(() => home?.stop());
  afterEach(() => home.database.query("truncate access.agent_consents, access.oauth_records"));

  const context = () => ({
    consents: sqlAgentConsents,
    audit: new SqlAuditLog({ database: home.database, clock }),
    database: home.database,
    clock,
  });
  const give = (id: string, clientId = "client") => {
    const person = { userId: "ada", displayName: "Ada", email: undefined };
    return giveConsent(context(), { id, ...person, clientId, clientName: "Client", isReadOnly: true, days: 1 }, ada);
  };
  const count = async (condition: string): Promise<number> => {
    const { rows } = await home.database.query<{ count: number }>(
      `select count(*)::int as count from access.oauth_records where ${condition}`,
      [],
    );
    return rows[0]?.count ?? 0;
  };

  test("programs that register themselves: 1,000 without a consent, and those with one stay", async () => {
    await records.put("Client", "consented", { client_id: "consented" }, 60);
    await give("grant", "consented");
    await home.database.query(
      `insert into access.oauth_records (model, key, payload, expires_at)
       select 'Client', 'old-' || number, '{}', now() + interval '1 day' from generate_series(1, 1000) as number`,
      [],
    );
    for (const id of ["new-1", "new-2"]) await records.put("Client", id, {}, 60);
    assert.equal(await count("model = 'Client'"), 1_001);
    for (const id of ["consented", "new-1", "new-2"]) assert.ok(await records.find("Client", id), id);
    assert.equal(await count("key = 'consented' and expires_at > now() + interval '23 hours'"), 1, "as long as its consent");
  });

  test("access tokens: the newest 20 of a consent, by their hashes, and what has ended is deleted", async () => {
    await records.put("RefreshToken", "ended", { grantId: "grant" }, -1);
    for (let number = 0; number < 25; number += 1)
      await records.put("AccessToken", `token-${number}`, { jti: `token-${number}`, grantId: "grant", aud: resource }, 60);
    assert.equal(await count("true"), 20);
    assert.equal(await count("payload::text like '%token-24%' or key like 'token-%'"), 0);
    assert.equal((await records.find("AccessToken", "token-24"))?.payload["jti"], "token-24");
    assert.equal(await records.find("AccessToken", "token-0"), undefined);
  });

  test("a token is that of its consent, for its resource, until one of them ends", async () => {
    await records.put("AccessToken", "token", { grantId: "grant", aud: resource }, 60);
    const caller = () => authenticateAgent(context(), "token", resource);
    assert.equal(await caller(), undefined, "no consent");
    await give("grant");
    const agent = { client: "Client", isReadOnly: true, bounds: undefined };
    assert.deepEqual(await caller(), { kind: "user", id: "ada", displayName: "Ada", email: undefined, agent });
    assert.equal(await authenticateAgent(context(), "token", "https://other.example/mcp"), undefined);
    await home.database.query("update access.agent_consents set expires_at = now()", []);
    assert.equal(await caller(), undefined);
    assert.equal(await pruneAgentConsents(home.database), 1);
  });

  test("a person gives at most 50, also at once", async () => {
    const given = await Promise.allSettled(Array.from({ length: 52 }, (_, number) => give(`grant-${number}`)));
    assert.equal(given.filter(({ status }) => status === "rejected").length, 2);
    assert.equal((await readConsents(context(), ada)).length, 50);
  });

  test("a code is used once, a refresh token for a moment, and both ends are in the audit log", async () => {
    await give("grant");
    for (const model of ["AuthorizationCode", "RefreshToken"]) await records.put(model, model, { grantId: "grant" }, 60);
    const both = (model: string) => Promise.all([records.consume(model, model), records.consume(model, model)]);
    assert.deepEqual((await both("AuthorizationCode")).sort(), ["first", "reused"]);
    assert.deepEqual((await both("RefreshToken")).sort(), ["again", "first"]);
    await home.database.query("update access.oauth_records set consumed_at = now() - interval '11 seconds'", []);
    assert.equal(await records.consume("RefreshToken", "RefreshToken"), "reused");
    assert.equal((await records.find("RefreshToken", "RefreshToken"))?.isConsumed, true);
    await endConsent(context(), "grant", "token used twice");
    assert.equal(await count("grant_id = 'grant'"), 0);
    const [entry] = await context().audit.read({ action: "agent.revoke", limit: 1 });
    assert.deepEqual(
      [entry?.actor, entry?.details?.["reason"], entry?.details?.["person"]],
      ["system", "token used twice", "user:ada"],
    );
  });

  test("tokens are renewed 30 times an hour, and no used one is forgotten", async () => {
    for (let number = 0; number < 30; number += 1) {
      await records.put("RefreshToken", `token-${number}`, { grantId: "grant" }, 60);
      assert.equal(await records.consume("RefreshToken", `token-${number}`), "first");
    }
    await records.put("RefreshToken", "token-30", { grantId: "grant" }, 60);
    assert.equal(await records.consume("RefreshToken", "token-30"), "too many");
    assert.equal((await records.find("RefreshToken", "token-30"))?.isConsumed, false);
    assert.equal(await count("model = 'RefreshToken'"), 31);
  });

  test("a person who is renamed, or leaves, is so in what the person has given", async () => {
    await give("grant");
    await records.put("Grant", "grant", {}, 60);
    const people = new Map([["ada", { userId: "ada", displayName: "Ada L.", email: "ada@example.com" }]]);
    const identity = { find: async () => [...people.values()] };
    assert.equal(await isActivePerson({ ...context(), identity }, "ada"), true);
    const [consent] = await readConsents(context(), ada);
    assert.deepEqual([consent?.displayName, consent?.email], ["Ada L.", "ada@example.com"]);
    people.clear();
    assert.equal(await isActivePerson({ ...context(), identity }, "ada"), false);
    await home.database.transaction((tx) => sqlAgentConsents.forgetPerson(tx, "ada"));
    assert.equal(await count("true"), 0);
  });
});
