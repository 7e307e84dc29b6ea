import { recordedSockets, type SocketRecord, type WebSocketClass } from "./recorded-sockets.ts";

export interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

export interface OperationResult {
  readonly data?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

export interface Sink {
  next(result: OperationResult): void;
  error(error: unknown): void;
  complete(): void;
}

/** What both client libraries can do. */
export interface SocketClient {
  /** Returns a function that unsubscribes. */
  subscribe(operation: Operation, sink: Sink): () => void;
  /** Closes the connection as the library does when its user has finished. */
  close(): void;
}

export interface ClientOptions {
  readonly url: string;
  /** For `connection_init`. */
  readonly connectionParams: Readonly<Record<string, string>>;
  readonly webSocket: WebSocketClass;
}

/** What one subscription has received. */
export interface Followed<Data> {
  readonly received: readonly Data[];
  /** Whether the server has ended it without an error. */
  readonly isComplete: boolean;
  /** What the library reported to the subscriber, and errors in results. */
  readonly errors: readonly unknown[];
  unsubscribe(): void;
}

/** A session of a real client, over all its connections. */
export class ClientSession {
  readonly sockets: SocketRecord;
  readonly #client: SocketClient;

  constructor(create: (options: ClientOptions) => SocketClient, url: string, token: string) {
    const { implementation, record } = recordedSockets();
    this.sockets = record;
    this.#client = create({ url, connectionParams: { authorization: `Bearer ${token}` }, webSocket: implementation });
  }

  /** Runs a query or a mutation over the socket. Rejects with its errors. */
  async run<Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    const results: OperationResult[] = [];
    await new Promise<void>((resolve, reject) => {
      const next = (result: OperationResult): void => void results.push(result);
      this.#client.subscribe({ query, variables }, { next, error: reject, complete: resolve });
    });
    const [result] = results;
    if (results.length !== 1 || result?.errors) throw new Error(`not one result of ${query}: ${JSON.stringify(results)}`);
    return result?.data as Data;
  }

  follow<Data>(query: string, variables: Record<string, unknown> = {}): Followed<Data> {
    const [received, errors]: [Data[], unknown[]] = [[], []];
    let isComplete = false;
    const unsubscribe = this.#client.subscribe(
      { query, variables },
      {
        next: (result) => {
          if (result.errors) errors.push(...result.errors);
          else received.push(result.data as Data);
        },
        error: (error) => errors.push(error),
        complete: () => {
          isComplete = true;
        },
      },
    );
    return {
      received,
      errors,
      get isComplete() {
        return isComplete;
      },
      unsubscribe,
    };
  }

  close(): void {
    this.#client.close();
  }
}
