import assert from "node:assert/strict";
import { test } from "node:test";
import { callerPermissions } from "./caller-permissions.ts";
import { createPeople } from "./people.ts";
import type { PlatformClient } from "./platform-client.ts";

const accessOf = (methods: object): PlatformClient["access"] => methods as PlatformClient["access"];

test("people are read by 100 ids in a call, each once", async () => {
  const calls: number[] = [];
  const getPeople = async ({ userIds }: { readonly userIds: readonly string[] }) => {
    calls.push(userIds.length);
    return { people: userIds.map((userId) => ({ userId, displayName: `P ${userId}`, email: "", active: true })) };
  };
  const people = createPeople({ access: accessOf({ getPeople }) });
  const ids = Array.from({ length: 205 }, (_, index) => String(index));
  const found = await people.getEach([...ids, ...ids]);
  assert.deepEqual([found.size, calls], [205, [100, 100, 5]]);
  assert.deepEqual(found.get("204"), { userId: "204", displayName: "P 204", email: undefined, isActive: true });
  assert.equal((await people.getEach([])).size, 0);
  const nameOf = await people.names(["7"]);
  assert.deepEqual([nameOf("7"), nameOf("8")], ["P 7", "A former member"]);
});

test("a message has empty fields for what it lacks", async () => {
  const sent: unknown[] = [];
  const notifyPerson = async (request: unknown) => {
    sent.push(request);
    return { messageId: "m-1" };
  };
  const people = createPeople({ access: accessOf({ notifyPerson }) });
  assert.equal(await people.notify("ada", { title: "Card 7 is due" }), "m-1");
  assert.deepEqual(sent, [{ userId: "ada", title: "Card 7 is due", text: "", path: "" }]);
});

test("a message about what is done is no failure if it is refused", async (context) => {
  const printed = context.mock.method(console, "log", () => {});
  const notifyPerson = async ({ userId }: { readonly userId: string }) => {
    if (userId !== "ada") throw new Error("the person may open no page of the app");
    return { messageId: "m-1" };
  };
  const people = createPeople({ access: accessOf({ notifyPerson }) });
  assert.equal(await people.tryNotify("ada", { title: "Approved" }), true);
  assert.equal(await people.tryNotify("bob", { title: "Approved" }), false);
  assert.match(
    String(printed.mock.calls[0]?.arguments[0]),
    /notifying a person failed.*the person may open no page of the app/,
  );
});

test("a caller that is neither a user nor an app holds nothing, and the platform is not asked", async () => {
  const asked: unknown[] = [];
  const checkPermissions = async (request: unknown) => {
    asked.push(request);
    return { held: ["notes:read"] };
  };
  const can = callerPermissions({ access: accessOf({ checkPermissions }) });
  assert.equal(await can({ userId: undefined, appName: undefined }, "notes:read"), false);
  assert.deepEqual(asked, []);
  assert.equal(await can({ userId: "ada", appName: undefined }, "notes:read"), true);
  assert.deepEqual(asked, [{ userId: "ada", appName: "", permissions: ["notes:read"] }]);
  assert.equal(await can({ userId: undefined, appName: "com.example.clock" }, "notes:approve"), false);
});

test("a check that does not know its platform is rejected with what is missing", async () => {
  const can = callerPermissions();
  const asked = () => can({ userId: "ada", appName: undefined }, "notes:read");
  await assert.rejects(asked, /APP_NAME and APPSERVER_GRPC_ADDRESS for the apps that it runs; other apps pass `platform`/);
});
