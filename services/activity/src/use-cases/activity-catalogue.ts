import { quote } from "@appserver/contracts/patterns";
import { AppError, type Clock } from "@appserver/kernel";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import type { ActivityApp, AppDirectory, DefinitionStore } from "../ports.ts";

/** Maximum age of a cached app without a change notification. */
const maxAgeMs = 10_000;

interface Known {
  readonly app: ActivityApp;
  readonly definitions: ReadonlyMap<string, ActivityDefinition>;
  readonly readAt: number;
}

/** The activities of installed apps: those of manifests, overridden by those that apps registered. Cached in memory. */
export class ActivityCatalogue {
  readonly #directory: AppDirectory;
  readonly #stored: DefinitionStore;
  readonly #clock: Clock;
  readonly #known = new Map<string, Promise<Known | undefined>>();

  constructor(directory: AppDirectory, stored: DefinitionStore, clock: Clock) {
    this.#directory = directory;
    this.#stored = stored;
    this.#clock = clock;
  }

  /** Throws NOT_FOUND for an app that is not installed. */
  async app(name: string): Promise<ActivityApp> {
    return (await this.#require(name)).app;
  }

  async definitions(appName: string): Promise<readonly ActivityDefinition[]> {
    return [...(await this.#require(appName)).definitions.values()];
  }

  /** Throws NOT_FOUND for an app that is not installed and for an activity that it does not declare. */
  async activity(
    appName: string,
    activity: string,
  ): Promise<{ readonly app: ActivityApp; readonly definition: ActivityDefinition }> {
    const { app, definitions } = await this.#require(appName);
    const definition = definitions.get(activity);
    if (!definition) {
      const message = `${appName} declares no activity ${quote(activity)}`;
      throw new AppError("NOT_FOUND", message, { details: { app: appName, activity } });
    }
    return { app, definition };
  }

  /** Returns every installed app, without the cache. */
  async installed(): Promise<readonly ActivityApp[]> {
    return this.#directory.list();
  }

  /** Removes an app from the cache, because it may have changed. */
  invalidate(appName: string): void {
    this.#known.delete(appName);
  }

  async #require(name: string): Promise<Known> {
    const known = (await this.#fresh(name)) ?? (await this.#load(name));
    if (!known) throw new AppError("NOT_FOUND", `no app ${quote(name)} is installed`, { details: { app: name } });
    return known;
  }

  async #fresh(name: string): Promise<Known | undefined> {
    const known = await this.#known.get(name);
    return known && this.#clock.monotonic() - known.readAt < maxAgeMs ? known : undefined;
  }

  #load(name: string): Promise<Known | undefined> {
    const loading = this.#read(name);
    this.#known.set(name, loading);
    const forget = (): void => {
      if (this.#known.get(name) === loading) this.#known.delete(name);
    };
    // Names that callers make up must not fill memory.
    return loading.then(
      (known) => {
        if (!known) forget();
        return known;
      },
      (error: unknown) => {
        forget();
        throw error;
      },
    );
  }

  async #read(name: string): Promise<Known | undefined> {
    const app = await this.#directory.find(name);
    if (!app) return undefined;
    const definitions = [...app.activities, ...(await this.#stored.ofApp(name))];
    return {
      app,
      definitions: new Map(definitions.map((definition) => [definition.name, definition])),
      readAt: this.#clock.monotonic(),
    };
  }
}
