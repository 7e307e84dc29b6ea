import type { AppError } from "./app-error.ts";
import type { Call } from "./call.ts";

/** A call over REST. `params`, `query` and `body` conform to the route's schema. */
export interface RestCall<Params = unknown, Body = unknown, Query = unknown> extends Call {
  /** Decoded values of the `:name` segments of the path. */
  readonly params: Params;
  /** Values of the query, in the types of the schema. */
  readonly query: Query;
  /** Path and query as the client sent them. */
  readonly target: string;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as JSON. Undefined for methods without a body. */
  readonly body: Body;
}

/** An event of a stream (WHATWG HTML, "Server-sent events"). */
export interface ServerSentEvent {
  /** What a client sends as `Last-Event-ID` when it connects again. */
  readonly id: string;
  readonly data: unknown;
}

/** The response of a handler: a value as JSON, an HTML page, an event stream, or an error with its own status. */
export interface RestReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The text of the JSON, instead of `json`, if it exists already. */
  readonly jsonText?: string;
  readonly html?: string;
  /** Events until the signal of the call aborts. */
  readonly events?: AsyncIterable<ServerSentEvent>;
  readonly error?: AppError;
}

/** One method of one path of REST v2, with JSON schemas. HEAD is allowed where GET is. */
export interface RestRoute<Params = unknown, Body = unknown, Query = unknown> {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** `:name` stands for one segment. */
  readonly url: string;
  readonly schema: RestSchema;
  readonly documentation: RestDocumentation;
  // A method, not a property: each route declares the types that its schema guarantees.
  handle(call: RestCall<Params, Body, Query>): Promise<RestReply>;
}

/** JSON schemas of objects. A body without required properties may be absent. */
export interface RestSchema {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}

/** What the OpenAPI document says about a route, in addition to its schemas. */
export interface RestDocumentation {
  /** Unique. The name of the same operation in GraphQL, where there is one. */
  readonly operationId: string;
  readonly summary: string;
  /** Heading that the route is listed under. */
  readonly tag: string;
  /** Request headers that the route reads, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the use case requires of parameters and properties beyond their schemas, in JSON Schema by name. */
  readonly limits?: Readonly<Record<string, object>>;
  /** The successful responses by status. Error responses are the same for all routes. */
  readonly responses: Readonly<Record<number, RestResponse>>;
}

/** A header of a response. */
export interface RestHeader {
  readonly description: string;
  /** Whether every response of the status has it. */
  readonly isRequired: boolean;
}

export interface RestResponse {
  readonly description: string;
  /** Headers of this response, in addition to those of every response. */
  readonly headers?: Readonly<Record<string, RestHeader>>;
  /** Default `application/json`. */
  readonly mediaType?: string;
  /** JSON schema of the body. Undefined for a response without a body. */
  readonly schema?: object;
  /** Schemas of the body by further media types that a client can ask for. */
  readonly others?: Readonly<Record<string, object>>;
}
