import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { ArchiveError, type TarEntry, tar } from "@appserver/contracts/folder-images";
import { unpackLayer } from "./unpack-layer.ts";

const root = mkdtempSync(join(tmpdir(), "appserver-layers-"));
after(() => rmSync(root, { recursive: true, force: true }));
const never = new AbortController().signal;
const small = { unpackedBytes: 100_000, entries: 20, pathBytes: 200 };

async function archived(entries: readonly TarEntry[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tar(entries)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Returns a header of any type, with the checksum that belongs to it. */
function changed(bytes: Buffer, change: (header: Buffer) => void): Buffer {
  change(bytes);
  bytes.fill(" ", 148, 156);
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "ascii");
  return bytes;
}

const file = (path: string, contents = "x"): TarEntry => ({ kind: "file", path, contents });
const link = (path: string, target: string): TarEntry => ({ kind: "link", path, target });
const ofType = async (type: string): Promise<Buffer> =>
  changed(await archived([link("app/entry", "app/other")]), (header) => void header.write(type, 156));

/** Unpacks into a folder that is alone in its parent, so that what escapes by one step is seen. */
async function unpack(bytes: Uint8Array, signal = never): Promise<string> {
  const parent = mkdtempSync(join(root, "layer-"));
  writeFileSync(join(parent, "layer"), bytes);
  const into = join(parent, "app");
  try {
    await unpackLayer({ file: join(parent, "layer"), into, signal, limits: small });
  } finally {
    assert.deepEqual(readdirSync(parent), existsSync(into) ? ["app", "layer"] : ["layer"], "nothing is next to the folder");
  }
  return into;
}

test("files, programs, folders and links of an app, with paths of any length", async () => {
  const long = `app/${"n".repeat(90)}/${"m".repeat(90)}`;
  const entries: TarEntry[] = [
    { kind: "folder", path: "app" },
    { kind: "folder", path: "app/empty" },
    file("app/src/server.js", "run();"),
    { kind: "file", path: "app/tool", contents: "#!", mode: 0o4755 },
    link("app/node_modules/.bin/tool", "../../tool"),
    file(long, "long"),
  ];
  const folder = await unpack(gzipSync(await archived(entries)));
  assert.equal(readFileSync(join(folder, "src/server.js"), "utf8"), "run();");
  assert.equal(readFileSync(join(folder, "node_modules/.bin/tool"), "utf8"), "#!");
  assert.equal(statSync(join(folder, "tool")).mode & 0o7777, 0o755, "no bits but the executable ones");
  assert.equal(readFileSync(join(folder, long.slice(4)), "utf8"), "long");
  assert.deepEqual(readdirSync(join(folder, "empty")), []);
});

const hostile: Readonly<Record<string, readonly [readonly TarEntry[], RegExp]>> = {
  "a path with ..": [[file("app/../../escaped")], /leads out of the folder/],
  "a path with .. at its end": [[{ kind: "folder", path: "app/.." }], /leads out of the folder/],
  "an absolute path": [[file("/app/escaped")], /no plain path/],
  "a path outside of the app's folder": [[file("etc/passwd")], /outside of app\//],
  "a name that only begins like the folder": [[file("application/x")], /outside of app\//],
  "an absolute link": [[link("app/passwd", "/etc/passwd")], /leads out of the app's folder/],
  "a relative link that leads out": [[link("app/a/b", "../../layer")], /leads out of the app's folder/],
  "a file that is written through a link": [[file("app/x/y"), link("app/d", "x"), file("app/d/through")], /"d" is there twice/],
  "a link in place of a folder that has a file": [[file("app/d/f"), file("app/x"), link("app/d", "x")], /"d" is there twice/],
  "a file in place of another one": [[file("app/a"), file("app/a", "other")], /"a" is there twice/],
  "two links of one name": [[file("app/x"), link("app/a", "x"), link("app/a", "x")], /"a" is there twice/],
  "a folder below a file": [[file("app/a"), file("app/a/b")], /"a" is there twice/],
  "a link that leads nowhere": [[link("app/a", "missing")], /leads nowhere/],
  "a link in a circle": [[link("app/a", "b"), link("app/b", "a")], /leads nowhere/],
  // By its text it leads to app/deep; the link on its way leads to app/, whose parent is outside.
  "a link that leads out over another link": [
    [file("app/deep/er/file"), link("app/deep/er/up", "../.."), link("app/deep/out", "er/up/..")],
    /leads out of the app's folder/,
  ],
  "more entries than an app has": [Array.from({ length: 21 }, (_, index) => file(`app/${index}`)), /more than 20 entries/],
  "more bytes than an app has": [[file("app/large", "x".repeat(150_000))], /more than 100000 bytes/],
  "many files with too many bytes": [
    Array.from({ length: 15 }, (_, index) => file(`app/${index}`, "x".repeat(9_000))),
    /more than 100000 bytes/,
  ],
  "a long path": [[file(`app/${"long/".repeat(50)}x`)], /more than 200 bytes/],
  "the long target of a link": [[link("app/a", "long/".repeat(50))], /more than 200 bytes/],
};

for (const [what, [entries, problem]] of Object.entries(hostile)) {
  test(`refused: ${what}`, async () => {
    const bytes = gzipSync(await archived(entries));
    await assert.rejects(unpack(bytes), (error) => error instanceof ArchiveError && problem.test(error.message));
  });
}

test("refused: hard links, devices, pipes, and types that only other programs have", async () => {
  const words: readonly [string, RegExp][] = [
    ["1", /a hard link/],
    ["3", /a device/],
    ["4", /a device/],
    ["6", /a pipe/],
    ["7", /of the type "7"/],
    ["g", /of the type "g"/],
    ["L", /of the type "L"/],
    ["S", /of the type "S"/],
  ];
  for (const [type, problem] of words) await assert.rejects(unpack(gzipSync(await ofType(type))), problem, type);
});

test("refused: damaged archives, sizes that are not there, and extended headers without an end", async () => {
  const whole = await archived([file("app/a", "x".repeat(1_000))]);
  const first = await archived([file("app/a")]);
  const wrongSum = Buffer.from(first);
  wrongSum.write("b", 0);
  const cases: readonly [Buffer, RegExp][] = [
    [whole.subarray(0, 800), /ends early/],
    [whole.subarray(0, 1_536), /ends early/],
    [Buffer.alloc(0), /ends early/],
    [Buffer.from("text ".repeat(200)), /no POSIX archive/],
    [wrongSum, /checksum/],
    [changed(Buffer.from(first), (header) => void header.write("77777777777", 124)), /more than 100000 bytes/],
    [changed(Buffer.from(first), (header) => void header.fill(0xff, 124, 136)), /not octal/],
    [
      changed(Buffer.from(first), (header) => {
        header.write("00000200000\0", 124);
        header.write("x", 156);
      }),
      /an extended header has 65536 bytes/,
    ],
    [changed(Buffer.from(first), (header) => void header.write("x", 156)), /an extended header is damaged/],
    [changed(Buffer.from(first), (header) => void header.write("5", 156)), /a folder with contents/],
  ];
  for (const [bytes, problem] of cases) await assert.rejects(unpack(gzipSync(bytes)), problem);
});

test("refused: what is not compressed, is cut, or has more bytes than an app after its decompression", async () => {
  const bytes = await archived([file("app/a")]);
  await assert.rejects(unpack(bytes), /not compressed with gzip/);
  await assert.rejects(unpack(gzipSync(bytes).subarray(0, 40)), /not compressed with gzip, or damaged/);
  const bomb = gzipSync(Buffer.concat([bytes, Buffer.alloc(50_000_000)]));
  assert.ok(bomb.length < 60_000);
  await assert.rejects(unpack(bomb), /more than 100000 bytes/);
});

test("rejects with the reason of the signal", async () => {
  const bytes = gzipSync(await archived([file("app/a")]));
  await assert.rejects(unpack(bytes, AbortSignal.abort(new Error("too slow"))), /too slow/);
});
