import { Client, fetchExchange, subscriptionExchange, type TypedDocumentNode } from "@urql/core";
import { createClient } from "graphql-ws";
import { ApiError, toApiError } from "./api-error.ts";
import { connection, failures, session } from "./connection.ts";

const maxPauseMs = 5_000;

/** Returns a pause of 0.5 to 5 s that grows with the attempts, with a random part so that browsers do not all return at once. */
export function pauseMs(attempt: number): number {
  return Math.min(maxPauseMs, 500 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);
}

const pause = (attempt: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs(attempt)));

const socket = createClient({
  url: `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/graphql`,
  keepAlive: 10_000,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  retryWait: pause,
  on: {
    closed: (event) => {
      const { code } = event as CloseEvent;
      if (code === 4401) session.set("ended");
      else if (code !== 1000) connection.set("lost");
    },
  },
});

const client = new Client({
  url: "/graphql",
  preferGetMethod: false,
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = "", variables }) => ({
        subscribe: (sink) => {
          const next = (result: object): void => sink.next(result as Parameters<typeof sink.next>[0]);
          const request = { query, variables: variables as Record<string, unknown> };
          return { unsubscribe: socket.subscribe(request, { ...sink, next }) };
        },
      }),
    }),
  ],
});

/** Sends a query and returns its data. Rejects with ApiError. */
export async function query<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  return dataOf(await client.query(document, variables as never, { requestPolicy: "network-only" }).toPromise());
}

/** Sends a mutation and returns its data. Rejects with ApiError. */
export async function mutate<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  return dataOf(await client.mutation(document, variables as never).toPromise());
}

function dataOf<Data>({ data, error }: { readonly data?: Data; readonly error?: Parameters<typeof toApiError>[0] }): Data {
  if (error) {
    const refusal = toApiError(error);
    if (refusal.isSignedOut) session.set("ended");
    if (refusal.code === "UNREACHABLE") connection.set("lost");
    if (refusal.code === "SERVICE_UNAVAILABLE") failures.set(failures.get() + 1);
    throw refusal;
  }
  if (data === undefined) throw new ApiError("UNREACHABLE", "the response has no data");
  return data;
}

/** What happens to a subscription apart from its results. */
export interface FollowEvents {
  /** It begins, also again after a failure or an interruption: the results after it are those of a new subscription. */
  onStart?(): void;
  /** The platform refused it. It begins again after a pause, unless the caller lacks the permission. */
  onRefusal?(refusal: ApiError): void;
  /** The platform ended it without an error. */
  onEnd?(): void;
}

/**
 * Calls `onData` for each result of a subscription until the returned function is called. Subscribes again after a failure, unless
 * the caller lacks the permission.
 */
export function follow<Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  onData: (data: Data) => void,
  { onStart, onRefusal, onEnd }: FollowEvents = {},
): () => void {
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current: { unsubscribe(): void } | undefined;
  // The socket subscribes again by itself when it has connected again.
  const stopListening = onStart && socket.on("connected", onStart);
  const begin = (): void => {
    onStart?.();
    current = client.subscription(document, variables as never).subscribe(({ data, error, hasNext }) => {
      if (data) {
        attempt = 0;
        onData(data as Data);
      }
      if (!error) return hasNext === false ? onEnd?.() : undefined;
      const refusal = toApiError(error);
      onRefusal?.(refusal);
      if (refusal.code === "PERMISSION_DENIED") return;
      clearTimeout(timer);
      timer = setTimeout(begin, pauseMs(attempt));
      attempt += 1;
    });
  };
  begin();
  return () => {
    clearTimeout(timer);
    stopListening?.();
    current?.unsubscribe();
  };
}
