import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { processNumbers, startTimeOf } from "@appserver/kernel/files";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { ask } from "../../ask-probe.ts";
import { printedBy } from "../../container-logs.suite.ts";
import { containersSuite } from "../../containers.suite.ts";
import { hasReason } from "../../has-reason.ts";
import { probeEntry, writeProbeApp } from "../../probe-app.ts";
import { ProcessRuntime } from "./process-runtime.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-process-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeProbeApp(folder);

const image = "registry.example/com.example.probe:latest";
const images = (reference: string) =>
  reference === image ? { command: [process.execPath, probeEntry], cwd: folder } : undefined;
const open = (stateFolder: string, stopOnClose = false) => new ProcessRuntime({ stateFolder, images, stopOnClose });

const runtimeFile = new URL("./process-runtime.ts", import.meta.url).href;

const specOf = (name: string): ContainerSpec => ({
  name,
  image,
  environment: { PORT: "3000", SECRET: "s" },
  labels: { [containerLabels.instance]: "test", [containerLabels.appId]: name },
  network: "any",
  port: 3000,
  endpoint: "network",
  memoryMb: 64,
  cpuShares: 1,
  pidsLimit: 1,
  readOnlyRoot: true,
});

const suiteApp = join(folder, "suite-app");
mkdirSync(suiteApp);
const suiteImages = (reference: string) => {
  const found = images(reference);
  return found && { ...found, cwd: suiteApp, snapshot: true };
};

containersSuite("process", async () => {
  writeProbeApp(suiteApp);
  return {
    open: async () => new ProcessRuntime({ stateFolder: join(folder, "suite"), images: suiteImages }),
    image,
    publish: async (version) => writeProbeApp(suiteApp, version),
    missingImage: "registry.example/com.example.missing:latest",
    noLimits: "this driver has no users and no limits of its own for each container",
    sharedFiles: "this driver has no file system of its own for each container",
    ownEnvironment: ["PATH", "HOST", "APP_IDENTITY_DIR", "PORT"],
    close: async () => {},
  };
});

