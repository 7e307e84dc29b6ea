import assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { platformMigrations, SqlOutbox, SystemClock, silentLogger, uuidv7 } from "@appserver/kernel";
import type { SecretSeal } from "@appserver/kernel/ports";
import {
  createTestDatabase,
  eventually,
  plainSeal,
  recordsMigrations,
  rejectsWith,
  startTestPostgres,
  type TestDatabase,
  type TestPostgres,
} from "@appserver/testing/kit";
import { SqlDeploymentStore } from "../src/adapters/sql-deployment-store.ts";
import { SqlIdentityRecords } from "../src/adapters/sql-identity-records.ts";
import { SqlWorkloadIdentities } from "../src/adapters/sql-workload-identities.ts";
import type { Deployment } from "../src/domain/deployment.ts";
import { orchestrationMigrations, resealIdentities } from "../src/index.ts";
import { IssuedIdentities } from "../src/workers/issued-identities.ts";

const clock = new SystemClock();
const writer = { appName: "com.example.notes", fence: 5 };
let server: TestPostgres;
let home: TestDatabase;
let identities: SqlWorkloadIdentities;
let issued: IssuedIdentities;
let deployments: SqlDeploymentStore;
const changed: string[] = [];

before(async () => {
  server = await startTestPostgres();
  home = await createTestDatabase(server);
  const { database } = home;
  await database.migrate([...platformMigrations, ...recordsMigrations, ...orchestrationMigrations]);
  identities = new SqlWorkloadIdentities({ database, seal: plainSeal, clock, instance: "test" });
  deployments = new SqlDeploymentStore(database, new SqlOutbox(), "/test");
  issued = new IssuedIdentities({ records: new SqlIdentityRecords(database, plainSeal), clock, logger: silentLogger });
  issued.onChange((name) => changed.push(name));
  await issued.start();
});
after(async () => {
  await issued.stop();
  await home.stop();
  await server.stop();
});

function deployment(changes: Partial<Deployment>): Deployment {
  const at = new Date(clock.now());
  return {
    id: uuidv7(),
    appId: uuidv7(),
    appName: writer.appName,
    appVersion: "1.0.0",
    generation: 1,
    manifestDigest: "digest",
    role: "current",
    state: "CREATING",
    healthStatus: "UNKNOWN",
    final: false,
    driver: "memory",
    image: "image",
    containerName: "app",
    restartCount: 0,
    restarts: [],
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
}

const textOf = (files: readonly { name: string; text: string }[], name: string): string =>
  files.find((file) => file.name === name)?.text ?? "";
const secretIn = (from: IssuedIdentities, appId: string, generation: number): string => {
  const key = from.forwardKey(appId, generation);
  return typeof key === "string" ? key : key.export().toString("base64");
};
const untilIssued = (appId: string, count: number) =>
  eventually(
    async () => issued.ofApp(appId),
    (found) => found.length === count,
    { what: `${count} identities` },
  );

test("an identity reaches servers with its public key and secret, and ends with the last deployment of its generation", async () => {
  const current = deployment({});
  await deployments.begin(writer, current);
  const files = await identities.issue(writer, current);
  const [identity] = await untilIssued(current.appId, 1);
  const privateKey = createPrivateKey(textOf(files, "key.pem"));
  assert.ok(identity?.publicKey.equals(createPublicKey(privateKey)));
  assert.equal(secretIn(issued, current.appId, 1), textOf(files, "forward-secret"));
  const certificate = new X509Certificate(textOf(files, "certificate.pem"));
  assert.ok(certificate.verify(new X509Certificate(textOf(files, "platform-ca.pem")).publicKey));
  assert.equal(certificate.validToDate.getTime(), identity?.certificateEndsAt.getTime());
  const next = deployment({ appId: current.appId, generation: 2, role: "next" });
  await deployments.begin(writer, next);
  await identities.issue(writer, next);
  await untilIssued(current.appId, 2);
  await deployments.transition(writer, current, { ...current, state: "STOPPED", role: undefined });
  const [left] = await untilIssued(current.appId, 1);
  assert.equal(left?.generation, 2);
  await deployments.transition(writer, next, { ...next, state: "FAILED", final: true });
  await untilIssued(current.appId, 0);
  assert.ok(changed.length >= 4 && changed.every((name) => name === writer.appName));
});

test("a secret that a server cannot open is reported once, stops no other identity, and is read again until it can be opened", async () => {
  const [lost, kept] = [deployment({}), deployment({})];
  for (const each of [lost, kept]) await deployments.begin(writer, each);
  const [lostFiles, keptFiles] = [await identities.issue(writer, lost), await identities.issue(writer, kept)];
  let isLost = true;
  const seal: SecretSeal = {
    ...plainSeal,
    open: async (owner, name, sealed) => {
      if (isLost && owner === lost.appId) throw new Error("no key");
      return plainSeal.open(owner, name, sealed);
    },
  };
  const errors: object[] = [];
  const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
  const reader = new IssuedIdentities({ records: new SqlIdentityRecords(home.database, seal), clock, logger });
  const told: string[] = [];
  reader.onChange((name) => told.push(name));
  assert.equal(reader.forwardKey(kept.appId, 1), "awaited");
  for (let times = 0; times < 3; times += 1) await reader.refresh();
  assert.equal(reader.forwardKey(lost.appId, 1), "unreadable");
  assert.deepEqual(reader.ofApp(lost.appId), []);
  assert.equal(secretIn(reader, kept.appId, 1), textOf(keptFiles, "forward-secret"));
  assert.equal(errors.length, 1);
  assert.ok(!JSON.stringify(errors).includes(textOf(lostFiles, "forward-secret")));
  isLost = false;
  const before = told.length;
  await reader.refresh();
  assert.equal(secretIn(reader, lost.appId, 1), textOf(lostFiles, "forward-secret"));
  assert.deepEqual(told.slice(before), [writer.appName]);
});

test("a failure that is tried again keeps the identity", async () => {
  const failing = deployment({});
  const other = { ...writer, appName: failing.appName };
  await deployments.begin(other, failing);
  await identities.issue(other, failing);
  await deployments.transition(other, failing, { ...failing, state: "FAILED", final: false });
  assert.ok(await identities.certificateEnd(failing));
  await deployments.transition(other, { ...failing, state: "FAILED" }, { ...failing, state: "STOPPED" });
  assert.equal(await identities.certificateEnd(failing), undefined);
});

test("no private key and no plain secret is stored", async () => {
  const current = deployment({});
  await deployments.begin(writer, current);
  const sealed: string[] = [];
  const seal: SecretSeal = {
    ...plainSeal,
    seal: async (_, name, text) => {
      sealed.push(text);
      return `sealed ${name}`;
    },
  };
  const { database } = home;
  await database.query("delete from orchestration.certificate_authority");
  const opened = { ...seal, open: async () => sealed[0] ?? "" };
  const files = await new SqlWorkloadIdentities({ database, seal: opened, clock, instance: "test" }).issue(writer, current);
  const { rows } = await database.query<{ readonly text: string }>(
    "select to_jsonb(i)::text as text from orchestration.workload_identities i union all select to_jsonb(a)::text from orchestration.certificate_authority a",
  );
  const stored = rows.map((row) => row.text).join("\n");
  assert.ok(!stored.includes("PRIVATE KEY"));
  assert.ok(!stored.includes(textOf(files, "forward-secret")));
  await database.query("delete from orchestration.certificate_authority");
  await database.query("delete from orchestration.workload_identities");
});

test("an orchestrator that lost the lease cannot issue or renew", async () => {
  const current = deployment({});
  await deployments.begin(writer, current);
  await identities.issue(writer, current);
  const late = { ...writer, fence: 4 };
  await assert.rejects(identities.issue(late, current), rejectsWith("CONFLICT"));
  await assert.rejects(identities.renewed(late, current, new Date()), rejectsWith("CONFLICT"));
});

test("a renewal certifies the same key and counts for servers once it is stored", async () => {
  const current = deployment({});
  await deployments.begin(writer, current);
  const files = await identities.issue(writer, current);
  const renewal = await identities.renewal(current);
  const certificate = new X509Certificate(textOf(renewal?.files ?? [], "certificate.pem"));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(textOf(files, "key.pem"))));
  assert.deepEqual(renewal?.files.map(({ name }) => name).sort(), ["certificate.pem", "platform-ca.pem"]);
  const endsAt = new Date(Date.now() + 48 * 3_600_000);
  await identities.renewed(writer, current, endsAt);
  await eventually(
    async () => issued.ofApp(current.appId)[0]?.certificateEndsAt.getTime(),
    (end) => end === endsAt.getTime(),
  );
});

