import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { startTimeOf } from "@appserver/kernel/files";
import { downService, type ServiceDefinition, useService } from "./shared-service.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-service-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const pidOf = (definition: ServiceDefinition): number =>
  JSON.parse(readFileSync(join(definition.folder, "running.json"), "utf8")).pid;

const sleeper = (name: string, command = ["sleep", "1000"]): ServiceDefinition => ({
  name,
  folder: join(folder, name),
  startTimeoutMs: 2_000,
  prepare: async () => ({ command, settings: { name } }),
  isReady: async () => true,
});

test("a service runs until its last user stops it", async () => {
  const service = sleeper("shared");
  const [first, second] = await Promise.all([useService(service), useService(service)]);
  const pid = pidOf(service);
  assert.deepEqual(first.settings, { name: "shared" });
  await first.stop();
  assert.notEqual(startTimeOf(pid), undefined);
  await second.stop();
  assert.equal(startTimeOf(pid), undefined);
});

test("a user whose process ended does not count", async () => {
  const service = sleeper("abandoned");
  const script = `import { useService } from ${JSON.stringify(new URL("./shared-service.ts", import.meta.url).href)};
await useService({ name: "abandoned", folder: ${JSON.stringify(service.folder)}, startTimeoutMs: 2000, isReady: async () => true,
  prepare: async () => ({ command: ["sleep", "1000"], settings: { name: "abandoned" } }) });
process.exit();`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  const pid = pidOf(service);
  const use = await useService(service);
  assert.equal(pidOf(service), pid, "the running one is used");
  await use.stop();
  assert.equal(startTimeOf(pid), undefined);
});

test("a kept service runs until downService stops it", async () => {
  const service = sleeper("kept");
  await (await useService(service, { keep: true })).stop();
  await (await useService(service)).stop();
  const pid = pidOf(service);
  assert.notEqual(startTimeOf(pid), undefined);
  assert.equal(await downService(service), true);
  assert.equal(startTimeOf(pid), undefined);
  assert.equal(await downService(service), false);
});

test("a service that ends at once is reported with its last output", async () => {
  const service = { ...sleeper("failing", ["sh", "-c", "echo the port is taken; exit 3"]), isReady: async () => false };
  await assert.rejects(useService(service), /failing ended with code 3: the port is taken/);
});
