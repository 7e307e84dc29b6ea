import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { maxBodyBytes, readResponse } from "../web/features/app-routes/read-response.ts";

const bodyOf = async (body: ConstructorParameters<typeof Response>[0]) =>
  (await readResponse(new Response(body), performance.now())).body;

describe("a response that the console shows", () => {
  test("has status, headers and formatted JSON", async () => {
    const response = new Response('{"a":[1]}', { status: 404, headers: { "x-request-id": "r-1" } });
    const { status, headers, body, durationMs } = await readResponse(response, performance.now());
    assert.equal(status, 404);
    assert.ok(durationMs >= 0);
    assert.ok(headers.some(([name, value]) => name === "x-request-id" && value === "r-1"));
    assert.deepEqual(body, { kind: "text", text: '{\n  "a": [\n    1\n  ]\n}', isCut: false });
  });

  test("text stays as it is, other content is counted, and an empty body is none", async () => {
    assert.deepEqual(await bodyOf("a\nb"), { kind: "text", text: "a\nb", isCut: false });
    assert.deepEqual(await bodyOf(new Uint8Array([255, 0, 1])), { kind: "bytes", size: 3, isCut: false });
    assert.deepEqual(await bodyOf(null), { kind: "none" });
  });

  test("a long body is read up to the limit, also if the limit is within a character", async () => {
    const body = await bodyOf(`x${"ü".repeat(maxBodyBytes)}`);
    assert.ok(body.kind === "text" && body.isCut);
    assert.ok(body.text.length > maxBodyBytes / 2 - 2 && body.text.endsWith("ü"));
  });

  test("an endless body is not waited for", async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(97));
      },
    });
    const body = await bodyOf(endless);
    assert.ok(body.kind === "text" && body.isCut);
    assert.ok(pulled < 20);
  });
});
