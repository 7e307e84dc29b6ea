import type { Document } from "@appserver/contracts/graphql/document";
import { createClient } from "graphql-ws";
import { i18n } from "../i18n.ts";
import { ApiError, type GraphqlError, refusalOf, unansweredBy } from "./api-error.ts";
import { connection, failures, session } from "./connection.ts";

const maxPauseMs = 5_000;

/** Returns a pause of 0.5 to 5 s that grows with the attempts, with a random part so that browsers do not all return at once. */
export function pauseMs(attempt: number): number {
  return Math.min(maxPauseMs, 500 * 2 ** Math.min(attempt, 5)) * (0.5 + Math.random() / 2);
}

const pause = (attempt: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs(attempt)));

/** By the clock of the server, in ms, to the second below it. Undefined until it has responded, or if it does not say. */
let firstResponseAt: number | undefined;

/** Returns when the server sent its first response to this page, or a little earlier: what has changed since may not be shown. */
export function pageReadAt(): number | undefined {
  return firstResponseAt;
}

interface Result<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly GraphqlError[];
}

let isConnected = false;

const socket = createClient({
  url: `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/graphql`,
  keepAlive: 10_000,
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  retryWait: pause,
  on: {
    connected: () => {
      isConnected = true;
    },
    closed: (event) => {
      isConnected = false;
      const { code } = event as CloseEvent;
      if (code === 4401) session.set("ended");
      else if (code !== 1000) connection.set("lost");
    },
  },
});

interface SendOptions {
  /** The request outlives the page that sends it. Its body has at most 64 kB. */
  readonly keepalive?: boolean;
}

/** Sends a query or a mutation, and returns its data. Rejects with ApiError. */
export async function send<Data, Variables extends object>(
  document: Document<Data, Variables>,
  variables: Variables,
  options: SendOptions = {},
): Promise<Data> {
  const refusal = await request<Data>(document, variables, options);
  if (!(refusal instanceof ApiError)) return refusal;
  if (refusal.isSignedOut) session.set("ended");
  if (refusal.code === "UNREACHABLE") connection.set("lost");
  if (refusal.code === "SERVICE_UNAVAILABLE") failures.set(failures.get() + 1);
  throw refusal;
}

async function request<Data>(query: string, variables: object, options: SendOptions): Promise<Data | ApiError> {
  let status: number | undefined;
  try {
    const response = await fetch("/graphql", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/graphql-response+json, application/json" },
      body: JSON.stringify({ query, variables }),
      ...options,
    });
    status = response.status;
    firstResponseAt ??= Date.parse(response.headers.get("date") ?? "") || undefined;
    const requestId = response.headers.get("x-request-id") ?? undefined;
    const { data, errors } = (await response.json()) as Result<Data>;
    if (errors?.[0]) return refusalOf(errors[0], requestId);
    return data ?? unansweredBy(status, i18n.t("the response has no data"), requestId);
  } catch (error) {
    return unansweredBy(status, error instanceof Error ? error.message : String(error));
  }
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
  document: Document<Data, Variables>,
  variables: Variables,
  onData: (data: Data) => void,
  { onStart, onRefusal, onEnd }: FollowEvents = {},
): () => void {
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: (() => void) | undefined;
  let isStopped = false;
  // The socket subscribes when it has connected, also again by itself.
  const stopListening = onStart && socket.on("connected", onStart);
  const again = (refusal: ApiError): void => {
    if (isStopped) return;
    onRefusal?.(refusal);
    if (refusal.code === "PERMISSION_DENIED") return;
    clearTimeout(timer);
    timer = setTimeout(begin, pauseMs(attempt));
    attempt += 1;
  };
  const begin = (): void => {
    if (isConnected) onStart?.();
    unsubscribe = socket.subscribe<Data>(
      { query: document, variables: variables as Record<string, unknown> },
      {
        next: ({ data, errors: [error] = [] }) => {
          if (isStopped) return;
          if (data) {
            attempt = 0;
            onData(data);
          }
          if (error) again(refusalOf(error));
        },
        error: (error) => again(refusalOfSubscription(error)),
        // Also called at `unsubscribe`.
        complete: () => {
          if (!isStopped) onEnd?.();
        },
      },
    );
  };
  begin();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    stopListening?.();
    unsubscribe?.();
  };
}

/** `error`: errors of GraphQL, the event that closed the socket, or what failed in this browser. */
function refusalOfSubscription(error: unknown): ApiError {
  if (Array.isArray(error) && error.length > 0) return refusalOf(error[0] as GraphqlError);
  return unansweredBy(undefined, error instanceof Error ? error.message : i18n.t("the connection was closed"));
}
