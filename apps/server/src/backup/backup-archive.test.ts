import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { tar } from "@appserver/contracts/folder-images";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { type BackupStream, readBackupArchive, writeBackupArchive } from "./backup-archive.ts";
import { decrypt, encrypt, type LockingKey, type UnlockingKey } from "./encryption.ts";
import { type BackupManifest, backupFormat } from "./manifest.ts";

const manifest: BackupManifest = {
  format: backupFormat,
  platform: "0.1.0",
  instance: "test",
  created: "2026-01-01T00:00:00.000Z",
  servers: [],
  apps: [],
  storage: [],
  snapshots: [],
  images: false,
  notOfOneMoment: [],
};
const large = randomBytes(9 << 20);
const contents: Readonly<Record<string, readonly Uint8Array[]>> = {
  "secrets.json": [Buffer.from("{}")],
  "servers/platform.tar": [large.subarray(0, 5_000_000), large.subarray(5_000_000)],
  "storage/0.tar": [],
};

async function* streams(): AsyncGenerator<BackupStream> {
  for (const [name, pieces] of Object.entries(contents)) yield { name, contents: pieces };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunks) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 60_000) yield bytes.subarray(at, at + 60_000);
}

const identity = await generateIdentity();
const lock: LockingKey = { recipients: [await identityToRecipient(identity)] };
const unlock: UnlockingKey = { identities: [identity] };

const made = collect(await encrypt(writeBackupArchive(manifest, streams()), lock));

async function read(bytes: Uint8Array, key = unlock): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const plain = await decrypt(inPieces(bytes), key);
  const seen = await readBackupArchive(plain, async (name, stream) => void found.set(name, await collect(stream)));
  assert.deepEqual(seen, manifest);
  return found;
}

test("an encrypted backup has the streams of any size, and their contents nowhere in plain", async () => {
  const found = await read(await made);
  for (const [name, pieces] of Object.entries(contents)) assert.deepEqual(found.get(name), Buffer.concat(pieces), name);
  assert.equal((await made).indexOf("servers/platform.tar"), -1);
  assert.equal((await made).indexOf(large.subarray(0, 64)), -1);
});

test("a backup is useless without its key", async () => {
  const other: UnlockingKey = { identities: [await generateIdentity()] };
  await assert.rejects(read(await made, other), { name: "BackupError", message: /none of the identities is a recipient/ });
  const withPassphrase = await collect(await encrypt(writeBackupArchive(manifest, streams()), { passphrase: "of the test" }));
  await assert.rejects(read(withPassphrase, { passphrase: "of the Test" }), { message: /the passphrase is another one/ });
  await assert.rejects(read(withPassphrase), { name: "BackupError" });
  assert.equal((await read(withPassphrase, { passphrase: "of the test" })).size, 3);
});

test("a backup with a damaged byte, without its end, or of a newer format is refused", async () => {
  const whole = await made;
  for (const at of [0.001, 0.5, 0.999].map((share) => Math.floor(whole.length * share))) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await assert.rejects(read(damaged), { name: "BackupError" }, `byte ${at}`);
  }
  for (const length of [0, 100, 70_000, whole.length - 1])
    await assert.rejects(read(whole.subarray(0, length)), { name: "BackupError" }, `${length} bytes`);
  await assert.rejects(read(Buffer.from("no backup")), { name: "BackupError" });
  const newer = { ...manifest, format: 2, platform: "9.0.0" } as unknown as BackupManifest;
  const bytes = await collect(await encrypt(writeBackupArchive(newer, streams()), lock));
  await assert.rejects(read(bytes), { message: /has format 2, and this version reads format 1: .* version 9\.0\.0/ });
});

test("an archive whose writer stopped between two entries, or of another program, is refused", async () => {
  const encrypted = async (archive: AsyncIterable<Uint8Array>) => await collect(await encrypt(archive, lock));
  const first = { kind: "file", path: "manifest.json", contents: JSON.stringify(manifest) } as const;
  const part = { kind: "file", path: "storage/0.tar/00000000", contents: "x" } as const;
  await assert.rejects(read(await encrypted(tar([first, part]))), { message: /not complete: its last entry/ });
  const wrong = JSON.stringify({ streams: [{ name: "storage/0.tar", bytes: 1, sha256: "0".repeat(64) }] });
  const table = { kind: "file", path: "contents.json", contents: wrong } as const;
  await assert.rejects(read(await encrypted(tar([first, part, table]))), { message: /storage\/0\.tar differs/ });
  await assert.rejects(read(await encrypted(tar([first, table, part]))), { message: /something follows/ });
  await assert.rejects(read(await encrypted(tar([part]))), { message: /does not begin with a manifest/ });
});

test("a reader that cannot take a stream reports its own error", async () => {
  const plain = await decrypt(inPieces(await made), unlock);
  const full = readBackupArchive(plain, async (name) => {
    if (name === "servers/platform.tar") throw new Error("the disk is full");
  });
  await assert.rejects(full, /the disk is full/);
});
