import {
  AppError,
  actorOf,
  type Call,
  type Caller,
  type Clock,
  isPromise,
  type Logger,
  type MaybePromise,
} from "@appserver/kernel";
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
import { SubscriptionOverflowError } from "../events/index.ts";
import { DocumentCache } from "./document-cache.ts";
import { checkLiterals, checkNesting, checkVariables } from "./document-limits.ts";
import { presentError, requestError } from "./graphql-errors.ts";
import { hasVariableFirst, type Measure, measureDocument } from "./measure.ts";
import { maxCompiledFields, OperationCompiler, type Run } from "./operation-compiler.ts";
import type { OperationMetrics } from "./operation-metrics.ts";
import { ResultStream } from "./result-stream.ts";

/** Limits of one operation (docs/interface/graphql.md#limits). */
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

/** A document that passed every check that is independent of the request. */
interface CachedDocument {
  readonly key: string;
  readonly document: DocumentNode;
  readonly operation: OperationTypeNode;
  readonly introspects: boolean;
  /** Whether its cost depends on variables. */
  readonly measuredEachTime: boolean;
  /** Number of fields, with fragments spread. */
  readonly fields: number;
  /** Number of runs without an error. A document that is refused again and again is not worth compiling. */
  successes: number;
  run: Run;
}

/** An operation that is ready to run. */
export interface PreparedOperation {
  readonly request: GraphqlRequest;
  readonly cached: CachedDocument;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  readonly limits: GraphqlLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly counts: OperationMetrics;
  /** Whether errors suggest names of the schema. Suggestions reveal as much as introspection does. */
  readonly suggestions: boolean;
}

const cacheLimits = { bytes: 32 * 1024 * 1024, bytesPerOwner: 4 * 1024 * 1024 };
/** Longer documents are run, but not cached. */
const cachedQueryLength = 10_000;
/** Measured memory of a parsed document per character of its text, and of a compiled one per field. */
const bytesPerCharacter = 70;
const bytesPerCompiledField = 1_400;
/** Compilation is worthwhile from the third run on. */
const compileAfter = 2;

/** Parses, limits, validates and runs operations, for any transport. Errors in its results can be sent to clients. */
export class Executor {
  readonly schema: GraphQLSchema;
  readonly #limits: GraphqlLimits;
  readonly #logger: Logger;
  readonly #counts: OperationMetrics;
  readonly #hideSuggestions: boolean;
  readonly #compiler: OperationCompiler;
  readonly #documents = new DocumentCache<CachedDocument>(cacheLimits);

  constructor({ schema, limits, clock, logger, counts, suggestions }: ExecutorOptions) {
    this.schema = schema;
    this.#limits = limits;
    this.#logger = logger;
    this.#counts = counts;
    this.#hideSuggestions = !suggestions;
    this.#compiler = new OperationCompiler(schema, clock, logger);
  }

  /** Estimated bytes of the cached documents. */
  get cachedBytes(): number {
    return this.#documents.bytes;
  }

