import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import { eventually } from "@appserver/testing/kit";
import { send } from "../../contract/http.ts";
import { FixedRateLoad, type LoadTarget } from "./fixed-rate-load.ts";
import type { Behaviour, Releases } from "./releases.ts";
import type { SwitchPlatform } from "./switch-platform.ts";
import { SwitchedApp } from "./switched-app.ts";

/** Over all servers. */
const proxiedPerSecond = 500;
const assetsPerSecond = 20;

interface Scene {
  readonly platform: SwitchPlatform;
  readonly releases: Releases;
}

/** Requests of one URL to all servers in turn. */
export function targets(
  { httpUrls }: Pick<SwitchPlatform, "httpUrls">,
  path: string,
  ratePerSecond: number,
  sha256?: string,
): readonly LoadTarget[] {
  return httpUrls.map((httpUrl) => ({
    name: `${httpUrl}${path}`,
    url: `${httpUrl}${path}`,
    ratePerSecond: ratePerSecond / httpUrls.length,
    ...(sha256 === undefined ? {} : { sha256 }),
  }));
}

/** Calls `work` during a load. Fails if a request failed. Prints what was sent. */
export async function underLoad(t: TestContext, first: readonly LoadTarget[], work: (load: FixedRateLoad) => Promise<void>) {
  const load = new FixedRateLoad();
  try {
    load.add(first);
    await work(load);
    for (const line of await load.endWithoutFailures()) t.diagnostic(line);
  } finally {
    load.kill();
  }
}

/** As many upgrades as rollbacks of the notes app under load. No request fails, and the pages of both versions stay. */
export async function switchUnderLoad(t: TestContext, { platform, releases }: Scene, rounds: number): Promise<void> {
  const [first, second] = [await releases.notes("1.0.0"), await releases.notes("1.1.0")];
  const app = await SwitchedApp.install(platform, first, "/ping");
  await app.offer(second);
  const before = await app.view();
  const page = async (): Promise<readonly LoadTarget[]> => {
    const url = (await app.view()).ui?.entryAsset.url ?? assert.fail("no page");
    const { status, bytes } = await send(platform.httpUrls[0] ?? "", url);
    assert.equal(status, 200);
    return targets(platform, url, assetsPerSecond, createHash("sha256").update(bytes).digest("hex"));
  };
  const load = [...targets(platform, app.path("/ping"), proxiedPerSecond), ...(await page())];
  await underLoad(t, load, async (running) => {
    for (let round = 0; round < rounds; round++) {
      assert.equal((await app.upgrade()).error, null);
      assert.equal((await app.view()).version, "1.1.0");
      if (round === 0) running.add(await page());
      assert.equal((await app.rollBack()).error, null);
      assert.equal((await app.view()).version, "1.0.0");
    }
    await eventually(
      () => platform.running(app.name),
      (ids) => ids.length === 1,
      { timeoutMs: 60_000, what: "one container" },
    );
  });
  const after = await app.view();
  const kinds = after.versionHistory.map(({ kind, version }) => `${kind} ${version}`);
  const expected = Array.from({ length: rounds }, () => ["ROLLBACK 1.0.0", "UPGRADE 1.1.0"]).flat();
  assert.deepEqual(kinds, [...expected, "INSTALL 1.0.0"]);
  assert.equal(after.deployment?.generation, (before.deployment?.generation ?? 0) + 2 * rounds);
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
  const running = await platform.running(app.name);
  assert.equal(running.length, 1);
  await underLoad(t, targets(platform, app.path("/instance"), proxiedPerSecond), async () => {
    for (const [bad, { behaviour, stage, reason }] of Object.entries(badReleases)) {
      if (stage !== undefined) await app.setImageStage(stage);
      await app.offer(await releases.streaming(bad, behaviour));
      const { error } = await app.upgrade();
      assert.match(error?.message ?? "no error", reason);
      const view = await app.view();
      assert.deepEqual([view.version, view.state], [version, "RUNNING"]);
      assert.deepEqual(view.versionHistory[0], { kind: "REVERT", fromVersion: bad, version, reason: error?.message });
      await eventually(
        () => platform.running(app.name),
        (ids) => ids.length === 1,
        { timeoutMs: 60_000, what: "one container" },
      );
      assert.deepEqual(await platform.running(app.name), running, "the container that served was replaced");
      t.diagnostic(`${bad}: ${error?.message}`);
    }
    await app.setImageStage(null);
  });
  assert.equal((await app.view()).versionHistory.length, versionHistory.length + Object.keys(badReleases).length);
}
