import { AppError, type Call, type MaybePromise } from "@appserver/kernel";
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  parse,
  subscribe,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { causeOf } from "../graphql/graphql-errors.ts";

type Compiled = (root: undefined, call: Call, variables: Variables) => MaybePromise<ExecutionResult>;
export type Variables = Readonly<Record<string, unknown>>;
export type OperationType = "query" | "mutation" | "subscription";

/** One root field of the schema with a fixed selection. Its arguments are the variables. */
export class FieldOperation {
  readonly field: GraphQLField<unknown, unknown>;
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  #compiled: Compiled | undefined;

  /** Throws if the schema has no such field. */
  constructor(schema: GraphQLSchema, type: OperationType, name: string, selection: string) {
    this.field = rootField(schema, type, name);
    this.#schema = schema;
    this.#document = parse(documentOf(type, this.field, selection));
  }

  /** Returns the value of the field. Rejects with the error of the first field that failed, as its resolver threw it. */
  async run(variables: Variables, call: Call): Promise<unknown> {
    // Compiling takes milliseconds, and nothing needs it during a start.
    this.#compiled ??= compile(this.#schema, this.#document);
    return this.#valueOf(await this.#compiled(undefined, call, variables));
  }

  /** Returns the values of a subscription. Errors are those of {@link run}. */
  async watch(variables: Variables, call: Call): Promise<AsyncIterable<unknown>> {
    const fixed = { schema: this.#schema, document: this.#document, contextValue: call };
    const results = await subscribe({ ...fixed, variableValues: { ...variables } });
    if (!(Symbol.asyncIterator in results)) throw failure(results.errors?.[0]);
    return this.#valuesOf(results);
  }

  async *#valuesOf(results: AsyncIterable<ExecutionResult>): AsyncGenerator<unknown> {
    for await (const result of results) yield this.#valueOf(result);
  }

  #valueOf({ data, errors }: ExecutionResult): unknown {
    if (errors?.length) throw failure(errors[0]);
    return (data as Record<string, unknown>)[this.field.name];
  }
}

/** Returns a root field. Throws if the schema does not have it. */
export function rootField(schema: GraphQLSchema, type: OperationType, name: string): GraphQLField<unknown, unknown> {
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  const field = roots[type]?.getFields()[name];
  if (!field) throw new Error(`the schema has no ${type} ${name}`);
  return field;
}

function documentOf(type: OperationType, { name, args }: GraphQLField<unknown, unknown>, selection: string): string {
  if (args.length === 0) return `${type} { ${name}${selection} }`;
  const variables = args.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(", ");
  const values = args.map((argument) => `${argument.name}: $${argument.name}`).join(", ");
  return `${type}(${variables}) { ${name}(${values})${selection} }`;
}

function compile(schema: GraphQLSchema, document: DocumentNode): Compiled {
  const compiled = compileQuery(schema, document);
  if (!isCompiledQuery(compiled)) throw new Error(`an operation cannot be compiled: ${JSON.stringify(compiled.errors)}`);
  return compiled.query as Compiled;
}

/**
 * An error without a cause and a path is one of the arguments, which the JSON schema of the route has let through. Its message is
 * about variables of GraphQL, which a client of REST does not know.
 */
function failure(error: GraphQLError | undefined): unknown {
  const cause = error && causeOf(error);
  if (cause !== undefined) return cause;
  if (error && error.path === undefined) {
    const [, argument = "a parameter"] = /^Variable "\$(\w+)"/.exec(error.message) ?? [];
    return new AppError("INVALID_REQUEST", `${argument} has an invalid value`);
  }
  return error ?? new Error("an operation has no result");
}
