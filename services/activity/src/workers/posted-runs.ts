import type { Component } from "@appserver/kernel";
import type { ActivityApp } from "../ports.ts";
import type { ActivityContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { type PostedApp, PostingWorker } from "./posting-worker.ts";

/** Keeps a worker for each app with activities that have a path, while its backend runs (docs/interface/activities.md#runs-over-http). */
export class PostedRuns implements Component {
  readonly name = "posted runs";
  readonly #context: ActivityContext;
  readonly #dispatcher: Dispatcher;
  /** By app. */
  readonly #workers = new Map<string, PostingWorker>();
  /** With those that retire. */
  readonly #open = new Set<PostingWorker>();
  #isRunning = false;

  constructor(context: ActivityContext, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
  }

  start(): void {
    this.#isRunning = true;
    for (const app of this.#context.catalogue.installed()) this.#follow(app.name, app);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([...this.#open].map((worker) => worker.stop()));
    this.#open.clear();
    this.#workers.clear();
  }

  /** Call it after each change of an app. */
  appChanged(appName: string): void {
    if (!this.#isRunning) return;
    this.#follow(
      appName,
      this.#context.catalogue.installed().find(({ name }) => name === appName),
    );
  }

  #follow(appName: string, app: ActivityApp | undefined): void {
    const worker = this.#workers.get(appName);
    const posted = app && postedOf(app);
    if (worker && posted && isSame(worker.posted, posted)) return;
    this.#workers.delete(appName);
    // Runs in progress end where they are.
    worker?.retire();
    if (!posted) return;
    const next: PostingWorker = new PostingWorker(this.#context, this.#dispatcher, posted, (isBroken) => {
      this.#open.delete(next);
      if (isBroken && this.#workers.get(appName) === next) {
        this.#workers.delete(appName);
        this.appChanged(appName);
      }
    });
    this.#workers.set(appName, next);
    this.#open.add(next);
    next.start();
  }
}

function postedOf(app: ActivityApp): PostedApp | undefined {
  const { backend, activities } = app;
  const paths = new Map(activities.flatMap(({ name, path }) => (path === undefined ? [] : [[name, path] as const])));
  return backend && paths.size > 0 ? { app, backend, paths } : undefined;
}

function isSame(one: PostedApp, other: PostedApp): boolean {
  return (
    one.backend.url === other.backend.url &&
    one.backend.managed === other.backend.managed &&
    one.paths.size === other.paths.size &&
    [...one.paths].every(([activity, path]) => other.paths.get(activity) === path)
  );
}
