import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ensureGoProgram, findGo, type GoProgram } from "./go-program.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-go-"));
const cache = join(folder, "cache");
after(() => rmSync(folder, { recursive: true, force: true }));
const skip = findGo() === undefined && "no Go toolchain";

function program(name: string, main: string): GoProgram {
  const source = join(folder, name);
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "go.mod"), `module example.test/${name}\n\ngo 1.21\n`);
  writeFileSync(join(source, "main.go"), `package main\n\n${main}\n`);
  return { name, version: "v1", source: { folder: source } };
}

test("a program is built once for concurrent callers, and again when its source changes", { skip }, async () => {
  const hello = program("hello", 'func main() { print("hello") }');
  const built = await Promise.all([ensureGoProgram(hello, cache), ensureGoProgram(hello, cache)]);
  const [path] = built.map((one) => ("path" in one ? one.path : assert.fail(one.unavailable)));
  assert.ok(path !== undefined && existsSync(path));
  assert.equal("path" in built[1] && built[1].path, path);
  assert.equal(execFileSync("sh", ["-c", `${path} 2>&1`], { encoding: "utf8" }), "hello");
  const { ino, mtimeMs } = statSync(path);
  assert.deepEqual(await ensureGoProgram(hello, cache), { path });
  assert.deepEqual({ ino: statSync(path).ino, mtimeMs: statSync(path).mtimeMs }, { ino, mtimeMs });
  const changed = await ensureGoProgram(program("hello", 'func main() { print("bye") }'), cache);
  assert.notEqual("path" in changed && changed.path, path);
});

test("a failed build returns the reason and leaves no program", { skip }, async () => {
  const broken = await ensureGoProgram(program("broken", "func main() { nonsense() }"), cache);
  assert.match(
    "unavailable" in broken ? broken.unavailable : "",
    /^broken could not be built: go ended with 1: .*undefined: nonsense/s,
  );
  assert.deepEqual(
    readdirSync(cache).filter((name) => name.startsWith("b")),
    [],
  );
});
