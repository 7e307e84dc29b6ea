import { readEventApp } from "@appserver/contracts/events";
import {
  type Clock,
  type Component,
  changedSubject,
  every,
  type LiveConnection,
  type LiveConnections,
  type Logger,
  subjectOf,
} from "@appserver/kernel";
import type { Broker, Subscription } from "@appserver/kernel/ports";
import type { AppProxy, PermissionChecker } from "@appserver/proxy";
import type { Ui } from "@appserver/ui";
import type { CatalogueAppKeys } from "./app-keys.ts";
import type { PermissionChangesWatch } from "./permission-changes-watch.ts";

/** After these, what this replica keeps in memory of an app is stale. */
const appTypes = [
  "app.registered",
  "app.installed",
  "app.uninstalled",
  "app.state_changed",
  "app.upgraded",
  "app.rolled_back",
  "deployment.state_changed",
];
const permissionTypes = ["permission.changed", "app.installed", "app.uninstalled"];

/** Events may be missed while the connection to the broker is down: all routes are read again at this interval. */
const refreshAllMs = 30_000;

export interface AppRefreshDependencies {
  readonly broker: Broker;
  readonly proxy: AppProxy;
  readonly ui: Ui;
  readonly keys: CatalogueAppKeys;
  readonly permissions: PermissionChecker;
  readonly permissionChanges: Pick<PermissionChangesWatch, "refresh">;
  readonly connections: Pick<LiveConnections, "recheck">;
  /** Told before what is cached of permissions is forgotten. */
  readonly onPermissionsChanged?: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps this replica's memory current. Every replica receives every event (docs/interface/events.md#observers). */
export class AppRefresh implements Component {
  readonly name = "app refresh";
  readonly #deps: AppRefreshDependencies;
  readonly #stopped = new AbortController();
  readonly #subscriptions: Subscription[] = [];
  readonly #queued = new Map<string, Promise<void>>();

  constructor(deps: AppRefreshDependencies) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { broker, permissions } = this.#deps;
    this.#subscriptions.push(
      await broker.observe(appTypes, (event) => {
        const { name } = readEventApp(event.body);
        if (name !== undefined) void this.#refresh(name);
      }),
      await broker.observe(permissionTypes, (event) => {
        this.#deps.onPermissionsChanged?.();
        void this.#deps.permissionChanges.refresh();
        const subject = onlySubject(event.body["subject"]);
        void this.#try("permissions", () => permissions.invalidate(subject)).then(() =>
          this.#deps.connections.recheck(({ caller }) => subject === undefined || subjectOf(caller) === subject),
        );
      }),
    );
    const { clock, logger } = this.#deps;
    void every({
      clock,
      signal: this.#stopped.signal,
      intervalMs: refreshAllMs,
      first: "after a pause",
      run: () => this.#refreshAll(),
      onError: (error) => logger.warn({ err: error }, "what is kept in memory could not be refreshed; it stays as it was"),
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    for (const subscription of this.#subscriptions) await subscription.close();
  }

  /** One refresh of an app at a time; an event during one starts another after it, so that the last word is the newest. */
  #refresh(name: string): Promise<void> {
    const { keys, ui, proxy } = this.#deps;
    keys.invalidate(name);
    ui.invalidate(name);
    const before = this.#queued.get(name) ?? Promise.resolve();
    const next = before
      .then(() => this.#try(name, () => proxy.refreshApp(name)))
      .then(() => this.#deps.connections.recheck((connection) => concernsApp(connection, name)));
    this.#queued.set(name, next);
    return next.finally(() => {
      if (this.#queued.get(name) === next) this.#queued.delete(name);
    });
  }

  async #refreshAll(): Promise<void> {
    const { keys, proxy, connections } = this.#deps;
    keys.invalidate();
    await this.#try("every app", () => proxy.refreshAll());
    connections.recheck(({ caller, app }) => caller.kind === "app" || app !== undefined);
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.logger.warn({ err: error, what }, "what is kept in memory could not be refreshed; it stays as it was");
    }
  }
}

/** Connections of the app itself, and those to it. */
function concernsApp({ caller, app }: LiveConnection, name: string): boolean {
  return app === name || (caller.kind === "app" && caller.name === name);
}

/** A user whose answers alone change. */
function onlySubject(subject: unknown): string | undefined {
  return typeof subject === "string" ? changedSubject(subject) : undefined;
}
