import type { View } from "@appserver/contracts/operations";
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";

/** How often a type may stand within itself: navigation has three levels. */
const maxNested = 3;

/** The types that stand in other objects with their values only. */
const briefTypes: ReadonlySet<string> = new Set(["App"]);

/** Values of apps, which may be megabytes. A list of such objects in another object has them left out. */
const largeValues: Readonly<Record<string, readonly string[]>> = { ActivityRun: ["input", "output"], HookEvent: ["data"] };

/** Returns the selection of a type in braces, or "" for a value. */
export function selectionOf(type: GraphQLOutputType, view: View, above: readonly GraphQLObjectType[] = []): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return "";
  const nested = [...above, named];
  const fields = fieldsOf(named, view)
    .filter((field) => !isTooDeep(field, nested))
    .map((field) => `${field.name}${selectionOf(field.type, viewWithin(field.type), nested)}`);
  return `{ ${fields.join(" ")} }`;
}

/** Returns the fields that a response has. A field with a required argument is a query of its own. */
export function fieldsOf(type: GraphQLObjectType, view: View): readonly GraphQLField<unknown, unknown>[] {
  return Object.values(type.getFields()).filter((field) => {
    if (field.args.some(isRequiredArgument)) return false;
    if (view === "light") return !largeValues[type.name]?.includes(field.name);
    return view === "whole" || (isLeafType(getNamedType(field.type)) && field.args.length === 0);
  });
}

/** Returns the view of an object that stands in another one. */
export function viewWithin(type: GraphQLOutputType): View {
  const { name } = getNamedType(type);
  if (briefTypes.has(name)) return "brief";
  return largeValues[name] ? "light" : "whole";
}

/** Whether the deepest objects of a type leave the field out, because its type stands within itself. */
export function isRecursive(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean {
  return getNamedType(field.type) === type;
}

function isTooDeep({ type }: GraphQLField<unknown, unknown>, above: readonly GraphQLObjectType[]): boolean {
  const named = getNamedType(type);
  return above.filter((each) => each === named).length >= maxNested;
}
