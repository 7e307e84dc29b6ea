import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { EmbeddedAuthorization, MemoryTupleStore } from "@appserver/authorization-embedded";
import { authorizationModel, initialTuples, installationTuples, scopeObject } from "@appserver/contracts/authorization";
import { type Caller, type MachineCaller, platformMigrations, SystemClock, silentLogger } from "@appserver/kernel";
import {
  callBy,
  createTestDatabase,
  dumpTables,
  FakeClock,
  findCanary,
  MapCache,
  MapIdentity,
  recordsMigrations,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
  until,
} from "@appserver/testing/kit";
import { accessMigrations } from "../migrations/index.ts";
import { sqlServiceAccounts } from "../src/adapters/sql-service-accounts.ts";
import { keyOfMachineToken } from "../src/domain/machine-token.ts";
import { grantAccess } from "../src/use-cases/change-access.ts";
import { readHeld, readHolders } from "../src/use-cases/read-access.ts";
import { createServiceAccount } from "../src/use-cases/service-accounts/create-service-account.ts";
import { deleteServiceAccount, revokeToken } from "../src/use-cases/service-accounts/end-service-account.ts";
import { createToken, type IssuedToken } from "../src/use-cases/service-accounts/issue-token.ts";
import { MachineTokenMemory } from "../src/workers/machine-token-memory.ts";
import { contextOf, serverPermissions } from "./access-fixture.ts";

const system = new SystemClock();
const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };
/** Gives and takes access, but may not install apps. */
const max: Caller = { kind: "user", id: "max", displayName: "Max" };
const notes = "com.example.notes";
const deployer = { relation: "assignee", object: "role:deployer" };
const administrator = { relation: "assignee", object: "role:easy" };
const holderOf = (permission: string) => ({ relation: "holder", object: scopeObject(permission) });

