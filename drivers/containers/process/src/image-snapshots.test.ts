import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { eventually } from "@appserver/testing/kit";
import { ask } from "../../ask-probe.ts";
import { hasReason } from "../../has-reason.ts";
import { writeProbeApp } from "../../probe-app.ts";
import { copyFolder } from "./copy-folder.ts";
import { ProcessRuntime } from "./process-runtime.ts";

const image = "registry.example/com.example.app:latest";
const command = ["node", "src/server.ts"];
const never = new AbortController().signal;

let root = "";
before(() => {
  root = mkdtempSync(join(tmpdir(), "appserver-snapshots-"));
});
after(() => rmSync(root, { recursive: true, force: true }));

/** One app in a workspace, and a runtime that takes snapshots of it. */
class Workspace {
  readonly folder = mkdtempSync(join(root, "workspace-"));
  readonly app = join(this.folder, "apps/app");
  readonly stateFolder = join(this.folder, "state");
  readonly data = join(this.folder, "data");

  constructor() {
    mkdirSync(join(this.app, "src"), { recursive: true });
  }

  runtime(keptSnapshots?: number): ProcessRuntime {
    return new ProcessRuntime({
      stateFolder: this.stateFolder,
      path: `${dirname(process.execPath)}:/usr/bin:/bin`,
      images: (reference) =>
        reference === image ? { command, cwd: this.app, snapshot: true, environment: { DATA_DIR: this.data } } : undefined,
      ...(keptSnapshots === undefined ? {} : { keptSnapshots }),
      stopOnClose: true,
    });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** A package in a `node_modules`, whose text tells which one was resolved. */
  writePackage(modules: string, name: string, text: string): void {
    this.write(`${modules}/${name}/package.json`, JSON.stringify({ name, type: "module", exports: "./index.js" }));
    this.write(`${modules}/${name}/index.js`, `export default ${JSON.stringify(text)};`);
  }

  async pull(runtime: ProcessRuntime): Promise<string> {
    return (await runtime.pull(image, { signal: never })).digest;
  }

  /** The app's folder in a snapshot. */
  copy(digest: string): string {
    return join(this.images, digest.slice("sha256:".length), "app");
  }

  get images(): string {
    return join(this.stateFolder, "snapshots", "registry.example_com.example.app");
  }

  spec(name: string, digest?: string): ContainerSpec {
    return {
      name,
      image: digest === undefined ? image : `${image}@${digest}`,
      environment: {},
      labels: { [containerLabels.instance]: "test", [containerLabels.appId]: name },
      network: "any",
      port: 3000,
      endpoint: "publish",
      memoryMb: 64,
      cpuShares: 1,
      pidsLimit: 1,
      readOnlyRoot: true,
    };
  }
}

describe("snapshots of an app's folder", () => {
  test("a TypeScript app runs from its snapshot with its own and the workspace's packages, after its source vanished", async () => {
    const workspace = new Workspace();
    workspace.writePackage("node_modules", "shared", "of the workspace");
    workspace.writePackage("node_modules", "both", "of the workspace");
    workspace.writePackage("modules-of-the-app", "both", "of the app");
    symlinkSync(join(workspace.folder, "modules-of-the-app"), join(workspace.app, "node_modules"));
    workspace.write(
      "apps/app/src/server.ts",
      `import { createServer } from "node:http";
import shared from "shared";
import both from "both";
const seen: Record<string, unknown> = { shared, both, cwd: process.cwd(), data: process.env.DATA_DIR };
createServer((_, response) => response.end(JSON.stringify(seen))).listen(Number(process.env.PORT), process.env.HOST);`,
    );
    const runtime = workspace.runtime();
    const digest = await workspace.pull(runtime);
    rmSync(join(workspace.app, "src"), { recursive: true });

    await runtime.create(workspace.spec("app-typescript", digest));
    const view = await runtime.start("app-typescript");
    assert.deepEqual(await ask(view, "/"), {
      shared: "of the workspace",
      both: "of the app",
      cwd: workspace.copy(digest),
      data: workspace.data,
    });
    await runtime.close();
  });

  test("the copy has files with their modes, folders and links, without node_modules, .git, what Python makes and the publisher's key", async () => {
    const workspace = new Workspace();
    workspace.write("apps/app/src/server.ts", "");
    workspace.write("apps/app/key.pem", "secret");
    for (const ignored of [
      ".git/HEAD",
      ".venv/bin/python3",
      "src/__pycache__/b.pyc",
      "node_modules/x/index.js",
      "packages/p/node_modules/y/index.js",
    ]) {
      workspace.write(`apps/app/${ignored}`, "");
    }
    workspace.write("apps/outside.txt", "outside");
    writeFileSync(join(workspace.app, "run.sh"), "#!/bin/sh", { mode: 0o755 });
    symlinkSync("src/server.ts", join(workspace.app, "inner"));
    symlinkSync("../outside.txt", join(workspace.app, "outer"));
    const runtime = workspace.runtime();
    const copy = workspace.copy(await workspace.pull(runtime));
    assert.deepEqual(readdirSync(copy).sort(), ["inner", "node_modules", "outer", "packages", "run.sh", "src"]);
    assert.deepEqual(readdirSync(join(copy, "src")), ["server.ts"]);
    assert.equal(statSync(join(copy, "run.sh")).mode & 0o111, 0o111);
    assert.equal(readlinkSync(join(copy, "inner")), "src/server.ts");
    assert.equal(readFileSync(join(copy, "outer"), "utf8"), "outside");
    assert.equal(readlinkSync(join(copy, "node_modules")), join(workspace.app, "node_modules"));
    assert.equal(readlinkSync(join(copy, "packages/p/node_modules")), join(workspace.app, "packages/p/node_modules"));
    await runtime.close();
  });

  test("the digest changes with a file's contents, name and right to run, and only a change makes a copy", async () => {
    const workspace = new Workspace();
    const runtime = workspace.runtime();
    workspace.write("apps/app/src/server.ts", "1");
    const first = await workspace.pull(runtime);
    const copiedAt = statSync(workspace.copy(first)).birthtimeMs;
    workspace.write("apps/app/node_modules/x/index.js", "");
    assert.equal(await workspace.pull(runtime), first);
    assert.equal(statSync(workspace.copy(first)).birthtimeMs, copiedAt);

    const digests = new Set([first]);
    const changes: (() => void)[] = [
      () => workspace.write("apps/app/src/server.ts", "2"),
      () => renameSync(join(workspace.app, "src/server.ts"), join(workspace.app, "src/main.ts")),
      () => symlinkSync("main.ts", join(workspace.app, "src/server.ts")),
      () => writeFileSync(join(workspace.app, "program"), "", { mode: 0o644 }),
      () => {
        rmSync(join(workspace.app, "program"));
        writeFileSync(join(workspace.app, "program"), "", { mode: 0o755 });
      },
    ];
    for (const change of changes) {
      change();
      digests.add(await workspace.pull(runtime));
    }
    assert.equal(digests.size, changes.length + 1);
    await runtime.close();
  });

  test("an unknown digest of a known image is image_not_found, and a pull of it copies nothing", async () => {
    const workspace = new Workspace();
    workspace.write("apps/app/src/server.ts", "");
    const runtime = workspace.runtime();
    const spec = workspace.spec("app-unknown", `sha256:${"0".repeat(64)}`);
    await assert.rejects(runtime.pull(spec.image, { signal: never }), hasReason("image_not_found"));
    await assert.rejects(runtime.create(spec), hasReason("image_not_found"));
    await assert.rejects(runtime.create({ ...spec, image: `${image}@sha256:../../x` }), hasReason("image_not_found"));
    assert.deepEqual(existsSync(workspace.images) ? readdirSync(workspace.images) : [], []);
    rmSync(workspace.app, { recursive: true });
    await assert.rejects(runtime.pull(image, { signal: never }), hasReason("image_not_found"));
    await runtime.close();
  });

  test("the newest snapshots stay, and each that a container uses", async () => {
    const workspace = new Workspace();
    const runtime = workspace.runtime(2);
    const pullVersion = async (version: number): Promise<string> => {
      workspace.write("apps/app/src/server.ts", `// ${version}`);
      return await workspace.pull(runtime);
    };
    const used = await pullVersion(1);
    await runtime.create(workspace.spec("app-used", used));
    const [second, third, fourth] = [await pullVersion(2), await pullVersion(3), await pullVersion(4)];
    const kept = (): string[] => readdirSync(workspace.images).map((name) => `sha256:${name}`);
    assert.deepEqual(kept().sort(), [used, third, fourth].sort());
    await assert.rejects(runtime.create(workspace.spec("app-second", second)), hasReason("image_not_found"));
    await runtime.remove("app-used");
    // Pulled again, the third is newer than the fourth.
    assert.equal(await pullVersion(3), third);
    const fifth = await pullVersion(5);
    assert.deepEqual(kept().sort(), [third, fifth].sort());
    await runtime.close();
  });

  test("an aborted pull is pull_timeout and leaves no snapshot", async () => {
    const workspace = new Workspace();
    for (let index = 0; index < 300; index += 1) workspace.write(`apps/app/src/${index}.ts`, "x".repeat(10_000));
    const runtime = workspace.runtime();
    for (const delayMs of [0, 5, 40]) {
      const pull = runtime.pull(image, { signal: AbortSignal.timeout(delayMs) });
      await assert.rejects(pull, { reason: "pull_timeout", message: `timeout pulling image: ${image}` });
    }
    assert.deepEqual(existsSync(workspace.images) ? readdirSync(workspace.images) : [], []);
    await runtime.close();
  });

  test("a copy does not block the process", async () => {
    const workspace = new Workspace();
    const large = "x".repeat(1 << 20);
    for (let index = 0; index < 64; index += 1) workspace.write(`apps/app/data/${index}`, large + index);
    const runtime = workspace.runtime();
    let maxMs = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      maxMs = Math.max(maxMs, performance.now() - last);
      last = performance.now();
    }, 1);
    const startedAt = performance.now();
    await workspace.pull(runtime);
    clearInterval(watch);
    assert.ok(maxMs < Math.max(200, (performance.now() - startedAt) / 2), `blocked for ${maxMs} ms`);
    await runtime.close();
  });

