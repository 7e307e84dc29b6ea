import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { signRequest } from "@appserver/sdk";
import type { TestApp } from "@appserver/testing/kit";
import { send, until } from "@appserver/testing/kit";
import {
  ProductionProcess,
  type ProductionServer,
  type ProductionServices,
  ReplicaGroup,
} from "@appserver/testing/kit/production";
import { CountingUpstream } from "./counting-upstream.ts";
import { answering, answeringApp, calling, callingApp, limit } from "./sample-apps.ts";
import { StateSubscription } from "./state-subscription.ts";

/** Maximum time for which a revoked permission may still apply (docs/interface/permissions.md#cache). */
const deniedWithinMs = 1_000;
/** A busy machine may delay one of these measurements. */
const measurements = 3;

/** Declares the tests of what two servers share, on any services. */
export function twoServersSuite(name: string, started: ProductionServices | { readonly unavailable: string }): void {
  const skip = "unavailable" in started ? started.unavailable : false;
  describe(`two servers on ${name}`, { skip }, () => {
    const services = started as ProductionServices;
    let group: ReplicaGroup;
    let a: ProductionServer;
    let b: ProductionServer;
    let upstream: CountingUpstream;
    let caller: TestApp;
    let viewer: Awaited<ReturnType<ReplicaGroup["viewerOf"]>>;

    before(async () => {
      upstream = await CountingUpstream.start();
      group = await ReplicaGroup.start(services);
      [a, b] = [group.server(0), group.server(1)];
      caller = await callingApp(upstream.url);
      await group.register(a, await answeringApp(upstream.url));
      await group.register(a, caller);
      viewer = await group.viewerOf(answering);
    });
    after(async () => {
      await group?.stop();
      await upstream?.stop();
      await services.stop();
    });

    const ask = (server: ProductionServer, path: string, cookie: string) =>
      send(server.httpUrl, `/api/apps/${answering}${path}`, { headers: { cookie } }).then(({ status }) => status);

    test("a client subscribed on A receives an install made on B, like a client on B", async () => {
      const [onA, onB] = [
        await StateSubscription.open(a.httpUrl, group.adminToken),
        await StateSubscription.open(b.httpUrl, group.adminToken),
      ];
      await group.client(b).marketplace.installApp({ name: answering });
      const wholeWay = ["INSTALLING", "INSTALLED", "RUNNING"];
      for (const subscription of [onA, onB])
        await until("all states were seen", async () => subscription.statesOf(answering).length >= wholeWay.length);
      assert.deepEqual([onA.statesOf(answering), onB.statesOf(answering)], [wholeWay, wholeWay]);
      await Promise.all([onA.close(), onB.close()]);
      for (const server of [a, b]) await until("it is served", async () => (await ask(server, "/read", viewer.cookie)) === 200);
    });

    test("a limit is exact over both servers", async () => {
      const statuses = await Promise.all(
        Array.from({ length: 2 * limit }, (_, n) => ask(n % 2 === 0 ? a : b, "/limited", viewer.cookie)),
      );
      const count = (status: number) => statuses.filter((each) => each === status).length;
      assert.deepEqual([count(200), count(429)], [limit, limit]);
    });

    /** Sends requests to B continuously. `stop` returns how long after `since` B last allowed one; negative if before. */
    const watchDenial = (askB: () => Promise<number>) => {
      let lastAllowedAt = 0;
      let asking = true;
      const watching = (async () => {
        while (asking) {
          const sentAt = performance.now();
          if ((await askB()) === 200) lastAllowedAt = sentAt;
          await sleep(2);
        }
      })();
      return async (since: number): Promise<number> => {
        await sleep(deniedWithinMs);
        asking = false;
        await watching;
        return Math.round(lastAllowedAt - since);
      };
    };

    const measure = async (
      t: TestContext,
      askB: () => Promise<number>,
      grant: () => Promise<void>,
      revoke: () => Promise<void>,
    ) => {
      const delays: number[] = [];
      while (delays.length < measurements) {
        await grant();
        await until("B allows", async () => (await askB()) === 200);
        const stop = watchDenial(askB);
        await revoke();
        delays.push(await stop(performance.now()));
        assert.notEqual(await askB(), 200, "access is still denied");
      }
      t.diagnostic(`last allowed on B ${delays.join(", ")} ms after the acknowledgement`);
      assert.ok(delays.filter((ms) => ms < deniedWithinMs).length >= 2, `${delays.join(", ")} ms`);
    };

    test("`appserver authz revoke` is denied on B within a second", async (t) => {
      const authz = async (command: "grant" | "revoke"): Promise<void> => {
        const args = ["authz", command, `user:${viewer.account.id}`, "viewer", `app:${answering}`];
        const process = new ProductionProcess(args, services.environment);
        process.start();
        // The output of the command is the acknowledgement, not its exit.
        await process.until(() => process.log.includes(command === "grant" ? "granted" : "revoked"));
      };
      await measure(
        t,
        () => ask(b, "/read", viewer.cookie),
        () => authz("grant"),
        () => authz("revoke"),
      );
      await until("A denies", async () => (await ask(a, "/read", viewer.cookie)) === 403);
      await authz("grant");
      const query = `{ auditLog(target: "app:${answering}", first: 2) { edges { node { actor action outcome details } } } }`;
      const { data } = await group.graphql(a, query);
      const { auditLog } = data as { auditLog: { edges: { node: unknown }[] } };
      const entry = {
        actor: "operator",
        outcome: "success",
        details: { user: `user:${viewer.account.id}`, relation: "viewer" },
      };
      assert.deepEqual(
        auditLog.edges.map(({ node }) => node),
        [
          { ...entry, action: "permission.grant" },
          { ...entry, action: "permission.revoke" },
        ],
      );
    });

    test("an app's permissions, revoked by its uninstallation on A, are denied on B within a second", async (t) => {
      const url = `/api/apps/${answering}/read`;
      const sendSigned = async (): Promise<number> => {
        const { privateKey } = caller.keys;
        const headers = signRequest({ appName: calling, privateKey, method: "GET", url, body: new Uint8Array() });
        return (await send(b.httpUrl, url, { headers })).status;
      };
      const client = group.client(a);
      await group.approvePermissions(a, calling);
      await measure(
        t,
        sendSigned,
        async () => void (await client.marketplace.installApp({ name: calling })),
        async () => void (await client.marketplace.uninstallApp({ name: calling })),
      );
    });

    test("an unsafe signed request is accepted once over both servers", async () => {
      await group.client(a).marketplace.installApp({ name: calling });
      const url = `/api/apps/${answering}/write`;
      const headers = signRequest({
        appName: calling,
        privateKey: caller.keys.privateKey,
        method: "POST",
        url,
        body: new Uint8Array(),
      });
      const mayCall = async (server: ProductionServer) => {
        const read = `/api/apps/${answering}/read`;
        const { privateKey } = caller.keys;
        const signed = signRequest({ appName: calling, privateKey, method: "GET", url: read, body: new Uint8Array() });
        return (await send(server.httpUrl, read, { headers: signed })).status === 200;
      };
      for (const server of [a, b]) await until("the app may call", () => mayCall(server));
      const outcomes = await Promise.all(
        [a, b, a, b].map(async (server) => (await send(server.httpUrl, url, { method: "POST", headers })).status),
      );
      assert.deepEqual([...outcomes].sort(), [200, 401, 401, 401]);
    });
  });
}