describe("service accounts", () => {
  let server: TestPostgres;
  let home: TestDatabase;
  let authorization: EmbeddedAuthorization;
  let cache: MapCache;
  const opened: { stop(): unknown }[] = [];
  before(async () => {
    server = await startTestPostgres();
    home = await createTestDatabase(server);
    await home.database.migrate([...platformMigrations, ...recordsMigrations, ...accessMigrations]);
  });
  beforeEach(async () => {
    authorization = new EmbeddedAuthorization({ model: authorizationModel, store: new MemoryTupleStore(), clock: system });
    await authorization.start();
    opened.push(authorization);
    cache = new MapCache(system);
    const role = (permission: string) => ({ user: "role:deployer#assignee", ...holderOf(permission) });
    const writes = [
      ...initialTuples,
      ...installationTuples(notes, ["notes:read", "notes:write"]),
      { user: "user:ada", ...administrator },
      { user: "user:max", ...holderOf("access:manage") },
      { user: "user:max", ...holderOf("app:view") },
      ...["app:view", "app:install", "permission:approve"].map(role),
    ];
    await authorization.write({ writes });
  });
  after(async () => {
    await Promise.all(opened.map((each) => each.stop()));
    await home?.stop();
    await server?.stop();
  });

  const replica = () => serverPermissions(authorization, cache);
  const context = () => ({
    ...contextOf({ authorization, identity: new MapIdentity(), home }),
    permissions: replica(),
  });
  const create = (name: string, grants: readonly { relation: string; object: string }[], scopes?: readonly string[]) =>
    createServiceAccount(context(), { name, grants, scopes }, callBy(ada));
  const keyOf = ({ secret }: IssuedToken): string => keyOfMachineToken(secret ?? "") ?? "";
  const memory = async (clock = system as SystemClock | FakeClock) => {
    const statements: string[] = [];
    let fails = false;
    const database = {
      listen: home.database.listen.bind(home.database),
      query: ((text, parameters) => {
        statements.push(text);
        return fails ? Promise.reject(new Error("unreachable")) : home.database.query(text, parameters);
      }) as TestDatabase["database"]["query"],
    };
    const tokens = new MachineTokenMemory({ database, table: sqlServiceAccounts, clock, logger: silentLogger });
    await tokens.start();
    opened.push(tokens);
    const fromMemory = (key: string) =>
      until("it answers from memory", async () => {
        statements.length = 0;
        await tokens.identify(key);
        return statements.length === 0;
      });
    return { tokens, statements, fromMemory, fail: () => (fails = true) };
  };
  const refused = (key: string, { tokens }: Awaited<ReturnType<typeof memory>>) =>
    until("it is refused", async () => {
      try {
        await tokens.identify(key);
        return false;
      } catch (error) {
        return rejectsWith("AUTHENTICATION_FAILED", /not valid/)(error);
      }
    });
  const callerOf = async (issued: IssuedToken): Promise<MachineCaller> => (await memory()).tokens.identify(keyOf(issued));

  test("an account does what it was given, by its token, which is stored nowhere, and is audited by its id", async () => {
    const issued = await create("reader", [{ relation: "viewer", object: `app:${notes}` }]);
    const { account } = issued;
    assert.deepEqual(
      [account.name, account.createdBy, account.tokens.length, issued.token.scopes],
      ["reader", "user:ada", 1, null],
    );
    const caller = await callerOf(issued);
    assert.deepEqual([caller.kind, caller.id, caller.name], ["machine", account.id, "reader"]);
    assert.equal(await replica().allowed(caller, "notes:read", notes), true);
    assert.equal(await replica().allowed(caller, "notes:write", notes), false);
    const audit = await context().audit.read({ target: `machine:${account.id}`, limit: 10 });
    assert.deepEqual(
      audit.map(({ actor, action }) => `${actor} ${action}`),
      ["user:ada service_account.token_create", "user:ada service_account.create"],
    );
    assert.deepEqual(findCanary(issued.secret ?? "", await dumpTables(home.database)), []);
  });

  test("the creator of an account and of each of its tokens holds what it gives", async () => {
    const byMax = (grants: readonly { relation: string; object: string }[]) =>
      createServiceAccount(context(), { name: "of-max", grants }, callBy(max));
    const lacks = rejectsWith("PERMISSION_DENIED", /may not give app:install to a service account/);
    await assert.rejects(byMax([deployer]), lacks);
    await assert.rejects(byMax([holderOf("app:install")]), lacks);
    await assert.rejects(byMax([administrator]), rejectsWith("PERMISSION_DENIED", /and \d+ more to a service account/));
    await assert.rejects(
      byMax([{ relation: "owner", object: `app:${notes}` }]),
      rejectsWith("PERMISSION_DENIED", /com.example.notes\/notes:read/),
    );
    const { account } = await create("more-than-max", [deployer]);
    const tokenByMax = (scopes?: readonly string[]) => createToken(context(), { id: account.id, scopes }, callBy(max));
    await assert.rejects(tokenByMax(), lacks);
    const narrow = await tokenByMax(["app:view"]);
    assert.deepEqual(narrow.token.scopes, ["app:view"]);
    await byMax([holderOf("app:view")]);
    const bob = callBy({ kind: "user", id: "bob", displayName: "Bob" });
    await assert.rejects(
      createServiceAccount(context(), { name: "of-bob", grants: [] }, bob),
      rejectsWith("PERMISSION_DENIED", /access:manage/),
    );
    const [denied] = await context().audit.read({ actor: "user:bob", limit: 1 });
    assert.deepEqual([denied?.action, denied?.outcome], ["service_account.create", "denied"]);
  });

  test("an account that is an administrator gives nothing to anything, itself included", async () => {
    const issued = await create("root", [administrator]);
    const caller = await callerOf(issued);
    const { id } = issued.account;
    assert.equal(await replica().allowed(caller, "app:install"), true);
    assert.equal(await replica().allowed(caller, "access:manage"), false);
    assert.deepEqual(await replica().allowedEach(caller, [{ permission: "access:manage" }, { permission: "app:install" }]), [
      false,
      true,
    ]);
    const call = callBy(caller);
    const itself = { user: `machine:${id}`, ...holderOf("permission:approve") };
    const attempts = {
      "grant itself": () => grantAccess(context(), itself, call),
      "grant a person": () => grantAccess(context(), { ...itself, user: "user:eve" }, call),
      "another account": () => createServiceAccount(context(), { name: "child", grants: [] }, call),
      "another token": () => createToken(context(), { id }, call),
      "end a token": () => revokeToken(context(), { id, tokenId: issued.token.id }, call),
      "end itself": () => deleteServiceAccount(context(), id, call),
    };
    for (const [what, attempt] of Object.entries(attempts))
      await assert.rejects(attempt(), rejectsWith("PERMISSION_DENIED", /machine:\S+ lacks the permission access:manage/), what);
    const tried = await context().audit.read({ actor: `machine:${id}`, outcome: "denied", limit: 10 });
    assert.equal(tried.length, 6);
    const byName = { user: `machine:${id}`, ...holderOf("access:manage") };
    await assert.rejects(
      grantAccess(context(), byName, callBy(ada)),
      rejectsWith("INVALID_REQUEST", /never holds access:manage/),
    );
    await assert.rejects(create("root-2", [holderOf("access:manage")]), rejectsWith("INVALID_REQUEST", /grants\[0\].user/));
  });

  test("permission:approve counts only by a tuple of the account itself", async () => {
    const issued = await create("approver", [deployer]);
    const caller = await callerOf(issued);
    const held = async () => (await readHeld(context(), `machine:${caller.id}`, callBy(caller))).map((each) => each.permission);
    const holders = async () =>
      (await readHolders(context(), { permission: "permission:approve", appName: undefined }, callBy(ada))).map(
        ({ subject }) => subject.displayName,
      );
    const check = async () => [
      await replica().allowed(caller, "permission:approve"),
      (await replica().allowedEach(caller, [{ permission: "permission:approve" }, { permission: "app:install" }]))[0],
      (await held()).includes("permission:approve"),
      (await holders()).includes("approver"),
    ];
    assert.deepEqual(await check(), [false, false, false, false]);
    await grantAccess(context(), { user: `machine:${caller.id}`, ...holderOf("permission:approve") }, callBy(ada));
    cache = new MapCache(system);
    assert.deepEqual(await check(), [true, true, true, true]);
  });

  test("scopes narrow a token, and no cache takes one token for another of the account", async () => {
    const all = await create("many", [deployer, { relation: "editor", object: `app:${notes}` }]);
    const scoped = async (...scopes: readonly string[]) =>
      await callerOf(await createToken(context(), { id: all.account.id, scopes }, callBy(ada)));
    const callers = {
      all: await callerOf(all),
      install: await scoped("app:install"),
      read: await scoped(`${notes}/notes:read`),
      app: await scoped(`${notes}/*`, "app:uninstall"),
      other: await scoped("com.example.other/*", "com.example.other/notes:read"),
    };
    const asked = [
      { permission: "app:install" },
      { permission: "app:view" },
      { permission: "notes:read", owner: notes },
      { permission: "notes:write", owner: notes },
      { permission: "app:uninstall" },
    ];
    const expected: Readonly<Record<keyof typeof callers, string>> = {
      all: "11110",
      install: "10000",
      read: "00100",
      app: "00110",
      other: "00000",
    };
    const replicas = [replica(), replica()];
    const orders = [Object.entries(callers), Object.entries(callers).toReversed()];
    for (const permissions of [...replicas, ...replicas])
      for (const order of orders)
        for (const [name, caller] of order) {
          const each = await permissions.allowedEach(caller, asked);
          const single = await Promise.all(asked.map(async (of) => await permissions.allowed(caller, of.permission, of.owner)));
          const text = (decisions: readonly boolean[]) => decisions.map(Number).join("");
          assert.deepEqual([text(each), text(single)], [expected[name as keyof typeof callers], text(each)], name);
        }
    for (const wrong of ["app:no_such", "notes:read", "*", "/*", `${notes}/`, `${notes}/notes`, "role:deployer"])
      await assert.rejects(scoped(wrong), rejectsWith("INVALID_REQUEST", /scopes\[0\] must be/), wrong);
    await assert.rejects(scoped(), rejectsWith("INVALID_REQUEST", /scopes must be 1 to 50/));
  });

  test("tokens are checked without a statement, and end on all servers at once", async () => {
    const issued = await create("ending", [deployer]);
    const second = await createToken(context(), { id: issued.account.id }, callBy(ada));
    const [one, two] = [await memory(), await memory()];
    const ended: (string | undefined)[] = [];
    two.tokens.onEnded((id) => ended.push(id));
    for (const key of [keyOf(issued), keyOf(second)]) for (const each of [one, two]) await each.fromMemory(key);
    for (let count = 0; count < 100; count += 1) await two.tokens.identify(keyOf(issued));
    assert.deepEqual(two.statements, []);
    await revokeToken(context(), { id: issued.account.id, tokenId: issued.token.id }, callBy(ada));
    const begun = performance.now();
    await Promise.all([refused(keyOf(issued), one), refused(keyOf(issued), two)]);
    assert.ok(performance.now() - begun < 1_000);
    await two.fromMemory(keyOf(second));
    await deleteServiceAccount(context(), issued.account.id, callBy(ada));
    await Promise.all([refused(keyOf(second), one), refused(keyOf(second), two)]);
    assert.deepEqual(new Set(ended), new Set([issued.account.id]));
    assert.deepEqual(await authorization.read({ user: `machine:${issued.account.id}` }), []);
    const revocations = await context().audit.read({ action: "permission.revoke", target: "role:deployer", limit: 1 });
    assert.equal(revocations[0]?.details?.["user"], `machine:${issued.account.id}`);
    await assert.rejects(
      createToken(context(), { id: issued.account.id }, callBy(ada)),
      rejectsWith("NOT_FOUND", /no service/),
    );
    await create("ending", []);
  });

  test("a token ends at its time, and without the database no token that is not known is accepted", async () => {
    const clock = new FakeClock(Date.now());
    const request = { name: "expiring", grants: [], expiresAt: new Date(Date.now() + 60_000) };
    const issued = await createServiceAccount(context(), request, callBy(ada));
    const each = await memory(clock);
    const ended: (string | undefined)[] = [];
    each.tokens.onEnded((id) => ended.push(id));
    await each.fromMemory(keyOf(issued));
    each.fail();
    await each.tokens.identify(keyOf(issued));
    await clock.advance(61_000);
    assert.deepEqual(ended, [issued.account.id]);
    await assert.rejects(
      async () => each.tokens.identify(keyOf(issued)),
      rejectsWith("SERVICE_UNAVAILABLE", /cannot be checked/),
    );
    for (const at of [new Date(0), new Date(Date.now() + 367 * 86_400_000), new Date(Number.NaN)])
      await assert.rejects(
        createServiceAccount(context(), { name: "never", grants: [], expiresAt: at }, callBy(ada)),
        rejectsWith("INVALID_REQUEST", /expiresAt must be/),
      );
  });

  test("the last use is written once a minute", async () => {
    const clock = new FakeClock(Date.now());
    const issued = await create("used", []);
    const each = await memory(clock);
    const usedAt = async () => (await sqlServiceAccounts.list(home.database, issued.account.id))[0]?.tokens[0]?.usedAt;
    assert.equal(await usedAt(), null);
    await each.fromMemory(keyOf(issued));
    await clock.advance(5_000);
    await until("it is written", async () => (await usedAt()) != null);
    const first = await usedAt();
    each.statements.length = 0;
    for (let count = 0; count < 5; count += 1) {
      await each.tokens.identify(keyOf(issued));
      await clock.advance(5_000);
    }
    assert.deepEqual([await usedAt(), each.statements], [first, []]);
    await clock.advance(60_000);
    await each.tokens.identify(keyOf(issued));
    await clock.advance(5_000);
    await until("it is written again", async () => Number(await usedAt()) > Number(first));
  });

  test("names are unique, and accounts and tokens have a number", async () => {
    const { account } = await create("one", []);
    await assert.rejects(create("one", []), rejectsWith("CONFLICT", /is a service account one already/));
    for (const name of ["", "One", "-a", "a b", "a".repeat(64)])
      await assert.rejects(create(name, []), rejectsWith("INVALID_REQUEST", /name must be/), name);
    const add = () => createToken(context(), { id: account.id }, callBy(ada));
    for (let count = 1; count < 20; count += 1) await add();
    await assert.rejects(add(), rejectsWith("INVALID_STATE", /has 20 tokens already; revoke one/));
    await home.database.query("update access.service_account_tokens set expires_at = now() where id = $1", [
      account.tokens[0]?.id,
    ]);
    assert.equal((await add()).account.tokens.length, 20);
    await home.database.query(
      `insert into access.service_accounts (id, name, created_by)
       select gen_random_uuid(), 'filler-' || n, 'test' from generate_series(1, 500) n`,
    );
    await assert.rejects(create("too-many", []), rejectsWith("INVALID_STATE", /500 service accounts already/));
  });
});
