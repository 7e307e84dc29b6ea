import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { type Behaviour, type Release, type Releases, slow } from "./releases.ts";
import type { SwitchPlatform } from "./switch-platform.ts";
import { SwitchedApp } from "./switched-app.ts";
import { contentsOf, inTurn, underLoad } from "./under-load.ts";

export interface Scene {
  readonly platform: SwitchPlatform;
  readonly releases: Releases;
}

/**
 * As many upgrades as rollbacks of the notes app under load, and at the same time of an app with slow requests, of which some
 * run at each switch. No request fails, and the pages of both versions of the notes app stay.
 */
export async function switchUnderLoad(t: TestContext, { platform, releases }: Scene, rounds: number): Promise<void> {
  const app = await installWithUpgrade(platform, "/ping", await releases.notes("1.0.0"), await releases.notes("1.1.0"));
  const [first, second] = [
    await releases.streaming("1.0.0", "serves", slow),
    await releases.streaming("1.1.0", "serves", slow),
  ];
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
    assert.equal((await app.upgrade()).error, null);
    assert.equal((await app.view()).version, "1.1.0");
    if (round === 0) await onFirst();
    assert.equal((await app.rollBack()).error, null);
    assert.equal((await app.view()).version, "1.0.0");
  }
  await untilOne(platform, app);
  const { versionHistory, deployment } = await app.view();
  const kinds = versionHistory.map(({ kind, version }) => `${kind} ${version}`);
  const expected = Array.from({ length: rounds }, () => ["ROLLBACK 1.0.0", "UPGRADE 1.1.0"]).flat();
  assert.deepEqual(kinds, [...expected, "INSTALL 1.0.0"]);
  assert.equal(deployment?.generation, (before.deployment?.generation ?? 0) + 2 * rounds);
}

/** Waits until the app has one container. Returns its id. */
async function untilOne(platform: SwitchPlatform, app: SwitchedApp): Promise<readonly string[]> {
  const options = { timeoutMs: 60_000, what: `${app.name} has one container` };
  return await eventually(
    () => platform.running(app.name),
    (ids) => ids.length === 1,
    options,
  );
}

interface BadRelease {
  readonly behaviour: Behaviour;
  /** The tag of its image. */
  readonly stage?: string;
  readonly reason: RegExp;
}

/** The sentences that an administrator reads. */
const badReleases: Readonly<Record<string, BadRelease>> = {
  "1.1.0": {
    behaviour: "unhealthy",
    reason: /^1\.1\.0 did not start: the app was not healthy within 8 s of its start: GET \/health returned 503$/,
  },
  "1.2.0": {
    behaviour: "crashes",
    reason: /^1\.2\.0 did not start: the app exited with code 7: "Error: the release ran out of luck"$/,
  },
  "1.3.0": {
    behaviour: "serves",
    stage: "testing",
    reason: /^1\.3\.0 did not start: repository not found: \S+\/test\.streaming:testing$/,
  },
};

/** Upgrades to releases that do not work. The previous one serves all the time, and the reason is stored. */
export async function failUnderLoad(t: TestContext, { platform, releases }: Scene, app: SwitchedApp): Promise<void> {
  const { version, versionHistory } = await app.view();
  const running = await untilOne(platform, app);
  await underLoad(t, { calls: inTurn(platform.httpUrls, app.path("/instance")) }, async () => {
    for (const [bad, { behaviour, stage, reason }] of Object.entries(badReleases)) {
      if (stage !== undefined) await app.setImageStage(stage);
      await app.offer(await releases.streaming(bad, behaviour));
      const { error } = await app.upgrade();
      assert.match(error?.message ?? "no error", reason);
      const view = await app.view();
      assert.deepEqual([view.version, view.state], [version, "RUNNING"]);
      assert.deepEqual(view.versionHistory[0], { kind: "REVERT", fromVersion: bad, version, reason: error?.message });
      assert.deepEqual(await untilOne(platform, app), running, "the container that served was replaced");
      t.diagnostic(`${bad}: ${error?.message}`);
    }
    await app.setImageStage(null);
  });
  assert.equal((await app.view()).versionHistory.length, versionHistory.length + Object.keys(badReleases).length);
}
