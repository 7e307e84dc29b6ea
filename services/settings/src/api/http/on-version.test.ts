import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError, type RestCall } from "@appserver/kernel";
import { onVersion } from "./on-version.ts";

const hash = "3c33a79ea600";

/** Ends a change that was made, so that no reply is needed. */
const made = new AppError("INVALID_STATE", "made");

/** Sends a change with this `If-Match` to settings at version 20. Returns what was tried and the failure; no failure if it was made. */
async function changed(ifMatch: string | undefined) {
  const tried: (number | undefined)[] = [];
  const call = { header: () => ifMatch } as unknown as RestCall;
  const change = (expected: number | undefined): Promise<never> => {
    tried.push(expected);
    if (expected === undefined || expected === 20) return Promise.reject(made);
    return Promise.reject(new AppError("CONFLICT", `the settings are at version 20, not ${expected}`));
  };
  const reply = await onVersion(call, change).catch((error: unknown) => (error === made ? undefined : Promise.reject(error)));
  return { tried, status: reply?.status, message: reply?.error?.message ?? "" };
}

describe("a change of settings with If-Match", () => {
  test("is made if a tag names the version, weak or with the suffix of a proxy that compresses", async () => {
    for (const ifMatch of [
      `"20.${hash}"`,
      `W/"20.${hash}"`,
      `"19.${hash}", W/"20.${hash}"`,
      `"20.${hash}-gzip"`,
      `"20.${hash};br"`,
      `"foreign", "20.${hash}"`,
      "*",
      undefined,
    ])
      assert.equal((await changed(ifMatch)).status, undefined, ifMatch);
  });

  test("is 412 if none does, and the message names versions that exist", async () => {
    for (const [ifMatch, tried, message] of [
      [`W/"19.${hash}"`, [19], /at version 20, not 19/],
      ['"foreign"', [-1], /names no version of these settings/],
      ["20", [-1], /names no version of these settings/],
      ["", [-1], /names no version of these settings/],
    ] as const) {
      const refused = await changed(ifMatch);
      assert.deepEqual([refused.status, refused.tried], [412, tried], ifMatch);
      assert.match(refused.message, message);
    }
  });
});
