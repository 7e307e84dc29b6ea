import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { errorCatalogue } from "@appserver/contracts/errors";

/** Every code once. */
const codes = [
  "INVALID_REQUEST",
  "AUTHENTICATION_REQUIRED",
  "AUTHENTICATION_FAILED",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "CONFLICT",
  "DEPENDENCY_UNSATISFIED",
  "APPROVAL_REQUIRED",
  "INVALID_STATE",
  "RATE_LIMIT_EXCEEDED",
  "UPSTREAM_ERROR",
  "SERVICE_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
  "INTERNAL_ERROR",
];

const page = readFileSync(join(resolve(import.meta.dirname, "../.."), "docs/reference/errors.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => /^\| [A-Z_]+ \| \d{3} \|/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

/** Canonical numbers of the gRPC status codes (grpc/statuscodes). */
const grpcCodes = [
  "OK",
  "CANCELLED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

/** The documented codes (docs/interface/errors.md#codes) and the HTTP status of each. */
const specified: Readonly<Record<string, number>> = {
  INVALID_REQUEST: 400,
  AUTHENTICATION_REQUIRED: 401,
  AUTHENTICATION_FAILED: 401,
  PERMISSION_DENIED: 403,
  RATE_LIMIT_EXCEEDED: 429,
  UPSTREAM_ERROR: 502,
  UPSTREAM_TIMEOUT: 504,
};

test("the catalogue has exactly the codes that clients know", () => {
  assert.deepEqual(Object.keys(errorCatalogue).sort(), [...codes].sort());
});

test("docs/reference/errors.md has exactly the codes and values of the catalogue", () => {
  const documented = rows.map(([, code, http, grpc, graphql, meaning]) => ({ code, http, grpc, graphql, meaning }));
  const catalogued = Object.entries(errorCatalogue).map(([code, entry]) => ({
    code,
    http: String(entry.http),
    grpc: grpcCodes[entry.grpc],
    graphql: entry.graphql,
    meaning: entry.meaning,
  }));
  assert.deepEqual(documented, catalogued);
});

test("the documented codes keep their HTTP statuses", () => {
  const statuses: Readonly<Record<string, { readonly http: number }>> = errorCatalogue;
  for (const [code, http] of Object.entries(specified)) assert.equal(statuses[code]?.http, http, code);
});
