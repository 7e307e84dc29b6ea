/** How much of an object a response has: every field, every field that cannot be large, or only those that are values. */
export type View = "whole" | "light" | "brief";

/** A route of REST v2 that is one root field of the GraphQL schema: arguments, permission, errors and types are those of the field. */
export interface RestEndpoint {
  /** Default: GET for a query, POST for a mutation. */
  readonly method?: "PUT" | "DELETE";
  /** `:name` stands for one segment. */
  readonly url: string;
  /**
   * The arguments that segments of the path give, by segment. All other arguments are in the query, or in the body of PUT and
   * POST.
   */
  readonly path?: Readonly<Record<string, PathArgument>>;
  /** An argument with an input object whose fields are in the query themselves. */
  readonly spread?: string;
  /** Names of parameters of the query, by the arguments that they give. Default: the same name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /**
   * The subscription for clients that accept `text/event-stream`, with the argument for `Last-Event-ID`. The other arguments are
   * those of the field.
   */
  readonly stream?: { readonly field: string; readonly after: string };
  readonly tag: string;
  readonly summary: string;
  readonly reply: Reply;
}

/** The name of an argument. `app`: the segment may be the id of an app, and the argument is its name. */
export type PathArgument = string | { readonly app: string };

/**
 * What the response is: the value; a page of a connection; the started operation of a command; what a command changed, or the
 * id of what it deleted, with its operation; or an object with the value as its only property.
 */
export type Reply =
  | { readonly kind: "value"; readonly view: View }
  | { readonly kind: "page"; readonly view: View }
  | { readonly kind: "operation" }
  | { readonly kind: "changed"; readonly what: "app" | "id" }
  | { readonly kind: "wrapped"; readonly as: string };

/** The usual responses. */
export const replies: Readonly<Record<"value" | "page" | "items" | "operation" | "app", Reply>> = {
  value: { kind: "value", view: "whole" },
  page: { kind: "page", view: "whole" },
  items: { kind: "wrapped", as: "items" },
  operation: { kind: "operation" },
  app: { kind: "changed", what: "app" },
};

/** For routes of one app that name it in their path. */
export const ofApp = { path: { id: { app: "name" } }, tag: "apps" } as const;
