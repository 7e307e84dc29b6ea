import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { ErrorCode } from "@appserver/contracts/errors";
import { systemEventOf } from "@appserver/contracts/events";
import { webhookKey, webhookSignature } from "@appserver/contracts/webhooks";
import { SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { EventEnvelope } from "@appserver/kernel/ports";
import { SmtpMail } from "@appserver/mail-smtp";
import { HttpOutbound } from "@appserver/outbound-http";
import { callBy, eventually, MailServer, rejectsWith, SqlEventHistory } from "@appserver/testing/kit";
import { type Hooks, resealTargets } from "../src/index.ts";
import { hooksHome, notes } from "./hooks-home.ts";
import { admin, bob, type ChangedOptions } from "./hooks-under-test.ts";
import { Receiver } from "./receiver.ts";

/** Attempts come soon, and do not end before a test does. */
const patient: ChangedOptions = { targetRetry: { delaysMs: Array<number>(600).fill(100), freeDisconnects: 3 } };
const clock = new SystemClock();

function refuses(code: ErrorCode, refused: Promise<unknown>): Promise<void> {
  return assert.rejects(refused, rejectsWith(code));
}

interface Posted {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly appName: string | null; readonly message: string };
}

describe("notification targets", () => {
  const home = hooksHome();
  const receiver = new Receiver();
  const call = callBy(admin);
  let outbound: HttpOutbound;

  beforeEach(async () => {
    outbound = outboundWith(true);
    receiver.accepted.length = 0;
    receiver.status = 200;
    receiver.headers = {};
    await receiver.start();
  });

  afterEach(async () => {
    await receiver.stop();
    await outbound.close();
  });

  function outboundWith(allowLoopback: boolean): HttpOutbound {
    return new HttpOutbound({ allow: [], deny: [], allowLoopback, endpoints: () => [], clock, logger: silentLogger });
  }

  /** Publishes an event, as the relay does. Returns its id. */
  async function publish(type: string, subject: string, body: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const event: EventEnvelope = { id: uuidv7(), type, source: "/test", subject, time: new Date().toISOString(), body };
    const history = new SqlEventHistory({ database: home.database, clock, present: systemEventOf });
    await home.database.transaction((tx) => history.append(tx, [event]));
    return event.id;
  }

  const installed = (app = notes) => publish("app.installed", app, { version: "1.0.0" });
  const start = (changed: ChangedOptions = patient, targets = {}) => home.start(changed, outbound, targets);
  const create = (hooks: Hooks, given: object = {}) =>
    hooks.targetResolvers.Mutation.createNotificationTarget(
      undefined,
      { name: "operations", kind: "WEBHOOK", url: receiver.url, ...given },
      call,
    );
  const deliveries = async (hooks: Hooks, targetId: string) => {
    const page = await hooks.targetResolvers.Query.notificationDeliveries(undefined, { targetId }, call);
    return page.edges.map(({ node }) => node);
  };
  const posted = (): readonly Posted[] => receiver.accepted.map(({ body }) => JSON.parse(body.toString()) as Posted);

  it("a receiver that was away gets every event once, those of one app in their order", async () => {
    const one = await start();
    await start();
    const { target, secret } = await create(one);
    await receiver.stop();
    const sent: string[] = [];
    for (let number = 0; number < 6; number += 1) sent.push(await installed(number % 2 === 0 ? notes : "com.example.clock"));
    // Refused connections first, then refused messages.
    await eventually(
      () => deliveries(one, target.id),
      (seen) => seen.length === 6 && seen.some(({ attempt }) => attempt > 1),
    );
    receiver.status = 503;
    await receiver.start();
    await eventually(
      async () => receiver.refused,
      (refused) => refused > 0,
    );
    sent.push(await installed(), await installed("com.example.clock"));
    receiver.status = 200;
    await eventually(
      async () => receiver.accepted.length,
      (count) => count >= sent.length,
    );
    await eventually(
      () => deliveries(one, target.id),
      (seen) => seen.length === sent.length && seen.every(({ status }) => status === "DELIVERED"),
    );
    assert.deepEqual(
      posted()
        .map(({ id }) => id)
        .toSorted(),
      sent.toSorted(),
    );
    for (const app of [notes, "com.example.clock"]) {
      const ids = posted().flatMap(({ id, data }) => (data.appName === app ? [id] : []));
      assert.deepEqual(
        ids,
        sent.filter((id) => ids.includes(id)),
      );
    }
    const [{ path, headers, body } = assert.fail()] = receiver.accepted;
    assert.equal(path, "/events?key=1");
    const { "webhook-id": id = "", "webhook-timestamp": timestamp = "" } = headers as Readonly<Record<string, string>>;
    assert.equal(headers["webhook-signature"], webhookSignature(webhookKey(secret ?? ""), id, timestamp, body));
  });

  it("a test message that arrives ends the waits of retries", async () => {
    const hooks = await start({ targetRetry: { delaysMs: [3_600_000], freeDisconnects: 0 } });
    receiver.status = 503;
    const { target } = await create(hooks);
    const sent = [await installed(), await installed()];
    await eventually(
      () => deliveries(hooks, target.id),
      (seen) => seen.some(({ status }) => status === "RETRYING"),
    );
    // As after an early attempt that failed.
    await home.database.query("update hooks.deliveries set retry_at = due_at where status = 'RETRYING'");
    receiver.status = 200;
    await hooks.targetResolvers.Mutation.testNotificationTarget(undefined, { id: target.id }, call);
    await eventually(
      async () => posted().length,
      (count) => count === 1 + sent.length,
    );
    assert.deepEqual(
      posted().map(({ id, type }) => (type === "TEST" ? type : id)),
      ["TEST", ...sent],
    );
  });

  it("a target gets the types that it names, from its creation on, and nothing while it is disabled", async () => {
    const hooks = await start();
    await installed();
    const { target } = await create(hooks, { types: ["APP_INSTALLED"] });
    await publish("app.uninstalled", notes);
    const first = await installed();
    await eventually(
      async () => posted().length,
      (count) => count === 1,
    );
    const { updateNotificationTarget } = hooks.targetResolvers.Mutation;
    await updateNotificationTarget(undefined, { id: target.id, isEnabled: false }, call);
    await installed();
    const changed = await updateNotificationTarget(undefined, { id: target.id, isEnabled: true, types: null }, call);
    assert.deepEqual([changed.types, changed.isEnabled], [undefined, true]);
    const second = await publish("app.uninstalled", notes);
    await eventually(
      async () => posted().length,
      (count) => count === 2,
    );
    assert.deepEqual(
      posted().map(({ id }) => id),
      [first, second],
    );
  });

  it("a target gets another name and URL: what waits is sent there, with the same secret", async () => {
    const hooks = await start({ targetRetry: { delaysMs: [3_600_000], freeDisconnects: 0 } });
    const { target, secret } = await create(hooks, { url: receiver.url.replace("/events", "/elsewhere") });
    const slack = await create(hooks, { name: "chat", kind: "SLACK", types: ["APP_INSTALLED"] });
    receiver.status = 503;
    receiver.headers = { "retry-after": "7200" };
    const id = await installed();
    const retrying = (targetId: string, attempts: number) =>
      eventually(
        () => deliveries(hooks, targetId),
        ([delivery]) => delivery?.status === "RETRYING" && delivery.attempt === attempts,
      );
    for (const each of [target, slack.target]) await retrying(each.id, 1);
    // As after an early attempt that failed.
    await home.database.query("update hooks.deliveries set retry_at = due_at");
    const { updateNotificationTarget } = hooks.targetResolvers.Mutation;
    const update = (given: object) => updateNotificationTarget(undefined, { id: target.id, ...given }, call);
    await update({ url: receiver.url.replace("/events", "/wrong") });
    await retrying(target.id, 2);
    receiver.status = 200;
    for (const given of [{ url: "http://user:pass@example.com/" }, { addresses: ["a@b.c"] }, { name: "Operations!" }])
      await refuses("INVALID_REQUEST", update(given));
    await refuses("CONFLICT", update({ name: "chat" }));
    const { url } = receiver;
    const changed = await update({ name: "renamed", url });
    assert.deepEqual([changed.name, changed.address, changed.types], ["renamed", url, undefined]);
    await eventually(
      async () => receiver.accepted.length,
      (count) => count === 1,
    );
    const [{ path, headers, body } = assert.fail()] = receiver.accepted;
    const { "webhook-timestamp": timestamp = "" } = headers as Readonly<Record<string, string>>;
    assert.equal(path, "/events?key=1");
    assert.equal(headers["webhook-signature"], webhookSignature(webhookKey(secret ?? ""), id, timestamp, body));
    const moved = url.replace("/events", "/chat");
    const { address } = await updateNotificationTarget(undefined, { id: slack.target.id, url: moved }, call);
    assert.equal(address, new URL(url).origin);
    await eventually(
      async () => receiver.accepted.length,
      (count) => count === 2,
    );
    assert.equal(receiver.accepted[1]?.path, "/chat?key=1");
  });

  it("what was given up is listed, is no event, and can be sent again", async () => {
    const hooks = await start({ targetRetry: { delaysMs: [20], freeDisconnects: 0 } });
    receiver.status = 410;
    const { target } = await create(hooks);
    const id = await installed();
    const [dead = assert.fail()] = await eventually(
      () => deliveries(hooks, target.id),
      ([delivery]) => delivery?.status === "DEAD",
    );
    assert.deepEqual([dead.eventId, dead.type, dead.attempts.length], [id, "APP_INSTALLED", 2]);
    assert.match(dead.error?.message ?? "", /responded with 410/);
    assert.deepEqual(await home.deadLetters(), []);
    const listed = await hooks.targetResolvers.Query.notificationTargets(undefined, undefined, call);
    assert.deepEqual(
      listed.map(({ deadLetters, waiting, isEnabled }) => [deadLetters, waiting, isEnabled]),
      [[1, 0, true]],
    );
    const ofHooks = await hooks.resolvers.Query.hookDeliveries(undefined, {}, call);
    const eventsOfHooks = await hooks.resolvers.Query.hookEvents(undefined, {}, call);
    assert.deepEqual([ofHooks.edges, eventsOfHooks.edges], [[], []]);
    await refuses("NOT_FOUND", hooks.resolvers.Mutation.resendHookDelivery(undefined, { id: dead.id }, call));
    receiver.status = 200;
    await hooks.targetResolvers.Mutation.resendNotificationDelivery(undefined, { id: dead.id }, call);
    await eventually(
      async () => posted().length,
      (count) => count === 1,
    );
    assert.equal(posted()[0]?.id, id);
  });

  it("a deleted target gets nothing, and leaves nothing behind", async () => {
    const hooks = await start();
    const { target } = await create(hooks);
    receiver.status = 503;
    await installed();
    await eventually(
      () => deliveries(hooks, target.id),
      ({ length }) => length === 1,
    );
    assert.equal(await hooks.targetResolvers.Mutation.deleteNotificationTarget(undefined, { id: target.id }, call), target.id);
    assert.deepEqual(await home.stored(), []);
    await refuses("NOT_FOUND", hooks.targetResolvers.Mutation.testNotificationTarget(undefined, { id: target.id }, call));
  });

  it("addresses that apps may not have are refused, also behind a name, and redirects are not followed", async () => {
    await outbound.close();
    outbound = outboundWith(false);
    const hooks = await start();
    const named = await create(hooks, { url: receiver.url.replace("127.0.0.1", "localhost") });
    const { updateNotificationTarget } = hooks.targetResolvers.Mutation;
    for (const url of ["http://169.254.169.254/latest", "http://10.1.2.3/", "http://[::1]/", "http://127.0.0.1:1/"]) {
      await refuses("INVALID_REQUEST", create(hooks, { url, name: "other" }));
      await refuses("INVALID_REQUEST", updateNotificationTarget(undefined, { id: named.target.id, url }, call));
    }
    const refused = await hooks.targetResolvers.Mutation.testNotificationTarget(undefined, { id: named.target.id }, call);
    assert.deepEqual([refused.isDelivered, receiver.accepted.length], [false, 0]);
    await outbound.close();
    outbound = outboundWith(true);
    const lenient = await start();
    receiver.status = 302;
    receiver.headers = { location: receiver.url };
    const redirected = await lenient.targetResolvers.Mutation.testNotificationTarget(undefined, { id: named.target.id }, call);
    assert.deepEqual([redirected.isDelivered, redirected.error], [false, "the receiver responded with 302"]);
  });

  it("wrong input is refused with what was expected", async () => {
    const hooks = await start();
    for (const given of [
      { name: "Operations!" },
      { url: "ftp://example.com" },
      { url: "http://user:pass@example.com/" },
      { url: undefined },
      { addresses: ["a@b.c"] },
      { kind: "MAIL", url: undefined, addresses: ["a@b.c"] },
      { types: [] },
    ])
      await refuses("INVALID_REQUEST", create(hooks, given));
    await create(hooks);
    await refuses("CONFLICT", create(hooks));
    const { notificationTargets } = hooks.targetResolvers.Query;
    await refuses("PERMISSION_DENIED", notificationTargets(undefined, undefined, callBy(bob)));
  });

  it("Slack gets a text, and its URL is not shown", async () => {
    const hooks = await start();
    const { target, secret } = await create(hooks, { kind: "SLACK" });
    assert.deepEqual([secret, target.address], [null, new URL(receiver.url).origin]);
    await publish("incident.opened", "appserver", { kind: "DISK_FULL", message: "95 % of <data> are used" });
    await eventually(
      async () => posted().length,
      (count) => count === 1,
    );
    assert.deepEqual(posted()[0], { text: "*Error:* 95 % of &lt;data&gt; are used" });
    const { rows } = await home.database.query<{ sealed_secret: string }>("select sealed_secret from hooks.targets");
    assert.ok(rows[0]?.sealed_secret.includes("/events"));
    const failing = { seal: async () => "sealed again", open: async () => receiver.url };
    assert.deepEqual(await resealTargets(home.database, failing), []);
    const after = await home.database.query("select 1 from hooks.targets where sealed_secret = 'sealed again'");
    assert.equal(after.count, 1);
  });

  it("targets of the options get incidents by mail, and nothing but the options changes them", async () => {
    const server = await MailServer.start();
    const mail = new SmtpMail({ url: server.url, from: "Platform <platform@example.test>", platformName: "Acme" });
    try {
      const configured = { mailTo: ["team@example.test", "boss@example.test"], webhook: undefined, slackUrl: undefined };
      const hooks = await start(patient, { mail, configured });
      await start(patient, { mail, configured });
      await installed();
      await publish("incident.opened", "appserver", { kind: "DISK_FULL", message: "95 % are used" });
      await eventually(
        async () => server.letters.length,
        (count) => count === 1,
      );
      assert.match(server.letters[0] ?? "", /^To: team@example\.test, boss@example\.test/m);
      assert.match(server.letters[0] ?? "", /^Subject: \[Acme\] 95 % are used/m);
      const [target = assert.fail()] = await hooks.targetResolvers.Query.notificationTargets(undefined, undefined, call);
      assert.equal(target.isConfigured, true);
      const { id } = target;
      const { updateNotificationTarget, deleteNotificationTarget } = hooks.targetResolvers.Mutation;
      await refuses("INVALID_STATE", updateNotificationTarget(undefined, { id, isEnabled: false }, call));
      await refuses("INVALID_STATE", deleteNotificationTarget(undefined, { id }, call));
      const none = { mailTo: undefined, webhook: undefined, slackUrl: undefined };
      await start(patient, { mail, configured: none });
      assert.deepEqual(await hooks.targetResolvers.Query.notificationTargets(undefined, undefined, call), []);
    } finally {
      await mail.stop();
      await server.stop();
    }
  });
});
