import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { until } from "@appserver/testing/kit";
import { contentsOf, inTurn, underLoad } from "../../kit/under-load.ts";
import { type Release, type Releases, slow } from "./releases.ts";
import type { SwitchPlatform } from "./switch-platform.ts";
import { SwitchedApp } from "./switched-app.ts";

export interface Fixture {
  readonly platform: SwitchPlatform;
  readonly releases: Releases;
}

/** A fixture with an app with streams, which the test may upgrade. */
export interface StreamFixture extends Fixture {
  readonly app: SwitchedApp;
}

/**
 * As many upgrades as rollbacks of the notes app under load, and at the same time of an app with slow requests, of which some
 * run at each switch. No request fails, and the pages of both versions of the notes app stay.
 */
export async function switchUnderLoad(t: TestContext, { platform, releases }: Fixture, rounds: number): Promise<void> {
  const app = await installWithUpgrade(platform, "/ping", await releases.notes("1.0.0"), await releases.notes("1.1.0"));
  const [first, second] = [await releases.streaming("1.0.0", slow), await releases.streaming("1.1.0", slow)];
  const slowApp = await installWithUpgrade(platform, "/instance", first, second);
  const { httpUrls } = platform;
  const page = async () => {
    const path = (await app.view()).ui?.entryAsset.url ?? assert.fail("no page");
    return { path, contents: await contentsOf(`${httpUrls[0]}${path}`) };
  };
  const pages = [await page()];
  const load = {
    calls: inTurn(httpUrls, app.path("/ping")),
    slow: inTurn(httpUrls, slowApp.path("/slow"), "POST"),
    pages: async (sequence: number) => {
      for (const { path, contents } of pages)
        assert.equal(await contentsOf(`${httpUrls[sequence % httpUrls.length]}${path}`), contents, path);
      return 200;
    },
  };
  await underLoad(t, load, () =>
    Promise.all([
      switchBackAndForth(platform, slowApp, rounds, async () => {}),
      switchBackAndForth(platform, app, rounds, async () => void pages.push(await page())),
    ]),
  );
}

async function installWithUpgrade(
  platform: SwitchPlatform,
  path: string,
  first: Release,
  second: Release,
): Promise<SwitchedApp> {
  const app = await SwitchedApp.install(platform, first, path);
  await app.offer(second);
  return app;
}

/** Calls `onFirst` after the first upgrade. */
async function switchBackAndForth(
  platform: SwitchPlatform,
  app: SwitchedApp,
  rounds: number,
  onFirst: () => Promise<void>,
): Promise<void> {
  const before = await app.view();
  for (let round = 0; round < rounds; round++) {
    await app.upgrade();
    assert.equal((await app.view()).version, "1.1.0");
    if (round === 0) await onFirst();
    await app.rollBack();
    assert.equal((await app.view()).version, "1.0.0");
  }
  await until(`${app.name} has one container`, async () => (await platform.running(app.name)).length === 1);
  const { versionHistory, deployment } = await app.view();
  const kinds = versionHistory.map(({ kind, version }) => `${kind} ${version}`);
  const expected = Array.from({ length: rounds }, () => ["ROLLBACK 1.0.0", "UPGRADE 1.1.0"]).flat();
  assert.deepEqual(kinds, [...expected, "INSTALL 1.0.0"]);
  assert.equal(deployment?.generation, (before.deployment?.generation ?? 0) + 2 * rounds);
}
