import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, ownIdentity, type ProcessIdentity, startTimeOf, withFileLock } from "@appserver/kernel/files";

/** Default folder for data, logs and pids of services. Ignored by git. */
export const servicesFolder: string = resolve(import.meta.dirname, "../../.appserver/services");

export interface ServiceDefinition {
  readonly name: string;
  /** Folder of this service only. The service writes all its files there. */
  readonly folder: string;
  /** Returns the command to run. Called once per start of the service. Every user of the service receives `settings`. */
  prepare(): Promise<{ command: readonly string[]; environment?: Record<string, string>; settings: Record<string, string> }>;
  isReady(settings: Record<string, string>): Promise<boolean>;
  /** Called after the process ended. */
  cleanUp?(settings: Record<string, string>): void;
  readonly startTimeoutMs: number;
}

interface Running extends ProcessIdentity {
  readonly settings: Record<string, string>;
}

/** A use of a service that all processes on this machine share. */
export interface ServiceUse {
  readonly settings: Record<string, string>;
  /** Ends this use. The service stops with its last user. */
  stop(): Promise<void>;
}

/** A use without a process: `up.ts` creates it, `down.ts` removes it. */
const keptUse = "kept";

/**
 * Starts the service unless it runs, and registers the caller as a user. Test files run in separate processes: a lock prevents
 * two starts, and the service runs until its last living user stops it. Its output is written to `output.log`.
 */
export async function useService(definition: ServiceDefinition, options: { keep?: boolean } = {}): Promise<ServiceUse> {
  const users = join(definition.folder, "users");
  mkdirSync(users, { recursive: true });
  return await withServiceLock(definition, async () => {
    const running = readRunning(definition) ?? (await startService(definition));
    const use = join(users, options.keep ? keptUse : randomUUID());
    writeFileSync(use, JSON.stringify(ownIdentity()));
    const stop = async (): Promise<void> => {
      if (options.keep) return;
      await withServiceLock(definition, async () => {
        rmSync(use, { force: true });
        if (livingUsers(users) === 0) await stopService(definition);
      });
    };
    return { settings: running.settings, stop };
  });
}

/** Stops the service even if it has users. */
export async function downService(definition: ServiceDefinition): Promise<boolean> {
  if (!readRunning(definition)) return false;
  return await withServiceLock(definition, async () => {
    rmSync(join(definition.folder, "users"), { recursive: true, force: true });
    return await stopService(definition);
  });
}

/** Returns the pid of the service while it runs. */
export function runningPid(definition: { readonly folder: string }): number | undefined {
  return readRunning(definition)?.pid;
}

/** Runs other work under the service's lock, for example the installation of its package. */
export function withServiceLock<T>(definition: { folder: string }, work: () => Promise<T>): Promise<T> {
  mkdirSync(definition.folder, { recursive: true });
  return withFileLock(join(definition.folder, "lock"), work, { timeoutMs: 300_000 });
}

async function startService(definition: ServiceDefinition): Promise<Running> {
  const { command, environment, settings } = await definition.prepare();
  const logFile = join(definition.folder, "output.log");
  const log = openSync(logFile, "w");
  const [program = "", ...args] = command;
  // A separate session: the service outlives this process while others use it, and does not receive Ctrl-C of the terminal.
  const child = spawn(program, args, { detached: true, stdio: ["ignore", log, log], env: { ...process.env, ...environment } });
  child.unref();
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${definition.name} ended with code ${code}: ${lastLines(logFile)}`)));
  });
  try {
    await Promise.race([failed, waitUntilReady(definition, settings)]);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    // From now on the service ends only on request, and its log may then be deleted.
    child.removeAllListeners("exit");
  }
  const pid = child.pid ?? 0;
  const running: Running = { pid, startTime: startTimeOf(pid) ?? "", settings };
  writeFileSync(join(definition.folder, "running.json"), JSON.stringify(running));
  return running;
}

async function waitUntilReady(definition: ServiceDefinition, settings: Record<string, string>): Promise<void> {
  const deadline = performance.now() + definition.startTimeoutMs;
  while (!(await definition.isReady(settings))) {
    if (performance.now() > deadline) throw new Error(`${definition.name} was not ready in ${definition.startTimeoutMs} ms`);
    await sleep(100);
  }
}

async function stopService(definition: ServiceDefinition): Promise<boolean> {
  const running = readRunning(definition);
  if (!running) return false;
  process.kill(running.pid, "SIGTERM");
  const deadline = performance.now() + 30_000;
  while (isAlive(running)) {
    if (performance.now() > deadline) process.kill(running.pid, "SIGKILL");
    await sleep(50);
  }
  rmSync(join(definition.folder, "running.json"), { force: true });
  definition.cleanUp?.(running.settings);
  return true;
}

function readRunning(definition: { readonly folder: string }): Running | undefined {
  const running = readJson<Running>(join(definition.folder, "running.json"));
  return running && isAlive(running) ? running : undefined;
}

function livingUsers(folder: string): number {
  let living = 0;
  for (const name of readdirSync(folder)) {
    const user = readJson<ProcessIdentity>(join(folder, name));
    if (name === keptUse || (user && isAlive(user))) living += 1;
    else rmSync(join(folder, name), { force: true });
  }
  return living;
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return undefined;
  }
}

function lastLines(file: string): string {
  return readFileSync(file, "utf8").trim().split("\n").slice(-5).join("\n");
}
