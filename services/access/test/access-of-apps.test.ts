import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { installationTuples, scopeObject } from "@appserver/contracts/authorization";
import { type Caller, SystemClock } from "@appserver/kernel";
import { callBy, MapCache, rejectsWith } from "@appserver/testing/kit";
import type { IdentityProvider } from "../src/ports.ts";
import { checkOwnPermissions } from "../src/use-cases/check-own-permissions.ts";
import type { CachedPermissions } from "../src/use-cases/check-permission.ts";
import { findPeople, getPeople } from "../src/use-cases/read-directory.ts";
import { serverPermissions, startAuthorization } from "./access-fixture.ts";

const notes = "com.example.notes";
const app: Caller = { kind: "app", name: notes, id: "1" };
const shop: Caller = { kind: "app", name: "com.example.shop", id: "2" };
const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };

let authorization: EmbeddedAuthorization;
let permissions: CachedPermissions;
before(async () => {
  authorization = await startAuthorization([
    ...installationTuples(notes, ["notes:read", "notes:approve"]),
    { user: `app:${notes}`, relation: "holder", object: scopeObject("people:read") },
    { user: "user:bob", relation: "viewer", object: `app:${notes}` },
    { user: "app:com.example.shop", relation: "holder", object: scopeObject("notes:approve", notes) },
  ]);
  permissions = serverPermissions(authorization, new MapCache(new SystemClock()));
});
after(() => authorization.stop());

describe("the directory of people", () => {
  const asked: Parameters<IdentityProvider["find"]>[0][] = [];
  const people = [
    { userId: "2", displayName: "Bob" },
    { userId: "1", displayName: "Ada", email: "ada@example.com", isActive: true },
    { userId: "3", displayName: "Gone", isActive: false },
  ];
  const identity = {
    find: async (query: (typeof asked)[0]) => {
      asked.push(query);
      return people;
    },
  };

  test("is for apps that hold people:read; found people can sign in, and are sorted", async () => {
    const context = { identity, permissions };
    const found = await findPeople(context, { text: " example ", limit: 0 }, callBy(app));
    assert.deepEqual(
      found.map(({ userId }) => userId),
      ["1", "2"],
    );
    assert.equal((await getPeople(context, ["1", "1"], callBy(app))).length, 3);
    assert.deepEqual(asked, [{ search: "example", limit: 20 }, { ids: ["1"] }]);
    for (const work of [
      () => findPeople(context, { text: "ada", limit: 1 }, callBy(shop)),
      () => getPeople(context, ["1"], callBy(shop)),
    ])
      await assert.rejects(
        work(),
        rejectsWith("PERMISSION_DENIED", /app:com\.example\.shop lacks the permission people:read: its/),
      );
  });

  test("is bounded", async () => {
    const context = { identity, permissions };
    for (const [text, limit] of [
      ["", 1],
      [" a ", 1],
      ["a".repeat(257), 1],
      ["ada", 21],
      ["ada", -1],
    ] as const)
      await assert.rejects(findPeople(context, { text, limit }, callBy(app)), rejectsWith("INVALID_REQUEST"), text);
    for (const ids of [[], Array.from({ length: 101 }, String), ["a".repeat(257)]])
      await assert.rejects(getPeople(context, ids, callBy(app)), rejectsWith("INVALID_REQUEST"));
  });
});

describe("an app's own permissions", () => {
  const check = (
    userId: string,
    names: readonly string[],
    { appName = "", caller = app }: { appName?: string; caller?: Caller } = {},
  ) => checkOwnPermissions({ permissions }, { userId, appName, permissions: names }, callBy(caller));

  test("are those that a user or another app holds of it", async () => {
    const names = ["notes:approve", "notes:read", "notes:other"];
    assert.deepEqual(await check("bob", names), ["notes:read"]);
    assert.deepEqual(await check("eve", names), []);
    assert.deepEqual(await check("", names, { appName: "com.example.shop" }), ["notes:approve"]);
    assert.deepEqual(await check("bob", ["notes:read"], { caller: shop }), [], "of the same name, but of another app");
  });

  test("are checked by apps only, for one caller, and are none of the platform", async () => {
    await assert.rejects(check("bob", ["notes:read"], { caller: ada }), rejectsWith("PERMISSION_DENIED"));
    for (const [userId, appName, names] of [
      ["", "", ["notes:read"]],
      ["bob", "com.example.shop", ["notes:read"]],
      ["bob#x", "", ["notes:read"]],
      ["*", "", ["people:read"]],
      ["bob", "", ["access:manage"]],
      ["bob", "", ["notes"]],
      ["bob", "", []],
      ["bob", "", Array.from({ length: 101 }, () => "notes:read")],
    ] as const)
      await assert.rejects(check(userId, names, { appName }), rejectsWith("INVALID_REQUEST"), `${userId} ${appName} ${names}`);
  });
});
