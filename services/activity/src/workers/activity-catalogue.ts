import { quote } from "@appserver/contracts/patterns";
import { AppError, type Clock } from "@appserver/kernel";
import type { ActivityDefinition } from "../domain/activity-definition.ts";
import type { ActivityApp, ActivityApps, Catalogue, DefinitionStore } from "../ports.ts";

/** Maximum age of cached definitions without a change notification. */
const maxAgeMs = 10_000;

interface Known {
  readonly app: ActivityApp;
  readonly definitions: ReadonlyMap<string, ActivityDefinition>;
  readonly readAt: number;
}

/** The activities of installed apps: those of manifests, overridden by those that apps registered, which are cached. */
export class ActivityCatalogue implements Catalogue {
  readonly #apps: ActivityApps;
  readonly #stored: DefinitionStore;
  readonly #clock: Clock;
  readonly #known = new Map<string, Promise<Known>>();

  constructor(apps: ActivityApps, stored: DefinitionStore, clock: Clock) {
    this.#apps = apps;
    this.#stored = stored;
    this.#clock = clock;
  }

  async app(name: string): Promise<ActivityApp> {
    return (await this.#require(name)).app;
  }

  async definitions(appName: string): Promise<readonly ActivityDefinition[]> {
    return [...(await this.#require(appName)).definitions.values()];
  }

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

  installed(): readonly ActivityApp[] {
    return this.#apps.all();
  }

  invalidate(appName: string): void {
    this.#known.delete(appName);
  }

  async #require(name: string): Promise<Known> {
    const app = await this.#apps.get(name);
    if (!app) {
      this.#known.delete(name);
      throw new AppError("NOT_FOUND", `no app ${quote(name)} is installed`, { details: { app: name } });
    }
    const known = await this.#known.get(name);
    const isFresh = known?.app === app && this.#clock.monotonic() - known.readAt < maxAgeMs;
    return isFresh ? known : await this.#load(app);
  }

  #load(app: ActivityApp): Promise<Known> {
    const loading = this.#read(app);
    this.#known.set(app.name, loading);
    loading.catch(() => {
      if (this.#known.get(app.name) === loading) this.#known.delete(app.name);
    });
    return loading;
  }

  async #read(app: ActivityApp): Promise<Known> {
    const readAt = this.#clock.monotonic();
    const definitions = [...app.activities, ...(await this.#stored.ofApp(app.name))];
    return { app, definitions: new Map(definitions.map((definition) => [definition.name, definition])), readAt };
  }
}
