import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderBackend, ownPython } from "@appserver/sdk";
import type { GlobalOptions } from "../../global-options.ts";
import { sleep } from "../../sleep.ts";

interface Running {
  readonly process: ChildProcess;
  readonly port: number;
  /** The open connections to it. */
  readonly sockets: Set<Socket>;
}

const listenWithinMs = 15_000;
const lookEveryMs = 50;
/** How long an earlier process may finish its requests. */
const graceMs = 5_000;

/**
 * The backend of a folder on this machine. It has the environment of appctl and the variables of a container
 * (docs/interface/containers.md#environment), except those of databases and storages.
 */
export class LocalBackend {
  /** The platform signs the requests with it. */
  readonly forwardSecret: Buffer = randomBytes(32);
  readonly #options: GlobalOptions;
  readonly #folder: string;
  readonly #appName: string;
  readonly #onExit: (code: number | null) => void;
  /** Every process that has not ended. */
  readonly #processes = new Set<ChildProcess>();
  #identityFolder: string | undefined;
  #running: Running | undefined;
  #isStopped = false;

  /** `onExit` is called if the backend ends by itself after it has listened. */
  constructor(options: GlobalOptions, folder: string, appName: string, onExit: (code: number | null) => void) {
    this.#options = options;
    this.#folder = folder;
    this.#appName = appName;
    this.#onExit = onExit;
  }

  /**
   * Starts the present state of the folder, and stops the earlier one as soon as this one listens. Rejects if it does not: the earlier
   * one continues.
   */
  async start(): Promise<void> {
    const port = await freePort();
    const child = await this.#spawn(port);
    const failed = new AbortController();
    child.once("error", (error) => failed.abort(error));
    child.once("exit", (code) => failed.abort(new Error(`the backend ended with exit code ${code} before it listened`)));
    await untilListening(port, failed.signal).catch((error: unknown) => {
      child.kill("SIGKILL");
      throw error;
    });
    const earlier = this.#running;
    const running = { process: child, port, sockets: new Set<Socket>() };
    this.#running = running;
    child.once("exit", (code) => {
      if (this.#running !== running) return;
      this.#running = undefined;
      if (!this.#isStopped) this.#onExit(code);
    });
    if (earlier) void retire(earlier);
  }

  /** Connects to it. Rejects if it does not run. */
  async connect(): Promise<Socket> {
    if (!this.#running) throw new Error("the backend does not run");
    const { port, sockets } = this.#running;
    const socket = connectTo({ port, host: "127.0.0.1", noDelay: true });
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    await once(socket, "connect");
    // The caller is notified of its end as well.
    socket.on("error", () => {});
    return socket;
  }

  /** Ends it at once, also one that is starting, and removes its secret. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const child of this.#processes) child.kill("SIGKILL");
    if (this.#identityFolder !== undefined) await rm(this.#identityFolder, { recursive: true, force: true });
  }

  async #spawn(port: number): Promise<ChildProcess> {
    const env = await this.#environment(port);
    if (this.#isStopped) throw new Error("the backend was stopped");
    const child = spawn(...this.#command(), { cwd: this.#folder, env, stdio: ["ignore", "inherit", "inherit"] });
    this.#processes.add(child);
    child.once("close", () => this.#processes.delete(child));
    return child;
  }

  #command(): [string, readonly string[]] {
    const backend = folderBackend(this.#folder);
    if (backend.language === "any") {
      const [program, ...args] = backend.command;
      return [program, args];
    }
    if (backend.language === "node") return [process.execPath, [backend.main]];
    const own = join(this.#folder, ownPython);
    return [existsSync(own) ? own : "python3", ["-m", backend.module]];
  }

  async #environment(port: number): Promise<NodeJS.ProcessEnv> {
    const { origin } = new URL(this.#options.http);
    return {
      ...process.env,
      APP_NAME: this.#appName,
      APP_IDENTITY_DIR: await this.#identity(),
      APPSERVER_HTTP_URL: origin,
      APPSERVER_GRPC_ADDRESS: new URL(this.#options.grpc).host,
      APPSERVER_GRAPHQL_URL: `${origin}/graphql`,
      APPSERVER_GRAPHQL_HTTP: `${origin}/graphql`,
      HOST: "127.0.0.1",
      PORT: String(port),
      PYTHONUNBUFFERED: "1",
    };
  }

  /** The app's own key is in its folder. */
  async #identity(): Promise<string> {
    if (this.#identityFolder === undefined) {
      this.#identityFolder = await mkdtemp(join(tmpdir(), "appctl-identity-"));
      const file = join(this.#identityFolder, "forward-secret");
      await writeFile(file, this.forwardSecret.toString("base64"), { mode: 0o400 });
    }
    return this.#identityFolder;
  }
}

/** Stops a process after its last request, or when the grace is over. */
async function retire({ process: child, sockets }: Running): Promise<void> {
  const until = async (isOver: () => boolean): Promise<void> => {
    const deadline = performance.now() + graceMs;
    while (!isOver() && performance.now() < deadline) await sleep(lookEveryMs, undefined, { ref: false });
  };
  await until(() => sockets.size === 0);
  child.kill("SIGTERM");
  await until(() => child.exitCode !== null || child.signalCode !== null);
  child.kill("SIGKILL");
}

async function untilListening(port: number, failed: AbortSignal): Promise<void> {
  const deadline = performance.now() + listenWithinMs;
  for (;;) {
    failed.throwIfAborted();
    if (await accepts(port)) return;
    if (performance.now() > deadline)
      throw new Error(`the backend does not listen on PORT ${port} after ${listenWithinMs / 1_000} s`);
    await sleep(lookEveryMs);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo({ port, host: "127.0.0.1" });
    const answer = (isListening: boolean) => (): void => {
      socket.destroy();
      resolve(isListening);
    };
    socket.once("connect", answer(true)).once("error", answer(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
