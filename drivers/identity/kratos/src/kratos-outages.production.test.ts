import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isAppError } from "@appserver/kernel";
import type { SessionCredential } from "@appserver/kernel/ports";
import { QueryLoad } from "@appserver/testing/kit";
import { type PrivateKratos, startPrivateKratos } from "../../../../tools/services/kratos.ts";
import { KratosAccounts } from "../../../../tools/services/kratos-accounts.ts";
import { KratosIdentity } from "./kratos-identity.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-kratos-"));
const server = await startPrivateKratos(join(folder, "server"));
const skip = "unavailable" in server ? server.unavailable : false;

/** Calls with a session are 503 (docs/interface/operations.md#outages). Public and signed calls do not use the driver. */
describe("KratosIdentity: a server that fails and recovers under load", { skip }, () => {
  const kratos = server as PrivateKratos;
  const identity = new KratosIdentity({
    publicUrl: kratos.publicUrl,
    sessionCookieName: "ory_kratos_session",
    timeoutMs: 1_000,
  });
  const known: { credential: SessionCredential; userId: string }[] = [];
  const unknown: SessionCredential = { kind: "bearer", value: "ory_st_nobody" };

  before(async () => {
    const accounts = new KratosAccounts(kratos);
    const account = await accounts.create();
    known.push({ credential: { kind: "cookie", value: await accounts.logInForCookie(account) }, userId: account.id });
    known.push({ credential: { kind: "bearer", value: await accounts.logInForToken(account) }, userId: account.id });
  });
  after(async () => {
    await identity.stop();
    await kratos.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [fault, lose, recover] of [
    ["stopped", () => kratos.stop(), () => kratos.start()],
    ["killed", () => kratos.kill(), () => kratos.start()],
    ["frozen", async () => kratos.pause(), async () => kratos.resume()],
  ] as const) {
    it(`${fault} and recovered: no user is identified as another or as anonymous, and sessions remain valid`, async (context) => {
      const load = new QueryLoad((sequence) => (sequence % 3 === 2 ? isUnknown() : isKnown(sequence % 3)));
      await load.more("right", 100);
      await lose();
      await load.more("unavailable", 20);
      await recover();
      await load.more("right", 100);
      const outcome = await load.stop();
      context.diagnostic(`${fault}: ${JSON.stringify(outcome)}`);
      assert.equal(outcome.wrong, 0);
      assert.ok(outcome.slowestMs < 5_000, "the deadline is 1 s");
    });
  }

  /** Checks a session that Kratos has. It must never be reported as invalid, because that would log users out. */
  async function isKnown(which: number): Promise<boolean> {
    const session = known[which];
    assert.ok(session);
    try {
      return (await identity.whoami(session.credential)).userId === session.userId;
    } catch (error) {
      if (isAppError(error, "AUTHENTICATION_FAILED")) return false;
      throw error;
    }
  }

  async function isUnknown(): Promise<boolean> {
    try {
      await identity.whoami(unknown);
      return false;
    } catch (error) {
      if (isAppError(error, "AUTHENTICATION_FAILED")) return true;
      throw error;
    }
  }
});
