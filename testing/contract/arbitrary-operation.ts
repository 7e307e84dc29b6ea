import fc from "fast-check";
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationTypeNode,
} from "graphql";
import { hostileText } from "./arbitrary-message.ts";

/** An operation as a client sends it. */
export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Every root field of a schema, by the kind of operation. */
export function rootFields(
  schema: GraphQLSchema,
  kinds: readonly OperationTypeNode[],
): readonly (readonly [OperationTypeNode, GraphQLField<unknown, unknown>])[] {
  return kinds.flatMap((kind) =>
    Object.values(schema.getRootType(kind)?.getFields() ?? {}).map((field) => [kind, field] as const),
  );
}

/**
 * Calls of one root field with generated arguments, mostly of the right type, as variables or as literals. In addition to
 * hostile texts it uses `texts`: names and ids that exist.
 */
export function arbitraryOperation(
  kind: OperationTypeNode,
  field: GraphQLField<unknown, unknown>,
  texts: readonly string[],
): fc.Arbitrary<Operation> {
  const values = Object.fromEntries(field.args.map(({ name, type }) => [name, arbitraryInput(type, texts, 3)]));
  const required = field.args.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  const selection = selectionOf(field.type, 3);
  return fc
    .tuple(fc.record(values, { requiredKeys: required, noNullPrototype: true }), fc.boolean())
    .map(([given, isLiteral]) => {
      const used = field.args.filter(({ name }) => name in given);
      if (isLiteral) {
        const written = used.map(({ name, type }) => `${name}: ${literal(given[name], type)}`).join(", ");
        return { query: `${kind} { ${field.name}${written && `(${written})`} ${selection} }`, variables: {} };
      }
      const declared = used.map(({ name, type }) => `$${name}: ${String(type)}`).join(", ");
      const passed = used.map(({ name }) => `${name}: $${name}`).join(", ");
      const query = `${kind} Q${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`} ${selection} }`;
      return { query, variables: given };
    });
}

/** Invalid and nearly valid documents. */
export const arbitraryDocument: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.stringMatching(/^[{}()[\]!:$@"#.,a-c\\ 0-9]{1,200}$/),
  fc
    .tuple(
      fc.constantFrom("{", "[", "(", "{a", '"', '"""', "#", "\\", "a:{", "...on Query{"),
      fc.integer({ min: 1, max: 20_000 }),
    )
    .map(([piece, count]) => `{ app(name: ${piece.repeat(count)}`),
  fc.integer({ min: 1, max: 3_000 }).map((count) => `query ${"{ health { status } ".repeat(count)}`),
);

function arbitraryInput(type: GraphQLInputType, texts: readonly string[], depth: number): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) return arbitraryInput(type.ofType, texts, depth);
  if (isListType(type)) return fc.array(arbitraryInput(type.ofType, texts, depth), { maxLength: 3 });
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    if (depth === 0) return fc.constant({});
    const record = Object.fromEntries(fields.map((field) => [field.name, arbitraryInput(field.type, texts, depth - 1)]));
    const requiredKeys = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
    return fc.record(record, { requiredKeys, noNullPrototype: true });
  }
  return scalar(type.name, texts);
}

function scalar(name: string, texts: readonly string[]): fc.Arbitrary<unknown> {
  if (name === "Int") return fc.oneof(fc.constantFrom(0, 1, -1, 2_147_483_647, -2_147_483_648), fc.integer());
  if (name === "Float") return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (name === "Boolean") return fc.boolean();
  const text = fc.oneof(fc.constantFrom(...texts), hostileText);
  if (name === "DateTime")
    return fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.constantFrom("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-02-30T00:00:00Z"),
      text,
    );
  if (name === "JSON") return fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.dictionary(text, fc.oneof(text, fc.jsonValue())));
  return text;
}

/** The value in GraphQL's notation. */
function literal(value: unknown, type?: GraphQLInputType): string {
  const bare = isNonNullType(type) ? type.ofType : type;
  if (Array.isArray(value))
    return `[${value.map((item) => literal(item, isListType(bare) ? bare.ofType : undefined)).join(", ")}]`;
  if (isEnumType(bare)) return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = isInputObjectType(bare) ? bare.getFields() : {};
  // Other keys cannot be written as literals.
  const entries = Object.entries(value).filter(([key]) => /^[_A-Za-z]\w*$/.test(key));
  return `{${entries.map(([key, item]) => `${key}: ${literal(item, fields[key]?.type)}`).join(", ")}}`;
}

/** Selects every field that needs no arguments, to a depth. */
export function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return "";
  const fields = Object.values(named.getFields()).flatMap((field) => {
    if (field.args.some((argument) => isNonNullType(argument.type))) return [];
    const isLeaf = !isObjectType(getNamedType(field.type));
    if (isLeaf) return [field.name];
    // Nested connections or lists soon exceed the cost limit.
    return depth > 0 && !isListType(field.type) && field.args.length === 0
      ? [`${field.name} ${selectionOf(field.type, depth - 1)}`]
      : [];
  });
  return `{ ${["__typename", ...fields].join(" ")} }`;
}
