import { metricCatalogue } from "@appserver/contracts/metrics";
import { AppError, type Component, every, GroupCommit, uuidv7 } from "@appserver/kernel";
import type { AttemptResult } from "../domain/retry-policy.ts";
import type { HookSources, HookStream, HookStreams, OpenStream } from "../ports.ts";
import type { HooksContext } from "../use-cases/context.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { StreamChannel } from "./stream-channel.ts";

/** A stream that is being opened. */
interface Opening {
  readonly stream: OpenStream;
  readonly sources: HookSources;
}

const heartbeatMs = 2_000;
const expireMs = 500;

const results: Readonly<Record<"SUCCESS" | "RETRY" | "DROP", AttemptResult>> = {
  SUCCESS: { outcome: "SUCCESS" },
  RETRY: { outcome: "RETRY", error: "the subscriber requested a retry" },
  DROP: { outcome: "DROP" },
};

/** The streams that are open on this replica. A heartbeat reports to other replicas that it runs and which hooks its streams cover. */
export class Streams implements HookStreams, Component {
  readonly name = "hook streams";
  readonly #context: HooksContext;
  readonly #dispatcher: Dispatcher;
  readonly #open = new Map<OpenStream, StreamChannel>();
  readonly #stopping = new AbortController();
  readonly #loops: Promise<void>[] = [];
  /**
   * One at a time: each locks the row of this replica, and those that wait for it would take the connections of all others to
   * the database. Apps have turns.
   */
  readonly #openings: GroupCommit<Opening, undefined>;

  constructor(context: HooksContext, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    const store = async (openings: readonly Opening[]): Promise<readonly undefined[]> => {
      for (const { stream, sources } of openings) await context.subscriptions.openStream(stream, sources);
      return openings.map(() => undefined);
    };
    this.#openings = new GroupCommit(store, { maxItems: 1, ownerOf: ({ stream }) => stream.appName });
  }

  /** Stores that this replica runs. Call it before {@link start}. */
  join(): Promise<void> {
    return this.#heartbeat();
  }

  start(): void {
    this.#loops.push(
      this.#repeat("the heartbeat of the streams", heartbeatMs, () => this.#heartbeat()),
      this.#repeat("the expiry of deliveries", expireMs, () => this.#expire()),
    );
  }

  /** Closes every stream. Their apps reconnect to another replica. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const channel of this.#open.values()) channel.close();
    await Promise.all(this.#loops);
  }

  async open(wanted: Omit<OpenStream, "id">, maxInFlight: number, sources: HookSources): Promise<HookStream> {
    const { clock, policy, metrics } = this.#context;
    const stream: OpenStream = { id: uuidv7(), ...wanted };
    if (this.#stopping.signal.aborted) throw new AppError("SERVICE_UNAVAILABLE", "this replica is stopping");
    const channel = new StreamChannel({ ...stream, capacity: maxInFlight, timeoutMs: policy.answerTimeoutMs, clock });
    await this.#openings.run({ stream, sources });
    this.#open.set(stream, channel);
    const closeRoute = this.#dispatcher.open(channel);
    const openStreams = metrics.gauge(metricCatalogue.hookStreamsOpen).bind({ app: stream.appName });
    openStreams.add(1);
    let closing: Promise<void> | undefined;
    return {
      deliveries: channel,
      acknowledge: (eventId, result) => channel.acknowledge(eventId, results[result]),
      close: () => {
        if (!closing) openStreams.add(-1);
        closing ??= this.#close(stream, channel, closeRoute);
        return closing;
      },
    };
  }

  async #close(stream: OpenStream, channel: StreamChannel, closeRoute: () => void): Promise<void> {
    this.#open.delete(stream);
    closeRoute();
    channel.close();
    await this.#context.subscriptions
      .closeStream(stream.id)
      .catch((error: unknown) =>
        this.#context.logger.debug(
          { err: error },
          "hooks: could not remove a closed stream; it is removed when this replica stops",
        ),
      );
  }

  #heartbeat(): Promise<void> {
    return this.#context.subscriptions.heartbeat([...this.#open.keys()]);
  }

  #expire(): void {
    for (const channel of this.#open.values()) channel.expire();
  }

  #repeat(what: string, intervalMs: number, run: () => unknown): Promise<void> {
    const { clock, logger } = this.#context;
    const onError = (error: unknown): void => logger.warn({ err: error }, `hooks: ${what} failed; retrying`);
    return every({ clock, signal: this.#stopping.signal, intervalMs, first: "after a pause", run, onError });
  }
}
