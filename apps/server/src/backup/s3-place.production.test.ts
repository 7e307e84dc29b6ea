import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { type S3Server, startS3Server } from "../../../../tools/services/versitygw.ts";
import { S3Place } from "./s3-place.ts";

const folder = await mkdtemp(join(tmpdir(), "appserver-s3-"));
const started = await startS3Server(folder, "backups");
const skip = "unavailable" in started ? started.unavailable : false;

describe("backups in a bucket of S3", { skip }, () => {
  const server = started as S3Server;
  after(async () => {
    if (!skip) await server.stop();
    await rm(folder, { recursive: true });
  });

  const place = (address = "s3://backups/of/tests", changes: object = {}): S3Place => {
    const { endpoint, region, accessKeyId, secretAccessKey } = { ...server, ...changes };
    return new S3Place(address, { endpoint, region, credentials: { accessKeyId, secretAccessKey } });
  };
  const nameOf = (day: number): string => `appserver-test-2026030${day}T023000Z.age`;
  async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of chunks) pieces.push(piece);
    return Buffer.concat(pieces);
  }
  async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }

  test("a backup of several parts is stored, listed, read again and removed", async () => {
    const bytes = randomBytes(40 << 20);
    assert.equal(await place().write(nameOf(2), inPieces(bytes)), bytes.length);
    assert.equal(await place().write(nameOf(1), inPieces(Buffer.from("small"))), 5);
    await place("s3://backups/of/tests-of-others").write(nameOf(3), inPieces(Buffer.from("other")));
    assert.deepEqual(await place().list(), [
      { name: nameOf(1), bytes: 5 },
      { name: nameOf(2), bytes: bytes.length },
    ]);
    assert.ok((await collect(place().read(nameOf(2)))).equals(bytes));
    await place().remove(nameOf(1));
    assert.deepEqual(
      (await place().list()).map(({ name }) => name),
      [nameOf(2)],
    );
  });

  test("a backup that fails in the middle leaves the one before it", async () => {
    await place().write(nameOf(4), inPieces(Buffer.from("before")));
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield randomBytes(20 << 20);
      throw new Error("the database has stopped");
    };
    await assert.rejects(place().write(nameOf(4), failing()), /the database has stopped/);
    assert.equal((await collect(place().read(nameOf(4)))).toString(), "before");
  });

  test("a wrong key and a missing bucket are reported with the address", async () => {
    const wrong = place(undefined, { secretAccessKey: "another" });
    await assert.rejects(
      wrong.write(nameOf(5), inPieces(Buffer.from("x"))),
      /^BackupError: s3:\/\/backups\/of\/tests\/appserver-test/,
    );
    await assert.rejects(place("s3://missing/x").list(), { name: "BackupError", message: /^s3:\/\/missing\/x\// });
    assert.throws(() => place("s3://"), { name: "BackupError", message: /expected s3:\/\/<bucket>\/<prefix>/ });
  });
});
