import { type Attribute, attributeOf, named, type ResourceType, schemaIds } from "./attribute.ts";
import { type Comparison, parseElementFilter } from "./filter.ts";
import { invalid, quoted } from "./scim-error.ts";
import { isObject, type JsonObject, memberOf, requireSchema } from "./values.ts";

/** One change of one attribute that the platform has. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly attribute: Attribute;
  /** Which elements of a list are meant. */
  readonly filter?: readonly Comparison[] | undefined;
  /** The part of a complex attribute. */
  readonly part?: Attribute | undefined;
  readonly value: unknown;
}

const ops = ["add", "replace", "remove"] as const;
const maxOperations = 1_000;
const maxPath = 1_000;
const pathForm = /^([A-Za-z][\w$-]*)(?:\[(.*)\])?(?:\.([A-Za-z$][\w$-]*))?$/s;

/**
 * Returns what a PATCH changes (RFC 7644 section 3.5.2), without attributes that the platform does not have. Accepts what Entra and Okta send:
 * `op` in any case, and paths as the names of a value. `id`: that of the resource, which may be repeated.
 */
export function operationsOf(type: ResourceType, id: string, body: JsonObject): readonly Operation[] {
  requireSchema(body, schemaIds.patch);
  const given = memberOf(body, "Operations");
  if (!Array.isArray(given) || given.length === 0)
    throw invalid("invalidSyntax", "Operations must be a list that is not empty");
  if (given.length > maxOperations) throw invalid("invalidValue", `Operations must be at most ${maxOperations}`);
  return given.flatMap((each: unknown) => {
    if (!isObject(each)) throw invalid("invalidSyntax", "an operation must be an object");
    const op = opOf(memberOf(each, "op"));
    const path = memberOf(each, "path");
    const value = memberOf(each, "value");
    if (path !== undefined && path !== null) return operationAt(type, op, path, value) ?? [];
    if (op === "remove") throw invalid("noTarget", "remove needs a path");
    if (!isObject(value)) throw invalid("invalidValue", `${op} without a path needs an object as its value`);
    return Object.entries(value).flatMap(([key, part]) => operationOfMember(type, id, op, key, part));
  });
}

function opOf(given: unknown): Operation["op"] {
  const op = typeof given === "string" ? ops.find((each) => each === given.toLowerCase()) : undefined;
  if (op === undefined) throw invalid("invalidSyntax", `op must be add, replace or remove, got ${quoted(given)}`);
  return op;
}

/** In a value without a path, Okta repeats the id, and clients repeat what they have read. */
function operationOfMember(
  type: ResourceType,
  id: string,
  op: Operation["op"],
  key: string,
  value: unknown,
): readonly Operation[] {
  const attribute = attributeOf(type, key);
  if (attribute?.name === "id" && value !== id) throw invalid("mutability", "id cannot be changed");
  if (attribute?.isReadOnly) return [];
  // A value of an extension has its attributes.
  if (isObject(value) && key.toLowerCase() === type.schema.toLowerCase())
    return Object.entries(value).flatMap(([name, each]) => operationOfMember(type, id, op, name, each));
  const operation = operationAt(type, op, key, value);
  return operation ? [operation] : [];
}

/** Undefined for an attribute that the platform does not have. */
function operationAt(type: ResourceType, op: Operation["op"], path: unknown, value: unknown): Operation | undefined {
  if (typeof path !== "string" || path.length > maxPath) throw invalid("invalidPath", "path must be a text");
  const own = `${type.schema}:`;
  const isOwn = path.toLowerCase().startsWith(own.toLowerCase());
  // Of an extension, such as `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department`.
  if (!isOwn && /^urn:/i.test(path)) return undefined;
  const [, name, filter, partName] = pathForm.exec(isOwn ? path.slice(own.length) : path) ?? [];
  if (name === undefined) throw invalid("invalidPath", `the path ${quoted(path)} cannot be read`);
  const attribute = attributeOf(type, name);
  if (!attribute) return undefined;
  if (attribute.isReadOnly) throw invalid("mutability", `${attribute.name} cannot be changed`);
  const part = partName === undefined ? undefined : named(attribute.parts, partName);
  if (partName !== undefined && !part) {
    if (attribute.parts) return undefined;
    throw invalid("invalidPath", `${attribute.name} has no parts`);
  }
  if (part?.isReadOnly) throw invalid("mutability", `${attribute.name}.${part.name} cannot be changed`);
  if (filter !== undefined && !attribute.isList) throw invalid("invalidPath", `${attribute.name} is not a list`);
  return { op, attribute, part, value, filter: filter === undefined ? undefined : parseElementFilter(filter) };
}
