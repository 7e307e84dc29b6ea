import type { AppError, Caller } from "@appserver/kernel";

/** The data that the REST listener passes for each request. `params` and `body` conform to the route's schema. */
export interface HttpCall<Params = unknown, Body = unknown> {
  readonly caller: Caller;
  /** Decoded values of the `:name` segments of the path. */
  readonly params: Params;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as JSON. Undefined if the method has none. */
  readonly body: Body;
}

/** The response: a value as JSON, or a refusal with its own status. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly error?: AppError;
}

/** One method of one path, with the JSON schemas of its parameters and its body. */
export interface HttpRoute<Params, Body = undefined> {
  readonly method: "GET" | "PUT" | "POST";
  /** `:name` stands for one segment. */
  readonly url: string;
  readonly schema: { readonly params: object; readonly body?: object };
  handle(call: HttpCall<Params, Body>): Promise<HttpReply>;
}

/** Parameters of every route of one app. */
export interface AppParams {
  readonly id: string;
}

export const appParamsSchema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string", description: "id of the app" } },
};

/** A body with values of settings. */
export interface ValuesBody {
  readonly values: unknown;
}

/** The settings service checks the values themselves, because their types are those of the app's definitions. */
export const valuesBodySchema = {
  type: "object",
  required: ["values"],
  properties: { values: { description: "values by key; null removes a value" } },
};
