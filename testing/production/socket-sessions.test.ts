import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually, RunningPlatform } from "@appserver/testing/kit";
import { createClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws";
import { WebSocket } from "ws";
import { command } from "../contract/commands.ts";

const app = "com.example.clock";
const events = `subscription { systemEvent(appName: "${app}") { message } }`;

/** What both clients can do. */
interface Session {
  /** Returns the results of a query or a mutation: data or messages of errors. */
  ask(query: string): Promise<unknown>;
  /** Calls `next` with each message of an event, until the returned function is called. */
  follow(next: (message: string) => void): () => void;
  close(): Promise<void> | void;
}

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[] | undefined;
}

function seenOf({ data, errors }: Result): unknown {
  return errors ? errors.map(({ message }) => message) : JSON.parse(JSON.stringify(data));
}

function messageOf({ data }: Result): string {
  return (data as { readonly systemEvent: { readonly message: string } }).systemEvent.message;
}

/** The subprotocol `graphql-transport-ws`. */
function currentSession(url: string): Session {
  const retries = { retryAttempts: 200, retryWait: pause, shouldRetry: () => true };
  const client = createClient({ url, webSocketImpl: WebSocket, lazy: false, ...retries });
  return {
    ask: async (query) => {
      try {
        for await (const result of client.iterate({ query })) return seenOf(result);
      } catch (errors) {
        return seenOf({ errors: errors as Result["errors"] });
      }
      return undefined;
    },
    follow: (next) =>
      client.subscribe(
        { query: events },
        { next: (result) => next(messageOf(result)), error: (error) => assert.fail(String(error)), complete: () => {} },
      ),
    close: () => client.dispose(),
  };
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 100));

/** The subprotocol `graphql-ws` of the older Apollo clients. */
function olderSession(url: string): Session {
  const options = { reconnect: true, reconnectionAttempts: 200, minTimeout: 1_000 };
  const client = new SubscriptionClient(url, options, WebSocket);
  const asked = (query: string, next: (result: Result) => void, complete: () => void = () => {}) =>
    client.request({ query }).subscribe({
      next: (result) => next(result as Result),
      // It calls one error the message of all of them.
      error: ({ message }) => {
        next({ errors: [{ message }] });
        complete();
      },
      complete,
    });
  return {
    ask: (query) =>
      new Promise((resolve) => {
        let seen: unknown;
        asked(
          query,
          (result) => {
            seen = seenOf(result);
          },
          () => resolve(seen),
        );
      }),
    follow: (next) => {
      const { unsubscribe } = asked(events, (result) => next(messageOf(result)));
      return unsubscribe;
    },
    close: () => client.close(),
  };
}

describe("a session on a WebSocket", () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await RunningPlatform.start();
  });
  after(() => platform?.stop());

  const sessions = { "graphql-transport-ws": currentSession, "graphql-ws": olderSession };
  for (const [protocol, open] of Object.entries(sessions)) {
    test(`${protocol}: queries, mutations, errors and a subscription, with a restart of the server in the middle`, async () => {
      const session = open(`${platform.httpUrl.replace("http", "ws")}/graphql`);
      try {
        assert.deepEqual(await session.ask("{ viewer { kind } }"), { viewer: { kind: "system" } });
        assert.deepEqual(await session.ask("{ nothing }"), ['Cannot query field "nothing" on type "Query".']);
        assert.deepEqual(await session.ask('{ app(name: "com.example.none") { name } }'), { app: null });
        const seen: string[] = [];
        const stop = session.follow((message) => seen.push(message));
        await untilFollowed(seen);
        await platform.restart();
        const before = seen.length;
        await untilFollowed(seen);
        assert.ok(seen.slice(before).every((message) => message.includes(app)));
        stop();
        const enabled = `mutation { setAppEnabled(name: "${app}", enabled: true) { success } }`;
        assert.deepEqual(await session.ask(enabled), { setAppEnabled: { success: true } });
        const after = seen.length;
        await command(platform, `setAppEnabled(name: "${app}", enabled: false) { success }`);
        assert.deepEqual(await session.ask("{ viewer { subject } }"), { viewer: { subject: null } });
        assert.equal(seen.length, after, "nothing follows the end of a subscription");
      } finally {
        await session.close();
      }
    });
  }

  /** Changes the app until the subscription, which begins at an unknown time, has reported two changes. */
  async function untilFollowed(seen: readonly string[]): Promise<void> {
    const before = seen.length;
    let enabled = false;
    await eventually(
      async () => {
        await command(platform, `setAppEnabled(name: "${app}", enabled: ${enabled}) { success }`);
        enabled = !enabled;
        return seen.filter((message) => / was (en|dis)abled$/.test(message)).length;
      },
      () => seen.slice(before).filter((message) => / was (en|dis)abled$/.test(message)).length >= 2,
      { timeoutMs: 60_000, intervalMs: 100 },
    );
  }
});
