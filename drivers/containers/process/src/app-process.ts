import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, isGroupRunning, type ProcessIdentity, processNumbers, startTimeOf } from "@appserver/kernel/files";

export interface AppProcess {
  readonly identity: ProcessIdentity;
  /** The exit code; for a process ended by a signal, 128 plus the signal's number, as in shells and engines. */
  readonly ended: Promise<number>;
}

export interface AppCommand {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The complete environment: no variables of this process are added. */
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly errorFile: string;
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
 * Starts an app in its own session and process group, without this terminal. The app writes to its files directly, so it
 * survives a killed server without a broken pipe. Rejects if the program cannot be run.
 */
export async function startAppProcess(app: AppCommand): Promise<AppProcess> {
  const [program = "", ...args] = app.command;
  const output = [openSync(app.logFile, "a", 0o600), openSync(app.errorFile, "a", 0o600)];
  try {
    const child = spawn(program, args, {
      cwd: app.cwd,
      env: { ...app.environment },
      detached: true,
      stdio: ["ignore", ...output],
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
    // A process that already ended has no start time; `ended` reports its exit.
    return { identity: { pid, startTime: startTimeOf(pid) ?? "" }, ended };
  } finally {
    for (const file of output) closeSync(file);
  }
}

/** How long a process that was forked may take until its log file is its output. */
const forkLooks = 10;
const forkLookEveryMs = 25;

/**
 * Finds the group leader that writes to a log file: an app whose server was killed after the start but before it recorded the
 * process number. Looks for 225 ms, because a process that was just forked has its log file as its output a moment later. Works
 * only on Linux; elsewhere such an app is not found.
 */
export async function findByLogFile(logFile: string): Promise<ProcessIdentity | undefined> {
  if (process.platform !== "linux" || !existsSync(logFile)) return undefined;
  const target = realpathSync(logFile);
  for (let look = 1; ; look += 1) {
    const found = leaderWithOutput(target);
    if (found !== undefined || look === forkLooks) return found;
    await sleep(forkLookEveryMs);
  }
}

function leaderWithOutput(target: string): ProcessIdentity | undefined {
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
    // Ended in between, or owned by another user.
    return undefined;
  }
}

/** Ends a process and its children: sends a stop signal, and kills the remaining ones after `graceMs`. */
export async function endProcessGroup(leader: ProcessIdentity, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  signalGroup(leader, "SIGTERM");
  while (isAppRunning(leader)) {
    if (performance.now() > deadline) signalGroup(leader, "SIGKILL");
    await sleep(20);
  }
}

/** Whether the leader or one of its children runs. A group keeps its number until it is empty and the number is reused. */
function isAppRunning(leader: ProcessIdentity): boolean {
  return isAlive(leader) || (startTimeOf(leader.pid) === undefined && isGroupRunning(leader.pid));
}

/** Sends the signal to a process and its children. Does nothing if they have ended. */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAppRunning(leader)) return;
  try {
    process.kill(-leader.pid, signal);
  } catch {
    // Ended in between.
  }
}

/** Returns a port of 127.0.0.1 that is free now. */
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
