import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { isValidRsaSignature } from "@appserver/access";

interface Vectors {
  readonly testGroups: readonly {
    readonly publicKeyPem: string;
    readonly tests: readonly {
      readonly tcId: number;
      readonly comment: string;
      readonly msg: string;
      readonly sig: string;
      readonly result: "valid" | "invalid" | "acceptable";
    }[];
  }[];
}

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const folder = join(corpora, "wycheproof");
/** Vectors in each file at its recorded commit: fewer mean that some were lost. */
const expectedVectors = { 2048: 259, 3072: 259, 4096: 258 };

if (!existsSync(folder)) {
  test("Wycheproof's RSA signatures", { skip: "corpora absent" });
} else {
  for (const [bits, expected] of Object.entries(expectedVectors)) {
    test(`Wycheproof's RSA PKCS#1 v1.5 signatures, ${bits} bits`, (context) => {
      const vectors = JSON.parse(readFileSync(join(folder, `rsa_signature_${bits}_sha256_test.json`), "utf8")) as Vectors;
      const counts = { valid: 0, invalid: 0, acceptable: 0 };
      let acceptedLegacy = 0;
      for (const { publicKeyPem, tests } of vectors.testGroups) {
        const key = createPublicKey(publicKeyPem);
        for (const { tcId, comment, msg, sig, result } of tests) {
          counts[result] += 1;
          const isValid = isValidRsaSignature(key, Buffer.from(msg, "hex"), Buffer.from(sig, "hex"));
          if (result === "acceptable") acceptedLegacy += isValid ? 1 : 0;
          else assert.equal(isValid, result === "valid", `vector ${tcId}: ${comment}`);
        }
      }
      context.diagnostic(
        `${counts.valid} valid and ${counts.invalid} invalid vectors agree; ${acceptedLegacy} of ${counts.acceptable} vectors without a verdict accepted`,
      );
      assert.equal(counts.valid + counts.invalid + counts.acceptable, expected);
      assert.equal(acceptedLegacy, 0);
    });
  }
}
