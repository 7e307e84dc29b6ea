import { AppError, isPromise, type Logger, type MaybePromise } from "@appserver/kernel";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationTypeNode,
  parse,
  subscribe,
  validate,
  visit,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { BoundedMap } from "./bounded-map.ts";
import type { GraphqlContext } from "./context.ts";
import { presentError, requestError } from "./graphql-errors.ts";
import { hasVariableFirst, type Measure, measureDocument } from "./measure.ts";
import type { OperationCounts } from "./operation-counts.ts";
import { ResultStream } from "./result-stream.ts";

/** What one operation may ask for (specification §8, design/contracts "GraphQL"). */
export interface GraphqlLimits {
  /** Default 1000. */
  readonly cost: number;
  /** Default 15. */
  readonly depth: number;
  /** Default 5,000. */
  readonly tokens: number;
  /** Default 100. */
  readonly aliases: number;
}

/** A well-formed request (GraphQL over HTTP, "Request Parameters"). */
export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

type Run = (context: GraphqlContext, variables: Readonly<Record<string, unknown>>) => MaybePromise<ExecutionResult>;

/** A document that passed every check that does not depend on the request. */
interface CachedDocument {
  readonly document: DocumentNode;
  readonly operation: OperationTypeNode;
  readonly introspects: boolean;
  /** Whether variables decide its cost. */
  readonly measuredEachTime: boolean;
  uses: number;
  run: Run;
}

/** An operation ready to run. */
export interface PreparedOperation {
  readonly request: GraphqlRequest;
  readonly cached: CachedDocument;
}

const cachedDocuments = 500;
/** Longer ones are run, not kept. */
const cachedQueryLength = 10_000;
/** Compiling pays from the third run on. */
const compileAtUse = 3;

/** Parses, limits, validates and runs operations, on any transport. Errors in its results are fit to be sent. */
export class Executor {
  readonly schema: GraphQLSchema;
  readonly #limits: GraphqlLimits;
  readonly #logger: Logger;
  readonly #counts: OperationCounts;
  readonly #documents = new BoundedMap<CachedDocument>(cachedDocuments);

  constructor(schema: GraphQLSchema, limits: GraphqlLimits, logger: Logger, counts: OperationCounts) {
    this.schema = schema;
    this.#limits = limits;
    this.#logger = logger;
    this.#counts = counts;
  }

