import type { AppProcess } from "./app-processes.ts";
import { eventViolations } from "./event-invariants.ts";
import type { AppRow, DeploymentRow, PlatformRecords } from "./platform-records.ts";
import { switchViolations } from "./switch-invariants.ts";

/** State of an app that is not registered. */
export const absent = "absent";

/** What may be observed of one app. */
export interface Expectation {
  /**
   * States in which the app may settle: the acknowledged one, or the old and the new one of a command without an
   * acknowledgement.
   */
  readonly states: readonly string[];
  /** Whether it needs a process while it is installed. */
  readonly needsProcess: boolean;
  /** Versions that may serve. Default: any. */
  readonly versions?: readonly string[];
  /** Whether it switches to another release, so that two of its processes may run before it is at rest. */
  readonly isSwitching?: boolean;
}

export interface Observation {
  readonly records: PlatformRecords;
  readonly processes: readonly AppProcess[];
  /** Status of the app's public route through the proxy, by app name; absent where it has none. */
  readonly publicRoute: ReadonlyMap<string, number>;
  /** The version whose page is served, by app name; absent where that is not observed. */
  readonly pages?: ReadonlyMap<string, string>;
}

/**
 * Checks the invariants of a platform at rest (docs/interface/operations.md#invariants). Returns one sentence per violation,
 * none if all hold. Acknowledged ⊆ stored · every committed transition has ≥ 1 event · running processes = installed apps that
 * need one, one each · no dead letter · no pending messages · running apps respond through the proxy · one version of an app
 * serves, in its record, its deployment and its page.
 */
export function violations(seen: Observation, expected: ReadonlyMap<string, Expectation>): readonly string[] {
  return [
    ...[...expected].flatMap(([name, expectation]) => appViolations(seen, name, expectation)),
    ...unexpectedApps(seen, expected),
    ...historyViolations(seen.records),
    ...eventViolations(seen.records),
    ...switchViolations(seen.records),
    ...leftovers(seen.records),
  ];
}

/** Returns the violations that must not occur even for a moment: two processes of one app, or three while it is switching. */
export function duplicates(processes: readonly AppProcess[], expected?: ReadonlyMap<string, Expectation>): readonly string[] {
  const names = new Set(processes.map(({ appName }) => appName));
  return [...names].flatMap((name) => {
    const pids = processes.filter(({ appName }) => appName === name).map(({ pid }) => pid);
    const most = expected?.get(name)?.isSwitching ? 2 : 1;
    return pids.length > most ? [`${name} runs ${pids.length} times (${pids.join(", ")})`] : [];
  });
}

function appViolations({ records, processes, publicRoute, pages }: Observation, name: string, expected: Expectation): string[] {
  const app = records.apps.find((row) => row.name === name);
  if (!app) return expected.states.includes(absent) ? [] : [`${name} is not stored`];
  const found: string[] = [];
  if (expected.versions?.includes(app.version) === false)
    found.push(`${name} has ${app.version}, expected ${expected.versions.join(" or ")}`);
  const page = pages?.get(name) ?? app.version;
  if (app.state === "RUNNING" && page !== app.version)
    found.push(`${name} has ${app.version} and the page of ${page} is served`);
  if (!expected.states.includes(app.state)) {
    const why = app.lastError ? ` (${JSON.stringify(app.lastError)})` : "";
    found.push(`${name} is ${app.state}${why}, expected ${expected.states.join(" or ")}`);
  }
  const shouldRun = app.state === "RUNNING" && expected.needsProcess;
  const running = processes.filter(({ appName }) => appName === name).length;
  if (running !== (shouldRun ? 1 : 0)) found.push(`${name} is ${app.state} and has ${running} processes`);
  const answer = publicRoute.get(name) ?? 200;
  if (app.state === "RUNNING" && answer !== 200) found.push(`${name} is RUNNING and its public route responds with ${answer}`);
  return [...found, ...currentDeploymentViolations(app, shouldRun, records.deployments)];
}

function currentDeploymentViolations(app: AppRow, shouldRun: boolean, deployments: readonly DeploymentRow[]): string[] {
  const current = deployments.filter(({ appName, role }) => appName === app.name && role === "current");
  if (current.length > 1) return [`${app.name} has ${current.length} current deployments`];
  const [deployment] = current;
  const isRight = shouldRun
    ? deployment?.state === "HEALTHY" && deployment.generation === app.generation
    : deployment === undefined || deployment.state === "STOPPED";
  if (isRight) return [];
  const is = deployment ? `${deployment.state}, generation ${deployment.generation} of ${app.generation}` : "absent";
  return [`${app.name} is ${app.state} and its deployment is ${is}`];
}

function unexpectedApps({ records, processes }: Observation, expected: ReadonlyMap<string, Expectation>): string[] {
  return [
    ...processes.filter(({ appName }) => !expected.has(appName)).map(({ appName, pid }) => `process ${pid} runs ${appName}`),
    ...records.apps.filter(({ name }) => !expected.has(name)).map(({ name }) => `${name} is stored but was not registered`),
  ];
}

/** Checks that the stored transitions of an app form one chain from registration to its state. */
function historyViolations({ apps, transitions }: PlatformRecords): string[] {
  return apps.flatMap((app) => {
    const found: string[] = [];
    let state: string | null = null;
    for (const step of transitions.filter(({ appName }) => appName === app.name)) {
      if (step.from !== state) found.push(`${app.name} was ${state} and a transition from ${step.from} is stored`);
      state = step.to;
    }
    if (state !== app.state) found.push(`${app.name} is ${app.state} and its history ends at ${state}`);
    return found;
  });
}

function leftovers(records: PlatformRecords): string[] {
  const { unpublished, unconsumed, deadLetters, openOperations, lockedApps } = records;
  const counts = { unpublished, unconsumed, deadLetters, openOperations, lockedApps };
  return Object.entries(counts)
    .filter(([, count]) => count !== 0)
    .map(([what, count]) => `${what}: ${count}`);
}