test("orchestrators that start at the same time share one authority", async () => {
  const { database } = home;
  await database.query("delete from orchestration.certificate_authority");
  const all = [1, 2, 3].map(() => new SqlWorkloadIdentities({ database, seal: plainSeal, clock, instance: "test" }));
  await Promise.all(all.map((each) => each.prepare()));
  const current = deployment({});
  await deployments.begin(writer, current);
  const authorities = new Set<string>();
  for (const each of all) authorities.add(textOf(await each.issue(writer, current), "platform-ca.pem"));
  assert.equal(authorities.size, 1);
});

test("a secret that cannot be opened does not stop the rotation of the others", async () => {
  const { database } = home;
  const { rows: before } = await database.query<{ readonly text: string }>(
    "select sealed_forward_secret as text from orchestration.workload_identities order by version",
  );
  assert.ok(before.length >= 2);
  const seal: SecretSeal = {
    seal: (owner, name, text) => plainSeal.seal(owner, name, text),
    open: (owner, name, sealed) =>
      sealed === before[0]?.text ? assert.fail("no such key") : plainSeal.open(owner, name, sealed),
  };
  const unreadable = await resealIdentities(database, seal);
  assert.deepEqual(
    unreadable.map(({ problem }) => problem),
    ["no such key"],
  );
});

test("after a key rotation everything opens with the new key alone", async () => {
  const { database } = home;
  const old: SecretSeal = plainSeal;
  const both: SecretSeal = {
    seal: async (owner, name, text) => `new ${await old.seal(owner, name, text)}`,
    open: (owner, name, sealed) => old.open(owner, name, sealed.replace(/^new /, "")),
  };
  await resealIdentities(database, both);
  const { rows } = await database.query<{ readonly text: string }>(
    `select sealed_forward_secret as text from orchestration.workload_identities
     union all select sealed_key from orchestration.certificate_authority`,
  );
  assert.ok(rows.length >= 2);
  for (const { text } of rows) assert.match(text, /^new /);
  const onlyNew: SecretSeal = {
    ...both,
    open: async (owner, name, sealed) => {
      assert.match(sealed, /^new /);
      return both.open(owner, name, sealed);
    },
  };
  await new SqlWorkloadIdentities({ database, seal: onlyNew, clock, instance: "test" }).prepare();
  for (const record of await new SqlIdentityRecords(database, onlyNew).read(undefined)) await record.open();
});
