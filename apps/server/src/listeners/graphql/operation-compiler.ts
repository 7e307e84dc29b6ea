import type { Clock, Logger, MaybePromise } from "@appserver/kernel";
import type { DocumentNode, ExecutionResult, GraphQLSchema } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { GraphqlContext } from "./context.ts";

export type Run = (context: GraphqlContext, variables: Readonly<Record<string, unknown>>) => MaybePromise<ExecutionResult>;

/** Fields of an operation, fragments spread, that are compiled: some 5 ms. Larger operations are interpreted. */
export const maxCompiledFields = 200;
/** The part of the process's time that compilation may take, and how much of it may come at once. */
const budgetPerMs = 0.02;
const burstMs = 100;

/** Compiles operations to JavaScript, for a small part of the process's time: compilation holds up everything else. */
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

  /** Whether there is time for another compilation now. */
  get hasTime(): boolean {
    const now = this.#clock.monotonic();
    this.#budgetMs = Math.min(burstMs, this.#budgetMs + (now - this.#refilledAt) * budgetPerMs);
    this.#refilledAt = now;
    return this.#budgetMs > 0;
  }

  /** The compiled operation; undefined where the compiler does not know a construct. */
  compile(document: DocumentNode, operationName: string | undefined): Run | undefined {
    const startedAt = this.#clock.monotonic();
    try {
      const compiled = compileQuery(this.#schema, document, operationName);
      if (!isCompiledQuery(compiled)) return undefined;
      return (context, variables) => compiled.query(undefined, context, variables) as MaybePromise<ExecutionResult>;
    } catch (error) {
      this.#logger.debug({ err: error }, "GraphQL operation not compiled");
      return undefined;
    } finally {
      this.#budgetMs -= this.#clock.monotonic() - startedAt;
    }
  }
}
