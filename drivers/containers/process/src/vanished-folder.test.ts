import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { startTimeOf } from "@appserver/kernel/files";
import { type ContainerSpec, type ContainerView, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { ask } from "../../ask-probe.ts";
import { hasReason } from "../../has-reason.ts";
import { probeEntry, writeProbeApp } from "../../probe-app.ts";
import { type ContainerRecord, ContainerRecords } from "./container-record.ts";
import { Outputs } from "./outputs.ts";
import { ProcessRuntime } from "./process-runtime.ts";
import { StateFolder } from "./state-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-vanished-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeProbeApp(folder);

const image = { command: [process.execPath, probeEntry], cwd: folder };
const open = (stateFolder: string) => new ProcessRuntime({ stateFolder, images: () => image, stopOnClose: true });
const skip = process.platform !== "linux" && "needs /proc";

const specOf = (name: string): ContainerSpec => ({
  name,
  image: "registry.example/com.example.probe:latest",
  environment: { PORT: "3000" },
  labels: { [containerLabels.instance]: "test", [containerLabels.appId]: name },
  network: "any",
  port: 3000,
  endpoint: "network",
  memoryMb: 64,
  cpuShares: 1,
  pidsLimit: 1,
  readOnlyRoot: true,
});

/** Retries: the runtime writes to the folder during the removal. */
const vanish = (stateFolder: string): void => rmSync(stateFolder, { recursive: true, maxRetries: 10, retryDelay: 1 });

async function startApp(runtime: ProcessRuntime, name: string): Promise<number> {
  await runtime.create(specOf(name));
  return (await ask(await runtime.start(name), "/pid")) as number;
}

describe("observing outputs, which a timer does", () => {
  const recordOf = (name: string): ContainerRecord => ({
    id: name,
    name,
    createdAs: name,
    image: "",
    imageDigest: "",
    command: [],
    cwd: "",
    environment: {},
    labels: {},
    storage: [],
    status: "started",
  });
  const outputsOf = (records: ContainerRecords) => new Outputs({ records, capBytes: 10, isRunning: () => true });

  test("does nothing while the folder does not exist or cannot be read", () => {
    const stateFolder = join(folder, "no-folder");
    const outputs = outputsOf(new ContainerRecords(new StateFolder(stateFolder)));
    vanish(stateFolder);
    outputs.observe();
    writeFileSync(stateFolder, "");
    outputs.observe();
  });

  test("continues with the other containers if the output of one cannot be read", () => {
    const stateFolder = join(folder, "unreadable");
    const records = new ContainerRecords(new StateFolder(stateFolder));
    for (const name of ["first", "second", "third"]) {
      records.write(recordOf(name));
      writeFileSync(records.logFile(name), "text\n");
    }
    rmSync(records.logFile("second"));
    mkdirSync(records.logFile("second"));
    outputsOf(records).observe();
    for (const name of ["first", "third"]) assert.ok(existsSync(records.outputFiles(name).index), name);
  });
});

describe("ProcessRuntime without its folder", { skip }, () => {
  test("reports no container as missing, starts none, and ends its apps on close", async () => {
    const stateFolder = join(folder, "removed");
    const runtime = open(stateFolder);
    const pid = await startApp(runtime, "app-removed");
    vanish(stateFolder);
    await assert.rejects(runtime.ping(), hasReason("unreachable"));
    await assert.rejects(runtime.inspect("app-removed"), hasReason("unreachable"));
    await assert.rejects(runtime.list({}), hasReason("unreachable"));
    for (const name of ["app-removed", "app-other"])
      await assert.rejects(runtime.create(specOf(name)), hasReason("unreachable"));
    assert.notEqual(startTimeOf(pid), undefined);
    assert.equal(existsSync(stateFolder), false);
    await runtime.close();
    assert.equal(startTimeOf(pid), undefined);
  });

  test("ends the apps that an earlier runtime started, too", async () => {
    const stateFolder = join(folder, "adopted");
    const earlier = new ProcessRuntime({ stateFolder, images: () => image });
    const pid = await startApp(earlier, "app-adopted");
    await earlier.close();
    const runtime = open(stateFolder);
    assert.equal((await runtime.inspect("app-adopted"))?.status, "running");
    vanish(stateFolder);
    await runtime.close();
    assert.equal(startTimeOf(pid), undefined);
  });

  test("ends its own apps and not those of the runtime that made the folder again", async () => {
    const stateFolder = join(folder, "replaced");
    const first = open(stateFolder);
    const own = await startApp(first, "app-replaced");
    vanish(stateFolder);
    const second = open(stateFolder);
    const other = await startApp(second, "app-replaced");
    await assert.rejects(first.inspect("app-replaced"), hasReason("unreachable"));
    await first.close();
    assert.equal(startTimeOf(own), undefined);
    assert.notEqual(startTimeOf(other), undefined);
    await second.close();
    assert.equal(startTimeOf(other), undefined);
  });

  test("survives the exit of an app, and ends the others when the process ends without a close", async () => {
    const stateFolder = join(folder, "exits");
    const script = join(folder, "server.ts");
    writeFileSync(
      script,
      `import { ProcessRuntime } from ${JSON.stringify(new URL("./process-runtime.ts", import.meta.url).href)};
const runtime = new ProcessRuntime({ stateFolder: ${JSON.stringify(stateFolder)}, images: () => (${JSON.stringify(image)}), stopOnClose: true });
for (const spec of ${JSON.stringify(["app-one", "app-two"].map(specOf))}) {
  await runtime.create(spec);
  await runtime.start(spec.name);
}
process.on("SIGTERM", () => process.exit(7));
process.stdin.resume();
process.stdout.write(JSON.stringify(await runtime.list({})));`,
    );
    const server = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
    after(() => server.kill("SIGKILL"));
    const exit = once(server, "exit");
    const [printed] = (await once(server.stdout, "data")) as [Buffer];
    const views = JSON.parse(String(printed)) as ContainerView[];
    const pids = (await Promise.all(views.map((view) => ask(view, "/pid")))) as number[];
    const [one = 0, two = 0] = pids;
    vanish(stateFolder);
    process.kill(one, "SIGKILL");
    await eventually(() => startTimeOf(one) === undefined);
    server.kill("SIGTERM");
    assert.deepEqual(await exit, [7, null]);
    await eventually(() => startTimeOf(two) === undefined);
  });
});
