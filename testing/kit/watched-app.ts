import assert from "node:assert/strict";
import { until } from "./eventually.ts";
import type { ReplicaGroup } from "./replica-group.ts";
import type { SubscriberCrowd } from "./subscriber-crowd.ts";
import { testApp } from "./test-app.ts";

const name = "test.watched";
/** Relays are notified here by each transaction with an event. */
const commits = "appserver_outbox";

/** What it took from a command to the last subscriber, in milliseconds. */
export interface Delivery {
  readonly fromRequestMs: number;
  readonly fromCommitMs: number;
}

/** An app without a container that is disabled and enabled again, while a crowd of subscribers watches it. */
export class WatchedApp {
  readonly #group: ReplicaGroup;
  readonly #crowd: SubscriberCrowd;
  #commands = 0;
  #commit = Promise.withResolvers<number>();
  #listening: { close(): Promise<void> } | undefined;

  private constructor(group: ReplicaGroup, crowd: SubscriberCrowd) {
    this.#group = group;
    this.#crowd = crowd;
  }

  /** Registers and installs the app. Resolves when the events of that were published, so that no subscriber sees them. */
  static async install(group: ReplicaGroup, crowd: SubscriberCrowd): Promise<WatchedApp> {
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9" };
    await group.register(group.server(0), await testApp({ name, web_app: { api } }));
    await group.client(group.server(0)).marketplace.installApp({ name });
    await group.untilState(group.server(0), name, "RUNNING");
    const { database } = group.services;
    await until("the outbox is empty", async () => (await database.query("select 1 from platform.outbox limit 1")).count === 0);
    const app = new WatchedApp(group, crowd);
    app.#listening = await database.listen(commits, () => app.#commit.resolve(Date.now()));
    return app;
  }

  /** Disables the app, or enables it again, on each server in turn. Resolves when every subscriber has the event. */
  async change(): Promise<Delivery> {
    const { events } = this.#crowd;
    const enabled = this.#commands % 2 === 1;
    const server = this.#group.server(this.#commands);
    this.#commands += 1;
    this.#commit = Promise.withResolvers();
    const sentAt = Date.now();
    const query = "mutation ($name: String!, $enabled: Boolean!) { setAppEnabled(name: $name, enabled: $enabled) { success } }";
    const { errors } = await this.#group.graphql(server, query, { name, enabled });
    assert.equal(errors, undefined);
    const receivedAt = await this.#crowd.lastReceived(events);
    // On a busy machine this process may see the end before the beginning.
    const committedAt = Math.min(await this.#commit.promise, receivedAt);
    return { fromRequestMs: receivedAt - sentAt, fromCommitMs: receivedAt - committedAt };
  }

  /** Resolves when the app is no longer watched. The app stays. */
  async stop(): Promise<void> {
    await this.#listening?.close();
  }
}
