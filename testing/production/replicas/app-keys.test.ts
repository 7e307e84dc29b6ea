import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlatformClient, registerApp, signRequest } from "@appserver/sdk";
import { CuttableRelay, send, type TestApp, testApp, until } from "@appserver/testing/kit";
import {
  ProductionServer,
  type ProductionServices,
  ReplicaGroup,
  startProductionServices,
} from "@appserver/testing/kit/production";

const started = await startProductionServices();
const skip = "unavailable" in started ? started.unavailable : false;

const withEventMs = 1_000;
const withoutEventMs = 30_000;
/** Duration of a request in progress on a busy machine. */
const tolerance = 1_000;
const web_app = { api: { base_path: "/", upstream_base_url: "http://127.0.0.1:9" } };

describe("signatures of apps that are uninstalled or get another key, on a second replica", { skip }, () => {
  const services = started as ProductionServices;
  let group: ReplicaGroup;
  let relay: CuttableRelay;
  let a: ProductionServer;
  /** This server reaches RabbitMQ through the relay. */
  let b: ProductionServer;

  before(async () => {
    const url = new URL(services.environment["APPSERVER_RABBITMQ_URL"] ?? assert.fail("no RabbitMQ"));
    relay = await CuttableRelay.to({ host: url.hostname, port: Number(url.port) });
    url.port = String(relay.port);
    group = await ReplicaGroup.start(services, 1);
    a = group.server(0);
    b = await ProductionServer.create({ ...services.environment, APPSERVER_RABBITMQ_URL: url.href });
    b.start();
    await b.ready();
  });
  after(async () => {
    await b?.stop();
    await group?.stop();
    relay?.stop();
    await services.stop();
  });

  const installed = async (name: string): Promise<TestApp> => {
    const app = await testApp({ name, web_app });
    await group.register(a, app);
    await group.client(a).marketplace.installApp({ name });
    await until("B accepts its signatures", async () => (await askB(app)) === "accepted");
    return app;
  };

  /** Sends a GraphQL request that needs only a valid signature. */
  const askB = async (app: TestApp): Promise<string> => {
    const body = Buffer.from('{"query":"{ __typename }"}');
    const { name } = app.manifest;
    const { privateKey } = app.keys;
    const signature = signRequest({ appName: name, privateKey, method: "POST", url: "/graphql", body });
    const headers = { ...signature, "content-type": "application/json" };
    const { text } = await send(b.httpUrl, "/graphql", { method: "POST", headers, body });
    const { errors } = JSON.parse(text) as { errors?: readonly { extensions: { code: string } }[] };
    return errors?.[0]?.extensions.code ?? "accepted";
  };

  /** Returns the milliseconds from `since` until B accepted the app's signature for the last time. */
  const lastAccepted = async (app: TestApp, since: number, watchMs: number): Promise<number> => {
    let last = Number.NEGATIVE_INFINITY;
    for (let outcome = "accepted"; performance.now() - since < watchMs && outcome === "accepted"; await sleep(20)) {
      const sentAt = performance.now();
      outcome = await askB(app);
      if (outcome === "accepted") last = sentAt - since;
      else assert.equal(outcome, "AUTHENTICATION_FAILED");
    }
    assert.equal(await askB(app), "AUTHENTICATION_FAILED", "the signature is still refused");
    return last;
  };

  const uninstall = (app: TestApp) => group.client(a).marketplace.uninstallApp({ name: app.manifest.name });
  /** As an administrator, who may replace any key. */
  const replaceKey = async (app: TestApp): Promise<void> => {
    const successor = await testApp({ name: app.manifest.name, version: "1.0.1", web_app });
    const client = createPlatformClient({ grpcUrl: a.grpcUrl, token: group.adminToken });
    await registerApp(client, successor, services.registrationToken);
  };

  test("are refused within a second with the event", async (t) => {
    const [removed, replaced] = [await installed("test.removed"), await installed("test.replaced")];
    await uninstall(removed);
    const afterRemoval = await lastAccepted(removed, performance.now(), 5_000);
    await replaceKey(replaced);
    const afterReplacement = await lastAccepted(replaced, performance.now(), 5_000);
    t.diagnostic(`last accepted ${Math.round(afterRemoval)} and ${Math.round(afterReplacement)} ms after the acknowledgement`);
    assert.ok(Math.max(afterRemoval, afterReplacement) < withEventMs + tolerance);
  });

  /** Removes one app and replaces the key of another, so that A acknowledged both and B has not received the events. */
  const changedUnheard = async (): Promise<TestApp[]> => {
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      relay.restore();
      const [removed, replaced] = [await installed(`test.removed${attempt}`), await installed(`test.replaced${attempt}`)];
      relay.cut();
      await uninstall(removed);
      await replaceKey(replaced);
      const outcomes = [await askB(removed), await askB(replaced)];
      if (outcomes.every((outcome) => outcome === "accepted")) return [removed, replaced];
      // B checks every five seconds whether an app changed and has just done so, which proves nothing about a lost event.
      assert.ok(outcomes.includes("AUTHENTICATION_FAILED"), outcomes.join());
    }
    assert.fail("B had every change at once, without the event");
  };

  test("are refused within thirty seconds without it", async (t) => {
    const changed = await changedUnheard();
    const since = performance.now();
    const delays = await Promise.all(changed.map((app) => lastAccepted(app, since, withoutEventMs + 5_000)));
    t.diagnostic(`last accepted ${delays.map(Math.round).join(" and ")} ms after the acknowledgement`);
    assert.ok(Math.max(...delays) < withoutEventMs + tolerance, delays.join());
    relay.restore();
  });
});
