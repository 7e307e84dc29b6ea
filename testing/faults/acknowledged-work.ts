import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database, EventEnvelope } from "@appserver/kernel/ports";
import { createPlatformClient, type PlatformClient, triggerHook } from "@appserver/sdk";
import { eventually, type TestApp, testApp, until } from "@appserver/testing/kit";
import { AppserverProcess } from "../kit/appserver-process.ts";

export const workApp = "test.working";
const counter = "work.counter";
const program = join(import.meta.dirname, "acknowledged-work-process.ts");
/** Processes of the app. */
const workers = 2;
/** Loops that trigger hooks, and loops that start runs. */
const producers = 4;
const pauseMs = 50;
/** Runs of a killed server are tried again after up to 61 s (docs/adr/0029-leases-and-deadlines-of-activity-runs.md). */
const settleTimeoutMs = 120_000;
const maxShown = 20;
/** A number that is unique over all the work of this process. */
let sequence = 0;

/** An app with a setting, a hook and an activity. The test runs its workers. */
export function workingApp(upstreamUrl: string): Promise<TestApp> {
  const healthCheck = { path: "/health", interval_seconds: 1, timeout_ms: 10_000, unhealthy_threshold: 100 };
  return testApp({
    name: workApp,
    web_app: { api: { base_path: `/api/apps/${workApp}`, upstream_base_url: upstreamUrl, health_check: healthCheck } },
    settings: { definitions: [{ key: counter, data_type: "INT", default_value: "0" }] },
    activities: [{ name: "toil", max_retries: 20 }],
  });
}

export interface WorkOptions {
  /** One URL for each server. Requests are sent to them in turn. */
  readonly grpcUrls: readonly string[];
  readonly app: TestApp;
  readonly appId: string;
  /** Token of an administrator. Undefined if no token is needed. */
  readonly adminToken?: string;
}

/**
 * Writes settings, triggers hooks and starts activity runs while a test stops the servers behind them. Records what was
 * acknowledged and what reached the app, and compares both with each other, with the stored rows and with the events.
 */
export class AcknowledgedWork {
  /** The processes of the app. Tests may kill them and start them again. */
  readonly workers: readonly AppserverProcess[];
  readonly #options: WorkOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "acknowledged-work-"));
  readonly #recordFile = join(this.#folder, "received");
  /** Ids of acknowledged hooks in their order, by producer. */
  readonly #hooks: readonly string[][] = Array.from({ length: producers }, () => []);
  readonly #runs = new Set<string>();
  readonly #versions: number[] = [];
  readonly #over = new AbortController();
  readonly #loops: readonly Promise<void>[];
  #setting = 0;
  #lastTried = 0;

