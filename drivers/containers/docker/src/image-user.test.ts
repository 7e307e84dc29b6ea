import assert from "node:assert/strict";
import { test } from "node:test";
import { firstFile } from "./image-user.ts";
import { type TarEntry, tar } from "./images/tar.ts";

async function archive(...entries: readonly TarEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("the contents of a regular file are read, those of a link or of a damaged archive are not", async () => {
  const contents = `root:x:0:0::/:/nologin\n${"a".repeat(600)}:x:7:7::/:/nologin\n`;
  const file = await archive({ kind: "file", path: "passwd", contents });
  assert.equal(firstFile(file), contents);
  const extended = Buffer.from(await archive({ kind: "file", path: "pax", contents: "21 a=b\n" })).subarray(0, 1024);
  extended.write("x", 156);
  assert.equal(firstFile(Buffer.concat([extended, file])), contents);
  assert.equal(firstFile(await archive({ kind: "link", path: "passwd", target: "/tmp/passwd" })), undefined);
  assert.equal(firstFile(await archive({ kind: "folder", path: "passwd" })), undefined);
  assert.equal(firstFile(Buffer.alloc(100)), undefined);
  assert.equal(firstFile(Buffer.alloc(2_048, "?")), undefined);
});
