import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  createTestDatabase,
  eventually,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { SystemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import { platformMigrations } from "../platform-migrations.ts";
import type { Authorization } from "../platform-ports/authorization.ts";
import { StartError } from "../start-error.ts";
import { AuthorizationHome } from "./authorization-home.ts";
import { ServerPresence } from "./server-presence.ts";

const grant = { writes: [{ user: "user:ann", relation: "viewer", object: "app:notes" }] };

describe("running servers", () => {
  let server: TestPostgres;
  let opened: TestDatabase;
  before(async () => {
    server = await startTestPostgres();
    opened = await createTestDatabase(server);
    await opened.database.migrate(platformMigrations);
  });
  after(async () => {
    await opened.stop();
    await server.stop();
  });
  beforeEach(async () => {
    await opened.database.query("delete from platform.servers");
    await opened.database.query("update platform.authorization_home set driver = null, moving_until = null");
  });

  function presence(name: string, toleratesOthers: boolean, authorizationDriver = "embedded", onDisplaced = () => {}) {
    return new ServerPresence({
      database: opened.database,
      name,
      cacheDriver: toleratesOthers ? "postgres" : "memory",
      toleratesOthers,
      authorizationDriver,
      onDisplaced,
      clock: new SystemClock(),
      logger: silentLogger,
    });
  }

  /** As if the process was killed `seconds` ago. */
  async function killed(name: string, seconds: number): Promise<void> {
    await opened.database.query(
      `insert into platform.servers values (gen_random_uuid(), $1, 'memory', false, 'embedded', clock_timestamp() - $2 * interval '1 second')`,
      [name, seconds],
    );
  }

  it("run next to each other if both tolerate it", async () => {
    const [a, b] = [presence("a", true), presence("b", true)];
    for (const each of [a, b]) await each.start();
    for (const each of [a, b]) await each.stop();
    assert.deepEqual((await opened.database.query("select * from platform.servers")).rows, []);
  });

  it("a server that must run alone does not start next to another one, and no other one next to it", async () => {
    const alone = presence("alone", false);
    await alone.start();
    const [refused, shared] = [presence("second", false), presence("shared", true)];
    const reasons = await Promise.all([refused, shared].map((each) => each.start().then(String, (error: unknown) => error)));
    for (const reason of reasons) {
      assert.ok(reason instanceof StartError, String(reason));
      assert.match(
        reason.message,
        /another server \(alone\) runs on the same database, and (this one|it) has cache\.driver memory/,
      );
    }
    await alone.stop();
    await refused.start();
    for (const each of [refused, shared]) await each.stop();
  });

  it("a server that was killed does not prevent a start for longer than six seconds", async () => {
    await killed("old", 4);
    const [alone, began] = [presence("new", false), performance.now()];
    await alone.start();
    assert.ok(performance.now() - began < 4_000);
    await alone.stop();
  });

  it("a server whose place was taken while it could not reach the database ends", async () => {
    const displaced = Promise.withResolvers<void>();
    const frozen = presence("frozen", false, "embedded", displaced.resolve);
    await frozen.start();
    await opened.database.query("delete from platform.servers");
    const successor = presence("successor", false);
    await successor.start();
    await displaced.promise;
    for (const each of [frozen, successor]) await each.stop();
  });

  describe("the home of permissions", () => {
    const written: object[] = [];
    const authorization = {
      write: async (change: object) => void written.push(change),
    } as unknown as Authorization;

    it("is the first driver that is used, and another one is refused at the start", async () => {
      const home = new AuthorizationHome(opened.database);
      await home.claim("embedded");
      await home.claim("embedded");
      await assert.rejects(
        home.claim("openfga"),
        (error) =>
          error instanceof StartError && /expected embedded, or `appserver authz move --to openfga`/.test(error.message),
      );
    });

    it("accepts no change while permissions are moved, nor afterwards by the former driver, nor while a server has another one", async () => {
      const home = new AuthorizationHome(opened.database);
      await home.claim("embedded");
      const [former, next] = [home.guard(authorization, "embedded"), home.guard(authorization, "openfga")];
      await former.write(grant);
      await home.beginMove();
      await assert.rejects(home.beginMove(), rejectsWith("CONFLICT"));
      await assert.rejects(former.write(grant), rejectsWith("SERVICE_UNAVAILABLE", /being moved/));
      const old = presence("old", true, "embedded");
      await old.start();
      await home.endMove("openfga");
      await assert.rejects(former.write(grant), rejectsWith("SERVICE_UNAVAILABLE", /restart it with openfga/));
      await assert.rejects(next.write(grant), rejectsWith("SERVICE_UNAVAILABLE", /the server old has another/));
      await old.stop();
      await next.write(grant);
      assert.equal(written.length, 2);
    });

    it("does not acknowledge a change that was written while a move began", async () => {
      const home = new AuthorizationHome(opened.database);
      const slow = home.guard({ ...authorization, write: () => home.beginMove() }, "embedded");
      await assert.rejects(slow.write(grant), rejectsWith("SERVICE_UNAVAILABLE", /repeat the change/));
    });

    it("stays where it is if the move is killed, and accepts changes again", async () => {
      const home = new AuthorizationHome(opened.database);
      await home.claim("embedded");
      await home.beginMove();
      await opened.database.query(
        "update platform.authorization_home set moving_until = clock_timestamp() + interval '0.5 second'",
      );
      const former = home.guard(authorization, "embedded");
      await eventually(() =>
        former
          .write(grant)
          .then(() => true)
          .catch(() => false),
      );
      await assert.rejects(home.endMove("openfga"), rejectsWith("CONFLICT", /repeat it/));
      assert.equal(await home.read(), "embedded");
    });
  });
});
