import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ContainerSpec, containerLabels } from "@appserver/kernel/ports";
import { dockerEngineForTests } from "@appserver/testing/kit/docker";
import { ensureDebianProgram } from "../../../../../tools/services/debian-package.ts";
import { DockerRuntime, EngineClient } from "../index.ts";
import { type AppImage, makeAppImage } from "./index.ts";

const engine = await dockerEngineForTests();
const socketPath = "unavailable" in engine ? "" : engine.socketPath;
const python = ensureDebianProgram("python3", "python3");
const [unavailable] = [engine, python].flatMap((each) => ("unavailable" in each ? each.unavailable : []));

/** Loads the libraries that extension modules are linked to, resolves a name and handles TLS, as an app may. */
const backend = (version: string): string => `
import bz2, ctypes, hashlib, json, lzma, os, pathlib, socket, sqlite3, ssl, sys, threading, zlib
import helper

socket.getaddrinfo("localhost", 80)
ssl.create_default_context()
print(json.dumps({
    "version": ${JSON.stringify(version)},
    "helper": helper.WORD,
    "user": os.getuid(),
    "folder": os.getcwd(),
    "files": sorted([*os.listdir("."), *os.listdir("tiny")]),
    "shell": os.path.exists("/bin/sh"),
    "tests": (pathlib.Path(os.__file__).parent / "test").exists(),
}), flush=True)
threading.Event().wait()
`;

describe("the image of an app in Python", { skip: unavailable ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), "appserver-python-"));
  const instance = `python-${randomBytes(4).toString("hex")}`;
  const image = `appserver-suite.invalid/com.example.${instance}:latest`;
  const network = `appserver-${instance}`;
  const client = new EngineClient(socketPath);
  const runtime = new DockerRuntime({ socketPath, pullPolicy: "if-not-present" });

  const make = async (version: string): Promise<AppImage> => {
    writeFileSync(join(folder, "app/tiny/__main__.py"), backend(version));
    const entry = { module: "tiny", python: "path" in python ? python.path : "", packages: [join(folder, "packages")] };
    return await makeAppImage({ socketPath, appFolder: join(folder, "app"), entry, image, extraFolders: ["app.yaml"] });
  };
  const layers = async (): Promise<readonly string[]> => {
    const { body } = await client.request("GET", `/images/${image}/json`);
    return (body as { readonly RootFS: { readonly Layers: readonly string[] } }).RootFS.Layers;
  };
  const specOf = (user?: string): ContainerSpec => ({
    name: `app-${instance}`,
    image,
    environment: { PORT: "3000" },
    labels: { [containerLabels.instance]: instance, [containerLabels.appId]: "tiny" },
    network,
    port: 3000,
    endpoint: "publish",
    memoryMb: 128,
    cpuShares: 512,
    pidsLimit: 64,
    readOnlyRoot: true,
    ...(user === undefined ? {} : { user }),
  });
  /** Runs the app, and returns the first line that it prints, which is JSON. */
  const printed = async (user?: string): Promise<unknown> => {
    const { name } = await runtime.create(specOf(user));
    try {
      await runtime.start(name);
      for await (const [line] of runtime.logs(name, { follow: true })) if (line !== undefined) return JSON.parse(line.text);
      return assert.fail("it printed nothing");
    } finally {
      await runtime.remove(name);
    }
  };

  before(async () => {
    for (const each of ["app/tiny/__pycache__", "packages/pip", "packages/helper"])
      mkdirSync(join(folder, each), { recursive: true });
    for (const each of ["app/app.yaml", "app/tiny/key.pem", "app/tiny/__pycache__/old.pyc", "packages/pip/__init__.py"])
      writeFileSync(join(folder, each), "");
    writeFileSync(join(folder, "packages/helper/__init__.py"), 'WORD = "imported"\n');
    await runtime.ensureNetwork(network);
  });
  after(async () => {
    await runtime.close();
    await client.request("DELETE", `/networks/${network}`, { accept: [404] });
    await client.request("DELETE", `/images/${image}`, { accept: [404] });
    await client.close();
    if (!("unavailable" in engine)) await engine.stop();
    rmSync(folder, { recursive: true });
  });

  test("it is built once for the same contents, and another version of the app shares its base and packages", async () => {
    assert.equal((await make("1")).made, true);
    const first = await layers();
    assert.equal((await make("1")).made, false);
    assert.equal((await make("2")).made, true);
    const second = await layers();
    assert.deepEqual(second.slice(0, 2), first.slice(0, 2));
    assert.notEqual(second[2], first[2]);
  });

  for (const user of [undefined, "65532:65532"])
    test(`it runs as ${user ?? "its own user"}, with a read-only root and without a shell`, async () => {
      await make("2");
      assert.deepEqual(await printed(user), {
        version: "2",
        helper: "imported",
        user: user === undefined ? 1000 : 65_532,
        folder: "/app",
        files: ["__main__.py", "app.yaml", "tiny"],
        shell: false,
        tests: false,
      });
    });
});
