import assert from "node:assert/strict";
import { before, suite, type TestContext, test } from "node:test";
import { CommandWalk } from "./command-walk.ts";
import { CommitPoints } from "./commit-points.ts";
import { FaultyPlatform, prepareSampleApps } from "./faulty-platform.ts";
import { commandsOf } from "./killable-commands.ts";
import { ask, KilledCommands } from "./killed-commands.ts";
import { notesReleases, pageReleases } from "./released-apps.ts";

/** Most of a round is spent waiting for the restart of the database. */
const concurrency = 3;
const skip = process.platform === "linux" ? false : "needs /proc";

suite("kill -9 of server and orchestrator, in one process, at every commit of a command", { skip, concurrency }, () => {
  before(prepareSampleApps);

  for (const part of parts(3))
    test(`install and uninstall${part.label}`, (t) =>
      onPlatform(t, async (platform, killed) => {
        const { name, page, ...app } = await notesReleases();
        platform.pages.set(name, page);
        const { install, uninstall } = commandsOf({ name, ...app });
        assert.deepEqual(await killed.commitsOf((on) => ask(on, `{ installPlan(name: "${name}") { digest } }`)), []);
        // Later installations replace the records of the first one.
        for (const each of [install, uninstall]) await killed.undisturbed(each);
        const walk = new CommandWalk(killed, (line) => t.diagnostic(line), { part });
        do await walk.walk([install, uninstall]);
        while (!walk.isOver);
        finish(walk, { install: 30, uninstall: 15 });
      }));

  for (const part of parts(5))
    test(`upgrade and rollback of an app in its own process${part.label}`, (t) =>
      onPlatform(t, async (platform, killed) => {
        const { name, page, ...app } = await notesReleases();
        platform.pages.set(name, page);
        const { install, registerNext, upgrade, rollback } = commandsOf({ name, ...app });
        for (const each of [install, registerNext]) await killed.undisturbed(each);
        assert.deepEqual(await killed.commitsOf((on) => ask(on, `{ upgradePlan(name: "${name}") { digest } }`)), []);
        const walk = new CommandWalk(killed, (line) => t.diagnostic(line), { part });
        do await walk.walk([upgrade, rollback]);
        while (!walk.isOver);
        finish(walk, { upgrade: 40, rollback: 40 });
      }));

  for (const part of parts(2))
    test(`register, and install and switch an app that has only pages${part.label}`, (t) =>
      onPlatform(t, async (platform, killed) => {
        const walk = new CommandWalk(killed, (line) => t.diagnostic(line), { part });
        for (let number = 1; number === 1 || !walk.isOver; number++) {
          const app = await pageReleases(`test.page-${number}`);
          platform.pages.set(app.name, app.page);
          const { register, install, registerNext, upgrade, rollback } = commandsOf(app);
          await walk.walk([register, install, registerNext, upgrade, rollback]);
        }
        finish(walk, { register: 2, "register another version": 2, install: 8, upgrade: 5, rollback: 5 });
      }));
});

/** Several platforms share the kills of a row, because each row takes at most a minute in `npm test`. */
function parts(of: number) {
  return Array.from({ length: of }, (_, number) => ({ number, of, label: `, part ${number + 1} of ${of}` }));
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
    await (passed ? platform.remove() : platform.watched.stop());
    points.remove();
  });
  await work(platform, await KilledCommands.open(platform, points));
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
