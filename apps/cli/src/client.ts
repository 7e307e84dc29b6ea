import type { Document } from "@appserver/contracts/graphql/document";
import type { CommandResultFragment, OperationFragment, ProblemFragment } from "./generated/operations.ts";
import type { GlobalOptions } from "./global-options.ts";
import { readText, send } from "./http.ts";
import { type GraphqlProblem, Refusal } from "./refusal.ts";

/** A result of an operation. */
export interface Result<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Partial<GraphqlProblem> }[];
}

/**
 * Sends a query or a mutation, and returns its data (docs/interface/graphql.md). Rejects with `Refusal` if the platform refuses it,
 * with `Late` if no response comes in time, and with `Unreachable`.
 */
export async function ask<Data, Variables>(
  options: GlobalOptions,
  document: Document<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const body = JSON.stringify({ query: document, variables });
  const response = await send(options, { path: "/graphql", body, ...(signal && { signal }) });
  const received = await readText(options, response);
  return dataOf(readResult<Data>(response.statusCode ?? 0, received));
}

/** Returns the data of a result. Throws {@link Refusal} if it has an error. */
export function dataOf<Data>({ data, errors }: Result<Data>): Data {
  const [first] = errors ?? [];
  if (first) throw Refusal.ofGraphql({ ...first.extensions, message: first.message });
  if (!data) throw new Error("the response of the platform has no data");
  return data;
}

/** Throws {@link Refusal} for a body that is no result: the platform, or something before it, refused the request itself. */
function readResult<Data>(status: number, body: string): Result<Data> {
  try {
    const result = JSON.parse(body) as Result<Data>;
    if (result.data !== undefined || result.errors !== undefined) return result;
  } catch {
    // No JSON.
  }
  throw Refusal.ofBody(status, body);
}

/** Sends a command on an app, and returns its result. Rejects as {@link ask} does, also if the result has an error. */
export async function command<Variables>(
  options: GlobalOptions,
  document: Document<{ readonly result: CommandResultFragment }, Variables>,
  variables: Variables,
): Promise<CommandResultFragment & { readonly operation: OperationFragment }> {
  const { operation, ...result } = accepted((await ask(options, document, variables)).result);
  if (!operation) throw new Error("the response of the platform has no operation");
  return { ...result, operation };
}

/** Returns a result. Throws {@link Refusal} if it has an error. */
export function accepted<R extends { readonly error?: ProblemFragment | null | undefined }>(result: R): R {
  const { error } = result;
  if (!error) return result;
  const { violations } = (error.details ?? {}) as GraphqlProblem;
  throw Refusal.ofGraphql({ ...error, violations });
}

/** Returns what a query names by its id or name. Throws if the platform has no such thing. */
export function found<T>(value: T | null | undefined, what: string): T {
  if (value == null) throw Refusal.ofGraphql({ message: `there is no ${what}`, code: "NOT_FOUND" });
  return value;
}
