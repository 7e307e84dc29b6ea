import type { KeyObject } from "node:crypto";
import type { Duplex } from "node:stream";
import { AppError } from "@appserver/kernel";
import type { Tunnel, TunnelSpec, Tunnels, Upstreams } from "../ports.ts";
import { CountedUpstream } from "./counted-upstream.ts";

/** The open tunnels of this replica, at most one for each user and app. */
export class DeveloperTunnels implements Tunnels {
  readonly #upstreams: Pick<Upstreams, "openThrough">;
  readonly #open = new Map<string, DeveloperTunnel>();

  constructor(upstreams: Pick<Upstreams, "openThrough">) {
    this.#upstreams = upstreams;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  find(appName: string, userId: string): Tunnel | undefined {
    return this.#open.get(keyOf(appName, userId));
  }

  open(spec: TunnelSpec, connect: () => Duplex): Tunnel {
    const key = keyOf(spec.appName, spec.userId);
    const previous = this.#open.get(key);
    if (previous?.id === spec.id) throw new AppError("CONFLICT", "this server has the tunnel already");
    previous?.close(new AppError("CONFLICT", `another tunnel of the same user to ${spec.appName} has replaced this one`));
    const carrier = connect();
    const upstream = new CountedUpstream(this.#upstreams.openThrough(carrier));
    const tunnel = new DeveloperTunnel(spec, carrier, upstream, () => {
      if (this.#open.get(key) === tunnel) this.#open.delete(key);
    });
    this.#open.set(key, tunnel);
    return tunnel;
  }

  /** Ends the tunnels to an app, or all of them. */
  close(appName?: string): void {
    for (const tunnel of this.#open.values()) if (appName === undefined || tunnel.appName === appName) tunnel.close();
  }
}

class DeveloperTunnel implements Tunnel {
  readonly id: string;
  readonly appName: string;
  readonly forwardKey: KeyObject;
  readonly upstream: CountedUpstream;
  readonly #carrier: Duplex;
  readonly #onClose: () => void;
  endedBy: AppError | undefined;

  /** `onClose` is called at the end, once or more often. */
  constructor({ id, appName, forwardKey }: TunnelSpec, carrier: Duplex, upstream: CountedUpstream, onClose: () => void) {
    this.id = id;
    this.appName = appName;
    this.forwardKey = forwardKey;
    this.upstream = upstream;
    this.#carrier = carrier;
    this.#onClose = onClose;
    carrier.once("close", () => this.close());
    carrier.on("error", (error: Error) => {
      if (error instanceof AppError) this.endedBy ??= error;
    });
  }

  close(reason?: AppError): void {
    this.endedBy ??= reason;
    // No further request is sent through it.
    this.#onClose();
    void this.upstream.close(0);
    this.#carrier.destroy();
  }
}

/** Neither an app's name nor the id of a user contains a space. */
function keyOf(appName: string, userId: string): string {
  return `${appName} ${userId}`;
}