describe("ProcessRuntime", () => {
  test("gives each app a different port on the loopback address", async () => {
    const runtime = open(join(folder, "ports"), true);
    const names = ["app-first", "app-second"];
    for (const name of names) await runtime.create(specOf(name));
    const views = await Promise.all(names.map((name) => runtime.start(name)));
    const seen = await Promise.all(views.map((view) => ask(view, "/env") as Promise<Record<string, string>>));
    assert.deepEqual(
      views.map((view) => view.endpoint),
      seen.map(({ PORT, HOST }) => `http://${HOST}:${PORT}`),
    );
    assert.notEqual(views[0]?.endpoint, views[1]?.endpoint);
    await runtime.close();
  });

  test("close ends all apps if configured, and none otherwise", async () => {
    const stateFolder = join(folder, "closing");
    const runtime = open(stateFolder);
    await runtime.create(specOf("app-left"));
    const view = await runtime.start("app-left");
    await runtime.close();
    await ask(view, "/env");
    const next = open(stateFolder, true);
    assert.equal((await next.inspect("app-left"))?.status, "running");
    await next.close();
    await assert.rejects(fetch(view.endpoint ?? ""));
  });

  test("hides environments from other users", async () => {
    const stateFolder = join(folder, "private");
    const runtime = open(stateFolder);
    await runtime.create(specOf("app-private"));
    assert.equal(statSync(join(stateFolder, "app-private.json")).mode & 0o077, 0);
    await runtime.close();
  });

  test("refuses names that are not file names", async () => {
    const runtime = open(join(folder, "names"));
    for (const name of ["../escape", "a/b", "", ".hidden"]) {
      await assert.rejects(runtime.create(specOf(name)), hasReason("other"));
      await assert.rejects(runtime.inspect(name), hasReason("other"));
    }
    await runtime.close();
  });

  test("kills an app that does not end in time, and its children", async () => {
    const stateFolder = join(folder, "stubborn");
    const script = "trap '' TERM; sleep 1000 & echo $! > child.pid; while :; do wait; done";
    mkdirSync(stateFolder);
    const runtime = new ProcessRuntime({
      stateFolder,
      images: () => ({ command: ["/bin/sh", "-c", script], cwd: stateFolder }),
    });
    await runtime.create(specOf("app-stubborn"));
    await runtime.start("app-stubborn");
    const childFile = join(stateFolder, "child.pid");
    const child = await eventually(
      () => (existsSync(childFile) ? Number(readFileSync(childFile, "utf8")) : 0),
      (pid) => pid > 0,
    );
    assert.notEqual(startTimeOf(child), undefined);
    await runtime.stop("app-stubborn", 100);
    assert.equal((await runtime.inspect("app-stubborn"))?.exitCode, 137);
    assert.equal(startTimeOf(child), undefined);
    await runtime.close();
  });

  test("a program that cannot be run is start_failed, and the container is unchanged", async () => {
    const runtime = new ProcessRuntime({
      stateFolder: join(folder, "broken"),
      images: () => ({ command: ["/no/such/program"], cwd: folder }),
    });
    await runtime.create(specOf("app-broken"));
    await assert.rejects(runtime.start("app-broken"), hasReason("start_failed"));
    assert.equal((await runtime.inspect("app-broken"))?.status, "created");
    await runtime.close();
  });

  test("a damaged record ends its own process and affects no other container", {
    skip: process.platform !== "linux" && "needs /proc",
  }, async () => {
    const stateFolder = join(folder, "damaged");
    const runtime = open(stateFolder, true);
    for (const name of ["app-damaged", "app-sound"]) await runtime.create(specOf(name));
    const damaged = (await ask(await runtime.start("app-damaged"), "/pid")) as number;
    await runtime.start("app-sound");
    for (const content of ["", '{"id":', "null", "{}"]) {
      writeFileSync(join(stateFolder, "app-damaged.json"), content);
      assert.deepEqual(
        (await runtime.list({})).map(({ name, status }) => [name, status]),
        [["app-sound", "running"]],
        content,
      );
      assert.equal(startTimeOf(damaged), undefined);
    }
    await runtime.create(specOf("app-damaged"));
    const next = (await ask(await runtime.start("app-damaged"), "/pid")) as number;
    writeFileSync(join(stateFolder, "app-damaged.json"), "");
    await runtime.close();
    assert.equal(startTimeOf(next), undefined);
  });

  test("reports an exit at once", async () => {
    const stateFolder = join(folder, "exits");
    const runtime = open(stateFolder, true);
    const exits: string[] = [];
    const forget = runtime.onChange((name) => exits.push(name));
    await runtime.create(specOf("app-ending"));
    const pid = (await ask(await runtime.start("app-ending"), "/pid")) as number;
    process.kill(pid, "SIGKILL");
    await eventually(() => exits.length > 0);
    assert.deepEqual(exits, ["app-ending"]);
    forget();
    await runtime.close();
  });

  test("finds a process that was started but not recorded", {
    skip: process.platform !== "linux" && "needs /proc",
  }, async () => {
    const stateFolder = join(folder, "unrecorded");
    const runtime = open(stateFolder, true);
    await runtime.create(specOf("app-unrecorded"));
    const pid = await ask(await runtime.start("app-unrecorded"), "/pid");
    // The state after a kill between the start and the second write of the record.
    const file = join(stateFolder, "app-unrecorded.json");
    const { process: _lost, ...record } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...record, status: "starting" }));

    const next = open(stateFolder);
    const view = await next.inspect("app-unrecorded");
    assert.equal(view?.status, "running");
    assert.deepEqual(await next.start("app-unrecorded"), view);
    assert.equal(view && (await ask(view, "/pid")), pid);
    await next.close();
    await runtime.close();
  });

  test("after kill -9 of the server at any moment of a start, the app has one process or none", {
    skip: process.platform !== "linux" && "needs /proc",
  }, async () => {
    const stateFolder = join(folder, "killed");
    const starter = join(folder, "starter.ts");
    writeFileSync(
      starter,
      `import { ProcessRuntime } from ${JSON.stringify(runtimeFile)};
const runtime = new ProcessRuntime({ stateFolder: ${JSON.stringify(stateFolder)}, images: () => (${JSON.stringify(images(image))}) });
await runtime.create(${JSON.stringify(specOf("app-killed"))});
process.stdout.write("go");
await runtime.start("app-killed");
process.stdout.write("done");
setInterval(() => {}, 1000);`,
    );
    for (const delayMs of [0, 1, 2, 3, 5, 8, 12, 20, 40]) {
      await killedAfter(starter, delayMs);
      const runtime = open(stateFolder);
      const found = await runtime.inspect("app-killed");
      assert.ok(found?.status === "running" || found?.status === "created", found?.status);
      const started = await runtime.start("app-killed");
      await ask(started, "/pid");
      await runtime.remove("app-killed");
      assert.equal(processesIn(folder), 0, `after ${delayMs} ms`);
      await runtime.close();
    }
  });
});

