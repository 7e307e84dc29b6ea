import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface UnitOptions {
  /** Has the unit files. */
  readonly folder: string;
  readonly logFolder: string;
  /** What every program gets in addition to the variables of its unit. */
  readonly environment: Readonly<Record<string, string>>;
  /** Called by `daemon-reload`. */
  readonly onReload: () => void;
  /** Servers that the packages of Debian run, by their units. */
  readonly servers: Readonly<Record<string, { start(): Promise<void>; stop(): Promise<void> }>>;
}

/**
 * Runs units as `systemctl` does: their command, with the variables of their files. The users and rights of units need a machine that
 * systemd has started; `systemd-analyze` checks how they are written.
 */
export class UnitRunner {
  readonly #options: UnitOptions;
  readonly #running = new Map<string, ChildProcess>();
  readonly #server: Server;

  private constructor(options: UnitOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      const words = decodeURIComponent((request.url ?? "").slice(1)).split(" ");
      void this.systemctl(words).then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async start(options: UnitOptions): Promise<UnitRunner> {
    const runner = new UnitRunner(options);
    await once(runner.#server.listen(0, "127.0.0.1"), "listening");
    return runner;
  }

  /** The program `systemctl` for the shell of the operator. */
  get program(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `#!/bin/sh
exec curl -sS --fail-with-body "http://127.0.0.1:${port}/$(printf %s "$*" | jq -sRr @uri)" >&2
`;
  }

  /** Returns what a unit has written. */
  log(unit: string): string {
    return readFileSync(this.#logOf(unit), "utf8");
  }

  /** Kills all units, as the loss of their machine does. */
  async kill(): Promise<void> {
    for (const unit of [...this.#running.keys()]) await this.#end(unit, "SIGKILL");
  }

  async stop(): Promise<void> {
    for (const unit of [...this.#running.keys()]) await this.#end(unit, "SIGTERM");
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** `systemctl(["stop", "openfga"])`. Rejects for what it does not know, and if a unit does not stop as it should. */
  async systemctl([command = "", ...words]: readonly string[]): Promise<void> {
    const units = words.filter((word) => !word.startsWith("-"));
    switch (command) {
      case "daemon-reload":
        return this.#options.onReload();
      case "enable":
        if (!words.includes("--now")) return;
        break;
      case "start":
        break;
      case "stop":
      case "restart":
        for (const unit of units) await this.#end(unit, "SIGTERM");
        if (command === "stop") return;
        break;
      default:
        throw new Error(`systemctl ${command} is not known here`);
    }
    for (const unit of units) {
      const server = this.#options.servers[unit];
      if (server) await server.start();
      else if (!this.#running.has(unit)) await this.#begin(unit);
    }
  }

  async #begin(unit: string): Promise<void> {
    const { command, environment } = readUnit(readFileSync(join(this.#options.folder, `${unit}.service`), "utf8"));
    const [program = "", ...args] = command;
    const output = openSync(this.#logOf(unit), "a");
    const child = spawn(program, args, {
      env: { ...this.#options.environment, ...environment },
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    const end = (): boolean => child.kill("SIGKILL");
    process.once("exit", end);
    child.once("exit", () => {
      process.off("exit", end);
      if (this.#running.get(unit) === child) this.#running.delete(unit);
    });
    await once(child, "spawn");
    this.#running.set(unit, child);
  }

  /** Rejects if it does not end by itself, or with an error. */
  async #end(unit: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const server = this.#options.servers[unit];
    if (server) return await server.stop();
    const child = this.#running.get(unit);
    if (!child) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const late = new AbortController();
    const first = await Promise.race([ended, sleep(60_000, "late", { signal: late.signal }).catch(() => "")]);
    late.abort();
    if (first === "late") {
      child.kill("SIGKILL");
      throw new Error(`${unit} did not stop within a minute`);
    }
    // As systemd does by default, it counts as success if the signal itself ends a program.
    if (signal === "SIGTERM" && child.exitCode !== 0 && child.signalCode !== "SIGTERM")
      throw new Error(`${unit} ended with ${child.exitCode ?? child.signalCode}: ${this.log(unit).slice(-2_000)}`);
  }

  #logOf(unit: string): string {
    return join(this.#options.logFolder, `${unit}.log`);
  }
}

function readUnit(text: string): { readonly command: readonly string[]; readonly environment: Record<string, string> } {
  const values = (key: string): readonly string[] =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const files = values("EnvironmentFile").map((file) => readFileSync(file, "utf8"));
  const variables = [...values("Environment"), ...files.flatMap((file) => file.split("\n"))];
  const pairs = variables.flatMap((line): [string, string][] => {
    const at = line.indexOf("=");
    return at < 1 || line.startsWith("#") ? [] : [[line.slice(0, at), line.slice(at + 1)]];
  });
  const [start = ""] = values("ExecStart");
  return { command: start.split(" "), environment: Object.fromEntries(pairs) };
}
