import { eventTypesAffecting, readEventApp } from "@appserver/contracts/events";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { type Clock, type Component, type Logger, type MaybePromise, Mirror } from "@appserver/kernel";
import type { Broker } from "@appserver/kernel/ports";
import type { AppRecord } from "../domain/app.ts";
import type { AppsSummary } from "../domain/apps-summary.ts";
import { type LiveApp, liveApp } from "../domain/live-app.ts";
import type { AppRegistry, AppSource, ReleaseRef, StoredApp } from "../ports.ts";

/** A change of one app: undefined before its registration, and after its deletion. */
export interface AppChangeNotice {
  readonly name: string;
  readonly before: LiveApp | undefined;
  readonly now: LiveApp | undefined;
}

/** The apps that one part of the platform uses, in the form that it needs. */
export interface AppView<T> {
  /** Returns an app from memory. If this process does not know of it yet, reads it, at most once a second for a name. */
  get(name: string): MaybePromise<T | undefined>;
  all(): readonly T[];
}

export interface LiveAppsDeps {
  readonly source: AppSource;
  /** Notifies of changes of other processes. */
  readonly broker: Pick<Broker, "observe">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Callers may invent names: an unknown name is not read more often than this. */
const unknownMs = 1_000;
/** Limits the number of stored unknown names. */
const maxUnknown = 10_000;

/**
 * The one registry of apps in a process: every registered app, in memory. Reading it costs nothing and works while the database
 * is unreachable. A process sees its own changes at once, and once it has started those of other processes at each event, and at a
 * check every 5 s.
 */
export class LiveApps implements AppRegistry, Component {
  readonly name = "live apps";
  readonly #source: AppSource;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #byName = new Map<string, LiveApp>();
  readonly #byId = new Map<string, LiveApp>();
  readonly #listeners = new Set<(change: AppChangeNotice) => void>();
  readonly #mirror: Mirror;
  /** By name: the time when an unknown name was last read. Monotonic. */
  readonly #unknown = new Map<string, number>();
  /** Apps whose last read failed. */
  readonly #damaged = new Set<string>();
  /** Counts the changes of the memory. A read that began before a change must not remove what the change added. */
  #changes = 0;
  readonly #changedAt = new Map<string, number>();

  constructor({ source, broker, clock, logger }: LiveAppsDeps) {
    this.#source = source;
    this.#clock = clock;
    this.#logger = logger;
    this.#mirror = new Mirror({
      name: this.name,
      subscribe: (onChange) =>
        broker.observe(eventTypesAffecting("apps"), ({ body }) => {
          const { name } = readEventApp(body);
          if (name !== undefined) onChange(name);
        }),
      read: (names) => this.#read(names),
      isCurrent: async () => isSameSummary(await source.summary(), this.#summary()),
      clock,
      logger,
    });
  }

  /** Rejects if the apps cannot be read: nothing can be served without them. */
  start(): Promise<void> {
    return this.#mirror.start();
  }

  stop(): Promise<void> {
    return this.#mirror.stop();
  }

  /** Returns an app from memory. */
  get(name: string): LiveApp | undefined {
    return this.#byName.get(name);
  }

  /** Returns an app from memory. */
  byId(id: string): LiveApp | undefined {
    return this.#byId.get(id);
  }

