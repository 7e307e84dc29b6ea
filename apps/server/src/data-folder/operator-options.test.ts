import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readServeConfig } from "../config/serve-config.ts";
import { type LocalParts, readUpConfig, serveConfigOfUp } from "../config/up-config.ts";
import { withOperatorOptions, writeOperatorOptions } from "./operator-options.ts";
import { SettingsKeyFile } from "./settings-keys.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "operator-options-"));
});
after(() => rm(folder, { recursive: true }));

const local: LocalParts = {
  database: { host: "127.0.0.1", port: 5544, user: "appserver", password: "made", name: "appserver" },
  // Those of the start.
  encryptionKeys: [{ id: "k1", key: Buffer.alloc(32, 1) }],
  certificate: undefined,
  imageFolder: "",
};

test("commands of operators have the configuration of the platform in the folder; what they are given themselves counts more", async () => {
  const given = { APPSERVER_PUBLIC_URL: "https://apps.example.com", APPSERVER_INSTANCE: "team", LANG: "C" };
  const keys = new SettingsKeyFile(folder);
  await keys.load();
  const config = readUpConfig({ data: folder, "allow-processes": true }, given);
  await writeOperatorOptions(config, serveConfigOfUp(config, local));
  assert.equal((await stat(join(folder, "operator.json"))).mode & 0o777, 0o600);
  await keys.add();

  const environment = await withOperatorOptions(folder, { APPSERVER_LOG_LEVEL: "error", APPSERVER_INSTANCE: "other" });
  assert.equal(environment["LANG"], undefined);
  const read = readServeConfig({}, environment);
  const { database, drivers, server, settingsEncryption, telemetry } = read;
  assert.partialDeepStrictEqual(database, local.database);
  assert.deepEqual(
    settingsEncryption.encryptionKeys.map(({ id, key }) => ({ id, key: Buffer.from(key) })),
    await keys.load(),
    "the keys that the folder has now",
  );
  assert.deepEqual(
    [drivers.authorization, drivers.broker, drivers.cache, drivers.identity].map(({ choice }) => choice),
    ["embedded", "postgres", "memory", "accounts"],
  );
  assert.deepEqual([server.publicUrl, server.instance, telemetry.logLevel], ["https://apps.example.com", "other", "error"]);
});

test("a folder without options of a platform, and a damaged file, are refused with the file", async () => {
  const empty = join(folder, "empty");
  const name = "DataFolderError";
  await assert.rejects(withOperatorOptions(empty, {}), { name, message: /empty\/operator\.json: no platform has run there/ });
  for (const text of ["", "{", "[1", "null", "[]", '"x"', '{"APPSERVER_DB_PORT":5432}']) {
    await writeFile(join(folder, "operator.json"), text);
    await assert.rejects(
      withOperatorOptions(folder, {}),
      { name, message: /operator\.json is damaged: expected an object/ },
      text,
    );
  }
});
