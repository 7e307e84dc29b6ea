import assert from "node:assert/strict";
import { test } from "node:test";
import { type TarEntry, tar } from "@appserver/contracts/folder-images";
import { firstFile, idsOf } from "./image-user.ts";

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

test("the ids of a user are read by the exact name", () => {
  const users =
    "root:x:0:0:root:/root:/bin/sh\n# comment\nnode:x:1000:1000::/home/node:/bin/sh\nodd:x:-1:0::/:\nnodes:x:7:7::/:/bin/sh\n";
  assert.deepEqual(
    ["root", "node", "nodes", "nod", "odd", ""].map((name) => idsOf(users, name)),
    [["0"], ["1000"], ["7"], [], ["-1"], [""]],
  );
});
