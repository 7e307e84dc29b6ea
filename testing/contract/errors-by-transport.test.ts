import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { commonErrors } from "@appserver/contracts/operations";
import { signatureHeaders } from "@appserver/contracts/signature";
import { eventually, type PlatformUnderTest, send, startPlatform, uniqueName } from "@appserver/testing/kit";
import { type Cause, OperationCalls } from "./operation-calls.ts";
import { developmentTest, productionTest } from "./variants.ts";

type CommonError = (typeof commonErrors)[number];

/** How `apps` throws each of these codes. */
type Causes = Readonly<
  Record<
    CommonError,
    { readonly declare?: typeof developmentTest; readonly what: string; readonly provoke: () => Promise<unknown> }
  >
>;

/** Of an unknown app. Each failure counts, whatever its signature is. */
const badSignature = {
  [signatureHeaders.appName]: uniqueName("com.example.forger"),
  [signatureHeaders.signature]: Buffer.alloc(256, 1).toString("base64"),
};

/** Statements that read the apps fail as those that have taken too long. */
const lateApps = `
  create function marketplace.late() returns boolean language plpgsql
    as $$ begin raise exception 'late' using errcode = 'query_canceled'; end $$;
  create view marketplace.apps as select xmin, * from marketplace.hidden where marketplace.late()`;

describe("the codes that every operation can throw have the same form on every transport", () => {
  let platform: PlatformUnderTest;
  let calls: OperationCalls;
  before(async () => {
    platform = await startPlatform();
    calls = await OperationCalls.on(platform);
  });
  after(() => platform?.stop());

  const throws = (code: CommonError, more: Omit<Cause, "code" | "operation"> = {}) =>
    calls.assertThrows({ operation: "apps", code, ...more });

  /** Hides the table of apps during the work. `replacement` makes what the platform finds instead. */
  async function withoutApps(replacement: string, work: () => Promise<unknown>): Promise<void> {
    const run = (text: string) => platform.onDatabase((sql) => sql.query(text));
    await run("alter table marketplace.apps rename to hidden");
    try {
      if (replacement !== "") await run(replacement);
      await work();
    } finally {
      await run("drop view if exists marketplace.apps; drop function if exists marketplace.late");
      await run("alter table marketplace.hidden rename to apps");
    }
  }

  const causes: Causes = {
    INVALID_REQUEST: {
      what: "an invalid cursor",
      provoke: () => throws("INVALID_REQUEST", { args: { after: "?" }, details: { violations: [{}] } }),
    },
    AUTHENTICATION_REQUIRED: {
      declare: productionTest,
      what: "no credentials",
      provoke: () => throws("AUTHENTICATION_REQUIRED", { headers: {} }),
    },
    AUTHENTICATION_FAILED: {
      what: "a forged session",
      provoke: () => throws("AUTHENTICATION_FAILED", { headers: { authorization: "Bearer forged" } }),
    },
    PERMISSION_DENIED: {
      what: "a user without a role",
      provoke: async () => {
        const headers = { authorization: `Bearer ${await platform.sessionToken("bob")}` };
        await throws("PERMISSION_DENIED", { headers, details: { permission: "app:view" } });
      },
    },
    RATE_LIMIT_EXCEEDED: {
      // Each process counts for itself.
      declare: developmentTest,
      what: "hundreds of signatures that are not valid",
      provoke: () => {
        const headers = { ...badSignature, [signatureHeaders.timestamp]: new Date().toISOString() };
        const fail = () => send(platform.httpUrl, "/api/v2/apps", { headers });
        // The limit admits 20 more failures each second.
        return eventually(async () => {
          await Promise.all(Array.from({ length: 300 }, fail));
          const { retry_after: seconds } = await throws("RATE_LIMIT_EXCEEDED", { headers });
          assert.ok(Number.isInteger(seconds) && Number(seconds) >= 1, String(seconds));
        });
      },
    },
    // These two only on a database that no other test uses.
    SERVICE_UNAVAILABLE: {
      declare: developmentTest,
      what: "the database takes too long",
      provoke: () => withoutApps(lateApps, () => throws("SERVICE_UNAVAILABLE")),
    },
    INTERNAL_ERROR: {
      declare: developmentTest,
      what: "a table of the platform is missing",
      provoke: () => withoutApps("", () => throws("INTERNAL_ERROR")),
    },
  };

  for (const [code, { declare = test, what, provoke }] of Object.entries(causes))
    declare(`${code}: ${what}`, async () => {
      await provoke();
    });
});
