import { AppError } from "@appserver/kernel";
import { type ConstValueNode, GraphQLScalarType, type ValueNode, valueFromASTUntyped } from "graphql";

/** Any JSON value. */
export const jsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: "JSON",
  coerceOutputValue: (value) => value,
  coerceInputValue: (value) => value,
  coerceInputLiteral: (node: ConstValueNode) => valueFromASTUntyped(node as ValueNode),
});

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The form that results have. */
const utc = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** RFC 3339 in UTC with milliseconds. Resolvers return a Date or its text. */
export const dateTimeScalar = new GraphQLScalarType<string, string>({
  name: "DateTime",
  coerceOutputValue: (value) => {
    if (typeof value === "string" && utc.test(value)) return value;
    const date = value instanceof Date ? value : new Date(String(value));
    return date.toISOString();
  },
  coerceInputValue: parseDateTime,
  coerceInputLiteral: (node: ConstValueNode) => parseDateTime(node.kind === "StringValue" ? node.value : undefined),
});

/** Returns whether an input is a DateTime. */
export function isDateTime(text: string): boolean {
  return rfc3339.test(text) && !Number.isNaN(Date.parse(text));
}

function parseDateTime(value: unknown): string {
  if (typeof value !== "string" || !isDateTime(value))
    throw new AppError("INVALID_REQUEST", "a DateTime is an RFC 3339 text like 2026-01-31T12:00:00.000Z");
  return new Date(value).toISOString();
}
