import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type TarEntry, tar } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "appserver-tar-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function archive(entries: TarEntry[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tar(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

test("tar unpacks what was packed", async () => {
  const source = join(folder, "source.bin");
  writeFileSync(source, Buffer.alloc(1_500, 7));
  const long = `${"folder/".repeat(20)}file.txt`;
  const bytes = await archive([
    { kind: "folder", path: "tmp", mode: 0o1777 },
    { kind: "file", path: "empty", contents: "" },
    { kind: "file", path: long, contents: "ü".repeat(300) },
    { kind: "copy", path: "bin/copied", source, mode: 0o755 },
    { kind: "link", path: "link", target: "bin/copied" },
  ]);
  execFileSync("tar", ["-x", "-p", "-C", folder], { input: bytes });
  assert.equal(readFileSync(join(folder, long), "utf8"), "ü".repeat(300));
  assert.deepEqual(readFileSync(join(folder, "bin/copied")), readFileSync(source));
  assert.equal(statSync(join(folder, "bin/copied")).mode & 0o777, 0o755);
  assert.equal(statSync(join(folder, "empty")).size, 0);
  assert.equal(readlinkSync(join(folder, "link")), "bin/copied");
  assert.ok(statSync(join(folder, "tmp")).isDirectory());
});

test("paths and targets of any length", async () => {
  const long = `${"n".repeat(90)}/${"m".repeat(130)}`;
  const bytes = await archive([
    { kind: "folder", path: "d".repeat(120) },
    { kind: "file", path: long, contents: "long" },
    { kind: "link", path: "to-long", target: long },
  ]);
  execFileSync("tar", ["-x", "-C", folder], { input: bytes });
  assert.equal(readFileSync(join(folder, "to-long"), "utf8"), "long");
  assert.ok(statSync(join(folder, "d".repeat(120))).isDirectory());
});