  test("a state folder below node_modules is refused: Node would not run TypeScript there", async () => {
    const workspace = new Workspace();
    workspace.write("apps/app/src/server.ts", "");
    const stateFolder = join(workspace.folder, "node_modules/state");
    const images = () => ({ command, cwd: workspace.app, snapshot: true });
    const runtime = new ProcessRuntime({ stateFolder, images });
    await assert.rejects(runtime.pull(image, { signal: never }), { reason: "pull_failed", message: /below a node_modules/ });
    await runtime.close();
  });

  test("after kill -9 at any moment of a pull, every snapshot is complete, and the next copy removes the rest", async () => {
    const workspace = new Workspace();
    for (let index = 0; index < 200; index += 1) workspace.write(`apps/app/src/${index}.ts`, "x".repeat(20_000));
    const script = join(workspace.folder, "puller.ts");
    const runtimeFile = new URL("./process-runtime.ts", import.meta.url).href;
    const imageText = JSON.stringify({ command, cwd: workspace.app, snapshot: true });
    writeFileSync(
      script,
      `import { ProcessRuntime } from ${JSON.stringify(runtimeFile)};
const runtime = new ProcessRuntime({ stateFolder: ${JSON.stringify(workspace.stateFolder)}, images: () => (${imageText}) });
process.stdout.write("go");
await runtime.pull(${JSON.stringify(image)}, { signal: new AbortController().signal });
setInterval(() => {}, 1000);`,
    );
    const drafts = (): string[] => snapshotNames(workspace).filter((name) => name.startsWith("."));
    let seen = 0;
    for (const delayMs of [0, 5, 10, 20, 40, 80, 160]) {
      workspace.write("apps/app/src/0.ts", `// ${delayMs}`);
      const puller = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname });
      await once(puller.stdout, "data");
      const before = snapshotNames(workspace).join();
      await eventually(() => snapshotNames(workspace).join() !== before, undefined, { intervalMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      puller.kill("SIGKILL");
      await once(puller, "exit");
      seen += drafts().length;
    }
    assert.ok(seen > 0, "no kill was during a copy");
    const expected = (await copyFolder(workspace.app)).hash;
    const runtime = workspace.runtime();
    const digest = await workspace.pull(runtime);
    assert.equal((await copyFolder(workspace.copy(digest))).hash, expected);
    workspace.write("apps/app/src/0.ts", "// last");
    await workspace.pull(runtime);
    assert.deepEqual(drafts(), []);
    for (const name of snapshotNames(workspace)) {
      assert.match(name, /^[0-9a-f]{64}$/);
      assert.equal(readdirSync(join(workspace.images, name, "app/src")).length, 200);
    }
    await runtime.close();
  });

  test("a file that is removed during the pull is not part of it", async () => {
    const workspace = new Workspace();
    writeProbeApp(workspace.app);
    for (let index = 0; index < 200; index += 1) workspace.write(`apps/app/src/${index}.ts`, "x");
    const runtime = workspace.runtime();
    const pull = workspace.pull(runtime);
    for (let index = 0; index < 200; index += 1) {
      rmSync(join(workspace.app, `src/${index}.ts`));
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(existsSync(workspace.copy(await pull)));
    await runtime.close();
  });
});

function snapshotNames(workspace: Workspace): string[] {
  return existsSync(workspace.images) ? readdirSync(workspace.images) : [];
}
