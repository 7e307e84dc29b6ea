import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { authorizationModel } from "@appserver/contracts/authorization";
import { isAppError, SystemClock, silentLogger } from "@appserver/kernel";
import { QueryLoad } from "@appserver/testing/kit";
import { type PrivateOpenFga, startPrivateOpenFga } from "../../../../tools/services/openfga.ts";
import { OpenFgaAuthorization } from "./openfga-authorization.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-openfga-"));
const server = await startPrivateOpenFga(join(folder, "server"), { datastore: "sqlite" });
const skip = "unavailable" in server ? server.unavailable : false;

/** Checks without a cached decision are 503 (docs/interface/operations.md#outages). The callers of the driver cache. */
describe("OpenFgaAuthorization: a server that fails and recovers under load", { skip }, () => {
  const granted = { user: "user:ann", relation: "viewer", object: "app:notes" };
  const denied = { ...granted, user: "user:bob" };
  const openfga = server as PrivateOpenFga;
  const authorization = open();

  before(async () => {
    await authorization.bootstrap({ model: authorizationModel, createStore: true });
    await authorization.write({ writes: [granted] });
  });
  after(async () => {
    await authorization.stop();
    await openfga.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [fault, lose, recover] of [
    ["stopped", () => openfga.stop(), () => openfga.start()],
    ["killed", () => openfga.kill(), () => openfga.start()],
    ["frozen", async () => openfga.pause(), async () => openfga.resume()],
  ] as const) {
    it(`${fault} and recovered: no check has a wrong result or waits past its deadline, and checks work again`, async (context) => {
      const load = new QueryLoad(async (sequence) => {
        const expected = sequence % 2 === 0;
        return (await authorization.check(expected ? granted : denied)) === expected;
      });
      await load.more("right", 200);
      await lose();
      await load.more("unavailable", 20);
      await recover();
      await load.more("right", 200);
      const outcome = await load.stop();
      context.diagnostic(`${fault}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.wrong, 0);
      assert.ok(outcome.slowestMs < 5_000, "the deadline is 1 s");
    });
  }

  it("acknowledged writes are all stored while the server is killed repeatedly, and all other writes are reported as failed", async (context) => {
    const acknowledged: string[] = [];
    let refused = 0;
    let writing = true;
    const writer = (async () => {
      for (let n = 0; writing; n += 1) {
        const user = `user:written-${n}`;
        try {
          await authorization.write({ writes: [{ ...granted, user }] });
          acknowledged.push(user);
        } catch (error) {
          assert.ok(isAppError(error, "SERVICE_UNAVAILABLE"));
          refused += 1;
        }
      }
    })();
    for (let kill = 1; kill <= 3; kill += 1) {
      while (acknowledged.length < kill * 30) await Promise.race([sleep(10), writer]);
      await openfga.kill();
      while (refused < kill) await Promise.race([sleep(10), writer]);
      await openfga.start();
    }
    writing = false;
    await writer;
    const patient = open(30_000);
    const answers = await patient.batchCheck(acknowledged.map((user) => ({ ...granted, user })));
    context.diagnostic(`${acknowledged.length} writes acknowledged, ${refused} refused, 3 kills`);
    assert.equal(answers.filter(Boolean).length, acknowledged.length);
    await patient.stop();
  });

  it("starts without the server, throws SERVICE_UNAVAILABLE, and works once the server is up", async () => {
    await openfga.stop();
    const early = open(10_000);
    await early.start();
    for (const work of [() => early.check(granted), () => early.ping(500)]) {
      await assert.rejects(work(), (error) => isAppError(error, "SERVICE_UNAVAILABLE"));
    }
    await openfga.start();
    assert.equal(await early.check(granted), true);
    assert.equal(await early.check(denied), false);
    await early.ping(5_000);
    await early.stop();
  });

  function open(timeoutMs = 1_000): OpenFgaAuthorization {
    const { url, token } = openfga;
    return new OpenFgaAuthorization({
      apiUrl: url,
      apiToken: token,
      storeName: "appserver",
      timeoutMs,
      clock: new SystemClock(),
      logger: silentLogger,
    });
  }
});
