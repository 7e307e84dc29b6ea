import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { EmbeddedAuthorization } from "@appserver/authorization-embedded";
import { scopeObject } from "@appserver/contracts/authorization";
import { anonymousCaller, type Caller, uuidv7 } from "@appserver/kernel";
import { callBy, FakeClock, MapCache, rejectsWith, type TestDatabase } from "@appserver/testing/kit";
import { sqlAppMessages } from "../src/adapters/sql-app-messages.ts";
import type { IdentityProvider } from "../src/ports.ts";
import { notifyPerson, type SentMessage } from "../src/use-cases/messages/notify-person.ts";
import { countUnread, type MessagesAsked, markRead, readMessages } from "../src/use-cases/messages/read-messages.ts";
import { openHome, serverPermissions, startAuthorization } from "./access-fixture.ts";

const notes = "com.example.notes";
const board = "com.example.board";
const appOf = (name: string): Caller => ({ kind: "app", name, id: name });
const ada: Caller = { kind: "user", id: "ada", displayName: "Ada" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
type PeopleQuery = Parameters<IdentityProvider["find"]>[0];

const hourMs = 3_600_000;
const minuteMs = 60_000;

describe("messages of apps to people", () => {
  let home: TestDatabase;
  let authorization: EmbeddedAuthorization;
  let clock: FakeClock;
  let cache: MapCache;
  before(async () => {
    home = await openHome();
    authorization = await startAuthorization(
      [notes, board].map((name) => ({ user: `app:${name}`, relation: "holder", object: scopeObject("people:notify") })),
    );
  });
  after(async () => {
    await authorization?.stop();
    await home?.stop();
  });
  beforeEach(() => {
    clock = new FakeClock(Date.UTC(2026, 5, 1));
    cache = new MapCache(clock);
  });
  afterEach(() => home.database.query("truncate access.messages"));

  const context = () => ({
    database: home.database,
    messages: sqlAppMessages,
    permissions: serverPermissions(authorization, cache),
    identity: {
      find: async (query: PeopleQuery) =>
        ("ids" in query ? query.ids : [])
          .filter((id) => id !== "none")
          .map((userId) => ({ userId, displayName: userId, isActive: userId !== "disabled" })),
    },
    pages: {
      openTo: async (name: string, { caller }: { readonly caller: Caller }) =>
        caller.kind === "user" && caller.id !== "eve" ? `/${name.slice(name.lastIndexOf(".") + 1)}/` : undefined,
    },
    cache,
    clock,
  });
  const notify = (sent: Partial<SentMessage> = {}, caller: Caller = appOf(notes)) =>
    notifyPerson(context(), { userId: "ada", title: "A card is due", text: "", path: "", ...sent }, callBy(caller));
  const read = async (asked: MessagesAsked = {}, caller: Caller = ada) =>
    (await readMessages(context(), asked, callBy(caller))).items;
  const unread = (caller: Caller = ada) => countUnread(context(), callBy(caller));

  test("are stored for one person, newest first, and read one by one or all at once", async () => {
    const first = await notify({ title: "  Card 7 is due ", text: "On Friday.\nBy Bob.", path: "/notes/cards/7?tab=log#end" });
    const second = await notify();
    await notify({}, appOf(board));
    await notify({ userId: "bob" });
    const all = await read();
    assert.deepEqual(
      all.map(({ appName, title, text, path, isRead }) => [appName, title, text, path, isRead]),
      [
        [board, "A card is due", undefined, "/board", false],
        [notes, "A card is due", undefined, "/notes", false],
        [notes, "Card 7 is due", "On Friday.\nBy Bob.", "/notes/cards/7?tab=log#end", false],
      ],
    );
    assert.deepEqual(await unread({ ...ada, agent: { bounds: { apps: [notes] } } }), [{ appName: notes, count: 2 }]);
    assert.deepEqual(await unread(), [
      { appName: board, count: 1 },
      { appName: notes, count: 2 },
    ]);
    assert.equal(await markRead(context(), [first, "no id", second], callBy(bob)), 0, "of another person");
    assert.equal(await markRead(context(), [first, "no id"], callBy(ada)), 1);
    assert.deepEqual(
      (await read()).map(({ isRead }) => isRead),
      [false, false, true],
    );
    assert.equal(await markRead(context(), undefined, callBy(ada)), 2);
    assert.deepEqual([await unread(), await unread(bob)], [[], [{ appName: notes, count: 1 }]]);
    const page = await readMessages(context(), { first: 2 }, callBy(ada));
    assert.deepEqual([page.items.length, page.hasNext], [2, true]);
  });

  test("need the permission, an app, and a person who exists and may open a page of the app", async () => {
    await assert.rejects(notify({}, appOf("com.example.shop")), rejectsWith("PERMISSION_DENIED", /people:notify/));
    const administrator: Caller = { kind: "user", id: "root", displayName: "Root" };
    await authorization.write({ writes: [{ user: "user:root", relation: "assignee", object: "role:easy" }] });
    await assert.rejects(notify({}, administrator), rejectsWith("PERMISSION_DENIED", /only an app/));
    for (const userId of ["eve", "none", "disabled"])
      await assert.rejects(notify({ userId }), rejectsWith("NOT_FOUND", /may open a page of com\.example\.notes/), userId);
    await assert.rejects(read({}, anonymousCaller), rejectsWith("AUTHENTICATION_REQUIRED"));
    assert.deepEqual([await read({}, appOf(notes)), await unread(anonymousCaller)], [[], []]);
  });

  test("have bounded texts, and a path below the route base", async () => {
    const wrong: readonly Partial<SentMessage>[] = [
      { title: " " },
      { title: "a".repeat(101) },
      { title: "two\nlines" },
      { text: "a".repeat(501) },
      { text: "\0" },
      { userId: "bob#x" },
      { userId: "" },
      { path: "cards" },
      { path: "/notesbook" },
      { path: "/notes/../console" },
      { path: "/notes/%2e%2e/console" },
      { path: "//example.com/notes/" },
      { path: "/notes\\..\\.." },
      { path: "https://example.com/notes/" },
      { path: `/notes/${"a".repeat(500)}` },
    ];
    for (const sent of wrong) await assert.rejects(notify(sent), rejectsWith("INVALID_REQUEST"), JSON.stringify(sent));
    assert.deepEqual(await read(), []);
  });

  test("are limited for each app and person in an hour, and for each app in a minute", async () => {
    for (let sent = 0; sent < 20; sent += 1) await notify();
    await assert.rejects(
      notify(),
      rejectsWith("RATE_LIMIT_EXCEEDED", /com\.example\.notes has sent 20 messages to ada in the last hour/),
    );
    await notify({}, appOf(board));
    for (let person = 0; person < 39; person += 1) await notify({ userId: `person-${person}` });
    await assert.rejects(notify({ userId: "other" }), rejectsWith("RATE_LIMIT_EXCEEDED", /60 messages in the last minute/));
    await clock.advance(minuteMs);
    await notify({ userId: "other" });
    await assert.rejects(notify(), rejectsWith("RATE_LIMIT_EXCEEDED"));
    await clock.advance(hourMs);
    await notify();
  });

  test("are kept: the newest unread ones, and the newest of all", async () => {
    const titles = async () => (await read()).map(({ title }) => title);
    const send = async (...sent: readonly string[]) => {
      for (const title of sent) {
        const message = {
          id: uuidv7(),
          userId: "ada",
          appName: notes,
          title,
          text: undefined,
          path: "/notes",
          sentAt: new Date(),
        };
        await home.database.transaction((tx) => sqlAppMessages.add(tx, message, { all: 4, unread: 2 }));
      }
    };
    await notify({ userId: "bob" });
    await send("1", "2", "3");
    assert.deepEqual(await titles(), ["3", "2"]);
    await markRead(context(), undefined, callBy(ada));
    await send("4", "5");
    assert.deepEqual(await titles(), ["5", "4", "3", "2"]);
    await send("6");
    assert.deepEqual(await titles(), ["6", "5", "3"], "a message that was read counts only among all");
    assert.deepEqual(await unread(bob), [{ appName: notes, count: 1 }]);
  });

  test("end with their app and with their person", async () => {
    await notify();
    await notify({}, appOf(board));
    await notify({ userId: "bob" });
    await sqlAppMessages.forgetApp(home.database, notes);
    assert.deepEqual([await unread(), await unread(bob)], [[{ appName: board, count: 1 }], []]);
    await home.database.transaction((tx) => sqlAppMessages.forgetPerson(tx, "ada"));
    assert.deepEqual(await read(), []);
  });
});
