import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { testApp } from "@appserver/testing/kit";
import { dockerEngineForTests, type TestDockerEngine } from "@appserver/testing/kit/docker";
import { type ProductionServices, startProductionServices } from "@appserver/testing/kit/production";
import { ensureRabbitMq } from "../../tools/services/rabbitmq.ts";
import { ensureRegistry } from "../../tools/services/registry.ts";
import { publishIdleImage } from "../production/replicas/idle-image.ts";
import { CommandWalk, isWhole } from "./command-walk.ts";
import { CommitPoints } from "./commit-points.ts";
import {
  first,
  install,
  installOutdated,
  next,
  register,
  registerNext,
  rollback,
  uninstallOutdated,
  upgrade,
} from "./killable-commands.ts";
import { KilledCommands } from "./killed-commands.ts";
import type { ReleasedApp } from "./released-apps.ts";
import { SplitPlatform, type Victim } from "./split-platform.ts";

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

const docker = await dockerEngineForTests();
const registry = await ensureRegistry();
const rabbitmq = await ensureRabbitMq();
const missing = [docker, registry, rabbitmq].find((server) => "unavailable" in server);

suite("a server and an orchestrator in their own processes, with an app in a container", {
  skip: missing && "unavailable" in missing ? missing.unavailable : false,
  concurrency: 2,
}, () => {
  const engine = docker as TestDockerEngine;

  before(async () => {
    if (!("unavailable" in registry)) await publishIdleImage(engine.socketPath, registry.host, victims.map(nameFor));
  });
  after(async () => {
    for (const server of [docker, registry, rabbitmq]) if (!("unavailable" in server)) await server.stop();
  });

  for (const victim of victims)
    test(`kill -9 of the ${victim} at commits of each command`, async (t) => {
      if ("unavailable" in registry || "unavailable" in rabbitmq) return;
      const services = await startProductionServices();
      if ("unavailable" in services) return t.skip(services.unavailable);
      const points = new CommitPoints();
      const options = { victim, points, services, engine, registry: registry.host, control: rabbitmq.ctl };
      let platform: SplitPlatform | undefined;
      try {
        platform = await SplitPlatform.start(options);
        const walk = await walkOn(platform, points, await containedApp(nameFor(victim), services), (line) =>
          t.diagnostic(line),
        );
        for (const [command, commits] of walk.counts)
          assert.ok(commits.length >= (least[victim].get(command) ?? 0), `${command}: ${commits.length} commits`);
        assert.deepEqual(walk.missed, []);
      } finally {
        await platform?.stop();
        await services.stop();
        points.remove();
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
  for (const command of [register, install, registerNext]) await killed.undisturbed(command(app));
  if (isWhole) await killed.undisturbed(uninstallOutdated(app));
  // Leases of a killed process block others for 10 s.
  const walk = new CommandWalk(killed, report, { isSlow: true });
  const switches = [upgrade(app), rollback(app)];
  do await walk.walk(isWhole ? [installOutdated(app), ...switches, uninstallOutdated(app)] : switches);
  while (!walk.isOver);
  return walk;
}

async function containedApp(name: string, { registrationToken }: ProductionServices): Promise<ReleasedApp> {
  const api = { base_path: `/api/apps/${name}`, upstream_base_url: `http://app-${name}:3000` };
  const old = await testApp({ name, version: first, web_app: { api } });
  const releases = [old, await testApp({ name, version: next, web_app: { api } }, {}, old.keys)];
  return { name, needsProcess: true, releases, token: registrationToken };
}
