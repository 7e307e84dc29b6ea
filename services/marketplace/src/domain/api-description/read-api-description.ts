import { createHash } from "node:crypto";
import type { ApiDescription } from "@appserver/contracts/api-description";
import { quote } from "@appserver/contracts/patterns";
import { DescribedOperations } from "./described-operations.ts";
import { DescriptionProblem, descriptionLimits, PartBudget } from "./description-limits.ts";
import { own, parseDocument } from "./parse-document.ts";

const acceptedVersion = /^3\.[0-2](?:\.|$)/;

/**
 * Reads an OpenAPI document (docs/interface/proxy.md#app-documents). The bytes are those of any server: what is read, what is kept and the
 * time that it takes are limited. Throws DescriptionProblem.
 */
export function readApiDescription(bytes: Uint8Array, basePath: string): ApiDescription {
  const document = parseDocument(bytes);
  const version = own(document, "openapi");
  if (typeof version !== "string" || !acceptedVersion.test(version)) {
    const found = typeof version === "string" ? `says ${quote(version)}` : "does not say so";
    throw new DescriptionProblem(`is not in OpenAPI 3.0, 3.1 or 3.2: openapi ${found}`);
  }
  const operations = new DescribedOperations(document, basePath, new PartBudget()).read();
  if (JSON.stringify(operations).length > descriptionLimits.bytes)
    throw new DescriptionProblem("has more than is kept, counted where references lead");
  return { digest: createHash("sha256").update(bytes).digest("hex"), operations };
}
