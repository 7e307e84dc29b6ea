import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { type CatalogueCode, errorCatalogue } from "@appserver/contracts/errors";
import type { ErrorCode } from "@appserver/kernel";

/** Every code of the kernel once. A missing or unknown code does not compile. */
const kernelCodes = {
  INVALID_REQUEST: true,
  AUTHENTICATION_REQUIRED: true,
  AUTHENTICATION_FAILED: true,
  PERMISSION_DENIED: true,
  NOT_FOUND: true,
  CONFLICT: true,
  DEPENDENCY_UNSATISFIED: true,
  APPROVAL_REQUIRED: true,
  INVALID_STATE: true,
  RATE_LIMIT_EXCEEDED: true,
  UPSTREAM_ERROR: true,
  SERVICE_UNAVAILABLE: true,
  UPSTREAM_TIMEOUT: true,
  INTERNAL_ERROR: true,
} as const satisfies Record<ErrorCode, true>;

/** Does not compile if the two unions differ. */
const sameTypes: [ErrorCode, CatalogueCode] extends [CatalogueCode, ErrorCode] ? true : never = true;

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

test("the kernel and the catalogue have the same codes", () => {
  assert.equal(sameTypes, true);
  assert.deepEqual(Object.keys(errorCatalogue).sort(), Object.keys(kernelCodes).sort());
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
