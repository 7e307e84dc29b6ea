import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { RabbitBroker } from "@appserver/broker-rabbitmq";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { type PlatformClient, signRequest } from "@appserver/sdk";
import { findCanary, type SearchedTexts, send, testApp, until } from "@appserver/testing/kit";
import { runAppserver } from "@appserver/testing/kit/production";
import type { JsonObject } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { KeptAnswers } from "./kept-answers.ts";
import { newSecrets, partsOf, refusedValues, secretDefinitions, takenValues } from "./secret-settings.ts";
import { type InstalledApp, WatchedPlatform } from "./watched-platform.ts";

const secrets = { graphql: newSecrets(), grpc: newSecrets(), rest: newSecrets() };
/** Thirty-two characters, used unchanged. The search finds it in the same forms as a secret. */
const keys = { old: randomBytes(16).toString("hex"), new: randomBytes(16).toString("hex") };
const canaries = [keys, ...Object.values(secrets)].flatMap((group) => Object.values<string | number>(group).flatMap(partsOf));
/** Not a secret: a part of the app's name and of other names that the test assigns. */
const planted = `planted${randomBytes(8).toString("hex")}`;
const name = `com.example.${planted}`;
const update = `mutation ($id: ID!, $values: JSON!, $version: Int) {
  updateSettings(appID: $id, settings: $values, expectedVersion: $version) {
    success settings { values secretsSet } error { code message details } } }`;
const query = `query ($id: ID!) { settings(appID: $id) { values schema conditions { message } }
  settingValue(appID: $id, key: "JSON") { value } }`;
const one = (key: string): string => `query ($id: ID!) { settingValue(appID: $id, key: "${key}") { value source } }`;

const started = await WatchedPlatform.prepare();

