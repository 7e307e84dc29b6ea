import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { eventually, scaled } from "@appserver/testing/kit";
import { processesOf } from "./app-processes.ts";
import { CommitPoints, type KillPoint } from "./commit-points.ts";
import { chance, seed } from "./random.ts";
import { UpPlatform } from "./up-platform.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/** Moments that are spread over the duration of a first start. */
const spread = 25;

/** When a first start is killed. `reached` is not called if the platform kills itself at the point. */
interface Moment {
  readonly name: string;
  readonly point?: KillPoint;
  reached?(platform: UpPlatform): boolean | Promise<boolean>;
}

const files: readonly Moment[] = [
  ["the data folder", "lock"],
  ["the password of the database", "postgres", "password"],
  ["the unfinished folder of initdb", "postgres", "data.unfinished"],
  ["the catalogue that initdb makes", "postgres-apps", "data.unfinished", "base", "4"],
  ["the folder of the database", "postgres", "data"],
  ["the keys of settings", "settings-keys.json"],
  ["the options for operators", "operator.json"],
  ["the folder of images", "registry"],
].map(([what = "", ...path]) => ({ name: `${what} is there`, reached: (platform) => existsSync(platform.file(...path)) }));

const printed: readonly Moment[] = ["Appserver is ready at", "There is no account yet"].map((line) => ({
  name: `it has printed: ${line}`,
  reached: ({ process }) => process.printed.includes(line),
}));

suite("kill -9 of appserver up in its first start", { skip }, () => {
  const commits = new CommitPoints();
  const moments: Moment[] = [...files, ...printed];
  let platform: UpPlatform;
  before(async () => {
    platform = await UpPlatform.create(commits.environment);
    const firstMs = await platform.start();
    const listed = commits.listed();
    const tables = listed.filter(({ writes }) => writes.includes("platform.migrations"));
    const permissions = listed.filter(({ writes }) => writes.includes("authz.tuple"));
    const account = listed.filter(({ writes }) => writes.includes("accounts."));
    const [middle, written, invited] = [tables[Math.floor(tables.length / 2)], permissions[0], account.at(-1)];
    assert.ok(middle && written && invited, listed.map(({ writes }) => writes).join("\n"));
    for (const [name, point] of [
      ["a migration", middle],
      ["the first permissions", written],
      ["the invitation of the first administrator", invited],
    ] as const)
      for (const moment of ["before", "after"] as const)
        moments.push({ name: `${moment} the commit of ${name}`, point: { ...point, moment } });
    for (let kill = 0; kill < spread; kill += 1) {
      const ms = Math.round((firstMs * (kill + 0.5)) / spread);
      moments.push({ name: `after ${ms} ms`, reached: () => sleep(ms, true) });
    }
    await platform.remove();
  });
  after(() => commits.remove());

  test("the next start becomes ready with one set of keys, and an administrator can be made", async (t) => {
    t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
    const random = chance();
    for (const moment of sample(moments, scaled(moments.length), random)) {
      const everything = random.next() < 0.5;
      platform = await UpPlatform.create(commits.environment);
      const { process: server } = platform;
      try {
        commits.arm(moment.point);
        server.start();
        while (server.isRunning && !(await moment.reached?.(platform))) await sleep(1);
        if (!moment.point) assert.ok(server.isRunning, `it ended with ${server.exitReason}:\n${server.printed}`);
        if (everything) await platform.killAll();
        else await server.kill();
        assert.equal(server.exitReason, "SIGKILL", server.printed);
        commits.arm();
        await requireWhole(platform, await platform.keys(), (ms) => {
          t.diagnostic(`${moment.name}, ${everything ? "all processes" : "the platform"}: ready after ${Math.round(ms)} ms`);
        });
      } catch (cause) {
        throw new Error(
          `${moment.name}, ${everything ? "all processes killed" : "only the platform killed"}: ${cause}\n${server.log}`,
          { cause },
        );
      } finally {
        await platform.remove();
      }
    }
  });

  test("an administrator that was acknowledged is there after a kill at once, no link is made any more, and the start does not wait", async (t) => {
    platform = await UpPlatform.create();
    try {
      await platform.start();
      assert.equal(await platform.process.stop(), 0);
      const normalMs = await platform.start();
      await platform.becomeAdministrator();
      await platform.killAll();
      const ms = await platform.start();
      t.diagnostic(`ready after a stop: ${Math.round(normalMs)} ms, after a kill: ${Math.round(ms)} ms`);
      assert.doesNotMatch(platform.process.printed, /waiting, because another server/);
      assert.equal(platform.link, undefined);
      await requireAdministrator(platform, await platform.logIn());
      assert.equal(await platform.process.stop(), 0);
      assert.deepEqual(processesOf(platform.dataDir), []);
    } finally {
      await platform.remove();
    }
  });
});

/** Returns so many of the moments, in their order. */
function sample(moments: readonly Moment[], count: number, { below }: ReturnType<typeof chance>): readonly Moment[] {
  const left = [...moments];
  while (left.length > count) left.splice(below(left.length), 1);
  return left;
}

/** Starts the platform and looks from outside whether it is complete. `keys`: the stored ones, empty if there are none. */
async function requireWhole(platform: UpPlatform, keys: string, onReady: (ms: number) => void): Promise<void> {
  onReady(await platform.start());
  // A new process of a server has the command of its parent for a moment.
  await eventually(
    () => platform.databaseServers(),
    (servers) => isDeepStrictEqual(servers, ["postgres", "postgres-apps"]),
  );
  const stored = await platform.keys();
  assert.equal(JSON.parse(stored).length, 1);
  if (keys !== "") assert.equal(stored, keys);
  await requireAdministrator(platform, await platform.becomeAdministrator());
}

async function requireAdministrator(platform: UpPlatform, cookie: string): Promise<void> {
  const { viewer } = await platform.ask<{ viewer: { permissions: readonly string[] } }>(cookie, "{ viewer { permissions } }");
  assert.ok(viewer.permissions.includes("access:manage"), viewer.permissions.join());
}
