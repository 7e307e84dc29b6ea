import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Caller } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { BusyAppError } from "../src/domain/busy-app.ts";
import type { AppStore, CommandLock } from "../src/ports.ts";
import { deleteApp } from "../src/use-cases/delete-app.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { setAppEnabled } from "../src/use-cases/set-app-enabled.ts";
import { testAsset, testIdentity, withMethods } from "./fixtures.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };

describe("the platform changes an app while a caller's command works on it", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  /** As automatic upgrades do: without the lock, and without a transition. */
  const decideUpgrade = async (id: string): Promise<void> => {
    const change = "release_awaiting_auto_upgrade = null, row_version = row_version + 1";
    await home.database.query(`update marketplace.apps set ${change} where id = $1`, [id]);
  };

  test("an installation of an app without a container ends in RUNNING, also if the row changes before its last step", async () => {
    const name = "com.example.paper";
    const keys = await testIdentity(name);
    const asset = testAsset("main.js", "export {}", keys);
    const ui = { entryAssetName: "main.js", routeBase: "/paper", mode: 3, navigation: [] };
    await home.register(name, { webApp: { assets: [asset], ui } }, Promise.resolve(keys));
    const { store } = home.context;
    const save: AppStore["save"] = async (change) => {
      const saved = await store.save(change);
      if (saved.state === "INSTALLED") await decideUpgrade(saved.id);
      return saved;
    };
    const overwritten = { ...home.context, store: withMethods(store, { save }) };
    assert.equal((await installApp(overwritten, { name }, callBy(system))).app.state, "RUNNING");
  });

  test("a deletion is finished although the row changes after it has begun", async () => {
    const name = "com.example.leaving";
    const { app } = await home.register(name);
    const participants = [{ name: "changes", forget: () => decideUpgrade(app.id) }];
    await deleteApp({ ...home.context, participants }, { name }, callBy(system));
    assert.equal(await home.context.store.findByName(name), undefined);
  });

  test("enabling succeeds once it is stored, although another command then works on the app", async () => {
    const name = "com.example.resting";
    const { app } = await home.register(name);
    await installApp(home.context, { name }, callBy(system));
    await setAppEnabled(home.context, { name, enabled: false }, callBy(system));
    const { lock, store } = home.context;
    const run: CommandLock["run"] = async (appName, command, origin) => {
      if (origin === "platform") throw new BusyAppError(appName);
      const result = await lock.run(appName, command);
      // Another caller's upgrade begins before the deployment is read.
      const target = JSON.stringify({ operationId: "1", generation: 2, version: "1.1.0" });
      await home.database.query("update marketplace.apps set target = $2 where id = $1", [app.id, target]);
      return result;
    };
    const busy = { ...home.context, lock: withMethods(lock, { run }) };
    const { app: enabled } = await setAppEnabled(busy, { name, enabled: true }, callBy(system));
    assert.deepEqual([enabled.enabled, (await store.findByName(name))?.enabled], [true, true]);
  });
});
