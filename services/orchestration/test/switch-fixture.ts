import assert from "node:assert/strict";
import type { DesiredApp, DesiredRelease } from "../src/domain/desired-app.ts";
import { desiredApp, desiredRelease } from "./fixtures.ts";
import type { MemoryRuntime } from "./memory-runtime.ts";
import { ReconcileFixture } from "./reconcile-fixture.ts";

/** The states of a deployment that becomes healthy. */
export const fresh = "PENDING PULLING CREATING STARTING HEALTHY";
export const plain = "app-com.example.notes";
export const beside = "app-com.example.notes-g2";
export const next = fresh.replaceAll(/\w+/g, (state) => `next:${state}`);

export const upgraded = (changes: Partial<DesiredApp> = {}): DesiredApp =>
  desiredApp({ version: "2.0.0", generation: 2, manifestDigest: "digest-2", ...changes });

export async function healthyFixture<Runtime extends MemoryRuntime = MemoryRuntime>(
  runtime?: Runtime,
): Promise<ReconcileFixture<Runtime>> {
  const fixture = new ReconcileFixture(runtime);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  fixture.runtime.calls.length = 0;
  return fixture;
}

/** A healthy app with a next release. */
export async function upgradingFixture(changes: Partial<DesiredRelease> = {}): Promise<ReconcileFixture> {
  const fixture = await healthyFixture();
  fixture.desired = desiredApp({ next: desiredRelease(changes) });
  return fixture;
}

export async function roles(fixture: ReconcileFixture): Promise<Readonly<Record<string, string>>> {
  const found = await fixture.deployments.withRole();
  return Object.fromEntries(found.map(({ role, appVersion, state }) => [role, `${appVersion} ${state}`]));
}

export function names(fixture: ReconcileFixture): readonly string[] {
  return [...fixture.runtime.containers.values()].map(({ name, status }) => `${name} ${status}`).sort();
}

/** Settles one pass of both loops. */
export async function bothLoops(fixture: ReconcileFixture, isStartup = false): Promise<void> {
  await fixture.reconcile(isStartup);
  await fixture.reconcile(isStartup, "switching");
}

/** Counts the containers that run at the same time. */
export function watchRunning({ runtime }: ReconcileFixture): { most: number } {
  const seen = { most: 0 };
  const start = runtime.start.bind(runtime);
  runtime.start = async (name) => {
    const started = await start(name);
    const running = [...runtime.containers.values()].filter(({ status }) => status === "running");
    seen.most = Math.max(seen.most, running.length);
    return started;
  };
  return seen;
}
