import assert from "node:assert/strict";
import { type LogLine, platformCall, SystemClock, silentLogger } from "@appserver/kernel";
import {
  type Broker,
  type ContainerView,
  containerLabels,
  type EventEnvelope,
  type LogRequest,
  singleInstance,
} from "@appserver/kernel/ports";
import { AuthorizedPermissions } from "@appserver/testing/kit";
import type { LogEntry, LoggedApp } from "../src/ports.ts";
import { type LogsContext, tailLog } from "../src/use-cases/read-log.ts";
import { LogFollowers } from "../src/workers/log-followers.ts";
import { LogSender } from "../src/workers/log-sender.ts";
import { MemoryRuntime } from "./memory-runtime.ts";

export const name = "com.example.notes";
const speed = 6;

/** A clock that runs faster than the real one, so that the tests do not wait for the intervals of the protocol. */
class FastClock extends SystemClock {
  override monotonic(): number {
    return super.monotonic() * speed;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(ms / speed, signal);
  }
}

export const clock = new FastClock();
export const common = { clock, logger: silentLogger, source: "/appserver/test" };

/** Passes every event to the observers of its type. Loses those of a type that is in `lost`. */
class LocalBroker implements Pick<Broker, "publish" | "observe"> {
  readonly #observers = new Set<{ readonly types: readonly string[]; readonly handler: (event: EventEnvelope) => void }>();
  readonly published: EventEnvelope[] = [];
  isLost: (event: EventEnvelope) => boolean = () => false;

  async publish(events: readonly EventEnvelope[]): Promise<void> {
    for (const event of events) {
      // As a broker does: what arrives is a copy.
      const copy = JSON.parse(JSON.stringify(event)) as EventEnvelope;
      this.published.push(copy);
      if (this.isLost(copy)) continue;
      for (const { types, handler } of this.#observers) if (types.includes(event.type)) setImmediate(() => handler(copy));
    }
  }

  async observe(types: readonly string[], handler: (event: EventEnvelope) => void) {
    const observer = { types, handler };
    this.#observers.add(observer);
    return { close: async () => void this.#observers.delete(observer) };
  }
}

/** Containers whose lines a test adds. */
class PrintingRuntime extends MemoryRuntime {
  readonly lines: LogLine[] = [];
  /** How many lines were read from the engine. */
  taken = 0;
  isOver = false;
  readonly #waiting = new Set<() => void>();

  print(count: number, width = 20): void {
    for (let n = 0; n < count; n += 1) {
      const number = this.lines.length;
      const time = `2026-01-01T00:00:00.${String(number).padStart(9, "0")}Z`;
      const stream = (["stdout", "stderr", "unknown"] as const)[number % 3] ?? "stdout";
      this.lines.push({ time, stream, text: String(number).padEnd(width, "."), isCut: false });
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  override async *logs(_name: string, request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const { tail, since = "", follow, signal } = request;
    signal?.addEventListener("abort", () => this.#wake());
    let at = Math.max(
      this.lines.findLastIndex(({ time }) => time <= since) + 1,
      tail === undefined ? 0 : this.lines.length - tail,
    );
    for (;;) {
      const batch = this.lines.slice(at, at + 500);
      at += batch.length;
      this.taken = Math.max(this.taken, at);
      if (batch.length > 0) yield batch;
      else if (!follow || signal?.aborted || this.isOver) return;
      else {
        await new Promise<void>((resolve) => {
          this.#waiting.add(resolve);
        });
      }
    }
  }
}

interface World {
  readonly broker: LocalBroker;
  readonly runtime: PrintingRuntime;
  readonly context: LogsContext;
  app: LoggedApp | undefined;
  /** Stops the present orchestrator, if there is one, and starts another. */
  orchestrate(): Promise<void>;
  stop(): Promise<void>;
}

export async function world(): Promise<World> {
  const broker = new LocalBroker();
  const runtime = new PrintingRuntime();
  const labels = { [containerLabels.instance]: "test", [containerLabels.appId]: "a1", [containerLabels.generation]: "3" };
  const view: ContainerView = {
    ...{ id: "c1", name: `app-${name}`, image: "sha256:1", fingerprint: "c1", status: "running", labels },
    startedAt: new Date(1_000),
    ...singleInstance({ id: "c1", status: "running" }),
  };
  runtime.containers.set(view.name, view);
  const logs = new LogFollowers({ ...common, broker });
  await logs.start();
  let sender: LogSender | undefined;
  const orchestrate = async (): Promise<void> => {
    await sender?.stop();
    const deployments = { ofApp: async () => ({ current: { appId: "a1" } as never }) };
    sender = new LogSender({ ...common, broker, runtime, deployments, instance: "test", owns: (app) => app === name });
    await sender.start();
  };
  const created: World = {
    broker,
    runtime,
    app: { state: "RUNNING", isInstalled: true, isEnabled: true, needsContainer: true },
    context: {
      logs,
      permissions: new AuthorizedPermissions({ check: async () => false }),
      apps: { find: async (wanted) => (wanted === name ? created.app : undefined) },
    },
    orchestrate,
    stop: async () => {
      await sender?.stop();
      await logs.stop();
    },
  };
  await orchestrate();
  return created;
}

/** Reads entries one by one. */
export function reader(context: LogsContext, tail?: number) {
  const abort = new AbortController();
  const call = { ...platformCall("test"), signal: abort.signal };
  const entries = tailLog(context, { name, tail, follow: true }, call);
  const next = async (): Promise<LogEntry> => {
    const { value, done } = await entries.next();
    assert.notEqual(done, true);
    return value as LogEntry;
  };
  /** Reads until this many lines were received or left out. Returns the numbers of those received. */
  const take = async (count: number) => {
    const numbers: number[] = [];
    let leftOut = 0;
    while (numbers.length + leftOut < count) {
      const entry = await next();
      leftOut += entry.leftOut;
      numbers.push(...entry.lines.map(({ text }) => Number.parseInt(text, 10)));
    }
    return { numbers, leftOut };
  };
  return { next, take, entries, stop: () => abort.abort() };
}

export const isAscending = (numbers: readonly number[]): boolean =>
  numbers.every((n, at) => at === 0 || n > (numbers[at - 1] ?? n));
export const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, at) => from + at);
