import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { installApp } from "../src/use-cases/install-app.ts";
import { upgradeApp } from "../src/use-cases/upgrade-app.ts";
import { startMarketplace } from "./marketplace-under-test.ts";
import { runningApp } from "./running-app.ts";

const system: Caller = { kind: "system", reason: "test" };
const home = await startMarketplace();
after(home.stop);

async function statementsOf(run: () => Promise<unknown>): Promise<number> {
  const before = home.statements();
  await run();
  return home.statements() - before;
}

test("an installation and an upgrade take no more statements than they need", async () => {
  const [installed, upgraded] = ["com.example.installed", "com.example.upgraded"];
  await home.register(installed);
  const installation = await statementsOf(() => installApp(home.context, { name: installed }, callBy(system)));
  await runningApp(home, upgraded);
  const upgrade = await statementsOf(() => upgradeApp(home.context, { name: upgraded }, callBy(system)));
  // Of those of the installation, four are of the participant of the tests.
  assert.deepEqual([installation, upgrade], [27, 20]);
});
