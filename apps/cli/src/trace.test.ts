import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appctl, requests, usePlatform } from "../test/recorded-platform.ts";
import { requestId, traceId } from "../test/recorded-traces.ts";

usePlatform();

describe("appctl trace", () => {
  test("prints everything in the order of time, and what is missing", async () => {
    const { code, stdout, stderr } = await appctl("trace", requestId);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.partialDeepStrictEqual(requests, [{ method: "trace", request: { id: requestId } }]);
    assert.match(stdout, new RegExp(`^trace +${traceId}\nrequest +${requestId}\nstarted +2026-01-02T03:04:05.000Z\n\n`));
    const rows = stdout.split("\n").slice(4, 13);
    assert.deepEqual(
      rows.map((row) => row.split(/ {2,}/).join("|")),
      [
        "AT|KIND|APP OR ACTOR|WHAT|STATUS|TOOK",
        "+0 ms|request|com.example.notes|POST POST /notes by user:alice|201|12.3 ms",
        "+6 ms|log|com.example.notes|\\x1b[2Jstored|-|-",
        "+15 ms|hook|com.example.notes|com.example.notes.created|-|-",
        "+20 ms|delivery|com.example.clock|com.example.notes.created|DELIVERED|4 ms",
        "+22 ms|run|com.example.notes|index|COMPLETED|20.0 s",
        "+30 ms|request|platform|POST /graphql by user:alice|200 PERMISSION_DENIED|3 ms",
        "+50 ms|event|com.example.notes|it was installed|INFO|-",
        "",
      ],
    );
    assert.match(stdout, /^You may not see: audit\.$/m);
    assert.match(stdout, /^There is more of this trace than is shown\.$/m);
    assert.match(stdout, /^The logs of these apps may have more lines: com\.example\.clock\.$/m);
  });

  test("prints the whole trace as JSON", async () => {
    const trace = JSON.parse((await appctl("--json", "trace", requestId)).stdout) as { readonly requests: readonly object[] };
    assert.partialDeepStrictEqual(trace, { id: requestId, traceIds: [traceId] });
    assert.equal(trace.requests.length, 2);
  });

  test("says that nothing is known of an id", async () => {
    const { code, stderr } = await appctl("trace", "unknown");
    assert.deepEqual([code, stderr], [1, 'appctl: nothing is known of "unknown" (NOT_FOUND)\n']);
  });
});
