import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A process of a bench that serves HTTP on 127.0.0.1. */
export interface Served {
  readonly port: number;
  readonly pid: number;
  stop(): void | Promise<void>;
}

/** Starts a module of this folder. It sends its port once it listens; it may need one message before. */
export async function startForked(module: string, message?: string | number): Promise<Served> {
  const child = fork(join(import.meta.dirname, module), { execArgv: ["--disable-warning=ExperimentalWarning"] });
  if (message !== undefined) child.send(message);
  return servedBy(child);
}

/** Waits for the port that the process sends. Rejects if it ends before. */
export async function servedBy(child: ChildProcess): Promise<Served> {
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  const [port] = (await Promise.race([once(child, "message"), ended])) as [number];
  return { port, pid: child.pid ?? 0, stop: () => void child.kill() };
}
