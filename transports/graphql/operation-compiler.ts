import type { Call, Clock, Logger, MaybePromise } from "@appserver/kernel";
import type { DocumentNode, ExecutionResult, GraphQLSchema } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";

export type Run = (
  root: undefined,
  context: Call,
  variables: Readonly<Record<string, unknown>>,
) => MaybePromise<ExecutionResult>;

/** Maximum number of fields, with fragments spread, of a compiled operation: about 5 ms. Larger operations are interpreted. */
export const maxCompiledFields = 200;
/** Share of the process's time that compilation may use, and the maximum at once. */
const budgetPerMs = 0.02;
const burstMs = 100;

/** Compiles operations to JavaScript. Uses a small share of the process's time, because compilation blocks the event loop. */
export class OperationCompiler {
  readonly #schema: GraphQLSchema;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #budgetMs = burstMs;
  #refilledAt: number;

  constructor(schema: GraphQLSchema, clock: Clock, logger: Logger) {
    this.#schema = schema;
    this.#clock = clock;
    this.#logger = logger;
    this.#refilledAt = clock.monotonic();
  }

  /** Whether the budget allows another compilation now. */
  get hasTime(): boolean {
    const now = this.#clock.monotonic();
    this.#budgetMs = Math.min(burstMs, this.#budgetMs + (now - this.#refilledAt) * budgetPerMs);
    this.#refilledAt = now;
    return this.#budgetMs > 0;
  }

  /** Returns the compiled operation. Undefined if the compiler does not support a construct. */
  compile(document: DocumentNode, operationName: string | undefined): Run | undefined {
    const startedAt = this.#clock.monotonic();
    try {
      const compiled = compileQuery(this.#schema, document, operationName);
      return isCompiledQuery(compiled) ? (compiled.query as Run) : undefined;
    } catch (error) {
      this.#logger.debug({ err: error }, "graphql: an operation could not be compiled");
      return undefined;
    } finally {
      this.#budgetMs -= this.#clock.monotonic() - startedAt;
    }
  }
}
