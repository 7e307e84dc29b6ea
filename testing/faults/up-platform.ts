import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embeddedDatabaseFolder, eventually } from "@appserver/testing/kit";
import { quietPort } from "@appserver/testing/kit/production";
import { AppserverProcess, isReady } from "../kit/appserver-process.ts";
import { removeDataFolder } from "../kit/remove-data-folder.ts";
import { processesOf } from "./app-processes.ts";

const password = "a horse is no battery";
const email = "ada@example.test";
const sameSite = { "sec-fetch-site": "same-origin", accept: "application/json" };

/** Runs `appserver up` on a data folder of its own, with apps as processes. Its ports stay the same over all its starts. */
export class UpPlatform {
  readonly dataDir: string;
  readonly httpUrl: string;
  readonly process: AppserverProcess;
  readonly #parent: string;

  private constructor(parent: string, httpUrl: string, environment: Readonly<Record<string, string>>) {
    this.#parent = parent;
    this.dataDir = join(parent, "data");
    this.httpUrl = httpUrl;
    this.process = new AppserverProcess(["up"], { environment, group: "own" });
  }

  /** Not started yet, and without a data folder. */
  static async create(more: Readonly<Record<string, string>> = {}): Promise<UpPlatform> {
    const parent = await mkdtemp(join(tmpdir(), "appserver-up-"));
    // If the tests run as root, PostgreSQL runs under another account, which must reach the folder.
    await chmod(parent, 0o755);
    const [http, internal, grpc] = [await quietPort(), await quietPort(), await quietPort()];
    const httpUrl = `http://127.0.0.1:${http}`;
    const environment = {
      PATH: process.env["PATH"] ?? "",
      APPSERVER_DATA_DIR: join(parent, "data"),
      APPSERVER_PUBLIC_URL: httpUrl,
      APPSERVER_BIND_ADDRESS: "127.0.0.1",
      APPSERVER_INTERNAL_PORT: `${internal}`,
      APPSERVER_GRPC_PORT: `${grpc}`,
      APPSERVER_HTTP_PORT: `${http}`,
      APPSERVER_CONTAINERS_DRIVER: "process",
      APPSERVER_ALLOW_PROCESSES: "true",
      ...more,
    };
    return new UpPlatform(parent, httpUrl, environment);
  }

  file(...path: readonly string[]): string {
    return join(this.dataDir, ...path);
  }

  /** Starts it and waits until it is ready, and has printed so. Returns the time that this took. */
  async start(isServing: () => Promise<boolean> = () => isReady(this.httpUrl)): Promise<number> {
    const startedAt = performance.now();
    this.process.start();
    await this.process.until(async () => this.process.printed.includes("Appserver is ready at") && (await isServing()));
    return performance.now() - startedAt;
  }

  /** Sends SIGKILL to every process of the folder at once, as if the machine had failed. Resolves when all have ended. */
  async killAll(): Promise<void> {
    for (const { pid } of processesOf(this.dataDir)) kill(pid);
    await this.process.kill();
    await eventually(
      () => {
        const left = processesOf(this.dataDir);
        for (const { pid } of left) kill(pid);
        return left;
      },
      (left) => left.length === 0,
    );
  }

  /** The link of the first administrator that this start has printed. */
  get link(): URL | undefined {
    const [printed] = /^ {2}https?:\S+$/m.exec(this.process.printed) ?? [];
    return printed === undefined ? undefined : new URL(printed.trim());
  }

  /** Completes the account of the first administrator with the printed link. Returns the cookie of its session. */
  async becomeAdministrator(): Promise<string> {
    const token = this.link?.hash.replace("#token=", "") ?? "";
    return await this.#post("registration?flow=link", { method: "password", token, email, name: "Ada", password });
  }

  async logIn(): Promise<string> {
    return await this.#post("login?flow=login", { method: "password", identifier: email, password });
  }

  async #post(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const request = { method: "POST", headers: sameSite, body: new URLSearchParams(fields) };
    const response = await fetch(`${this.httpUrl}/self-service/${path}`, request);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  async ask<T>(cookie: string, query: string): Promise<T> {
    const headers = { ...sameSite, cookie, "content-type": "application/json" };
    const response = await fetch(`${this.httpUrl}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
    const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  }

  /** Returns the main process of each PostgreSQL server that runs on the folder, and every initdb, by the folder of its data. */
  async databaseServers(): Promise<readonly string[]> {
    const folders = await Promise.all(
      (["postgres", "postgres-apps"] as const).map((name) => embeddedDatabaseFolder(this.dataDir, name)),
    );
    const commands = processesOf(this.#parent).map(({ command }) => command);
    return folders.flatMap((folder, index) =>
      commands.filter((command) => command.includes(` -D ${folder}/`)).map(() => ["postgres", "postgres-apps"][index] ?? ""),
    );
  }

  async keys(): Promise<string> {
    return await readFile(this.file("settings-keys.json"), "utf8").catch(() => "");
  }

  async remove(): Promise<void> {
    await this.killAll();
    await removeDataFolder(this.dataDir);
    await rm(this.#parent, { recursive: true, force: true });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
