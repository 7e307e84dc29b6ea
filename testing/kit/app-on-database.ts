import type { AppHandler, MessageToPerson, People, Person, PlatformClient } from "@appserver/sdk";
import { serveApp } from "@appserver/sdk";
import { database } from "@appserver/sdk/database";
import type { Pool } from "pg";
import { createTestDatabase, databaseVariables, startTestPostgres } from "./postgres.ts";

/** An app under test: its routes on a real database, with people and permissions of the test. */
export interface AppOnDatabase {
  readonly pool: Pool;
  readonly people: People;
  /** What the app told people, the oldest first. */
  readonly messages: readonly (MessageToPerson & { readonly userId: string })[];
  /** Sends a request as a user. An empty body is undefined. */
  send(user: string, method: string, path: string, body?: object): Promise<{ readonly status: number; readonly json: unknown }>;
  stop(): Promise<void>;
}

export interface AppOnDatabaseOptions {
  readonly migrations: URL;
  readonly routes: (parts: { readonly pool: Pool; readonly people: People }) => Readonly<Record<string, AppHandler>>;
  /** Names of people by their ids. */
  readonly names?: Readonly<Record<string, string>>;
  /** Permissions of people by their ids. */
  readonly held?: Readonly<Record<string, readonly string[]>>;
}

export async function appOnDatabase(options: AppOnDatabaseOptions): Promise<AppOnDatabase> {
  const ends = new AsyncDisposableStack();
  const server = await startTestPostgres();
  ends.defer(() => server.stop());
  const room = await createTestDatabase(server);
  ends.defer(() => room.stop());
  const pool = await database({ migrations: options.migrations, environment: databaseVariables(room) });
  ends.defer(() => pool.end());
  const messages: (MessageToPerson & { readonly userId: string })[] = [];
  const people = peopleNamed(options.names ?? {}, (userId, message) => messages.push({ userId, ...message }));
  const checkPermissions = async ({ userId, permissions }: { readonly userId: string; readonly permissions: string[] }) => ({
    held: permissions.filter((each) => options.held?.[userId]?.includes(each)),
  });
  const platform = { access: { checkPermissions } as unknown as PlatformClient["access"] };
  const app = await serveApp({ host: "127.0.0.1", port: 0, routes: options.routes({ pool, people }), platform });
  ends.defer(() => app.stop());
  return {
    pool,
    people,
    messages,
    send: async (user, method, path, body) => {
      const sent = body && { body: JSON.stringify(body) };
      // The platform sets the header, and removes it from requests of others.
      const headers = { "x-user-id": user };
      const response = await fetch(`http://127.0.0.1:${app.port}${path}`, { method, headers, ...sent });
      const text = await response.text();
      return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
    },
    stop: () => ends.disposeAsync(),
  };
}

function peopleNamed(
  names: Readonly<Record<string, string>>,
  sent: (userId: string, message: MessageToPerson) => void,
): People {
  const all = Object.entries(names).map(
    ([userId, displayName]): Person => ({ userId, displayName, email: undefined, isActive: true }),
  );
  const getEach = async (userIds: Iterable<string>): Promise<ReadonlyMap<string, Person>> => {
    const wanted = new Set(userIds);
    return new Map(all.filter(({ userId }) => wanted.has(userId)).map((each) => [each.userId, each]));
  };
  const notify: People["notify"] = async (userId, message) => {
    sent(userId, message);
    return "message-1";
  };
  return {
    find: async (text) => all.filter(({ displayName }) => displayName.toLowerCase().includes(text.toLowerCase())),
    get: async (userId) => all.find((each) => each.userId === userId),
    getEach,
    names: async (userIds, absent = "A former member") => {
      const found = await getEach(userIds);
      return (userId) => found.get(userId)?.displayName ?? absent;
    },
    notify,
    tryNotify: async (userId, message) => (await notify(userId, message)) !== "",
  };
}
