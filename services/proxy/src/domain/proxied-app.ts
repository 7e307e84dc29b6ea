import type { KeyObject } from "node:crypto";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import type { AppApi, Unavailability } from "@appserver/contracts/manifest";

/** An installed app in the form that the proxy uses. */
export interface ProxiedApp {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /**
   * The generation that requests go to, or wait for. It grows with every installation and every switch to another release.
   */
  readonly generation: number;
  /** Digest of the manifest that `api` comes from. While it is unchanged, nothing is compiled again. */
  readonly manifestDigest?: string;
  /** Whether its manifest requires the permission `page:origin`. */
  readonly asksForOrigin?: boolean;
  /** Whether its manifest requires the permission `people:read`. */
  readonly asksForPeople?: boolean;
  /** Undefined for an app without an API. */
  readonly api: AppApi | undefined;
  /** Whether the app renders its pages (docs/interface/proxy.md#rendered-pages). */
  readonly rendersPages?: boolean;
  /** Where requests go. Requests to an app that is unavailable get 503 with the reason; if its requests are buffered, they first wait. */
  readonly upstream: UpstreamAddress | Unavailability;
  /**
   * Signs the requests to the upstream (docs/interface/proxy.md#forward-signature). Undefined: they are not signed. A request
   * whose key is missing is never forwarded: an `awaited` key will arrive, an `unreadable` one cannot be opened.
   */
  readonly forwardKey?: KeyObject | MissingForwardKey;
}

export interface UpstreamAddress {
  readonly url: string;
  /** Whether the platform runs the upstream. It then chose the address itself, so the address needs no check. */
  readonly managed: boolean;
  /** Of its instances, if requests are spread over them: `10.244.1.7:3000`. At least one. */
  readonly addresses?: readonly string[] | undefined;
}
