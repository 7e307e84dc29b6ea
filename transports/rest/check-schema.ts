import { AppError } from "@appserver/kernel";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { FastifySchemaCompiler, SafePromiseLike } from "fastify";
import { isDateTime } from "../graphql/scalars.ts";

interface ObjectSchema {
  readonly required?: readonly string[];
}

/**
 * Returns a check of one part of a request that rejects with INVALID_REQUEST. It changes nothing, except that the texts of a query
 * become numbers, booleans and lists.
 */
export const checkSchema: FastifySchemaCompiler<ObjectSchema> = ({ schema, httpPart = "body" }) => {
  const isText = httpPart === "querystring";
  const check = schemaCheck(schema, { part: isText ? "query" : httpPart, isText });
  // Fastify marks the promises that it awaits with a separate type.
  return (value: unknown) => check(value) as PromiseLike<void> as SafePromiseLike<void>;
};

/**
 * Returns a check that rejects with INVALID_REQUEST. `part`: what errors call the value. `isText`: whether its values are texts. It compiles
 * the schema at its first use: ajv takes 50 ms of processor time to load, and nothing needs it during a start.
 */
export function schemaCheck(
  schema: ObjectSchema,
  { part, isText = false }: { readonly part: string; readonly isText?: boolean },
): (value: unknown) => Promise<void> {
  let compiled: Promise<ValidateFunction> | undefined;
  return async (value) => {
    compiled ??= compile(schema, isText);
    const validate = await compiled;
    if (!validate(value)) throw schemaError(schema, validate.errors?.[0], part);
  };
}

async function compile(schema: object, isText: boolean): Promise<ValidateFunction> {
  const { Ajv } = await import("ajv");
  const common = { formats: { "date-time": isDateTime }, allowUnionTypes: true };
  return new Ajv({ ...common, ...(isText ? { coerceTypes: "array" } : {}) }).compile(schema);
}

function schemaError({ required = [] }: ObjectSchema, error: ErrorObject | undefined, part: string): AppError {
  if (error?.keyword === "additionalProperties") {
    const unknown = `${part}${error.instancePath.replaceAll("/", ".")}.${String(error.params["additionalProperty"])}`;
    return invalid(unknown, "is unknown");
  }
  if (error?.instancePath === "" && required.length > 0) {
    const names = required.map((name) => `"${name}"`).join(" and ");
    const violations = required.map((field) => ({ field, message: "is required" }));
    return new AppError("INVALID_REQUEST", `the ${part} must be an object with ${names}`, { violations });
  }
  const field = [part, ...(error?.instancePath.split("/").slice(1) ?? [])].join(".");
  return invalid(field, error?.message ?? "is invalid");
}

function invalid(field: string, message: string): AppError {
  return new AppError("INVALID_REQUEST", `${field} ${message}`, { violations: [{ field, message }] });
}
