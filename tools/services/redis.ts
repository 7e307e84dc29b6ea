import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureProgram } from "./debian-programs.ts";
import { freePort } from "./free-port.ts";
import { freezeProcess } from "./freeze-process.ts";
import { downService, type ServiceDefinition, servicesFolder, useService } from "./shared-service.ts";

export interface Redis {
  /** `redis://:password@127.0.0.1:43211` */
  readonly url: string;
  /** Ends this use. The server stops with its last user. */
  stop(): Promise<void>;
}

export interface RedisOptions {
  /** Contains the configuration. Data does not survive a stop. Default `.appserver/services/redis`. */
  readonly folder?: string;
  readonly keep?: boolean;
}

/** Returns a shared Redis server with a password and without persistence, or the reason why it is unavailable. */
export async function ensureRedis(options: RedisOptions = {}): Promise<Redis | { unavailable: string }> {
  const program = ensureProgram("redis");
  if ("unavailable" in program) return program;
  try {
    const use = await useService(redisService(options.folder, program.path), { keep: options.keep ?? false });
    return { url: use.settings["url"] ?? "", stop: use.stop };
  } catch (error) {
    return { unavailable: `redis-server did not start: ${error instanceof Error ? error.message : String(error)}` };
  }
}

export async function downRedis(folder?: string): Promise<boolean> {
  return await downService(redisService(folder, "redis-server"));
}

export interface PrivateRedisOptions {
  /** Certificate files for 127.0.0.1. If set, the server accepts only TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A server for one test, which may stop, start and pause it on one port. `stop` deletes its data. */
export class PrivateRedis {
  readonly url: string;
  readonly port: number;
  readonly #folder: string;
  readonly #command: readonly string[];
  readonly #isReady: () => Promise<boolean>;
  #child: ChildProcess | undefined;

  constructor(program: string, port: number, options: PrivateRedisOptions) {
    const password = newPassword();
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), "appserver-redis-"));
    this.#command = [program, writeConfiguration(this.#folder, port, password, options.tls)];
    this.url = `${options.tls ? "rediss" : "redis"}://:${password}@127.0.0.1:${port}`;
    this.#isReady = () => (options.tls ? listens(port) : answers(port, password));
  }

  /** Resolves when the server is ready. After a restart it has no data. */
  async start(): Promise<void> {
    const [program = "", ...args] = this.#command;
    const child = spawn(program, args, { stdio: "ignore" });
    const endWithUs = (): boolean => child.kill("SIGKILL");
    process.once("exit", endWithUs);
    child.once("exit", () => process.off("exit", endWithUs));
    this.#child = child;
    const deadline = performance.now() + 10_000;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with code ${child.exitCode}`);
      if (performance.now() > deadline) throw new Error("redis-server was not ready in 10 s");
      await sleep(20);
    }
  }

  /** Ends the server like a crash. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** Freezes the server: it accepts connections and commands but sends no replies. */
  pause(): void {
    const pid = this.#child?.pid;
    if (pid !== undefined) freezeProcess(pid);
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a server for one test, or returns the reason why it is unavailable. */
export async function startRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis | { unavailable: string }> {
  const program = ensureProgram("redis");
  if ("unavailable" in program) return program;
  const redis = new PrivateRedis(program.path, await freePort(), options);
  await redis.start();
  return redis;
}

function redisService(folder = join(servicesFolder, "redis"), program: string): ServiceDefinition {
  return {
    name: "redis-server",
    folder,
    startTimeoutMs: 60_000,
    prepare: async () => {
      const port = await freePort();
      const password = newPassword();
      const command = [program, writeConfiguration(folder, port, password, undefined)];
      return { command, settings: { url: `redis://:${password}@127.0.0.1:${port}`, port: String(port), password } };
    },
    isReady: ({ port, password }) => answers(Number(port), password ?? ""),
  };
}

/** Writes the configuration to a file. Other users of the machine could read a password in the arguments. */
function writeConfiguration(folder: string, port: number, password: string, tls: PrivateRedisOptions["tls"]): string {
  const file = join(folder, "redis.conf");
  const ports = tls
    ? ["port 0", `tls-port ${port}`, `tls-cert-file ${tls.cert}`, `tls-key-file ${tls.key}`, "tls-auth-clients no"]
    : [`port ${port}`];
  const rest = ["bind 127.0.0.1", `requirepass ${password}`, 'save ""', "appendonly no", `dir ${folder}`];
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, [...ports, ...rest, ""].join("\n"), { mode: 0o600 });
  return file;
}

function newPassword(): string {
  return randomBytes(12).toString("hex");
}

function listens(port: number): Promise<boolean> {
  return converse(port, "", (socket) => socket.readyState === "open");
}

function answers(port: number, password: string): Promise<boolean> {
  return converse(port, `AUTH ${password}\r\nPING\r\n`, (_, reply) => reply.includes("+PONG"));
}

function converse(
  port: number,
  text: string,
  isDone: (socket: ReturnType<typeof connect>, reply: string) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text);
      look();
    });
    const end = (done: boolean): void => {
      socket.destroy();
      resolve(done);
    };
    const look = (): void => {
      if (isDone(socket, reply)) end(true);
    };
    socket.on("data", (chunk) => {
      reply += chunk.toString("latin1");
      look();
    });
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
    socket.setTimeout(1_000, () => end(false));
  });
}
