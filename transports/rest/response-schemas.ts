import type { View } from "@appserver/contracts/operations";
import {
  type GraphQLField,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { fieldsOf, isRecursive, viewWithin } from "./selection.ts";
import { valueSchema } from "./value-schemas.ts";

/** The JSON schemas of the schema's types, as REST responses have them. Each object type is one component. */
export class ResponseSchemas {
  readonly #components: Record<string, object> = {};

  /** The components that are referred to, by name. */
  get components(): Readonly<Record<string, object>> {
    return this.#components;
  }

  /** Returns the schema of a value. A value that may be null has its own alternative. */
  of(type: GraphQLOutputType, view: View): object {
    if (isNonNullType(type)) return this.#present(type.ofType, view);
    const schema = this.#present(type, view);
    // JSON includes null.
    return Object.keys(schema).length > 0 ? { anyOf: [schema, { type: "null" }] } : schema;
  }

  #present(type: GraphQLOutputType, view: View): object {
    if (isListType(type)) return { type: "array", items: this.of(type.ofType, view) };
    if (!isObjectType(type)) return valueSchema(type);
    const name = view === "whole" ? type.name : `${type.name}Summary`;
    if (!this.#components[name]) {
      // Before its fields, which may refer to it.
      this.#components[name] = {};
      this.#components[name] = this.#object(type, view);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #object(type: GraphQLObjectType, view: View): object {
    const fields = fieldsOf(type, view);
    return {
      type: "object",
      ...(type.description ? { description: type.description } : {}),
      properties: Object.fromEntries(
        fields.map((field) => {
          const schema = this.of(field.type, viewWithin(field.type));
          return [field.name, field.description ? { ...schema, description: field.description } : schema];
        }),
      ),
      required: fields.filter((field) => !isRecursive(type, field)).map(({ name }) => name),
    };
  }
}

/** Returns the type of a list's entries, or of a field of an object type. Throws if the schema does not have it. */
export function fieldType(type: GraphQLOutputType, name: string): GraphQLOutputType {
  const field = fieldOf(type, name);
  if (!field) throw new Error(`${String(type)} has no field ${name}`);
  return field.type;
}

export function hasField(type: GraphQLOutputType, name: string): boolean {
  return fieldOf(type, name) !== undefined;
}

function fieldOf(type: GraphQLOutputType, name: string): GraphQLField<unknown, unknown> | undefined {
  const object = isNonNullType(type) ? type.ofType : type;
  return isObjectType(object) ? object.getFields()[name] : undefined;
}

export function entryType(type: GraphQLOutputType): GraphQLOutputType {
  const list = isNonNullType(type) ? type.ofType : type;
  if (!isListType(list)) throw new Error(`${String(type)} is not a list`);
  return list.ofType;
}

/** Returns the same type without null. */
export function presentType(type: GraphQLOutputType): GraphQLOutputType {
  return isNonNullType(type) ? type : new GraphQLNonNull(type);
}