describe("ProcessRuntime renames", () => {
  test("a rename that was killed after the log is finished by the next one", async () => {
    const stateFolder = join(folder, "half-renamed");
    const runtime = open(stateFolder, true);
    await runtime.create(specOf("app-half-g2"));
    await ask(await runtime.start("app-half-g2"), "/pid");
    renameSync(join(stateFolder, "app-half-g2.log"), join(stateFolder, "app-half.log"));
    const view = await runtime.rename("app-half-g2", "app-half");
    assert.equal(view.status, "running");
    assert.match(await printedBy(runtime, "app-half"), /probe is up/);
    await runtime.close();
  });

  test("an exit is reported under the new name", async () => {
    const runtime = open(join(folder, "renamed-exits"), true);
    const exits: string[] = [];
    runtime.onChange((name) => exits.push(name));
    await runtime.create(specOf("app-exit-g2"));
    const pid = (await ask(await runtime.start("app-exit-g2"), "/pid")) as number;
    await runtime.rename("app-exit-g2", "app-exit");
    process.kill(pid, "SIGKILL");
    await eventually(() => exits.length > 0);
    assert.deepEqual(exits, ["app-exit"]);
    await runtime.close();
  });

  test("after kill -9 of the server at any moment of renames, one running container is found", async () => {
    const stateFolder = join(folder, "killed-renames");
    const main = open(stateFolder, true);
    const names = ["app-renamed", "app-renamed-g2"] as const;
    await main.create(specOf(names[0]));
    const pid = await ask(await main.start(names[0]), "/pid");
    const script = join(folder, "renamer.ts");
    writeFileSync(
      script,
      `import { ProcessRuntime } from ${JSON.stringify(runtimeFile)};
const runtime = new ProcessRuntime({ stateFolder: ${JSON.stringify(stateFolder)}, images: () => undefined });
const [first, second] = ${JSON.stringify(names)};
const isFirst = (await runtime.inspect(first)) !== undefined;
process.stdout.write("go");
for (let [from, to] = isFirst ? [first, second] : [second, first]; ; [from, to] = [to, from]) await runtime.rename(from, to);`,
    );
    for (const delayMs of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
      await killedAfter(script, delayMs);
      const found = await main.list({});
      assert.deepEqual(
        found.map(({ status }) => status),
        ["running"],
        `after ${delayMs} ms`,
      );
      const name = found[0]?.name ?? "";
      const renamed = await main.rename(name, name === names[0] ? names[1] : names[0]);
      assert.equal(await ask(renamed, "/pid"), pid);
      assert.match(await printedBy(main, renamed.name), /probe is up/);
    }
    await main.close();
  });
});

/** Counts the processes that run in a folder: every copy of the probe. */
function processesIn(cwd: string): number {
  return processNumbers().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === cwd && startTimeOf(pid) !== undefined;
    } catch {
      return false;
    }
  }).length;
}

/** Runs a script as another server, and kills it some time after it printed something. */
async function killedAfter(script: string, delayMs: number): Promise<void> {
  const server = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname });
  await once(server.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  server.kill("SIGKILL");
  await once(server, "exit");
}
