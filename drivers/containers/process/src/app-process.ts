import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, isGroupRunning, type ProcessIdentity, processNumbers, startTimeOf } from "@appserver/kernel/files";

export interface AppProcess {
  readonly identity: ProcessIdentity;
  /** The exit code; 128 and the signal's number for what a signal ended, as shells and engines say it. */
  readonly ended: Promise<number>;
}

export interface AppCommand {
  readonly command: readonly string[];
  readonly cwd: string;
  /** All of the environment: nothing of this process's own passes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/**
 * Starts an app in a session and process group of its own, away from this terminal, writing to its log file itself: it
 * outlives a killed server without a broken pipe. Rejects when the program cannot be run.
 */
export async function startAppProcess(app: AppCommand): Promise<AppProcess> {
  const [program = "", ...args] = app.command;
  const log = openSync(app.logFile, "a", 0o600);
  try {
    const child = spawn(program, args, {
      cwd: app.cwd,
      env: { ...app.environment },
      detached: true,
      stdio: ["ignore", log, log],
    });
    const ended = new Promise<number>((resolve) => {
      child.once("exit", (code, signal) => resolve(code ?? 128 + (signalNumbers[signal ?? ""] ?? 0)));
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
    const pid = child.pid ?? 0;
    // What ended already has no start time any more; its exit tells the rest.
    return { identity: { pid, startTime: startTimeOf(pid) ?? "" }, ended };
  } finally {
    closeSync(log);
  }
}

/**
 * The process that leads a group and writes to a log file: an app whose server was killed between starting it and writing
 * its number down. Only Linux can be asked; elsewhere such an app is not found.
 */
export function findByLogFile(logFile: string): ProcessIdentity | undefined {
  if (process.platform !== "linux" || !existsSync(logFile)) return undefined;
  const target = realpathSync(logFile);
  for (const pid of processNumbers()) {
    const startTime = startTimeOf(pid);
    if (startTime !== undefined && outputOf(pid) === target && isGroupRunning(pid)) return { pid, startTime };
  }
  return undefined;
}

function outputOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/1`);
  } catch {
    // Ended meanwhile, or somebody else's.
    return undefined;
  }
}

/** Ends a process and everything it started: asks, and kills what is left after `graceMs`. */
export async function endProcessGroup(leader: ProcessIdentity, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  signalGroup(leader, "SIGTERM");
  while (isAppRunning(leader)) {
    if (performance.now() > deadline) signalGroup(leader, "SIGKILL");
    await sleep(20);
  }
}

/** Of the leader or what it left behind: a group keeps its number, unless it is empty and the number went to another. */
function isAppRunning(leader: ProcessIdentity): boolean {
  return isAlive(leader) || (startTimeOf(leader.pid) === undefined && isGroupRunning(leader.pid));
}

/** Sends the signal to a process and everything it started; what has ended is left alone. */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAppRunning(leader)) return;
  try {
    process.kill(-leader.pid, signal);
  } catch {
    // Ended meanwhile.
  }
}

/** A port of 127.0.0.1 that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}
