import {
  type AppHandler,
  type AppSettings,
  appEnvironment,
  appSettings,
  createActivityWorker,
  createHookSubscriber,
  createPlatformClient,
  readAppIdentity,
  serveApp,
  stopOnSignals,
  triggerHook,
} from "@appserver/sdk";
import { database } from "@appserver/sdk/database";
import { CreatedOutbox, createdHook } from "./created-outbox.ts";
import { nightlyCount } from "./nightly-count.ts";
import { NoteChanges } from "./note-changes.ts";
import { noteRoutes } from "./note-routes.ts";
import { noteSettings } from "./note-settings.ts";
import { NoteStore } from "./note-store.ts";

/** The parts that another version's routes use. */
export interface NotesParts {
  readonly store: NoteStore;
  /** Undefined for an app that was started manually. */
  readonly settings: AppSettings | undefined;
}

export type MoreRoutes = (parts: NotesParts) => Readonly<Record<string, AppHandler>>;

/** Also those of other versions, whose working directory is another folder. */
export const migrations: URL = new URL("../migrations", import.meta.url);

/** Starts the backend, which runs until SIGTERM. `moreRoutes` returns the routes that another version adds: see ../../notes-1.1. */
export async function runNotes(moreRoutes: MoreRoutes = () => ({})): Promise<void> {
  const environment = appEnvironment(process.env);
  const { appName, grpcAddress, host, port } = environment;
  // The platform gives each app a database that survives its containers and its installation.
  const store = new NoteStore(await database({ migrations }));
  const changes = new NoteChanges(store);
  const platform = grpcAddress === undefined ? undefined : await connectPlatform(grpcAddress);
  const settings = platform?.settings;
  const routes = {
    ...noteRoutes(
      store,
      changes,
      () => (platform ? platform.created.wake() : changes.wake()),
      settings && noteSettings(settings),
    ),
    ...moreRoutes({ store, settings }),
  };
  const app = await serveApp({ host, port, routes, health: () => store.check(), logRequests: true });
  stopOnSignals({
    port: app.port,
    stop: async () => {
      await platform?.activities.stop();
      await platform?.created.stop();
      await platform?.hooks.stop();
      changes.stop();
      await app.stop();
      await store.close();
    },
  });
  console.log(`${appName} listens on port ${app.port}`);

  /** Connects with the identity that the platform made for this deployment. */
  async function connectPlatform(address: string) {
    const { privateKey } = await readAppIdentity();
    const connection = { grpcUrl: `http://${address}`, app: { name: appName, privateKey } };
    // The activity is declared in app.yaml under `activities`.
    const activities = createActivityWorker(connection).activity("nightly-count", nightlyCount(store));
    activities.start();
    const client = createPlatformClient(connection);
    // The outbox keeps a hook until the platform has stored it. The platform keeps it for each subscriber.
    const created = new CreatedOutbox(store, ({ id, createdAt, createdBy }, traceparent) =>
      triggerHook(client, createdHook, { id, createdAt, createdBy }, { orderingKey: id, traceparent }),
    );
    // The app's own hook: open pages also show what another process of the app has stored.
    const hooks = createHookSubscriber(connection).onHook(createdHook, () => changes.wake());
    hooks.start();
    return { activities, created, hooks, settings: appSettings({ environment, appName, privateKey }) };
  }
}
