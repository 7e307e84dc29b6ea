import cluster, { type Worker } from "node:cluster";
import type { Exposition, Metrics } from "@appserver/kernel/ports";
import { sendToPrimary } from "./send-to-primary.ts";

/**
 * Merges the expositions of several workers into one: each metric has its HELP and TYPE once, as the format requires
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). The series of each worker already carry its label.
 */
export function mergeExpositions(texts: readonly string[]): string {
  const families = new Map<string, { readonly head: string[]; readonly series: string[] }>();
  for (const text of texts) {
    let family: { readonly head: string[]; readonly series: string[] } | undefined;
    for (const line of text.split("\n")) {
      const [, keyword, name = ""] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (keyword !== undefined) {
        family = families.get(name) ?? { head: [], series: [] };
        families.set(name, family);
        if (!family.head.some((known) => known.startsWith(`# ${keyword} `))) family.head.push(line);
      } else if (line !== "" && !line.startsWith("#")) {
        family?.series.push(line);
      }
    }
  }
  return [...families.values()].map(({ head, series }) => `${[...head, ...series].join("\n")}\n`).join("\n");
}

/** Returns the labels that every series of this process carries: its number if it is one of several workers. */
export function workerLabels(): Readonly<Record<string, string>> {
  return cluster.worker ? { worker: String(cluster.worker.id) } : {};
}

type Message =
  | { readonly metrics: "wanted"; readonly id: number }
  | { readonly metrics: "requested"; readonly id: string }
  | { readonly metrics: "reported"; readonly id: string; readonly text: string }
  | { readonly metrics: "merged"; readonly id: number; readonly text: string };

const contentType = "text/plain; version=0.0.4; charset=utf-8";
/** A worker that does not respond within this time is left out. */
const timeoutMs = 2_000;

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

function ask(worker: Worker, id: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const settle = (answer: string | undefined): void => {
      clearTimeout(timer);
      worker.off("message", onMessage);
      resolve(answer);
    };
    const onMessage = (message: unknown): void => {
      if (!isMessage(message) || message.metrics !== "reported" || message.id !== id) return;
      settle(message.text);
    };
    const timer = setTimeout(() => settle(undefined), timeoutMs);
    worker.on("message", onMessage);
    if (worker.isConnected()) worker.send({ metrics: "requested", id } satisfies Message);
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
    if (message.metrics !== "requested") return;
    const { id } = message;
    void metrics.expose().then(
      ({ body }) => sendToPrimary({ metrics: "reported", id, text: body } satisfies Message),
      // The primary leaves out a worker that does not respond.
      () => {},
    );
  });
  const merged = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const id = ++questions;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error("the primary process does not respond"));
      }, 2 * timeoutMs);
      waiting.set(id, (text) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(text);
      });
      sendToPrimary({ metrics: "wanted", id } satisfies Message);
    });
  return async () => ({ contentType, body: await merged() });
}

function isMessage(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "metrics" in message;
}
