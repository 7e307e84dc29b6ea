import { errorCatalogue } from "@appserver/contracts/errors";
import { commonErrors, platformOperations } from "@appserver/contracts/operations";

/** Canonical names of the gRPC status codes in use. */
const grpcNames: Readonly<Record<number, string>> = {
  3: "INVALID_ARGUMENT",
  4: "DEADLINE_EXCEEDED",
  5: "NOT_FOUND",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  10: "ABORTED",
  13: "INTERNAL",
  14: "UNAVAILABLE",
  16: "UNAUTHENTICATED",
};

/** Returns a row for each code that only some operations can throw, with the operations. */
function operationRows(): readonly string[] {
  const common: readonly string[] = commonErrors;
  const codes = Object.keys(errorCatalogue).filter((code) => !common.includes(code));
  return codes.map((code) => {
    const throwing = Object.entries(platformOperations).filter(([, { errors = [] }]) => errors.some((each) => each === code));
    return `| ${code} | ${throwing.map(([name]) => `\`${name}\``).join(", ")} |`;
  });
}

/** Generates `docs/reference/errors.md`: every code that callers can receive, on every transport, and from which operations. */
export function generateErrorPage(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, entry]) =>
      `| ${code} | ${entry.http} | ${grpcNames[entry.grpc] ?? entry.grpc} | ${entry.graphql} | ${entry.meaning} |`,
  );
  return `<!-- Generated from contracts/errors/catalogue.ts and contracts/operations by \`npm run generate\`. Do not edit. -->

# Errors

| transport | where the code is |
| --- | --- |
| HTTP | \`code\` of the JSON body \`{ "error", "code", "details" }\` |
| GraphQL | \`extensions.code\` of each entry of \`errors\` (its own column: one code differs) |
| gRPC | \`reason\` of the \`google.rpc.ErrorInfo\` detail, whose \`domain\` is \`appserver\` |

| code | HTTP | gRPC | GraphQL | meaning |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

INVALID_REQUEST can also have a more specific HTTP status: 405 with \`Allow\` (method), 413 (body too large), 415 (media
type) and 431 (headers too large).

## Operations

Every operation can throw these codes:
${commonErrors.join(", ")}.

The others come from the operations below. They have the names of GraphQL's fields, or those of gRPC's methods if GraphQL does not
have them. A query of GraphQL returns null instead of NOT_FOUND if its type allows null.
Requests to apps can also get NOT_FOUND, UPSTREAM_ERROR and UPSTREAM_TIMEOUT.

| code | operations |
| --- | --- |
${operationRows().join("\n")}
`;
}
