import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { strFromU8, unzipSync } from "fflate";
import { packWheel } from "./wheel.ts";
import { writeWheel } from "./write-wheel.ts";

const repository = resolve(import.meta.dirname, "../../..");
const sdk = join(repository, "sdk/python");
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes);

describe("the SDK for Python as a wheel", () => {
  let output: string;
  let name: string;
  let bytes: Uint8Array;
  let files: Record<string, Uint8Array>;
  let version: string;
  before(async () => {
    ({ version } = JSON.parse(await readFile(join(repository, "sdk/package.json"), "utf8")) as { version: string });
    output = await mkdtemp(join(tmpdir(), "appserver-wheel-"));
    await writeWheel(sdk, output, join(repository, "LICENSE"));
    [name = ""] = (await readdir(output)).filter((each) => each.endsWith(".whl"));
    bytes = await readFile(join(output, name));
    files = unzipSync(bytes);
  });
  after(() => rm(output, { recursive: true }));

  const info = (file: string) => strFromU8(files[`appserver_sdk-${version}.dist-info/${file}`] ?? new Uint8Array());

  test("has the version of the platform, and says what it needs", () => {
    assert.equal(name, `appserver_sdk-${version}-py3-none-any.whl`);
    const [head = ""] = info("METADATA").split("\n\n");
    assert.match(head, /^Metadata-Version: 2\.1\nName: appserver-sdk\n/);
    assert.match(head, new RegExp(`^Version: ${version}$`, "m"));
    assert.match(head, /^Requires-Python: >=3\.11$/m);
    assert.deepEqual(
      [...head.matchAll(/^Requires-Dist: (\w+)>=\d/gm)].map(([, each]) => each),
      ["cryptography", "grpcio", "protobuf"],
    );
    assert.match(info("WHEEL"), /^Wheel-Version: 1\.0\n.*^Root-Is-Purelib: true\nTag: py3-none-any\n$/ms);
  });

  test("contains every module with its types, the licence, and nothing that is compiled or a test", async () => {
    const modules = Object.keys(files).filter((file) => !file.includes(".dist-info/"));
    const sources = await readdir(join(sdk, "src"), { recursive: true, withFileTypes: true });
    const expected = sources.filter((entry) => entry.isFile() && !entry.name.endsWith(".pyc"));
    assert.equal(modules.length, expected.length);
    assert.ok(modules.includes("appserver_sdk/py.typed") && modules.includes("appserver_sdk/proto/hooks_pb2.py"));
    assert.match(info("LICENSE"), /Apache License/);
  });

  test("its record has the hash and the size of each file, in their order", () => {
    const recorded = info("RECORD").trimEnd().split("\n");
    const own = recorded.pop();
    assert.equal(own, `appserver_sdk-${version}.dist-info/RECORD,,`);
    const actual = Object.entries(files)
      .slice(0, -1)
      .map(([path, content]) => `${path},sha256=${sha256(content).digest("base64url")},${content.length}`);
    assert.deepEqual(recorded, actual);
  });

  test("the index leads to it, with its hash", async () => {
    assert.match(await readFile(join(output, "index.html"), "utf8"), /<a href="appserver-sdk\/">appserver-sdk<\/a>/);
    const page = await readFile(join(output, "appserver-sdk/index.html"), "utf8");
    assert.ok(page.includes(`<a href="../${name}#sha256=${sha256(bytes).digest("hex")}" data-requires-python="&gt;=3.11">`));
  });

  test("equal files give equal bytes, in any order", () => {
    const project = {
      name: "A-b.c",
      version: "1.0",
      description: "",
      license: "",
      requiresPython: ">=3",
      dependencies: [],
    };
    const [one, two] = [Buffer.from("1"), Buffer.from("2")];
    const wheel = packWheel(project, "", { "a.py": one, "b.py": two });
    assert.equal(wheel.file, "a_b_c-1.0-py3-none-any.whl");
    assert.deepEqual(packWheel(project, "", { "b.py": two, "a.py": one }).bytes, wheel.bytes);
    assert.notDeepEqual(packWheel(project, "", { "a.py": one, "b.py": one }).bytes, wheel.bytes);
  });
});
