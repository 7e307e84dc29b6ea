import assert from "node:assert/strict";
import { before, suite, type TestContext, test } from "node:test";
import { type PlatformClient, registerApp } from "@appserver/sdk";
import { CommandWalk } from "./command-walk.ts";
import { CommitPoints } from "./commit-points.ts";
import { FaultyPlatform, prepareSampleApps, sampleApps } from "./faulty-platform.ts";
import { absent } from "./invariants.ts";
import { type AppCommand, KilledCommands } from "./killed-commands.ts";
import { pageReleases, type ReleasedApp, sampleReleases } from "./released-apps.ts";

/** Most of a round is spent waiting for the restart of the database. */
const concurrency = 3;
const skip = process.platform === "linux" ? false : "needs /proc";
const [first, next] = ["1.0.0", "1.1.0"];
const [notes] = sampleApps;
/** Platforms that share the kills of the switches. */
const switchLanes = 3;
const views = {
  registered: `REGISTERED ${first}`,
  uninstalled: `UNINSTALLED ${first}`,
  installed: `RUNNING ${first}`,
  outdated: `RUNNING ${first} <${next}`,
  upgraded: `RUNNING ${next}`,
};

suite("kill -9 of server and orchestrator, in one process, at every commit of a command", { skip, concurrency }, () => {
  before(prepareSampleApps);

  test("install and uninstall", (t) =>
    onPlatform(t, async (platform, killed) => {
      const app = await sampleReleases(notes, next);
      platform.pages.set(notes, app.page);
      assert.deepEqual(await killed.commitsOf((client) => client.marketplace.planInstall({ name: notes })), []);
      // Later installations replace the records of the first one.
      for (const each of [install(app), uninstall(app)]) await killed.undisturbed(each);
      const walk = new CommandWalk(killed, (line) => t.diagnostic(line));
      do await walk.walk([install(app), uninstall(app)]);
      while (!walk.isOver);
      finish(walk, { install: 30, uninstall: 15 });
    }));

  for (let lane = 0; lane < switchLanes; lane++)
    test(`upgrade and rollback of an app in its own process, part ${lane + 1} of ${switchLanes}`, (t) =>
      onPlatform(t, async (platform, killed) => {
        const app = await sampleReleases(notes, next);
        platform.pages.set(notes, app.page);
        await killed.undisturbed(install(app));
        await killed.undisturbed(registerNext(app));
        assert.deepEqual(await killed.commitsOf((client) => client.marketplace.planUpgrade({ name: notes })), []);
        const walk = new CommandWalk(killed, (line) => t.diagnostic(line), { number: lane, of: switchLanes });
        do await walk.walk([upgrade(app), rollback(app)]);
        while (!walk.isOver);
        finish(walk, { upgrade: 40, rollback: 40 });
      }));

  test("register, and install and switch an app that has only pages", (t) =>
    onPlatform(t, async (platform, killed) => {
      const walk = new CommandWalk(killed, (line) => t.diagnostic(line));
      for (let number = 1; number === 1 || !walk.isOver; number++) {
        const app = await pageReleases(`test.page-${number}`, [first, next]);
        platform.pages.set(app.name, app.page);
        const commands = [register(app), install(app), registerNext(app), upgrade(app), rollback(app)];
        await walk.walk(commands);
      }
      finish(walk, { register: 2, "register another version": 2, install: 8, upgrade: 5, rollback: 5 });
    }));
});

function command(
  name: string,
  { name: app, needsProcess }: ReleasedApp,
  from: readonly string[],
  to: string,
  run: (client: PlatformClient) => Promise<unknown>,
): AppCommand {
  return { name, app, needsProcess, from, to, run };
}

function register(app: ReleasedApp): AppCommand {
  return command("register", app, [absent], views.registered, (client) => registerRelease(client, app, 0));
}

function registerNext(app: ReleasedApp): AppCommand {
  const run = (client: PlatformClient): Promise<unknown> => registerRelease(client, app, 1);
  return command("register another version", app, [views.installed], views.outdated, run);
}

function install(app: ReleasedApp): AppCommand {
  const { name } = app;
  const from = [views.registered, views.uninstalled];
  return command("install", app, from, views.installed, ({ marketplace }) => marketplace.installApp({ name }));
}

function uninstall(app: ReleasedApp): AppCommand {
  const { name } = app;
  const run: AppCommand["run"] = ({ marketplace }) => marketplace.uninstallApp({ name });
  return command("uninstall", app, [views.installed], views.uninstalled, run);
}

function upgrade(app: ReleasedApp): AppCommand {
  const { name } = app;
  const run: AppCommand["run"] = ({ marketplace }) => marketplace.upgradeApp({ name });
  return command("upgrade", app, [views.outdated], views.upgraded, run);
}

function rollback(app: ReleasedApp): AppCommand {
  const { name } = app;
  const run: AppCommand["run"] = ({ marketplace }) => marketplace.rollbackApp({ name, version: first });
  return command("rollback", app, [views.upgraded], views.outdated, run);
}

function registerRelease(client: PlatformClient, { releases }: ReleasedApp, number: number): Promise<unknown> {
  const release = releases[number];
  assert.ok(release);
  return registerApp(client, release);
}

async function onPlatform(
  t: TestContext,
  work: (platform: FaultyPlatform, killed: KilledCommands) => Promise<void>,
): Promise<void> {
  const points = new CommitPoints();
  const platform = await FaultyPlatform.create({ environment: points.environment });
  let passed = false;
  t.after(async () => {
    // Kept after a failure, because its logs show what happened.
    await (passed ? platform.remove() : platform.server.stop());
    points.remove();
  });
  await work(platform, await KilledCommands.open(platform, points));
  t.diagnostic(JSON.stringify(platform.figures));
  passed = true;
}

/** Checks that the commits of each command were found, and that each kill that does not depend on the transport happened. */
function finish({ counts, missed }: CommandWalk, least: Readonly<Record<string, number>>): void {
  for (const [name, number] of Object.entries(least)) {
    const found = counts.get(name)?.length ?? 0;
    assert.ok(found >= number, `${name}: ${found} commits`);
  }
  assert.deepEqual(missed, []);
}
