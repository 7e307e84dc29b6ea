import { AppError, type Call, type Caller, type Component, every, invalidField, uuidv7 } from "@appserver/kernel";
import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { checkHookName } from "../../domain/hook-name.ts";
import type { AttemptResult } from "../../domain/retry-policy.ts";
import type { OpenStream } from "../../ports.ts";
import type { HooksContext } from "../context.ts";
import { permittedSources, requireSources } from "../hook-sources.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { StreamChannel } from "./stream-channel.ts";

export interface SubscribeCommand {
  /** Empty: every hook of the app. */
  readonly hookNames: readonly string[];
  /** Default 10, at most 1000. */
  readonly maxInFlight: number | undefined;
}

/** An app's open stream. */
export interface HookStream {
  readonly deliveries: AsyncIterable<ClaimedDelivery>;
  acknowledge(eventId: string, result: "SUCCESS" | "RETRY" | "DROP"): void;
  /** Releases the deliveries that were not acknowledged. */
  close(): Promise<void>;
}

const inFlight = { default: 10, most: 1_000 } as const;
const maxHookNames = 100;
const heartbeatMs = 2_000;
const expireMs = 500;

const results: Readonly<Record<"SUCCESS" | "RETRY" | "DROP", AttemptResult>> = {
  SUCCESS: { outcome: "SUCCESS" },
  RETRY: { outcome: "RETRY", error: "the subscriber requested a retry" },
  DROP: { outcome: "DROP" },
};

/** The streams that are open on this replica. A heartbeat reports to other replicas that it runs and which hooks its streams cover. */
export class Streams implements Component {
  readonly name = "hook streams";
  readonly #context: HooksContext;
  readonly #dispatcher: Dispatcher;
  readonly #open = new Map<OpenStream, StreamChannel>();
  readonly #stopping = new AbortController();
  readonly #loops: Promise<void>[] = [];

  constructor(context: HooksContext, dispatcher: Dispatcher) {
    this.#context = context;
    this.#dispatcher = dispatcher;
  }

  async start(): Promise<void> {
    await this.#heartbeat();
    this.#loops.push(
      this.#repeat(heartbeatMs, () => this.#heartbeat()),
      this.#repeat(expireMs, () => this.#expire()),
    );
  }

  /** Closes every stream. Their apps reconnect to another replica. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const channel of this.#open.values()) channel.close();
    await Promise.all(this.#loops);
  }

  /**
   * Opens a stream of the calling app. Throws INVALID_REQUEST, AUTHENTICATION_REQUIRED, and PERMISSION_DENIED if the caller is
   * not an app or lacks the permission for one of the hooks.
   */
  async open(command: SubscribeCommand, { caller }: Call): Promise<HookStream> {
    const { hookNames, maxInFlight = inFlight.default } = command;
    const appName = appOf(caller);
    if (hookNames.length > maxHookNames) throw invalidField("hook_names", `must be at most ${maxHookNames}`);
    for (const [index, name] of hookNames.entries()) checkHookName(name, `hook_names[${index}]`);
    if (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > inFlight.most)
      throw invalidField("max_in_flight", `must be 1 to ${inFlight.most}, got ${maxInFlight}`);
    const { clock, policy, subscriptions, metrics } = this.#context;
    const stream: OpenStream = {
      id: uuidv7(),
      appName,
      hookNames: hookNames.length === 0 ? undefined : [...new Set(hookNames)],
    };
    const sources = await permittedSources(this.#context, appName, stream.hookNames ?? []);
    await requireSources(this.#context, appName, sources);
    if (this.#stopping.signal.aborted) throw new AppError("SERVICE_UNAVAILABLE", "this replica is stopping");
    const channel = new StreamChannel({ ...stream, capacity: maxInFlight, timeoutMs: policy.answerTimeoutMs, clock });
    await subscriptions.openStream(stream, sources);
    this.#open.set(stream, channel);
    const closeRoute = this.#dispatcher.open(channel);
    const countClosed = metrics.streamOpened(appName);
    let closing: Promise<void> | undefined;
    return {
      deliveries: channel,
      acknowledge: (eventId, result) => channel.acknowledge(eventId, results[result]),
      close: () => {
        if (!closing) countClosed();
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

  #repeat(intervalMs: number, run: () => unknown): Promise<void> {
    const { clock, logger } = this.#context;
    const onError = (error: unknown): void => logger.debug({ err: error }, "hooks: notifying the streams failed");
    return every({ clock, signal: this.#stopping.signal, intervalMs, first: "after a pause", run, onError });
  }
}

function appOf(caller: Caller): string {
  if (caller.kind === "app") return caller.name;
  if (caller.kind === "anonymous") throw new AppError("AUTHENTICATION_REQUIRED", "a subscription requires a signed request");
  throw new AppError("PERMISSION_DENIED", "only apps subscribe");
}
