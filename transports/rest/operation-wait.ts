import type { Call } from "@appserver/kernel";
import { GraphQLBoolean, type GraphQLSchema } from "graphql";
import { FieldOperation, rootField } from "./field-operation.ts";
import { selectionOf } from "./selection.ts";
import type { Input } from "./value-schemas.ts";

/** How long a response waits at most for the end of an operation. */
const waitMs = 60_000;

/** The parameter of the query that asks to wait. */
export const waitParameter: Input = {
  name: "wait",
  type: GraphQLBoolean,
  description: `Respond when the operation has ended, and after ${waitMs / 1_000} s at the latest`,
  default: undefined,
};

export interface StartedOperation {
  readonly id: string;
  readonly done: boolean;
}

/** Waits for the end of operations. */
export class OperationWait {
  readonly #progress: FieldOperation;

  constructor(schema: GraphQLSchema) {
    const field = "operationProgress";
    const { type } = rootField(schema, "subscription", field);
    this.#progress = new FieldOperation(schema, "subscription", field, selectionOf(type, "whole"));
  }

  /** Returns the operation when it has ended, or as it is when the time is over or the client has gone. */
  async end(started: StartedOperation, call: Call): Promise<StartedOperation> {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(waitMs)]);
    let last = started;
    const changes = await this.#progress.watch({ id: started.id }, withSignal(call, signal));
    for await (const operation of changes) last = operation as StartedOperation;
    return last;
  }
}

function withSignal({ caller, requestId, traceparent }: Call, signal: AbortSignal): Call {
  return { caller, requestId, traceparent, signal };
}
