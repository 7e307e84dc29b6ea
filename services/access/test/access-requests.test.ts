import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { installationTuples, scopeObject } from "@appserver/contracts/authorization";
import type { ErrorCode } from "@appserver/contracts/errors";
import { anonymousCaller, type Caller, SqlOutbox } from "@appserver/kernel";
import { callBy, FakeClock, MapIdentity, rejectsWith, type TestDatabase } from "@appserver/testing/kit";
import { pruneAccessRequests } from "../src/adapters/sql-access-requests.ts";
import type { RequestableApp } from "../src/ports.ts";
import { decideRequest } from "../src/use-cases/access-requests/decide-request.ts";
import { readRequests, requestCursor } from "../src/use-cases/access-requests/read-requests.ts";
import { type AccessAsked, requestAccess } from "../src/use-cases/access-requests/request-access.ts";
import { forgetPerson } from "../src/use-cases/forget-person.ts";
import { contextOf, openHome, startAuthorization } from "./access-fixture.ts";

const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const notes = "com.example.notes";
const secret = "com.example.secret";
const dayMs = 86_400_000;

function refuses(code: ErrorCode, work: () => Promise<unknown>, message?: RegExp): Promise<void> {
  return assert.rejects(work, rejectsWith(code, message));
}

describe("requests for access", () => {
  let home: TestDatabase;
  let authorization: EmbeddedAuthorization;
  let clock: FakeClock;
  const apps = new Map<string, RequestableApp>();
  before(async () => {
    home = await openHome();
  });
  after(() => home?.stop());
  beforeEach(async () => {
    await home.database.query("truncate access.requests, platform.outbox, platform.audit_log");
    authorization = await startAuthorization([
      { user: "user:ada", relation: "assignee", object: "role:easy" },
      ...installationTuples(notes, ["notes:read"]),
    ]);
    clock = new FakeClock(Date.UTC(2026, 5, 1));
    apps.clear();
    for (const name of [notes, secret])
      apps.set(name, { id: `id of ${name}`, name, displayName: "Notes", version: "1.0.0", permissions: ["notes:read"] });
  });
  afterEach(() => authorization.stop());

  const context = () => ({
    ...contextOf({ authorization, identity: new MapIdentity(), home }),
    clock,
    outbox: new SqlOutbox(),
    source: "/appserver/test",
    apps: {
      known: async (name: string) => (name === secret ? undefined : apps.get(name)),
      installed: async (name: string) => apps.get(name),
      displayName: async (name: string) => apps.get(name)?.displayName,
    },
  });
  const ask = (asked: Partial<AccessAsked> = {}, caller: Caller = bob) =>
    requestAccess(context(), { appName: notes, access: "notes:read", ...asked }, callBy(caller));
  const decide = (id: string, isGranted: boolean, caller = ada) => decideRequest(context(), { id, isGranted }, callBy(caller));
  const open = async (caller = ada) => (await readRequests(context(), { own: false }, callBy(caller))).items;
  const own = async (caller = bob) => (await readRequests(context(), { own: true }, callBy(caller))).items;
  const holds = () => authorization.check({ user: "user:bob", relation: "holder", object: scopeObject("notes:read", notes) });
  const stored = async (text: string) => (await home.database.query<Readonly<Record<string, unknown>>>(text)).rows;

  test("are granted as by grantAccess, with events and audit entries", async () => {
    const { id, state } = await ask({ reason: "  I take the minutes. " });
    assert.deepEqual([state, await holds()], ["OPEN", false]);
    assert.deepEqual(
      (await open()).map(({ person, appDisplayName, access, reason }) => [person.id, appDisplayName, access, reason]),
      [["user:bob", "Notes", "notes:read", "I take the minutes."]],
    );
    assert.equal((await decide(id, true)).state, "GRANTED");
    assert.equal(await holds(), true);
    assert.deepEqual(await open(), []);
    assert.deepEqual(
      (await stored("select event->>'type' as type from platform.outbox order by id")).map(({ type }) => type),
      ["access.requested", "access.decided"],
    );
    assert.deepEqual(
      (await stored("select actor, action from platform.audit_log order by id")).map(
        ({ actor, action }) => `${actor} ${action}`,
      ),
      ["user:bob access.request", "user:ada access.accept", "user:ada permission.grant"],
    );
    await refuses("INVALID_STATE", () => decide(id, false), /GRANTED already/);
  });

  test("are declined without a change, and the person sees it", async () => {
    const { id } = await ask({ access: "editor" });
    await decide(id, false);
    assert.deepEqual(await stored("select 1 from platform.audit_log where action = 'permission.grant'"), []);
    assert.deepEqual(
      (await own()).map(({ state }) => state),
      ["DECLINED"],
    );
    assert.deepEqual(await own(ada), []);
  });

  test("give a level of the app", async () => {
    await decide((await ask({ access: "viewer" })).id, true);
    assert.equal(await holds(), true);
    await refuses("INVALID_STATE", () => ask(), /already/);
  });

  test("come once a day for each access, and a later one takes the place of the earlier", async () => {
    const first = await ask();
    await refuses("CONFLICT", () => ask({ reason: "Now!" }), /ask again from 2026-06-02/);
    await ask({ access: "viewer" });
    await clock.advance(dayMs);
    const second = await ask({ reason: "Still." });
    assert.deepEqual((await open()).map(({ id, reason }) => [id, reason])[0], [second.id, "Still."]);
    await refuses("NOT_FOUND", () => decide(first.id, true));
    await decide(second.id, false);
    await refuses("CONFLICT", () => ask());
  });

  test("are refused for what is not of an app that the person may know of", async () => {
    await refuses("NOT_FOUND", () => ask({ appName: secret }), /no app com.example.secret that you can ask for/);
    await refuses(
      "NOT_FOUND",
      () => ask({ appName: "com.example.missing" }),
      /no app com.example.missing that you can ask for/,
    );
    for (const access of ["notes:purge", "app:install"]) await refuses("NOT_FOUND", () => ask({ access }));
    for (const access of ["admin", "holder", "role:easy#assignee", ""]) await refuses("INVALID_REQUEST", () => ask({ access }));
    await refuses("INVALID_REQUEST", () => ask({ reason: "x".repeat(201) }));
    await refuses("INVALID_REQUEST", () => ask({ reason: "a\nb" }));
    await refuses("AUTHENTICATION_REQUIRED", () => ask({}, anonymousCaller));
    await refuses("PERMISSION_DENIED", () => ask({}, { kind: "app", id: "1", name: notes }));
    assert.deepEqual(await stored("select 1 from access.requests"), []);
  });

  test("are decided and listed only by those who may", async () => {
    const { id } = await ask();
    await refuses("PERMISSION_DENIED", () => decide(id, true, bob));
    await refuses("PERMISSION_DENIED", () => open(bob));
    await refuses("NOT_FOUND", () => decide("no id", true));
    assert.equal(await holds(), false);
  });

  test("are not granted once the app lost what was asked for", async () => {
    const { id } = await ask();
    apps.set(notes, { ...(apps.get(notes) as RequestableApp), permissions: [] });
    await refuses("NOT_FOUND", () => decide(id, true));
    apps.delete(notes);
    await refuses("INVALID_STATE", () => decide(id, true));
    assert.equal((await decide(id, false)).state, "DECLINED");
  });

  test("wait in a number that no person exceeds, also at once, and leave with person and age", async () => {
    const permissions = Array.from({ length: 25 }, (_, index) => `notes:do${index}`);
    apps.set(notes, { ...(apps.get(notes) as RequestableApp), permissions });
    const answers = await Promise.allSettled(permissions.map((access) => ask({ access })));
    assert.equal(answers.filter(({ status }) => status === "fulfilled").length, 20);
    const page = await readRequests(context(), { own: false, first: 15 }, callBy(ada));
    const last = page.items.at(-1);
    assert.ok(last);
    const next = await readRequests(context(), { own: false, first: 15, after: requestCursor(last) }, callBy(ada));
    assert.deepEqual([page.hasNext, page.totalCount, next.items.length, next.hasNext], [true, 20, 5, false]);
    await home.database.query("update access.requests set requested_at = now() - interval '91 days' where id = $1", [last.id]);
    assert.equal(await pruneAccessRequests(home.database), 20);
    await ask({ access: "viewer" });
    await home.database.transaction((tx) => forgetPerson(context(), tx, "bob", { actor: "operator" }));
    assert.deepEqual(await own(), []);
  });
});
