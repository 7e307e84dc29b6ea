import { AppError } from "@appserver/kernel";
import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import type { RestSchema } from "./rest-route.ts";

/** Options with which Fastify checks requests against the routes' schemas: it reports, and changes nothing. */
export const schemaRules = {
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
} as const;

/** Maps the first violation of a route's schema. `part`: `body` or `params`. */
export function schemaError({ body }: RestSchema, [first]: readonly FastifySchemaValidationError[], part: string): AppError {
  const { required = [] } = (body ?? {}) as { readonly required?: readonly string[] };
  if (part === "body" && first?.instancePath === "" && required.length > 0) {
    const names = required.map((name) => `"${name}"`).join(" and ");
    const violations = required.map((field) => ({ field, message: "is required" }));
    return new AppError("INVALID_REQUEST", `the body must be an object with ${names}`, { violations });
  }
  const field = [part, ...(first?.instancePath.split("/").slice(1) ?? [])].join(".");
  const message = first?.message ?? "is invalid";
  return new AppError("INVALID_REQUEST", `${field} ${message}`, { violations: [{ field, message }] });
}
