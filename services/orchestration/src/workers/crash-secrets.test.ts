import assert from "node:assert/strict";
import { test } from "node:test";
import { SettingDataType, SettingDefinitionSchema } from "@appserver/contracts/proto/appserver/v2/settings";
import { create } from "@bufbuild/protobuf";
import { desiredApp } from "../../test/fixtures.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";

const token = create(SettingDefinitionSchema, {
  key: "token",
  dataType: SettingDataType.STRING,
  sensitive: true,
  env: "TOKEN",
});
const password = `appdb_${"aB3-_x9Z".repeat(4)}`;

test("neither the reason nor the last lines of a crash contain a secret that the platform gave to the app", async () => {
  const fixture = new ReconcileFixture();
  fixture.desired = desiredApp({ settingVariables: [token] });
  fixture.settings.values.set("TOKEN", "hunter2-canary");
  await fixture.reconcile();
  fixture.platform = { ...fixture.platform, APPSERVER_REDIS_URL: "redis://:shared-canary@redis" };
  fixture.runtime.log = `shared-canary\ntoken is hunter2-canary\nError: cannot log in with ${password}\n`;
  fixture.runtime.end("app-com.example.notes", 1);
  await fixture.reconcile();
  const { lastError, lastCrash } = fixture.deployment;
  assert.equal(lastError?.message, 'the app exited with code 1: "Error: cannot log in with ********"');
  assert.deepEqual(lastCrash?.output, ["********", "token is ********", "Error: cannot log in with ********"]);
  assert.ok(!/canary|appdb_/.test(JSON.stringify(fixture.deployments.all)));
});