describe("secret settings on production backends", { skip: "unavailable" in started ? started.unavailable : false }, () => {
  if ("unavailable" in started) return;
  const platform = started;
  const answers = new KeptAnswers();
  /** A user with access to settings but not to secrets, and a user without permissions. */
  let writer: string;
  let unprivileged: string;
  let owner: InstalledApp;
  let own: PlatformClient;
  let path = "";
  let subscriber: RabbitBroker;

  const withKeys = (...ids: (keyof typeof keys)[]) => ({
    APPSERVER_SETTINGS_ENCRYPTION_KEYS: ids.map((id) => `${id}:${keys[id]}`).join(),
  });

  before(async () => {
    const url = platform.services.environment["APPSERVER_RABBITMQ_URL"] ?? "";
    subscriber = new RabbitBroker({ url, clock: new SystemClock(), logger: silentLogger, prefetch: 10, maxRetries: 0 });
    await subscriber.start();
    // Events become dead letters and stay in the queue.
    const types = ["settings.updated", "app.installed", "app.uninstalled"];
    await subscriber.consume({ prefix: `${planted}.subscriber.`, types }, () => Promise.reject(new Error("not taken")));
    [writer, unprivileged] = await Promise.all([platform.user("settings:read", "settings:write"), platform.user()]);
    await platform.serve(withKeys("old", "new"));
    const routes = [{ pattern: "/limited", methods: ["GET"], is_public: true, rate_limit: { rpm: 1_000 } }];
    const api = { base_path: `/api/apps/${name}`, upstream_base_url: "http://127.0.0.1:9", routes };
    owner = await platform.install(
      name,
      await testApp({ name, web_app: { api }, settings: { definitions: secretDefinitions } }),
    );
    own = platform.client(owner);
    path = `/api/v2/apps/${owner.id}/settings`;
  });
  after(async () => {
    await subscriber?.stop();
    await platform.stop();
  });

  const http = (method: string, target: string, token: string, body: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return answers.http(platform.server.httpUrl, target, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
  };
  const graphql = (token: string, variables: object, document = update) =>
    http("POST", "/graphql", token, { query: document, variables: { id: owner.id, ...variables } });
  const grpc = (token: string, values: Record<string, unknown>, more: { readonly expectedVersion?: bigint } = {}) => {
    const request = { appId: owner.id, values: values as JsonObject, ...more };
    return answers.grpc((options) => platform.client(token).settings.updateSettings(request, options));
  };

  /** Values that the app itself reads, over two transports. */
  const ownValues = async (): Promise<Record<string, unknown>> => {
    const { settings } = await own.settings.getSettings({ appId: owner.id });
    const { privateKey } = owner;
    const headers = signRequest({ appName: name, privateKey, method: "GET", url: path, body: Buffer.alloc(0) });
    const { text } = await send(platform.server.httpUrl, path, { headers });
    assert.deepEqual((JSON.parse(text) as { values: unknown }).values, settings?.values);
    return settings?.values ?? {};
  };
  const nowhere = (places: SearchedTexts): void => {
    assert.deepEqual(new Set(canaries.flatMap((canary) => findCanary(canary, places))), new Set());
  };
  const look = async (): Promise<SearchedTexts> => ({ ...(await platform.places()), ...answers.places });

  test("written over every transport, secrets are not returned to callers without access to them", async () => {
    const stop = new AbortController();
    const watch = (client: PlatformClient) =>
      client.settings.watchSettings({ appId: owner.id }, { signal: stop.signal, timeoutMs: 0 })[Symbol.asyncIterator]();
    const [mine, masked] = [watch(own), watch(platform.client(writer))];
    await Promise.all([mine.next(), masked.next()]);
    const write = {
      graphql: (values: object) => graphql(writer, { values: { ...values, title: planted } }),
      grpc: (values: Record<string, unknown>) => grpc(writer, values),
      rest: (values: object) => http("PUT", path, writer, { values }),
    };
    for (const transport of ["graphql", "grpc", "rest"] as const) {
      const { taken, number } = secrets[transport];
      const values = takenValues(taken, number);
      await write[transport](values);
      assert.deepEqual(await ownValues(), { ...values, title: planted });
      assert.equal((await mine.next()).value?.settings?.values?.["STRING"], taken);
      const { settings } = (await masked.next()).value ?? {};
      assert.equal(settings?.values?.["STRING"], "********");
      answers.keep(settings);
    }
    stop.abort();
    assert.equal(await graphql(writer, {}, query), 200);
    assert.equal(await http("GET", path, writer, undefined), 200);
    const { settings } = platform.client(writer);
    assert.equal(await answers.grpc((options) => settings.getSettings({ appId: owner.id }, options)), 0);
    assert.equal(await graphql(writer, {}, one("INT")), 200);
    nowhere(answers.places);
  });

  test("refused over GraphQL, secrets are not in any error", async () => {
    const { refused, refusedNumber } = secrets.graphql;
    const values = { STRING: refused };
    const literal = (settings: string) =>
      graphql(writer, {}, `mutation ($id: ID!) { updateSettings(appID: $id, settings: ${settings}) { success } }`);
    for (const variables of [
      { values: refusedValues(refused, refusedNumber) },
      { values: refused },
      { values, version: 77 },
      { values, version: refused },
      { values, version: refusedNumber },
      { values, id: { deep: refused } },
    ])
      assert.equal(await graphql(writer, variables), 200);
    assert.equal(await graphql(unprivileged, { values }), 200);
    await literal(`{STRING: {deep: "${refused}"}}`);
    await literal(`{STRING: "${refused}"}, expectedVersion: "${refused}"`);
    await literal(`{STRING "${refused}"}`);
    await literal(`{STRING: "${refused}`);
    assert.equal(await http("POST", "/graphql", writer, `{"query": "{ a }", "variables": {"a": ${refused}}}`), 400);
    const parameters = new URLSearchParams({ query: update, variables: JSON.stringify({ id: owner.id, values }) });
    assert.equal(await http("GET", `/graphql?${parameters}`, writer, undefined), 405);
    nowhere(answers.places);
  });

  test("refused over gRPC, secrets are not in any error", async () => {
    const { refused, refusedNumber } = secrets.grpc;
    assert.equal(await grpc(writer, refusedValues(refused, refusedNumber)), Code.InvalidArgument);
    assert.equal(await grpc(writer, { STRING: refused }, { expectedVersion: 77n }), Code.Aborted);
    assert.equal(await grpc(unprivileged, { STRING: refused }), Code.PermissionDenied);
    const method = "/appserver.v2.SettingsService/UpdateSettings";
    const headers = { "content-type": "application/json", authorization: `Bearer ${writer}` };
    const messages = [{ values: refused }, { appId: { deep: refused } }, { expectedVersion: refused }];
    for (const body of [`{"values": {"STRING": ${refused}}}`, ...messages.map((message) => JSON.stringify(message))])
      assert.equal(await answers.http(platform.server.grpcUrl, method, { method: "POST", headers, body }), 400);
    nowhere(answers.places);
  });

  test("refused over REST, secrets are not in any error", async () => {
    const { refused, refusedNumber } = secrets.rest;
    const values = refusedValues(refused, refusedNumber);
    const put = (body: unknown, token = writer, headers = {}) => http("PUT", path, token, body, headers);
    for (const body of [{ values }, { values: refused }, refused, `{"values": {"STRING": ${refused}}}`])
      assert.equal(await put(body), 400);
    assert.equal(await put({ values: { STRING: refused } }, writer, { "if-match": `"${refused}"` }), 412);
    assert.equal(await put({ values: { STRING: refused } }, unprivileged), 403);
    assert.equal(await http("POST", `${path}/validate`, writer, { values }), 200);
    assert.equal(await http("GET", `${path}?STRING=${refused}`, writer, undefined), 400);
    nowhere(answers.places);
  });

  test("secrets are not in the responses for values that cannot be decrypted", async () => {
    const { database } = platform.services;
    const swap = `update settings."values" a set value = b.value from settings."values" b
      where a.app_id = b.app_id and (a.key, b.key) in (('STRING', 'ruled'), ('ruled', 'STRING'))`;
    await database.query(swap);
    assert.equal(await graphql(platform.adminToken, {}, one("STRING")), 200);
    assert.match(answers.last, /INVALID_STATE/);
    assert.equal(await graphql(writer, {}, query), 200);
    await database.query(swap);
    assert.equal((await ownValues())["STRING"], secrets.rest.taken);
    nowhere(answers.places);
  });

  test("a search that finds a plain value in every kind of place finds no secret", async () => {
    assert.equal(await answers.http(platform.server.httpUrl, `/api/apps/${name}/limited`, {}), 502);
    const { client } = platform.redis;
    await Promise.all([
      client.set("planted:string", planted),
      client.hSet("planted:hash", "a", planted),
      client.rPush("planted:list", planted),
      client.sAdd("planted:set", planted),
      client.zAdd("planted:zset", { score: 1, value: planted }),
      client.xAdd("planted:stream", "*", { a: planted }),
    ]);
    const types = ["string", "hash", "list", "set", "zset", "stream"].map((type) => `redis-key ${type} planted:${type}`);
    const tables = ["table settings.values", "table platform.audit_log"];
    const letters = ["settings.updated", "app.installed"].map((type) => `queue ${planted}.subscriber.${type}.dlq`);
    const kinds = ["log", "metrics", "spans", "redis-commands", "messages", "definitions", ...tables, ...letters, ...types];
    let places: SearchedTexts = {};
    const missing = (): readonly string[] => {
      const found = new Set(findCanary(planted, places));
      const named = findCanary("UpdateSettings", places);
      return [
        ...kinds.filter((kind) => !found.has(kind)),
        ...["log", "spans"].filter((kind) => !named.includes(kind)).map((kind) => `UpdateSettings in ${kind}`),
      ];
    };
    await until("events and spans have arrived", async () => {
      places = await look();
      return missing().length === 0;
    }).catch((error: unknown) => assert.fail(`not searched: ${missing().join()} (${String(error)})`));
    nowhere(places);
    assert.ok(findCanary(planted, answers.places).length > 10);
  });

  test("no secret is found after a key rotation on the running platform, and no read fails", async () => {
    const done = new AbortController();
    let reads = 0;
    const reading = (async () => {
      for (; !done.signal.aborted; reads += 1) assert.equal((await ownValues())["STRING"], secrets.rest.taken);
    })();
    const environment = { ...platform.services.environment, ...withKeys("new", "old"), APPSERVER_LOG_LEVEL: "debug" };
    const rotation = await runAppserver(["settings", "rotate-key"], environment);
    done.abort();
    await reading;
    answers.keep(rotation);
    assert.match(rotation.stdout, /10 values encrypted with the key new/, rotation.stderr);
    assert.ok(reads > 0);
    await platform.serve(withKeys("new"));
    own = platform.client(owner);
    assert.equal((await ownValues())["STRING"], secrets.rest.taken);
    const places = await look();
    nowhere(places);
    assert.equal(String(places["table settings.values"]).split("v1:new:").length, 11);
  });

  test("no secret is found after the app was uninstalled and purged", async () => {
    await platform.client(platform.adminToken).marketplace.uninstallApp({ name, purgeData: true });
    let places: SearchedTexts = {};
    await until("the event has arrived", async () => {
      places = await look();
      return findCanary(planted, places).includes(`queue ${planted}.subscriber.app.uninstalled.dlq`);
    });
    assert.equal(places["table settings.values"], "");
    assert.match(String(places["table platform.audit_log"]), /settings\.purge/);
    nowhere(places);
    // For the server's last log lines and spans.
    await platform.server.stop();
    nowhere({ log: platform.log, spans: platform.spans });
  });
});
