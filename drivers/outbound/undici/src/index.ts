export { UndiciOutbound } from "./undici-outbound.ts";
export { AddressPolicy } from "./upstream-address.ts";
export type { UpstreamConnectionsOptions as UndiciOutboundOptions } from "./upstream-connections.ts";
