import { readFileSync } from "node:fs";

/** One call as it was sent over the network. */
export interface RecordedCall {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly $ref?: string;
  readonly schema?: Schema;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Headers that every HTTP client sends and no API document declares. */
const plainHeaders = new Set([
  "host",
  "connection",
  "accept",
  "accept-encoding",
  "content-type",
  "content-length",
  "user-agent",
]);

/** An OpenAPI document, version 2 or 3, as far as the documents of the corpora use it. */
export class OpenApiDocument {
  readonly #root: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

  constructor(file: string) {
    this.#root = JSON.parse(readFileSync(file, "utf8"));
  }

  /**
   * Returns the parts of a call and its response that the document does not declare, each with its location. `headers` are
   * allowed in addition to the plain ones.
   */
  violations(call: RecordedCall, headers: readonly string[] = []): readonly string[] {
    const url = new URL(call.target, "http://document");
    const found = this.#find(call.method, url.pathname);
    if (!found) return [`${call.method} ${url.pathname} is not in the document`];
    const { operation, name } = found;
    const allowed = new Set([
      ...headers,
      ...(operation.parameters ?? []).filter((p) => p.in === "header").map((p) => p.name.toLowerCase()),
    ]);
    const strange = Object.keys(call.headers).filter((header) => !plainHeaders.has(header) && !allowed.has(header));
    return [
      ...strange.map((header) => `header ${header} is not declared`),
      ...this.#queryViolations(operation, url.searchParams),
      ...this.#bodyViolations(operation, call.body),
      ...this.#answerViolations(operation, call),
    ].map((violation) => `${name}: ${violation}`);
  }

  #find(method: string, path: string): { operation: Operation; name: string } | undefined {
    for (const [template, operations] of Object.entries(this.#root.paths)) {
      const pattern = new RegExp(`^${template.replaceAll(/[.]/g, "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);
      const operation = operations[method.toLowerCase()];
      if (operation && pattern.test(path)) return { operation, name: `${method} ${template}` };
    }
    return undefined;
  }

  #queryViolations(operation: Operation, query: URLSearchParams): string[] {
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
    const unknown = [...query.keys()].filter((name) => !declared.some((parameter) => parameter.name === name));
    const missing = declared.filter(({ name, required }) => required && !query.has(name));
    return [
      ...unknown.map((name) => `query parameter ${name} is not declared`),
      ...missing.map(({ name }) => `query parameter ${name} is missing`),
    ];
  }

  #bodyViolations(operation: Operation, body: string): string[] {
    const schema =
      operation.requestBody?.content["application/json"]?.schema ?? operation.parameters?.find((p) => p.in === "body")?.schema;
    if (!schema) return body === "" ? [] : ["it takes no body"];
    return this.#check(JSON.parse(body), schema, "body", "closed");
  }

  #answerViolations(operation: Operation, { status, answer }: RecordedCall): string[] {
    const declared = operation.responses[String(status)] ?? operation.responses["default"];
    if (!declared) return [`status ${status} is not declared`];
    const response = this.#resolve(declared);
    const schema = response.schema ?? response.content?.["application/json"]?.schema;
    return schema && answer !== "" ? this.#check(JSON.parse(answer), schema, "answer", "open") : [];
  }

  /** Requests must have only declared fields. Responses may have more, and null for absent values. */
  #check(value: unknown, unresolved: Schema, place: string, mode: "open" | "closed"): string[] {
    const schema = this.#resolve(unresolved);
    if (value === null && mode === "open") return [];
    if (schema.enum && !schema.enum.includes(value)) return [`${place} is ${String(value)}, which is not in its list`];
    const inherited = (schema.allOf ?? []).flatMap((part) => this.#check(value, part, place, mode));
    return [...inherited, ...this.#checkType(value, schema, place, mode)];
  }

  #checkType(value: unknown, schema: Schema, place: string, mode: "open" | "closed"): string[] {
    switch (schema.type) {
      case "string":
        return typeof value === "string" ? textViolations(value, schema, place) : [`${place} is not a string`];
      case "boolean":
        return typeof value === "boolean" ? [] : [`${place} is not a boolean`];
      case "integer":
      case "number":
        return typeof value === "number" ? rangeViolations(value, schema, place) : [`${place} is not a number`];
      case "array":
        return Array.isArray(value) ? this.#checkItems(value, schema, place, mode) : [`${place} is not an array`];
      case "object":
        return isObject(value) ? this.#checkMembers(value, schema, place, mode) : [`${place} is not an object`];
      default:
        return [];
    }
  }

  #checkItems(items: readonly unknown[], schema: Schema, place: string, mode: "open" | "closed"): string[] {
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items: item = {} } = schema;
    const count = items.length < minItems || items.length > maxItems ? [`${place} has ${items.length} items`] : [];
    return [...count, ...items.flatMap((value, n) => this.#check(value, item, `${place}[${n}]`, mode))];
  }

  #checkMembers(value: Readonly<Record<string, unknown>>, schema: Schema, place: string, mode: "open" | "closed"): string[] {
    const missing = (schema.required ?? []).filter((name) => value[name] === undefined);
    const members = Object.entries(value).flatMap(([name, member]) => {
      const declared =
        schema.properties?.[name] ?? (typeof schema.additionalProperties === "object" && schema.additionalProperties);
      if (declared) return this.#check(member, declared, `${place}.${name}`, mode);
      const free = mode === "open" || schema.properties === undefined || schema.additionalProperties === true;
      return free ? [] : [`${place}.${name} is not declared`];
    });
    return [...missing.map((name) => `${place}.${name} is missing`), ...members];
  }

  #resolve<T extends { readonly $ref?: string }>(value: T): T {
    if (value.$ref === undefined) return value;
    const parts = value.$ref.replace(/^#\//, "").split("/");
    const target = parts.reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], this.#root);
    return this.#resolve(target as T);
  }
}

function textViolations(value: string, { maxLength = Number.POSITIVE_INFINITY, pattern }: Schema, place: string): string[] {
  const tooLong = value.length > maxLength ? [`${place} is longer than ${maxLength}`] : [];
  return pattern && !new RegExp(pattern, "u").test(value) ? [...tooLong, `${place} does not match ${pattern}`] : tooLong;
}

function rangeViolations(value: number, schema: Schema, place: string): string[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  return value < minimum || value > maximum ? [`${place} is ${value}`] : [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