  /** Returns every app, in any order. */
  all(): readonly LiveApp[] {
    return [...this.#byName.values()];
  }

  /** Returns the manifest of the record's release, if it is in memory. */
  manifestOf(app: AppRecord): AppManifest | undefined {
    return this.#held(app, app.manifestDigest);
  }

  /** Returns the app as it is stored now. Rejects if the database is unreachable. */
  async current(name: string): Promise<LiveApp | undefined> {
    await this.refresh(name);
    return this.get(name);
  }

  /** Like {@link current}, by id. */
  async currentById(id: string): Promise<LiveApp | undefined> {
    const name = this.byId(id)?.app.name ?? (await this.#source.nameOf(id));
    return name === undefined ? undefined : await this.current(name);
  }

  /** Returns every app as it is stored now. Rejects if the database is unreachable. */
  async allCurrent(): Promise<readonly LiveApp[]> {
    await this.refreshIfChanged();
    return this.all();
  }

  /**
   * Returns the apps that `rule` admits, each converted by `form`. `form` runs once for each change of an app. The list is without
   * an app whose `form` throws: it must not stop the others.
   */
  view<T>(rule: (app: AppRecord) => boolean, form: (app: LiveApp) => T): AppView<T> {
    const forms = new WeakMap<LiveApp, { readonly value: T }>();
    const formOf = (live: LiveApp): T => {
      const known = forms.get(live) ?? { value: form(live) };
      forms.set(live, known);
      return known.value;
    };
    const seen = (name: string): LiveApp | undefined => {
      const live = this.#byName.get(name);
      return live && rule(live.app) ? live : undefined;
    };
    return {
      get: (name) => {
        const live = seen(name);
        if (live) return formOf(live);
        return this.#lookUp(name)?.then(() => {
          const found = seen(name);
          return found && formOf(found);
        });
      },
      all: () =>
        this.all()
          .filter(({ app }) => rule(app))
          .flatMap((live) => {
            try {
              return [formOf(live)];
            } catch (error) {
              this.#logDamaged(live.app.name, error);
              return [];
            }
          }),
    };
  }

