import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import type { ErrorBody } from "@appserver/contracts/errors";
import { checkScripts } from "../web/features/hosting/check-scripts.ts";

const scripts = [{ url: "/apps/com.example.notes/versions/0a/page%20one.js", integrity: "sha256-AA==" }];

afterEach(() => mock.restoreAll());

test("the reason of the platform is shown for a script that could not be loaded", async () => {
  const body: ErrorBody = { error: "the database does not respond", code: "SERVICE_UNAVAILABLE", details: {} };
  mock.method(globalThis, "fetch", async () => Response.json(body, { status: 503 }));
  await assert.rejects(checkScripts(scripts), { message: "page one.js could not be loaded: the database does not respond" });
  mock.method(globalThis, "fetch", async () => new Response("<html>", { status: 502 }));
  await assert.rejects(checkScripts(scripts), { message: "page one.js could not be loaded: the platform responded with 502" });
});

test("a script with another hash is said to be changed", async () => {
  mock.method(globalThis, "fetch", async (_url: string, { integrity }: RequestInit) => {
    if (integrity) throw new TypeError("Failed to fetch");
    return new Response("changed");
  });
  await assert.rejects(checkScripts(scripts), /page one\.js was changed/);
});
