import { errorCatalogue } from "@appserver/contracts/errors";

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

/** Generates `docs/reference/errors.md`: every code that callers can receive, on every transport. */
export function generateErrorPage(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, entry]) =>
      `| ${code} | ${entry.http} | ${grpcNames[entry.grpc] ?? entry.grpc} | ${entry.graphql} | ${entry.meaning} |`,
  );
  return `<!-- Generated from contracts/errors/catalogue.ts by \`npm run generate\`. Do not edit. -->

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
`;
}
