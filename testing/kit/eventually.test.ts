import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "./eventually.ts";

test("a result that JSON cannot represent is repeated too, and is in the message of the rejection", async () => {
  const results: readonly { readonly size: bigint }[] = [{ size: 1n }, { size: 2n }];
  let looks = 0;
  const next = (): { readonly size: bigint } | undefined => results[looks++];
  assert.deepEqual(await eventually(next, (seen) => seen?.size === 2n, { intervalMs: 1 }), { size: 2n });
  const never = eventually(
    () => ({ size: 3n }),
    () => false,
    { timeoutMs: 0, intervalMs: 1 },
  );
  await assert.rejects(never, /last \{ size: 3n \}/);
});
