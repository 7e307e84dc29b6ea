import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ensureAppKeys } from "@appserver/sdk";
import { FakeClock } from "@appserver/testing/kit";
import { CatalogueAppKeys } from "./app-keys.ts";

/** Pinned certificates by app. `asked` counts the reads, `hold` delays them. */
class Catalogue {
  readonly certificates = new Map<string, Uint8Array>();
  asked = 0;
  hold: Promise<void> | undefined;

  async pinnedCertificate(name: string) {
    this.asked += 1;
    const certificate = this.certificates.get(name);
    await this.hold;
    return certificate && { appId: `id of ${name}`, certificate };
  }
}

const folder = mkdtempSync(join(tmpdir(), "app-keys-"));
const certificateIn = async (name: string) => Buffer.from((await ensureAppKeys(join(folder, name), "notes")).certificate);
const [one, other] = [await certificateIn("one"), await certificateIn("other")];
rmSync(folder, { recursive: true });

test("a key is read again after 25 seconds, an unknown app after one", async () => {
  const clock = new FakeClock();
  const catalogue = new Catalogue();
  const keys = new CatalogueAppKeys(catalogue, clock);
  catalogue.certificates.set("notes", one);
  const first = await keys.find("notes");
  assert.equal(first?.id, "id of notes");
  await clock.advance(24_999);
  assert.equal(keys.find("notes"), first);
  catalogue.certificates.delete("notes");
  await clock.advance(1);
  assert.equal(await keys.find("notes"), undefined);
  assert.equal(catalogue.asked, 2);
  catalogue.certificates.set("notes", other);
  assert.equal(await keys.find("notes"), undefined);
  await clock.advance(1_000);
  const second = await keys.find("notes");
  assert.equal(second?.key.equals(first?.key ?? second.key), false);
});

test("an invalidation during a read is not lost", async () => {
  const catalogue = new Catalogue();
  const keys = new CatalogueAppKeys(catalogue, new FakeClock());
  catalogue.certificates.set("notes", one);
  const { promise, resolve } = Promise.withResolvers<void>();
  catalogue.hold = promise;
  const overtaken = keys.find("notes");
  catalogue.certificates.delete("notes");
  keys.invalidate("notes");
  const later = keys.find("notes");
  resolve();
  await overtaken;
  assert.equal(await later, undefined);
  assert.equal(await keys.find("notes"), undefined);
});

test("simultaneous lookups share one read, unknown names are evicted, and all entries can be invalidated", async () => {
  const catalogue = new Catalogue();
  const keys = new CatalogueAppKeys(catalogue, new FakeClock());
  catalogue.certificates.set("notes", one);
  await Promise.all([keys.find("notes"), keys.find("notes")]);
  assert.equal(catalogue.asked, 1);
  for (let n = 0; n < 10_000; n += 1) await keys.find(`made-up-${n}`);
  await keys.find("notes");
  assert.equal(catalogue.asked, 10_002, "the oldest made room");
  keys.invalidate();
  await keys.find("notes");
  assert.equal(catalogue.asked, 10_003);
});
