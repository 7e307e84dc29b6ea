import assert from "node:assert/strict";
import test from "node:test";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import fc from "fast-check";
import { rules } from "../../../test/changed-manifest.ts";
import { identity, validManifest } from "../../../test/complete-manifest.ts";
import { checkManifest } from "./check-manifest.ts";

/** Replaces any part of a valid manifest with any value: texts with texts, numbers with numbers. */
test("no manifest makes validation throw", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("regex:", "regex:(", "http://[", "{", "[[1]]", "/a/{", "\u0000", "\ud800"),
  );
  const bytes = fc.oneof(fc.uint8Array(), fc.nat(identity.certificate.length - 1).map(corrupted));
  const int = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 2_147_483_647));
  fc.assert(
    fc.property(
      fc.nat(),
      fc.infiniteStream(text),
      fc.infiniteStream(bytes),
      fc.infiniteStream(int),
      fc.integer({ min: 1, max: 12 }),
      (seed, texts, byteStream, ints, every) => {
        let counter = seed;
        const replace = (value: unknown): unknown => {
          counter += 1;
          const hit = counter % every === 0;
          if (typeof value === "string") return hit ? texts.next().value : value;
          if (typeof value === "number") return hit ? ints.next().value : value;
          if (typeof value === "bigint") return hit ? BigInt(Number(ints.next().value)) : value;
          if (value instanceof Uint8Array) return hit ? byteStream.next().value : value;
          if (Array.isArray(value)) return value.map(replace);
          if (typeof value !== "object" || value === null) return value;
          return Object.fromEntries(
            Object.entries(value).map(([key, part]) => [key, key.startsWith("$") ? part : replace(part)]),
          );
        };
        const { violations } = checkManifest(replace(validManifest()) as AppManifest, rules);
        for (const { field, message } of violations) assert.ok(field !== "" && message !== "");
      },
    ),
    { numRuns: 300 },
  );
});

function corrupted(at: number): Uint8Array {
  const bytes = new Uint8Array(identity.certificate);
  bytes[at] = (bytes[at] ?? 0) ^ 0x41;
  return bytes;
}
