import type { KeyObject } from "node:crypto";
import { AppError } from "@appserver/kernel";
import type { Tunnel, TunnelCarrier, TunnelSpec, Tunnels, Upstreams } from "../ports.ts";
import { CountedUpstream } from "./counted-upstream.ts";

/** The open tunnels of this replica, at most one for each user and app. */
export class DeveloperTunnels implements Tunnels {
  readonly #upstreams: Pick<Upstreams, "openOver">;
  readonly #open = new Map<string, DeveloperTunnel>();

  constructor(upstreams: Pick<Upstreams, "openOver">) {
    this.#upstreams = upstreams;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  find(appName: string, userId: string): Tunnel | undefined {
    return this.#open.get(keyOf(appName, userId));
  }

  open(spec: TunnelSpec, carrier: TunnelCarrier): Tunnel {
    const key = keyOf(spec.appName, spec.userId);
    const previous = this.#open.get(key);
    if (previous?.spec.id === spec.id) throw new AppError("CONFLICT", "this server has the tunnel already");
    previous?.close(new AppError("CONFLICT", `another tunnel of the same user to ${spec.appName} has replaced this one`));
    const upstream = new CountedUpstream(this.#upstreams.openOver(() => carrier.dial()));
    const tunnel = new DeveloperTunnel(spec, upstream, () => {
      this.#open.delete(key);
      carrier.end();
    });
    this.#open.set(key, tunnel);
    return tunnel;
  }

  /** Ends the tunnels to an app, or all of them. */
  close(appName?: string): void {
    for (const tunnel of this.#open.values()) if (appName === undefined || tunnel.spec.appName === appName) tunnel.close();
  }
}

class DeveloperTunnel implements Tunnel {
  readonly spec: TunnelSpec;
  readonly upstream: CountedUpstream;
  readonly #onClose: () => void;
  #isClosed = false;
  endedBy: AppError | undefined;

  constructor(spec: TunnelSpec, upstream: CountedUpstream, onClose: () => void) {
    this.spec = spec;
    this.upstream = upstream;
    this.#onClose = onClose;
  }

  get forwardKey(): KeyObject {
    return this.spec.forwardKey;
  }

  close(reason?: AppError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.endedBy = reason;
    this.#onClose();
    void this.upstream.close(0);
  }
}

/** Neither an app's name nor the id of a user contains a space. */
function keyOf(appName: string, userId: string): string {
  return `${appName} ${userId}`;
}