  /** Starts the workers and the load. */
  constructor(options: WorkOptions) {
    this.#options = options;
    const keyFile = join(this.#folder, "key.pem");
    writeFileSync(keyFile, options.app.keys.privateKey.export({ type: "pkcs8", format: "pem" }));
    const args = [workApp, this.#recordFile, keyFile, ...options.grpcUrls];
    writeFileSync(this.#recordFile, "");
    this.workers = Array.from({ length: workers }, () => new AppserverProcess(args, { program, environment: process.env }));
    for (const worker of this.workers) worker.start();
    this.#loops = [
      this.#repeat((client, number) => this.#write(client, number), options.adminToken),
      ...this.#hooks.map((ids, producer) => this.#repeat((client, number) => this.#trigger(client, number, producer, ids))),
      ...Array.from({ length: producers }, () => this.#repeat((client, number) => this.#startRun(client, number))),
    ];
  }

  get counts() {
    return { settings: this.#versions.length, hooks: this.#hooks.flat().length, runs: this.#runs.size };
  }

  /** Resolves once five more of each kind are acknowledged. */
  async goesOn(): Promise<void> {
    const before = this.counts;
    const isMore = () => {
      const { settings, hooks, runs } = this.counts;
      return settings >= before.settings + 5 && hooks >= before.hooks + 5 && runs >= before.runs + 5;
    };
    await until("more work of each kind", isMore, settleTimeoutMs);
  }

  /**
   * Ends the load and waits until all acknowledged work is stored, done and has one event each. Rejects with a list of what is
   * missing. `events` returns all events since the start.
   */
  async settle(database: Database, events: () => Promise<readonly EventEnvelope[]>): Promise<string> {
    await this.#end();
    const look = async (): Promise<readonly string[]> => {
      const found = await this.#violations(database, events).catch((error: unknown) => [String(error)]);
      return found.slice(0, maxShown);
    };
    const options = { timeoutMs: settleTimeoutMs, intervalMs: 250, what: "acknowledged work is stored and done" };
    await eventually(look, ({ length }) => length === 0, options);
    return `acknowledged, stored and done: ${JSON.stringify(this.counts)}`;
  }

  async stop(): Promise<void> {
    await this.#end();
    for (const worker of this.workers) await worker.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#loops);
  }

  /** Sends each number once, to each server in turn: as the administrator if there is a token, otherwise as the app. */
  async #repeat(work: (client: PlatformClient, number: number) => Promise<void>, token?: string): Promise<void> {
    const { app, grpcUrls } = this.#options;
    const caller = token === undefined ? { app: { name: workApp, privateKey: app.keys.privateKey } } : { token };
    const connect = (number: number) =>
      createPlatformClient({ grpcUrl: grpcUrls[number % grpcUrls.length] ?? "", timeoutMs: 15_000, ...caller });
    let client = connect(++sequence);
    while (!this.#over.signal.aborted) {
      const number = ++sequence;
      try {
        await work(client, number);
        await sleep(pauseMs);
      } catch {
        // A killed server leaves dead connections that look open.
        client = connect(number);
        await sleep(200);
      }
    }
  }

  async #write({ settings }: PlatformClient, number: number): Promise<void> {
    this.#lastTried = number;
    const answer = await settings.updateSettings({ appId: this.#options.appId, values: { [counter]: number } });
    this.#setting = number;
    this.#versions.push(Number(answer.settings?.version));
  }

  async #trigger(client: PlatformClient, number: number, producer: number, ids: string[]): Promise<void> {
    const options = { orderingKey: `producer-${producer}` };
    const { eventId, subscribers } = await triggerHook(client, `${workApp}.happened`, { number }, options);
    // There is no subscriber before its first stream is open.
    if (subscribers > 0 || ids.length > 0) ids.push(eventId);
  }

  async #startRun({ activities }: PlatformClient, number: number): Promise<void> {
    const request = { appName: workApp, activity: "toil", idempotencyKey: `run-${number}` };
    const { run } = await activities.triggerActivity(request);
    if (run) this.#runs.add(run.id);
  }

  async #violations(database: Database, events: () => Promise<readonly EventEnvelope[]>): Promise<readonly string[]> {
    const hooks = await storedStatuses(database, "select event_id as id, status from hooks.deliveries where app_name = $1");
    const runs = await storedStatuses(database, "select id, status from activity.runs where app_name = $1");
    const places = this.#firstPlaces();
    const eventIds = eventIdsBySubject(await events());
    const found = [...(await this.#settingViolations()), ...this.#orderViolations(places)];
    for (const id of this.#hooks.flat())
      if (hooks.get(id) !== "DELIVERED") found.push(`hook ${id} is ${hooks.get(id) ?? "not stored"}`);
    for (const id of this.#runs) if (runs.get(id) !== "COMPLETED") found.push(`run ${id} is ${runs.get(id) ?? "not stored"}`);
    for (const id of [...this.#hooks.flat(), ...this.#runs]) {
      if (!places.has(id)) found.push(`${id} did not reach the app`);
      const count = eventIds.get(id)?.size ?? 0;
      if (count !== 1) found.push(`${id} has ${count} events`);
    }
    return found;
  }

  async #settingViolations(): Promise<readonly string[]> {
    const { grpcUrls, app, appId } = this.#options;
    const caller = { name: workApp, privateKey: app.keys.privateKey };
    const client = createPlatformClient({ grpcUrl: grpcUrls[0] ?? "", app: caller });
    const { settings } = await client.settings.getSettings({ appId });
    const value = Number(settings?.values?.[counter] ?? 0);
    const found: string[] = [];
    if (!(value >= this.#setting && value <= this.#lastTried))
      found.push(`${this.#setting} was acknowledged as the setting, ${this.#lastTried} tried last, and ${value} is stored`);
    if (!isRising(this.#versions)) found.push(`versions of settings do not rise: ${this.#versions.join(" ")}`);
    return found;
  }

  /** Hooks with the same key arrive first in the order in which they were acknowledged. */
  #orderViolations(places: ReadonlyMap<string, number>): readonly string[] {
    return this.#hooks.flatMap((ids, producer) => {
      const own = ids.flatMap((id) => places.get(id) ?? []);
      return isRising(own) ? [] : [`hooks of producer ${producer} arrived in another order`];
    });
  }

  /** Returns where each id is first in the records of the workers. */
  #firstPlaces(): ReadonlyMap<string, number> {
    const ids = readFileSync(this.#recordFile, "utf8").split("\n");
    return new Map(ids.map((id, place): [string, number] => [id, place]).reverse());
  }
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
}

/** Returns the ids of the events of each hook and of the end of each run. An event may be received twice, with the same id. */
function eventIdsBySubject(events: readonly EventEnvelope[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { id, type, body } of events) {
    const subject = String(body[type === "hook.triggered" ? "hookId" : "runId"]);
    found.set(subject, (found.get(subject) ?? new Set()).add(id));
  }
  return found;
}

async function storedStatuses(database: Database, text: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ id: string; status: string }>(text, [workApp]);
  return new Map(rows.map(({ id, status }) => [id, status]));
}
