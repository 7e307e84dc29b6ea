import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  valueFromASTUntyped,
} from "graphql";

/** JSON schemas of the scalars, by name. */
const scalars: Readonly<Record<string, object>> = {
  ID: { type: "string" },
  String: { type: "string" },
  Int: { type: "integer", minimum: -2_147_483_648, maximum: 2_147_483_647 },
  Float: { type: "number" },
  Boolean: { type: "boolean" },
  DateTime: { type: "string", format: "date-time" },
  // Any JSON value.
  JSON: {},
};

/** Returns the JSON schema of a scalar or an enum. Throws for another type. */
export function valueSchema(type: GraphQLInputType | GraphQLOutputType): object {
  if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ name }) => name) };
  const schema = "name" in type ? scalars[type.name] : undefined;
  if (!schema) throw new Error(`${String(type)} has no JSON schema`);
  return schema;
}

/** Anything with the name and type of an input: an argument, or a field of an input object. */
export interface Input extends Pick<GraphQLArgument, "name" | "type" | "description" | "default"> {
  /** Further keywords of its schema. */
  readonly limits?: object;
}

/** Returns the JSON schema of an object with these inputs. Unknown properties are refused. */
export function inputsSchema(inputs: readonly Input[], isNullable: boolean): object {
  return {
    type: "object",
    required: inputs.filter((input) => isNonNullType(input.type) && input.default === undefined).map(({ name }) => name),
    properties: Object.fromEntries(inputs.map((input) => [input.name, described(input, isNullable)])),
    additionalProperties: false,
  };
}

function described({ type, description, default: input, limits = {} }: Input, isNullable: boolean): object {
  return {
    ...inputSchema(type, isNullable, limits),
    ...(description ? { description } : {}),
    ...(input === undefined ? {} : { default: input.literal ? valueFromASTUntyped(input.literal) : input.value }),
  };
}

function inputSchema(type: GraphQLInputType, isNullable: boolean, limits: object): object {
  if (isNonNullType(type)) return { ...presentSchema(type.ofType), ...limits };
  const schema = { ...presentSchema(type), ...limits };
  // JSON includes null.
  return isNullable && Object.keys(schema).length > 0 ? { anyOf: [schema, { type: "null" }] } : schema;
}

function presentSchema(type: GraphQLInputType): object {
  if (isListType(type)) return { type: "array", items: inputSchema(type.ofType, false, {}) };
  if (isInputObjectType(type)) return inputsSchema(Object.values(type.getFields()), true);
  return valueSchema(type);
}
