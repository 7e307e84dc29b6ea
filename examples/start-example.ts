import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

/** An example's backend in a separate process, started as the platform starts it. For tests. */
export interface RunningExample {
  readonly url: string;
  readonly process: ChildProcess;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `node src/server.ts` in a folder and resolves when it is healthy. */
export async function startExample(
  folder: string,
  environment: Readonly<Record<string, string>> & { readonly APP_NAME: string },
): Promise<RunningExample> {
  const port = await freePort();
  const child = spawn(process.execPath, ["src/server.ts"], {
    cwd: folder,
    env: { HOST: "127.0.0.1", PORT: String(port), ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null) throw new Error(`${folder} ended with code ${child.exitCode} before it was healthy`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    process: child,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
  };
}

async function isHealthy(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health`).catch(() => undefined);
  return answer?.status === 200;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
