import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { testApp } from "@appserver/testing/kit";
import type { ProductionServices } from "@appserver/testing/kit/production";
import { ensureRabbitMq } from "../../tools/services/rabbitmq.ts";
import { publishIdleImage } from "../production/replicas/idle-image.ts";
import { CommandWalk, isWhole } from "./command-walk.ts";
import { CommitPoints } from "./commit-points.ts";
import { commandsOf } from "./killable-commands.ts";
import { KilledCommands } from "./killed-commands.ts";
import { first, next, type ReleasedApp } from "./released-apps.ts";
import { SplitPlatform, type Victim } from "./split-platform.ts";
import { startContainerServices } from "./switches/container-platform.ts";

const victims = ["server", "orchestrator"] as const satisfies readonly Victim[];
/** The platforms share an engine, on which an app has one container. */
const nameFor = (victim: Victim): string => `test.with-killed-${victim}`;
/** The fewest commits of a process during each command and what follows it. */
const least: Readonly<Record<Victim, ReadonlyMap<string, number>>> = {
  server: new Map([
    ["install", 5],
    ["upgrade", 6],
    ["rollback", 6],
    ["uninstall", 4],
  ]),
  orchestrator: new Map([
    ["install", 4],
    ["upgrade", 6],
    ["rollback", 6],
    ["uninstall", 2],
  ]),
};

suite("a server and an orchestrator in their own processes, with an app in a container", { concurrency: 2 }, () => {
  for (const victim of victims)
    test(`kill -9 of the ${victim} at commits of each command`, async (t) => {
      const rabbitmq = await ensureRabbitMq();
      if ("unavailable" in rabbitmq) return t.skip(rabbitmq.unavailable);
      t.after(rabbitmq.stop);
      const services = await startContainerServices();
      if ("unavailable" in services) return t.skip(services.unavailable);
      const points = new CommitPoints();
      t.after(() => points.remove());
      const { engine, registry, production } = services;
      await publishIdleImage(engine.socketPath, registry.host, [nameFor(victim)]);
      const platform = await SplitPlatform.start(services, rabbitmq.ctl, victim, points);
      try {
        const app = await containedApp(nameFor(victim), production);
        const walk = await walkOn(platform, points, app, (line) => t.diagnostic(line));
        for (const [command, commits] of walk.counts)
          assert.ok(commits.length >= (least[victim].get(command) ?? 0), `${command}: ${commits.length} commits`);
        assert.deepEqual(walk.missed, []);
      } finally {
        await platform.stop();
      }
    });
});

async function walkOn(
  platform: SplitPlatform,
  points: CommitPoints,
  app: ReleasedApp,
  report: (line: string) => void,
): Promise<CommandWalk> {
  const killed = await KilledCommands.open(platform, points);
  const { register, install, registerNext, ...later } = commandsOf(app);
  for (const command of [register, install, registerNext]) await killed.undisturbed(command);
  if (isWhole) await killed.undisturbed(later.uninstallOutdated);
  // Leases of a killed process block others for 10 s.
  const walk = new CommandWalk(killed, report, { isSlow: true });
  const switches = [later.upgrade, later.rollback];
  do await walk.walk(isWhole ? [later.installOutdated, ...switches, later.uninstallOutdated] : switches);
  while (!walk.isOver);
  return walk;
}

async function containedApp(name: string, { registrationToken }: ProductionServices): Promise<ReleasedApp> {
  const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://app-${name}:3000` };
  const old = await testApp({ name, version: first, web_app: { api } });
  const releases = [old, await testApp({ name, version: next, web_app: { api } }, {}, old.keys)];
  return { name, needsProcess: true, releases, token: registrationToken };
}
