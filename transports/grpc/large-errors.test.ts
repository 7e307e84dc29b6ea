import assert from "node:assert/strict";
import { test } from "node:test";
import { BadRequestSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { AppError, silentLogger } from "@appserver/kernel";
import { toErrorResponse } from "../http/error-response.ts";
import { toConnectError } from "./connect-errors.ts";

const running = new AbortController().signal;

/** Returns the size that gRPC sends: the message percent-encoded, and again in base64 with the details. */
function trailerBytes(error: AppError): number {
  const mapped = toConnectError(error, silentLogger, "id", running);
  const details = mapped.details.reduce(
    (sum, detail) => sum + ("value" in detail ? JSON.stringify(detail.value).length : 0),
    0,
  );
  return encodeURIComponent(mapped.rawMessage).length + Math.ceil(((Buffer.byteLength(mapped.rawMessage) + details) * 4) / 3);
}

const violations = Array.from({ length: 5_000 }, (_, index) => ({
  field: `web_app.api.routes[${index}]`,
  message: "is taken",
}));

test("of thousands of violations some are listed, with the count of the rest", () => {
  const error = new AppError("INVALID_REQUEST", "the manifest is not valid", { violations });
  assert.ok(trailerBytes(error) < 8_192, String(trailerBytes(error)));
  const [detail] = toConnectError(error, silentLogger, "id", running).findDetails(BadRequestSchema);
  const sent = detail?.fieldViolations ?? [];
  assert.ok(sent.length > 10, String(sent.length));
  assert.equal(sent.at(-1)?.description, `and ${5_000 - (sent.length - 1)} more`);
  const { body } = toErrorResponse(error);
  const listed = JSON.parse(body).details.violations as { field: string; message: string }[];
  assert.deepEqual(listed.at(-1), { field: "", message: `and ${5_000 - (listed.length - 1)} more` });
  assert.ok(body.length < 100_000);
});

test("quoted input is cut", () => {
  for (const name of ["x".repeat(32_000), "é".repeat(32_000), "😀".repeat(16_000)]) {
    const error = new AppError("NOT_FOUND", `no app is registered under the name ${JSON.stringify(name)}`, {
      details: { app: name },
    });
    assert.ok(trailerBytes(error) < 8_192, String(trailerBytes(error)));
    assert.ok(toErrorResponse(error).body.length < 5_000);
    assert.ok(toConnectError(error, silentLogger, "id", running).rawMessage.isWellFormed());
  }
});