  /** The operation, or the reasons why it may not run. */
  prepare(request: GraphqlRequest, introspection: boolean): PreparedOperation | readonly GraphQLError[] {
    try {
      const cached = this.#document(request);
      if (cached.introspects && !introspection) throw requestError(new AppError("PERMISSION_DENIED", "introspection is off"));
      return { request, cached };
    } catch (error) {
      if (error instanceof GraphQLErrors) return error.errors;
      if (error instanceof GraphQLError) return [presentError(error, this.#logger, "")];
      throw error;
    }
  }

  /** Runs a query or mutation. */
  run({ request, cached }: PreparedOperation, context: GraphqlContext): MaybePromise<ExecutionResult> {
    cached.uses += 1;
    if (cached.uses === compileAtUse) cached.run = this.#compile(cached.document, request.operationName);
    const result = cached.run(context, request.variables ?? {});
    return isPromise(result)
      ? result.then((settled) => this.#finish(cached, settled, context))
      : this.#finish(cached, result, context);
  }

  /** Begins a subscription: its results, or one result with the errors that kept it from beginning. */
  async subscribe(
    operation: PreparedOperation,
    context: GraphqlContext,
  ): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
    const { request, cached } = operation;
    const result = await subscribe({
      schema: this.schema,
      document: cached.document,
      operationName: request.operationName,
      variableValues: request.variables,
      contextValue: context,
      fieldResolver: plainField,
    });
    if (!isIterable(result)) return this.#finish(cached, result, context);
    this.#counts.subscriptionOpened();
    const onEnd = (): void => this.#counts.subscriptionClosed();
    return new ResultStream(result, (event) => this.#present(event, context, cached.document), onEnd);
  }

  #document(request: GraphqlRequest): CachedDocument {
    const key = `${request.operationName ?? ""}\n${request.query}`;
    const known = this.#documents.get(key);
    if (known) {
      if (known.measuredEachTime) this.#limit(measureDocument(this.schema, known.document, request.variables ?? {}));
      return known;
    }
    const cached = this.#read(request);
    if (request.query.length <= cachedQueryLength) this.#documents.set(key, cached);
    return cached;
  }

  #read(request: GraphqlRequest): CachedDocument {
    const document = parse(request.query, { maxTokens: this.#limits.tokens });
    // Before validation: some of its rules compare every field with every other.
    this.#limit(measureDocument(this.schema, document, request.variables ?? {}));
    const errors = validate(this.schema, document, undefined, { maxErrors: 20 });
    if (errors.length > 0) throw new GraphQLErrors(errors.map((error) => presentError(error, this.#logger, "")));
    const operation = getOperationAST(document, request.operationName);
    if (!operation) throw new GraphQLError(operationMessage(request.operationName));
    const variables = hasVariableFirst(document);
    const run = this.#interpret(document, request.operationName);
    return {
      document,
      operation: operation.operation,
      introspects: introspects(document),
      measuredEachTime: variables,
      uses: 0,
      run,
    };
  }

  #limit({ cost, depth, aliases }: Measure): void {
    const limits = this.#limits;
    if (cost > limits.cost) throw tooMuch("cost", cost, limits.cost);
    if (depth > limits.depth) throw tooMuch("depth", depth, limits.depth);
    if (aliases > limits.aliases) throw tooMuch("number of aliases", aliases, limits.aliases);
  }

  /** The compiled operation; the interpreter where the compiler does not know a construct. */
  #compile(document: DocumentNode, operationName: string | undefined): Run {
    try {
      const compiled = compileQuery(this.schema, document, operationName);
      if (!isCompiledQuery(compiled)) return this.#interpret(document, operationName);
      return (context, variables) => compiled.query(undefined, context, variables) as MaybePromise<ExecutionResult>;
    } catch (error) {
      this.#logger.debug({ err: error }, "GraphQL operation not compiled");
      return this.#interpret(document, operationName);
    }
  }

  #interpret(document: DocumentNode, operationName: string | undefined): Run {
    const { schema } = this;
    return (contextValue, variableValues) =>
      execute({ schema, document, operationName, variableValues, contextValue, fieldResolver: plainField });
  }

  #finish({ operation, document }: CachedDocument, result: ExecutionResult, context: GraphqlContext): ExecutionResult {
    this.#counts.finished(operation, result);
    return this.#present(result, context, document);
  }

  #present(result: ExecutionResult, { requestId }: GraphqlContext, document: DocumentNode): ExecutionResult {
    if (!result.errors?.length) return result;
    const errors = result.errors.map((error) => presentError(error, this.#logger, requestId, document));
    return { ...result, errors };
  }
}

/**
 * What a field without a resolver is: the property of its name. Not what a function there answers: the compiler knows no
 * such thing, and what worked when it was asked for the first time would fail from the third on.
 */
function plainField(source: unknown, _: unknown, __: unknown, { fieldName, parentType }: GraphQLResolveInfo): unknown {
  const value = (source as Readonly<Record<string, unknown>>)[fieldName];
  if (typeof value === "function") throw new Error(`${parentType.name}.${fieldName} is a function: give the type a resolver`);
  return value;
}

class GraphQLErrors extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super("the document is not valid");
    this.errors = errors;
  }
}

function tooMuch(what: string, is: number, limit: number): GraphQLError {
  const message = `the ${what} of the operation is ${is}; at most ${limit} is allowed`;
  return requestError(
    new AppError("INVALID_REQUEST", message, { details: { limit, actual: Math.min(is, Number.MAX_SAFE_INTEGER) } }),
  );
}

function operationMessage(name: string | undefined): string {
  return name === undefined ? "the document needs exactly one operation, or operationName" : `there is no operation "${name}"`;
}

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    [Kind.FIELD]: (node) => {
      if (node.name.value === "__schema" || node.name.value === "__type") found = true;
    },
  });
  return found;
}

function isIterable(result: unknown): result is AsyncIterable<ExecutionResult> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}