  /** Calls `listener` after each change of an app in memory, until the returned function is called. It must not throw. */
  onChange(listener: (change: AppChangeNotice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the milliseconds since the memory last matched the database. Infinite before the first read. */
  ageMs(): number {
    return this.#mirror.ageMs();
  }

  /** Reads one app again, without a name all: of their manifests, only those that changed. */
  refresh(name?: string): Promise<void> {
    return this.#mirror.refresh(name);
  }

  /** Reads all apps again if any of them has changed. One small statement if none has. */
  refreshIfChanged(): Promise<void> {
    return this.#mirror.refreshIfChanged();
  }

  /**
   * Adds a change that this process has just stored. Does not reject: the change is committed, and the next check reads the app
   * again if this read fails.
   */
  async stored(app: AppRecord): Promise<void> {
    const held = this.#byId.get(app.id);
    if (held && missingIn(held, app).length === 0) return this.#take({ app, certificate: held.certificate }, undefined);
    await this.refresh(app.name).catch((error: unknown) => {
      this.#logger.warn({ err: error, app: app.name }, "marketplace: could not read an app after it was stored; retrying");
    });
  }

  /** Updates an app that this process has just deleted, like {@link stored}. */
  async removed({ name }: AppRecord): Promise<void> {
    await this.refresh(name).catch((error: unknown) => {
      this.#logger.warn({ err: error, app: name }, "marketplace: could not read an app after its deletion; retrying");
    });
  }

  #lookUp(name: string): Promise<void> | undefined {
    const now = this.#clock.monotonic();
    if (now < (this.#unknown.get(name) ?? Number.NEGATIVE_INFINITY) + unknownMs) return undefined;
    this.#unknown.delete(name);
    this.#unknown.set(name, now);
    const [oldest] = this.#unknown.size > maxUnknown ? this.#unknown.keys() : [];
    if (oldest !== undefined) this.#unknown.delete(oldest);
    return this.refresh(name).catch((error: unknown) => {
      // A failed read is not cached.
      this.#unknown.delete(name);
      throw error;
    });
  }

  async #read(names: readonly string[] | undefined): Promise<void> {
    const since = this.#changes;
    const stored = await this.#source.apps(names);
    const missing = stored.flatMap(({ app }) => missingIn(this.#byId.get(app.id), app));
    const manifests = missing.length === 0 ? undefined : await this.#source.manifestsOf(missing);
    for (const each of stored) this.#takeAlone(each, manifests);
    const present = new Set(stored.map(({ app }) => app.name));
    for (const name of names ?? [...this.#byName.keys()]) {
      if (!present.has(name) && (this.#changedAt.get(name) ?? 0) <= since) this.#remove(name);
    }
  }

  /** An app that cannot be read, for example because its stored manifest is damaged, must not stop the others. */
  #takeAlone(each: StoredApp, read: ReadManifests | undefined): void {
    const { name } = each.app;
    try {
      this.#take(each, read);
      this.#damaged.delete(name);
    } catch (error) {
      this.#logDamaged(name, error);
    }
  }

  /** Once, until the app can be read again. */
  #logDamaged(name: string, error: unknown): void {
    if (!this.#damaged.has(name)) this.#logger.error({ err: error, app: name }, "marketplace: an app cannot be read");
    this.#damaged.add(name);
  }

  #take({ app, certificate }: StoredApp, read: ReadManifests | undefined): void {
    const find = (digest: string): AppManifest | undefined => read?.get(digest)?.() ?? this.#held(app, digest);
    const manifest = find(app.manifestDigest);
    const targetManifest = app.target && find(app.target.manifestDigest);
    // The release changed between the two statements. The event of that change causes another read.
    if (!manifest || (app.target && !targetManifest)) return;
    // The certificate in a manifest is a view of the buffer of the whole row, which stays in memory as long as the view.
    if (Buffer.compare(manifest.certificate, certificate) === 0) manifest.certificate = certificate;
    const held = this.#byId.get(app.id);
    // The derived forms of a manifest are computed once.
    const isSame = held?.manifest === manifest && held.target?.manifest === targetManifest;
    this.#put(isSame ? { ...held, app, certificate } : liveApp(app, { manifest, certificate, targetManifest }));
  }

  #held(app: AppRecord, digest: string): AppManifest | undefined {
    const held = this.#byId.get(app.id);
    if (held?.app.certificateFingerprint !== app.certificateFingerprint) return undefined;
    return manifestsIn(held).get(digest);
  }

  #put(now: LiveApp): void {
    const { app } = now;
    const before = this.#byId.get(app.id);
    if (before && before.app.rowVersion >= app.rowVersion) return;
    const sameName = this.#byName.get(app.name);
    if (sameName && sameName.app.id !== app.id) {
      // The app was deleted and its name registered again. Ids grow with time, so a lower id is the result of an outdated read.
      if (sameName.app.id > app.id) return;
      this.#byId.delete(sameName.app.id);
    }
    this.#byId.set(app.id, now);
    this.#byName.set(app.name, now);
    this.#announce({ name: app.name, before, now });
  }

  #remove(name: string): void {
    const before = this.#byName.get(name);
    if (!before) return;
    this.#byName.delete(name);
    this.#byId.delete(before.app.id);
    this.#announce({ name, before, now: undefined });
    this.#changedAt.delete(name);
  }

  #announce(change: AppChangeNotice): void {
    this.#changes += 1;
    this.#changedAt.set(change.name, this.#changes);
    this.#unknown.delete(change.name);
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#logger.error({ err: error, app: change.name }, "marketplace: a listener of app changes failed");
      }
    }
  }

  #summary(): AppsSummary {
    let rowVersions = 0;
    let newestAt = 0;
    for (const { app } of this.#byId.values()) {
      rowVersions += app.rowVersion;
      newestAt = Math.max(newestAt, app.registeredAt.getTime());
    }
    return { count: this.#byId.size, rowVersions, newestAt };
  }
}

type ReadManifests = ReadonlyMap<string, () => AppManifest>;

/** Returns the releases of the record whose manifests `held` does not have. */
function missingIn(held: LiveApp | undefined, app: AppRecord): readonly ReleaseRef[] {
  const isSameKey = held?.app.certificateFingerprint === app.certificateFingerprint;
  const known: ReadonlyMap<string, AppManifest> = held && isSameKey ? manifestsIn(held) : new Map();
  return [app.manifestDigest, app.target?.manifestDigest]
    .filter((digest) => digest !== undefined)
    .filter((digest) => !known.has(digest))
    .map((manifestDigest) => ({ appId: app.id, manifestDigest }));
}

/** By digest. */
function manifestsIn({ app, manifest, target }: LiveApp): ReadonlyMap<string, AppManifest> {
  const manifests = new Map([[app.manifestDigest, manifest]]);
  if (app.target && target) manifests.set(app.target.manifestDigest, target.manifest);
  return manifests;
}

function isSameSummary(a: AppsSummary, b: AppsSummary): boolean {
  return a.count === b.count && a.rowVersions === b.rowVersions && a.newestAt === b.newestAt;
}
