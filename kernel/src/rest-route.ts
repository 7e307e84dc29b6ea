import type { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";

/** A call over REST. `params` and `body` conform to the route's schema. */
export interface RestCall<Params = unknown, Body = unknown> extends Call {
  /** Decoded values of the `:name` segments of the path. */
  readonly params: Params;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as JSON. Undefined for methods without a body. */
  readonly body: Body;
}

/** The response of a handler: a value as JSON, or an error with its own status. */
export interface RestReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly error?: AppError;
}

/** One method of one path of REST v2, with JSON schemas. HEAD is allowed where GET is. */
export interface RestRoute<Params = unknown, Body = unknown> {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** `:name` stands for one segment. */
  readonly url: string;
  readonly schema: RestSchema;
  // A method, not a property: each route declares the types that its schema guarantees.
  handle(call: RestCall<Params, Body>): Promise<RestReply>;
}

export interface RestSchema {
  readonly params?: object;
  readonly body?: object;
}
