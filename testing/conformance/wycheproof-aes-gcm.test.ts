import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { decryptAesGcm } from "@appserver/settings";

interface Vectors {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly keySize: number;
    readonly ivSize: number;
    readonly tagSize: number;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly key: string;
      readonly iv: string;
      readonly aad: string;
      readonly msg: string;
      readonly ct: string;
      readonly tag: string;
      readonly result: "valid" | "invalid";
    }[];
  }[];
}

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const file = join(corpora, "wycheproof", "aes_gcm_test.json");
/** Vectors in the file at its recorded commit: fewer mean that some were lost. */
const expectedVectors = 316;
const hex = (text: string): Buffer => Buffer.from(text, "hex");

if (!existsSync(file)) {
  test("Wycheproof's AES-GCM vectors", { skip: "corpora absent" });
} else {
  test("Wycheproof's AES-GCM vectors through the decryption of settings; other key, IV and tag sizes are refused", (context) => {
    const { numberOfTests, testGroups } = JSON.parse(readFileSync(file, "utf8")) as Vectors;
    assert.equal(numberOfTests, expectedVectors);
    const counts = { valid: 0, invalid: 0, refused: 0 };
    for (const { keySize, ivSize, tagSize, tests } of testGroups) {
      const isOurs = keySize === 256 && ivSize === 96 && tagSize === 128;
      for (const { tcId, comment, key, iv, aad, msg, ct, tag, result } of tests) {
        const decrypt = () => decryptAesGcm(createSecretKey(hex(key)), hex(iv), hex(aad), hex(ct + tag)).toString("hex");
        if (isOurs && result === "valid") assert.equal(decrypt(), msg, `vector ${tcId}: ${comment}`);
        else assert.throws(decrypt, `vector ${tcId}: ${comment}`);
        counts[isOurs ? result : "refused"] += 1;
      }
    }
    context.diagnostic(
      `${counts.valid} valid and ${counts.invalid} invalid vectors agree; ${counts.refused} of other sizes are refused`,
    );
    assert.equal(counts.valid + counts.invalid + counts.refused, expectedVectors);
    assert.ok(counts.valid > 0 && counts.invalid > 0);
  });
}
