import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

export interface SeenState {
  readonly name: string;
  readonly state: string;
}

/** `appStateChanged` of one server, from the moment that {@link StateSubscription.open} resolves. */
export class StateSubscription {
  readonly seen: SeenState[] = [];
  /** Code with which the server closed the connection. */
  closed: number | undefined;
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(httpUrl: string, token: string): Promise<StateSubscription> {
    const client = createClient({
      url: `${httpUrl.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    const subscription = new StateSubscription(client);
    client.on("closed", (event) => {
      subscription.closed = (event as { code: number }).code;
    });
    const nothing = (): void => {};
    client.subscribe<{ appStateChanged: SeenState }>(
      { query: "subscription { appStateChanged { name state } }" },
      { next: ({ data }) => data && subscription.seen.push(data.appStateChanged), error: nothing, complete: nothing },
    );
    // Operations of one connection start in order: the response to a later one shows that the earlier has started.
    await new Promise<void>((resolve, reject) => {
      client.subscribe({ query: "{ health { status } }" }, { next: nothing, error: reject, complete: resolve });
    });
    return subscription;
  }

  /** The received states of the app, in order. */
  statesOf(name: string): readonly string[] {
    return this.seen.filter((app) => app.name === name).map(({ state }) => state);
  }

  async close(): Promise<void> {
    await this.#client.dispose();
  }
}
