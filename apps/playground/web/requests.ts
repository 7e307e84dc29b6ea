import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";

const path = "/graphql";

/** What the server gets. */
export interface GraphqlRequest {
  readonly query: string;
  readonly operationName?: string | undefined;
  readonly variables?: unknown;
}

type Headers = Readonly<Record<string, string>>;

/** Sends a query or a mutation with the session of the browser. */
export async function send(request: GraphqlRequest, headers: Headers = {}, signal?: AbortSignal): Promise<unknown> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the platform responded with ${response.status}: ${text.slice(0, 500)}`);
  }
}

/** Reads the schema. Rejects with the reason of the platform if the caller may not. */
export async function readSchema(): Promise<GraphQLSchema> {
  const { data, errors = [] } = (await send({ query: getIntrospectionQuery() })) as {
    readonly data?: IntrospectionQuery;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (!data) throw new Error(errors[0]?.message ?? "the platform did not send its schema");
  return buildClientSchema(data);
}

/** Receives the results of a subscription until the signal aborts, or the server ends it. */
export async function subscribe(
  request: GraphqlRequest,
  headers: Headers,
  signal: AbortSignal,
  onResult: (result: unknown) => void,
): Promise<void> {
  const { createClient } = await import("graphql-ws");
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const client = createClient({ url: url.href, connectionParams: headers, retryAttempts: 0 });
  try {
    await new Promise<void>((resolve, reject) => {
      const { query, operationName, variables } = request;
      const given = (variables ?? {}) as Record<string, unknown>;
      const end = client.subscribe(
        { query, ...(operationName !== undefined && { operationName }), variables: given },
        { next: onResult, error: (error) => reject(reasonOf(error)), complete: resolve },
      );
      signal.addEventListener("abort", end, { once: true });
    });
  } finally {
    await client.dispose();
  }
}

/** The library rejects with errors of GraphQL, the event of a closed connection, or an error. */
function reasonOf(error: unknown): Error {
  if (Array.isArray(error)) return new Error(error.map(({ message }) => String(message)).join("; "));
  if (error instanceof CloseEvent) return new Error(error.reason || `the connection was closed with ${error.code}`);
  return error instanceof Error ? error : new Error("the connection failed");
}
