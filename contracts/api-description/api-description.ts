/**
 * What the platform keeps of the OpenAPI document of an app (docs/interface/proxy.md#app-documents). Every text in it was written by
 * the app: names are restricted to a few characters, and texts have no control characters, but what they say is not checked.
 */
export interface ApiDescription {
  /** SHA-256 of the document that was read, hex. */
  readonly digest: string;
  /** At most 500, in the order of the document. Not all of them are routes of the app: see {@link describedRoutes}. */
  readonly operations: readonly DescribedOperation[];
}

export interface DescribedOperation {
  readonly method: DescribedMethod;
  /** Below the base path of the API, normalised, with parameters as whole or part of segments: `/items/{id}`. */
  readonly path: string;
  /** Letters, digits, `_`, `.` and `-`, at most 64. No two operations have the same one. */
  readonly operationId?: string;
  /** One line of at most 200 characters. */
  readonly summary?: string;
  /** One line of at most 500 characters. */
  readonly description?: string;
  /** At most 30. Every parameter of the path is among them. */
  readonly parameters: readonly DescribedParameter[];
  /** Of JSON. Undefined: the operation takes none, or can be called without. */
  readonly body?: { readonly required: boolean; readonly schema: ValueSchema };
}

export const describedMethods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"] as const;
export type DescribedMethod = (typeof describedMethods)[number];

export interface DescribedParameter {
  /** A name as {@link ValueSchema.properties} have it. */
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: ValueSchema;
}

/** A JSON Schema without texts: what a value is made of. `{}` is any value, also where the document has more than is kept. */
export interface ValueSchema {
  readonly type?: ValueType | readonly ValueType[];
  readonly format?: string;
  /** Their names have letters, digits, `_`, `.`, `$` and `-`, at most 64. Properties with other names are missing. */
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  /** Names of `properties`. */
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: ValueSchema;
  /** Texts have letters, digits, `_`, `.`, `:` and `-`, at most 40. A list with another text is missing. */
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly oneOf?: readonly ValueSchema[];
  readonly anyOf?: readonly ValueSchema[];
  readonly allOf?: readonly ValueSchema[];
}

export const valueTypes = ["string", "number", "integer", "boolean", "array", "object", "null"] as const;
export type ValueType = (typeof valueTypes)[number];
