import cluster, { type Worker } from "node:cluster";
import type { Exposition, Metrics } from "@appserver/kernel/ports";

/** The metrics of one worker, in Prometheus' text format. */
export interface WorkerExposition {
  readonly worker: number;
  readonly text: string;
}

/**
 * Merges several expositions into one: every series gets the label `worker`, and each metric has its HELP and TYPE once, as the
 * format requires (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export function mergeExpositions(expositions: readonly WorkerExposition[]): string {
  const families = new Map<string, { readonly head: string[]; readonly series: string[] }>();
  for (const { worker, text } of expositions) {
    let family: { readonly head: string[]; readonly series: string[] } | undefined;
    for (const line of text.split("\n")) {
      const [, keyword, name = ""] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (keyword !== undefined) {
        family = families.get(name) ?? { head: [], series: [] };
        families.set(name, family);
        if (!family.head.some((known) => known.startsWith(`# ${keyword} `))) family.head.push(line);
      } else if (line !== "" && !line.startsWith("#")) {
        family?.series.push(labelled(line, worker));
      }
    }
  }
  return [...families.values()].map(({ head, series }) => `${[...head, ...series].join("\n")}\n`).join("\n");
}

/** Adds a label to `name{a="b"} 1` or `name 1`. A brace in a label's value does not matter: the first one counts. */
function labelled(line: string, worker: number): string {
  const label = `worker="${worker}"`;
  const brace = line.indexOf("{");
  const space = line.indexOf(" ");
  if (brace === -1 || space < brace) return `${line.slice(0, space)}{${label}}${line.slice(space)}`;
  return `${line.slice(0, brace + 1)}${label}${line[brace + 1] === "}" ? "" : ","}${line.slice(brace + 1)}`;
}

type Message =
  | { readonly metrics: "wanted"; readonly id: number }
  | { readonly metrics: "asked"; readonly id: string }
  | { readonly metrics: "told"; readonly id: string; readonly text: string }
  | { readonly metrics: "merged"; readonly id: number; readonly text: string };

const contentType = "text/plain; version=0.0.4; charset=utf-8";
/** A worker that does not respond within this time is left out. */
const patienceMs = 2_000;

/** Runs in the primary. Responds to a worker's request with the merged metrics of all workers. */
export function relayWorkerMetrics(): void {
  let questions = 0;
  cluster.on("message", (asker: Worker, message: unknown) => {
    if (!isMessage(message) || message.metrics !== "wanted") return;
    const id = `${++questions}`;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    void Promise.all(workers.map((worker) => ask(worker, id))).then((answers) => {
      const text = mergeExpositions(answers.filter((answer) => answer !== undefined));
      if (asker.isConnected()) asker.send({ metrics: "merged", id: message.id, text } satisfies Message);
    });
  });
}

function ask(worker: Worker, id: string): Promise<WorkerExposition | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: WorkerExposition | undefined): void => {
      clearTimeout(timer);
      worker.off("message", onMessage);
      resolve(answer);
    };
    const onMessage = (message: unknown): void => {
      if (!isMessage(message) || message.metrics !== "told" || message.id !== id) return;
      settle({ worker: worker.id, text: message.text });
    };
    const timer = setTimeout(() => settle(undefined), patienceMs);
    worker.on("message", onMessage);
    if (worker.isConnected()) worker.send({ metrics: "asked", id } satisfies Message);
    else settle(undefined);
  });
}

/**
 * In a worker, returns the metrics of all workers, whichever of them the scraper reached. In a single process, returns the
 * process's own metrics.
 */
export function exposeAllWorkers(metrics: Metrics): () => Promise<Exposition> {
  if (!cluster.isWorker) return () => metrics.expose();
  const waiting = new Map<number, (text: string) => void>();
  let questions = 0;
  process.on("message", (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.metrics === "merged") waiting.get(message.id)?.(message.text);
    if (message.metrics !== "asked") return;
    const { id } = message;
    void metrics.expose().then(({ body }) => process.send?.({ metrics: "told", id, text: body } satisfies Message));
  });
  const merged = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const id = ++questions;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error("the primary process does not answer"));
      }, 2 * patienceMs);
      waiting.set(id, (text) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(text);
      });
      process.send?.({ metrics: "wanted", id } satisfies Message);
    });
  return async () => ({ contentType, body: await merged() });
}

function isMessage(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "metrics" in message;
}