  /** Returns the operation, or the reasons why it may not run. Does not check whether the caller may introspect. */
  prepare(request: GraphqlRequest, caller: Caller): PreparedOperation | readonly GraphQLError[] {
    try {
      if (request.variables) checkVariables(request.variables);
      return { request, cached: this.#document(request, caller) };
    } catch (error) {
      if (error instanceof GraphQLErrors) return error.errors;
      if (error instanceof GraphQLError) return [this.#presented(error, "")];
      throw error;
    }
  }

  /** Runs a query or mutation. */
  run({ request, cached }: PreparedOperation, call: Call): MaybePromise<ExecutionResult> {
    if (cached.successes >= compileAfter) this.#compile(cached, request.operationName);
    const result = cached.run(undefined, call, request.variables ?? {});
    return isPromise(result)
      ? result.then((settled) => this.#finish(cached, settled, call))
      : this.#finish(cached, result, call);
  }

  /** Starts a subscription. Returns its results, or one result with the errors that prevented the start. */
  async subscribe(operation: PreparedOperation, call: Call): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
    const { request, cached } = operation;
    const result = await subscribe({
      schema: this.schema,
      document: cached.document,
      operationName: request.operationName,
      variableValues: request.variables,
      contextValue: call,
      fieldResolver: plainField,
      hideSuggestions: this.#hideSuggestions,
    });
    if (!isIterable(result)) return this.#finish(cached, result, call);
    this.#counts.subscriptionOpened();
    const onEnd = (): void => this.#counts.subscriptionClosed();
    // Maps an error that the source throws after it began: wrong arguments, a missing permission, an unavailable database.
    const lastOf = (cause: unknown): ExecutionResult | undefined => {
      if (cause instanceof SubscriptionOverflowError) return undefined;
      const error = new GraphQLError("the subscription failed", { originalError: toError(cause) });
      return { errors: [this.#presented(error, call.requestId)] };
    };
    return new ResultStream(result, (event) => this.#present(event, call, cached.document), onEnd, lastOf);
  }

  #document(request: GraphqlRequest, caller: Caller): CachedDocument {
    const key = `${request.operationName ?? ""}\n${request.query}`;
    const known = this.#documents.get(key);
    if (known) {
      if (known.measuredEachTime) this.#limit(measureDocument(this.schema, known.document, request.variables ?? {}));
      return known;
    }
    const cached = this.#read(key, request);
    if (request.query.length <= cachedQueryLength) {
      this.#documents.set(key, cached, actorOf(caller), request.query.length * bytesPerCharacter);
    }
    return cached;
  }

  #read(key: string, request: GraphqlRequest): CachedDocument {
    checkNesting(request.query);
    const document = parse(request.query, { maxTokens: this.#limits.tokens });
    // Limits apply before validation, because some validation rules compare every field with every other.
    const measure = measureDocument(this.schema, document, request.variables ?? {});
    this.#limit(measure);
    checkLiterals(document);
    const errors = validate(this.schema, document, undefined, { maxErrors: 20, hideSuggestions: this.#hideSuggestions });
    if (errors.length > 0) throw new GraphQLErrors(errors.map((error) => this.#presented(error, "")));
    const operation = getOperationAST(document, request.operationName);
    if (!operation) throw new GraphQLError(operationMessage(request.operationName));
    return {
      key,
      document,
      operation: operation.operation,
      introspects: introspects(document),
      measuredEachTime: hasVariableFirst(document),
      fields: measure.fields,
      successes: 0,
      run: this.#interpret(document, request.operationName),
    };
  }

  #limit({ cost, depth, aliases }: Measure): void {
    const limits = this.#limits;
    if (cost > limits.cost) throw tooMuch("cost", cost, limits.cost);
    if (depth > limits.depth) throw tooMuch("depth", depth, limits.depth);
    if (aliases > limits.aliases) throw tooMuch("number of aliases", aliases, limits.aliases);
  }

  /** Compiles the operation once, if it is small, is cached, and the compiler has time. */
  #compile(cached: CachedDocument, operationName: string | undefined): void {
    if (cached.fields > maxCompiledFields || !this.#compiler.hasTime) return;
    cached.successes = Number.NEGATIVE_INFINITY;
    if (!this.#documents.grow(cached.key, cached.fields * bytesPerCompiledField)) return;
    cached.run = this.#compiler.compile(cached.document, operationName) ?? cached.run;
  }

  #interpret(document: DocumentNode, operationName: string | undefined): Run {
    const fixed = { schema: this.schema, document, operationName, hideSuggestions: this.#hideSuggestions };
    return (_, contextValue, variableValues) => execute({ ...fixed, variableValues, contextValue, fieldResolver: plainField });
  }

  #finish(cached: CachedDocument, result: ExecutionResult, call: Call): ExecutionResult {
    if (!result.errors?.length) cached.successes += 1;
    this.#counts.finished(cached.operation, result);
    return this.#present(result, call, cached.document);
  }

  #present(result: ExecutionResult, { requestId }: Call, document: DocumentNode): ExecutionResult {
    if (!result.errors?.length) return result;
    return { ...result, errors: result.errors.map((error) => this.#presented(error, requestId, document)) };
  }

  #presented(error: GraphQLError, requestId: string, document?: DocumentNode): GraphQLError {
    const presented = presentError(error, this.#logger, requestId, document);
    if (!this.#hideSuggestions) return presented;
    // Compiled operations coerce variables themselves and suggest names.
    const message = presented.message.replace(/ Did you mean .*\?$/s, "");
    return message === presented.message ? presented : new GraphQLError(message, presented);
  }
}

/**
 * Resolves a field without a resolver: returns the property with its name. Throws for a function, which the compiler does not
 * call: otherwise a field that works in the first runs would fail from the third run on.
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

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

function isIterable(result: unknown): result is AsyncIterable<ExecutionResult> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}
