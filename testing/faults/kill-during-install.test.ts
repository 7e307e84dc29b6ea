import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FaultyPlatform, prepareSampleApps, type SampleApp, sampleApps } from "./faulty-platform.ts";
import type { Expectation } from "./invariants.ts";
import { postmasterPid, readRecords } from "./platform-records.ts";
import { type Chance, chance, randomSeed } from "./random.ts";

type Command = "install" | "uninstall";

/**
 * Several platforms run in parallel, because most of a round is spent waiting for leases of the killed process. Together 20
 * kills during an install.
 */
const lanes = 4;
const installRounds = 5;
const uninstallRounds = 2;
/**
 * Time from the command to the app's response on a slow machine. Half of the kills are in the first tenth, in which the writes
 * occur.
 */
const longestMs = 1_500;
const skip = process.platform === "linux" ? false : "needs /proc";
const seed = Number(process.env["APPSERVER_FAULT_SEED"] ?? randomSeed());

suite("kill -9 of the server at random moments", { skip, concurrency: lanes }, () => {
  before(prepareSampleApps);

  for (let lane = 0; lane < lanes; lane++) {
    test(`platform ${lane + 1}: ${installRounds} times in install, ${uninstallRounds} times in uninstall`, async (t) => {
      t.diagnostic(`APPSERVER_FAULT_SEED=${seed}`);
      const platform = await FaultyPlatform.create();
      let passed = false;
      // Kept after a failure, because its logs show what happened.
      t.after(() => (passed ? platform.remove() : platform.server.stop()));
      const random = chance(seed + lane);
      const rounds: Command[] = Array.from({ length: installRounds }, () => "install");
      for (let round = 0; round < uninstallRounds; round++) rounds.splice(2 + 3 * round, 0, "uninstall");
      let states = new Map<string, string>(await platform.settled(expectAll(["REGISTERED"])));
      for (const [number, command] of rounds.entries()) {
        const round = await playRound(platform, command, states, random);
        t.diagnostic(`round ${number + 1}: ${round.story}`);
        states = new Map(round.states);
      }
      t.diagnostic(JSON.stringify(platform.figures));
      const { deployments } = await readRecords(platform.dataDir);
      const blamed = deployments.filter(({ restartCount }) => restartCount > 0);
      assert.deepEqual(blamed, [], "no app has an error because of the killed platform");
      passed = true;
    });
  }
});

interface Round {
  readonly states: ReadonlyMap<string, string>;
  readonly story: string;
}

async function playRound(
  platform: FaultyPlatform,
  command: Command,
  before: ReadonlyMap<string, string>,
  random: Chance,
): Promise<Round> {
  const states = await makeReady(platform, command, before, random);
  const targets = sampleApps.filter((app) => isReadyFor(command, states.get(app)));
  const acknowledged = new Set<SampleApp>();
  const client = platform.client();
  const refused: unknown[] = [];
  let killed = false;
  const commands = targets.map(async (name) => {
    const call = command === "install" ? client.marketplace.installApp({ name }) : client.marketplace.uninstallApp({ name });
    await call.then(
      () => acknowledged.add(name),
      (error: unknown) => {
        // A command may fail only because of the kill.
        if (!killed) refused.push(error);
      },
    );
  });
  const killedAfter = random.below(random.next() < 0.5 ? longestMs / 10 : longestMs);
  await sleep(killedAfter);
  const atKill = [...acknowledged];
  killed = true;
  // Sometimes both are killed at once, like in a container that is killed.
  const withDatabase = random.next() < 0.25;
  if (withDatabase) process.kill(await postmasterPid(platform.dataDir), "SIGKILL");
  await platform.server.kill();
  await Promise.all(commands);
  assert.deepEqual(refused, []);
  // Some are killed again while they recover.
  const killedAgainAfter = random.next() < 0.25 ? random.below(2 * longestMs) : undefined;
  platform.server.start();
  if (killedAgainAfter !== undefined) {
    await sleep(killedAgainAfter);
    await platform.server.kill();
    platform.server.start();
  }
  await platform.server.ready();
  const expected = expectations(command, targets, states, acknowledged);
  const result = await platform.settled(expected);
  const story = [
    `${command} ${targets.join(", ")}, killed ${withDatabase ? "with the database " : ""}after ${Math.round(killedAfter)} ms`,
    ...(killedAgainAfter === undefined ? [] : [`and ${Math.round(killedAgainAfter)} ms into the restart`]),
    `acknowledged: ${atKill.join(", ") || "nothing"}`,
    `then ${sampleApps.map((app) => `${app} ${result.get(app)}`).join(", ")}`,
  ];
  return { states: result, story: story.join("; ") };
}

/** Prepares some of the apps before an install, and all before an uninstall, so that the command is valid for them. */
async function makeReady(
  platform: FaultyPlatform,
  command: Command,
  states: ReadonlyMap<string, string>,
  random: Chance,
): Promise<ReadonlyMap<string, string>> {
  const client = platform.client();
  if (sampleApps.some((app) => isReadyFor(command, states.get(app)))) return states;
  const ready = new Map(states);
  for (const name of command === "install" ? random.pick(sampleApps) : sampleApps) {
    if (command === "install") await client.marketplace.uninstallApp({ name });
    else await client.marketplace.installApp({ name });
    ready.set(name, command === "install" ? "UNINSTALLED" : "RUNNING");
  }
  return platform.settled(expectAll(undefined, ready));
}

function isReadyFor(command: Command, state: string | undefined): boolean {
  return command === "install" ? state === "REGISTERED" || state === "UNINSTALLED" : state === "RUNNING";
}

function expectations(
  command: Command,
  targets: readonly SampleApp[],
  before: ReadonlyMap<string, string>,
  acknowledged: ReadonlySet<SampleApp>,
): ReadonlyMap<string, Expectation> {
  const done = command === "install" ? "RUNNING" : "UNINSTALLED";
  return new Map(
    sampleApps.map((app) => {
      const old = before.get(app) ?? "";
      const states = !targets.includes(app) ? [old] : acknowledged.has(app) ? [done] : [old, done];
      return [app, { states, needsProcess: true }];
    }),
  );
}

function expectAll(
  states: readonly string[] | undefined,
  each?: ReadonlyMap<string, string>,
): ReadonlyMap<string, Expectation> {
  return new Map(sampleApps.map((app) => [app, { states: states ?? [each?.get(app) ?? ""], needsProcess: true }]));
}
