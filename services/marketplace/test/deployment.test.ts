import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { readDeployment } from "../src/use-cases/read-app-parts.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const admin: Caller = { kind: "user", id: "admin", displayName: "Admin" };
const bob: Caller = { kind: "user", id: "bob", displayName: "Bob" };
const crash = { at: new Date("2026-01-02T03:04:05Z"), exitCode: 1, output: ["connecting", "Error: wrong password"] };

describe("the deployment of an app in the marketplace", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  test("only callers with app:logs see what the app printed before it crashed", async () => {
    const { app } = await home.register("com.example.crashed");
    assert.equal(await readDeployment(home.context, app, callBy(admin)), undefined);
    home.deploy(app.id, 1, "RESTARTING", { lastCrash: crash, lastError: { code: "UPSTREAM_ERROR", message: "it exited" } });
    const seen = await readDeployment(home.context, app, callBy(admin));
    assert.deepEqual([seen?.lastCrash, seen?.reason], [crash, "it exited"]);
    const hidden = await readDeployment(home.context, app, callBy(bob));
    assert.deepEqual([hidden?.lastCrash, hidden?.reason], [{ ...crash, output: [] }, "it exited"]);
  });
});
