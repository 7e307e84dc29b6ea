import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SystemClock, silentLogger } from "@appserver/kernel";
import {
  createTestDatabase,
  parseModel,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { suiteModel } from "../../authorization.suite.ts";
import type { AuthorizationModel } from "./authorization-model.ts";
import { driver } from "./driver.ts";

const model = await parseModel(suiteModel);
const older = await parseModel(suiteModel.replace("    define banned: [user]\n", "").replace(" but not banned", ""));
const ownership = { user: "user:ann", relation: "owner", object: "app:notes" };

describe("the driver of the platform's database", () => {
  let server: TestPostgres;
  let opened: TestDatabase;

  before(async () => {
    server = await startTestPostgres();
    opened = await createTestDatabase(server);
    await opened.database.migrate(driver.migrations ?? []);
  });
  after(async () => {
    await opened.stop();
    await server.stop();
  });

  function open(needed?: AuthorizationModel) {
    const context = { database: opened.database, clock: new SystemClock(), logger: silentLogger };
    return driver.open({}, needed ? { ...context, model: needed } : context);
  }

  test("starts when it was bootstrapped, names what an older model lacks, and keeps tuples over a newer model", async () => {
    const server = await open(model);
    await assert.rejects(async () => server.start?.(), rejectsWith("NOT_FOUND", /`appserver authz bootstrap`/));
    await assert.rejects(server.check(ownership), rejectsWith("SERVICE_UNAVAILABLE"));
    await assert.rejects(server.ping(), rejectsWith("SERVICE_UNAVAILABLE"));
    const command = await open();
    const first = await command.bootstrap({ model: older });
    assert.equal(first.modelWritten, true);
    await command.write({ writes: [ownership] });
    assert.deepEqual(await command.bootstrap({ model: older }), { ...first, modelWritten: false });
    await assert.rejects(
      async () => server.start?.(),
      rejectsWith("NOT_FOUND", /older than this platform \(it lacks app#banned\)/),
    );
    assert.equal((await command.bootstrap({ model })).modelWritten, true);
    await server.start?.();
    assert.equal(await server.check({ ...ownership, relation: "viewer" }), true);
    await command.write({ writes: [{ ...ownership, relation: "banned" }] });
    server.noteChange();
    assert.equal(await server.check({ ...ownership, relation: "viewer" }), false);
    for (const each of [server, command]) await each.stop?.();
  });
});
