import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Caller, Mailbox } from "@appserver/kernel";
import { callBy } from "@appserver/testing/kit";
import { appFields } from "../src/api/graphql/app-fields.ts";
import { appSubscriptions } from "../src/api/graphql/subscriptions.ts";
import type { AppState } from "../src/domain/app-state.ts";
import type { AppNotification, AppNotifications } from "../src/ports.ts";
import { installApp } from "../src/use-cases/install-app.ts";
import { uninstallApp } from "../src/use-cases/uninstall-app.ts";
import { watchedApps } from "../src/use-cases/watch-apps.ts";
import { startMarketplace } from "./marketplace-under-test.ts";

const system: Caller = { kind: "system", reason: "test" };

/** Passes each notification to every subscriber, like the replica's fan-out of events. */
class SharedNotifications implements AppNotifications {
  readonly #mailboxes = new Set<Mailbox<AppNotification>>();

  get subscribers(): number {
    return this.#mailboxes.size;
  }

  changes(): AsyncIterable<AppNotification> {
    const mailbox = new Mailbox<AppNotification>();
    this.#mailboxes.add(mailbox);
    return mailbox;
  }

  publish(change: AppNotification): void {
    for (const mailbox of this.#mailboxes) mailbox.push(change);
  }

  end(): void {
    for (const mailbox of this.#mailboxes) mailbox.close();
    this.#mailboxes.clear();
  }
}

describe("subscribers of app changes", () => {
  let home: Awaited<ReturnType<typeof startMarketplace>>;
  before(async () => {
    home = await startMarketplace();
  });
  after(() => home?.stop());

  const subscribersOf = () => {
    const notifications = new SharedNotifications();
    const context = { ...home.context, ...watchedApps(notifications, home.context.store) };
    const deps = { context, assetUrl: () => "/asset", breakerState: () => "CLOSED" as const };
    return { notifications, ...appSubscriptions(deps), fields: appFields(deps) };
  };

  /** Returns the state changes of the app since it was registered. */
  const changesOf = async (name: string): Promise<readonly AppNotification[]> =>
    (await home.eventsOf(name))
      .filter(({ type }) => type === "app.state_changed")
      .map(({ subject, body }) => ({ appName: subject, state: body["to"] as AppState }));

  /** Returns the statements that four commands cost with this many subscribers, and the states that each of them received. */
  const run = async (name: string, count: number) => {
    const { notifications, appStateChanged, fields } = subscribersOf();
    const { app } = await home.register(name);
    home.deploy(app.id, 1, "HEALTHY", { lastCrash: { at: new Date(), exitCode: 1, output: ["a line"] } });
    const follow = async (appNames: readonly string[]): Promise<readonly string[]> => {
      const states: string[] = [];
      for await (const node of appStateChanged.subscribe(undefined, { filter: { appNames } }, callBy(system))) {
        await Promise.all([
          fields.conditions(node),
          fields.requiredPermissions(node),
          fields.dependencies(node),
          fields.ui(node, undefined, callBy(system)),
          fields.api(node),
          fields.assets(node),
          fields.deployment(node, undefined, callBy(system)),
          fields.storage(node),
          fields.operation(node),
          fields.history(node, { first: 3 }),
          fields.releases(node),
          fields.versionHistory(node, {}),
        ]);
        states.push(node.state);
      }
      return states;
    };
    const seen = Array.from({ length: count }, (_, n) => follow(n % 2 === 1 ? [name] : []));
    const others = Array.from({ length: count }, () => follow(["another"]));
    while (notifications.subscribers < count * 2) await new Promise(setImmediate);
    const before = home.statements();
    for (let n = 0; n < 2; n++) {
      await installApp(home.context, { name }, callBy(system));
      await uninstallApp(home.context, { name, purgeData: false }, callBy(system));
    }
    const changes = await changesOf(name);
    for (const change of changes) notifications.publish(change);
    notifications.end();
    const [states, otherStates] = [await Promise.all(seen), await Promise.all(others)];
    const expected = changes.map(({ state }) => state);
    return { statements: home.statements() - before, states, otherStates, expected };
  };

  test("the number of statements does not grow with the number of subscribers", async (t) => {
    const few = await run("test.few", 4);
    const many = await run("test.many", 200);
    t.diagnostic(`statements: ${few.statements} with 8 subscribers, ${many.statements} with 400`);
    assert.equal(many.statements, few.statements);
    assert.ok(few.expected.length >= 8, `${few.expected.length} changes`);
    for (const [n, states] of many.states.entries())
      if (n % 4 === 0) assert.equal(states.length, many.expected.length);
      else assert.deepEqual(states, many.expected, "two changes in succession keep their states");
    assert.deepEqual(new Set(many.otherStates.flat()), new Set());
  });
});
