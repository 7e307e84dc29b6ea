import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { AuthorizationHome, StartError, silentLogger } from "@appserver/kernel";
import { createTestDatabase, startTestPostgres, type TestDatabase, type TestPostgres } from "@appserver/testing/kit";
import { loadServeConfig } from "../config/load-config.ts";
import { UsageError } from "../usage-error.ts";
import { bootstrapAuthorization, checkTuple, migrateDatabase } from "./admin.ts";
import { moveToDatabase, returnToDatabase } from "./move-database.ts";

const user = "11111111-1111-4111-8111-111111111111";
const data = `
  insert into accounts.people (id, email, email_key, name, state) values ('${user}', 'Ada@example.com', 'ada@example.com', 'Ada', 'active');
  insert into accounts.keys values ('cookies', '\\x00ff5c6e');
  insert into accounts.passwords (person_id, hash) values ('${user}', '$argon2id$...');
  insert into settings.apps (app_id, version) values ('${user}', 3);
  insert into settings.values values ('${user}', 'token', 'v1:k:i:c', true, now());
  insert into platform.audit_log (id, at, actor, action, target, outcome, details)
    select gen_random_uuid(), now(), 'ada', 'app.install', 'app:' || n, 'success', '{"n": 1}' from generate_series(1, 500) n;
  insert into platform.event_history (id, type, severity, message, data, at, sequence)
    select gen_random_uuid(), 'app.installed', 'INFO', E'\\\\u0000 "', '{"a":  "\\u0000"}', now(), n from generate_series(1, 20) n;
`;

describe("the move of a platform with every driver that has tables", () => {
  let server: TestPostgres;
  let [source, target]: [TestDatabase | undefined, TestDatabase | undefined] = [undefined, undefined];
  before(async () => {
    server = await startTestPostgres();
    source = await createTestDatabase(server);
    target = await createTestDatabase(server);
  });
  after(async () => {
    await source?.stop();
    await target?.stop();
    await server?.stop();
  });

  async function contextOf(opened: TestDatabase | undefined) {
    const { host = "", port = 0, user: role = "", password = "", database = "" } = opened?.connection ?? {};
    const config = await loadServeConfig(
      {},
      {
        APPSERVER_DB_HOST: host,
        APPSERVER_DB_PORT: `${port}`,
        APPSERVER_DB_USER: role,
        APPSERVER_DB_PASSWORD: password,
        APPSERVER_DB_NAME: database,
        APPSERVER_SETTINGS_ENCRYPTION_KEY: "01".repeat(32),
        APPSERVER_AUTHORIZATION_DRIVER: "embedded",
        APPSERVER_BROKER_DRIVER: "postgres",
        APPSERVER_CACHE_DRIVER: "postgres",
        APPSERVER_IDENTITY_DRIVER: "accounts",
      },
    );
    return { config, logger: silentLogger, signal: new AbortController().signal };
  }

  test("copies all tables; commands of operators work on the target and not on the source, until the move is undone", async () => {
    const [former, next] = [await contextOf(source), await contextOf(target)];
    await bootstrapAuthorization(former);
    await source?.database.query(data);
    await source?.database.stop();
    const { host, port, user: role, password, name: database } = next.config.database;
    const url = `postgres://${role}@${host}:${port}/${database}?sslmode=disable`;
    const moved = await moveToDatabase(former.config, url, { PGPASSWORD: password }, silentLogger);
    assert.deepEqual([moved.outcome, moved.notCopied], ["moved", []]);
    assert.ok(moved.tables > 60 && moved.rows > 525, JSON.stringify(moved));
    assert.deepEqual(moved.variables, {
      APPSERVER_DB_HOST: host,
      APPSERVER_DB_PORT: `${port}`,
      APPSERVER_DB_NAME: database,
      APPSERVER_DB_USER: role,
      APPSERVER_DB_SSLMODE: "disable",
    });
    assert.deepEqual(await migrateDatabase(next), []);
    assert.equal(target && (await new AuthorizationHome(target.database).read()), "embedded");
    const tuple = { user: "user:ada", relation: "viewer", object: "app:test.notes" };
    assert.equal(await checkTuple(next, tuple), false);
    await assert.rejects(
      checkTuple(former, tuple),
      (error) => error instanceof StartError && /was moved to/.test(error.message),
    );
    await returnToDatabase(former.config);
    assert.equal(await checkTuple(former, tuple), false);
  });

  test("a URL that is wrong is refused with what was expected, without its password", async () => {
    const { config } = await contextOf(source);
    const wrong: readonly (readonly [string, RegExp])[] = [
      ["db2", /expected postgres:\/\/<user>@<host>:<port>\/<database>$/],
      ["mysql://u:canary@db2/a", /expected postgres/],
      ["postgres://u:canary@db2", /expected postgres/],
      ["postgres://db2/a", /expected postgres/],
      ["postgres://u:canary%@db2/a", /URI malformed; expected postgres/],
      ["postgres://u:canary@db2:99999/a", /expected postgres/],
      ["postgres://u:canary@db2/a?sslmode=prefer", /sslmode is prefer: expected disable, require, verify-ca, verify-full/],
      ["postgres://u:canary@db2/a?options=x", /options is unknown: expected sslmode, sslrootcert/],
      ["postgres://u:canary@db2/a?sslrootcert=/none", /ENOENT/],
    ];
    for (const [url, expected] of wrong)
      await assert.rejects(moveToDatabase(config, url, {}, silentLogger), (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, expected);
        assert.doesNotMatch(error.message, /canary/);
        return true;
      });
  });
});
