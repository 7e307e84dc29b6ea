import type { AppError, Caller } from "@appserver/kernel";

/** A request as passed to handlers. `params` and `body` conform to the route's schema. */
export interface RestCall {
  readonly caller: Caller;
  /** Decoded values of the `:name` segments of the path. */
  readonly params: unknown;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as JSON. Undefined for methods without a body. */
  readonly body: unknown;
}

/** The response of a handler: a value as JSON, or an error with its own status. */
export interface RestReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly error?: AppError;
}

/** One method of one path of REST v2, with JSON schemas. HEAD is allowed where GET is. */
export interface RestRoute {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** `:name` stands for one segment. */
  readonly url: string;
  readonly schema: RestSchema;
  // A method, not a property: each route declares the types that its schema guarantees.
  handle(call: RestCall): Promise<RestReply>;
}

export interface RestSchema {
  readonly params?: object;
  readonly body?: object;
}
