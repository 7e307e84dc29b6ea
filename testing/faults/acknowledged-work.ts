import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@appserver/kernel/ports";
import {
  type ActivityWorker,
  createActivityWorker,
  createHookSubscriber,
  createPlatformClient,
  type HookSubscriber,
  type PlatformClient,
  triggerHook,
} from "@appserver/sdk";
import { type TestApp, testApp, until } from "@appserver/testing/kit";

export const workApp = "test.working";
const happened = `${workApp}.happened`;
const counter = "work.counter";
const pauseMs = 20;
const settleTimeoutMs = 90_000;
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
 * Writes settings, triggers hooks and starts activity runs, three independent loops, while a test stops the servers behind
 * them. Records what was acknowledged and what reached the app, and compares both with each other and with the stored rows.
 */
export class AcknowledgedWork {
  readonly #options: WorkOptions;
  readonly #hooks = new Set<string>();
  readonly #runs = new Set<string>();
  readonly #received = new Set<string>();
  readonly #executed = new Set<string>();
  readonly #versions: number[] = [];
  readonly #over = new AbortController();
  readonly #workers: (ActivityWorker | HookSubscriber)[] = [];
  readonly #loops: Promise<void>[] = [];
  #setting = 0;
  #lastTried = 0;

  private constructor(options: WorkOptions) {
    this.#options = options;
  }

  static start(options: WorkOptions): AcknowledgedWork {
    const work = new AcknowledgedWork(options);
    work.#listen();
    work.#loops.push(
      work.#repeat((client, number) => work.#write(client, number), options.adminToken),
      work.#repeat(async (client, number) => {
        const { eventId, subscribers } = await triggerHook(client, happened, { number });
        // There is no subscriber before its first stream is open.
        if (subscribers > 0 || work.#hooks.size > 0) work.#hooks.add(eventId);
      }),
      work.#repeat(async (client, number) => {
        const request = { appName: workApp, activity: "toil", idempotencyKey: `run-${number}` };
        const { run } = await client.activities.triggerActivity(request);
        if (run) work.#runs.add(run.id);
      }),
    );
    return work;
  }

  get counts() {
    return { settings: this.#versions.length, hooks: this.#hooks.size, runs: this.#runs.size };
  }

  /** Resolves once there is more work of each kind than now. */
  async goesOn(by = 5): Promise<void> {
    const before = this.counts;
    const isMore = () => {
      const { settings, hooks, runs } = this.counts;
      return settings >= before.settings + by && hooks >= before.hooks + by && runs >= before.runs + by;
    };
    await until("more work of each kind", isMore, settleTimeoutMs);
  }

  /** Ends the load and waits until all acknowledged work is stored and done. Rejects with a list of what is missing. */
  async settle(database: Database): Promise<string> {
    this.#over.abort();
    await Promise.all(this.#loops);
    for (const deadline = performance.now() + settleTimeoutMs; ; await sleep(250)) {
      const found = await this.#violations(database).catch((error: unknown) => [String(error)]);
      if (found.length === 0) break;
      if (performance.now() > deadline) throw new Error(`lost: ${found.slice(0, 20).join("; ")}`);
    }
    return `acknowledged, stored and done: ${JSON.stringify(this.counts)}`;
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#loops);
    for (const worker of this.#workers) await worker.stop(0);
  }

  #listen(): void {
    const { app, grpcUrls } = this.#options;
    const caller = { name: workApp, privateKey: app.keys.privateKey };
    for (const grpcUrl of grpcUrls) {
      const connection = { grpcUrl, app: caller, onDisconnect: () => {} };
      const subscriber = createHookSubscriber(connection).onHook(happened, ({ id }) => {
        this.#received.add(id);
      });
      const worker = createActivityWorker(connection).activity("toil", async ({ runId }) => {
        this.#executed.add(runId);
        await sleep(Math.random() * 20);
      });
      this.#workers.push(subscriber, worker);
      subscriber.start();
      worker.start();
    }
  }

  /** Sends each number once, to each server in turn: as the administrator if there is a token, otherwise as the app. */
  async #repeat(work: (client: PlatformClient, number: number) => Promise<void>, token?: string): Promise<void> {
    const { app, grpcUrls } = this.#options;
    const caller = token === undefined ? { app: { name: workApp, privateKey: app.keys.privateKey } } : { token };
    const connect = (number: number) =>
      createPlatformClient({ grpcUrl: grpcUrls[number % grpcUrls.length] ?? "", timeoutMs: 15_000, ...caller });
    let client = connect(0);
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

  async #violations(database: Database): Promise<readonly string[]> {
    const hooks = await storedStatuses(database, "select event_id as id, status from hooks.deliveries where app_name = $1");
    const runs = await storedStatuses(database, "select id, status from activity.runs where app_name = $1");
    const value = await this.#storedSetting();
    const found: string[] = [];
    if (!(value >= this.#setting && value <= this.#lastTried))
      found.push(`${this.#setting} was acknowledged as the setting, ${this.#lastTried} tried last, and ${value} is stored`);
    if (this.#versions.some((version, index) => index > 0 && version <= (this.#versions[index - 1] ?? 0)))
      found.push(`versions of settings do not rise: ${this.#versions.join(" ")}`);
    for (const id of this.#hooks) {
      if (hooks.get(id) !== "DELIVERED") found.push(`hook ${id} is ${hooks.get(id) ?? "not stored"}`);
      if (!this.#received.has(id)) found.push(`hook ${id} did not reach the app`);
    }
    for (const id of this.#runs) {
      if (runs.get(id) !== "COMPLETED") found.push(`run ${id} is ${runs.get(id) ?? "not stored"}`);
      if (!this.#executed.has(id)) found.push(`run ${id} was not executed`);
    }
    return found;
  }

  async #storedSetting(): Promise<number> {
    const { grpcUrls, app, appId } = this.#options;
    const client = createPlatformClient({
      grpcUrl: grpcUrls[0] ?? "",
      app: { name: workApp, privateKey: app.keys.privateKey },
    });
    const { settings } = await client.settings.getSettings({ appId });
    return Number(settings?.values?.[counter] ?? 0);
  }
}

async function storedStatuses(database: Database, text: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ id: string; status: string }>(text, [workApp]);
  return new Map(rows.map(({ id, status }) => [id, status]));
}
