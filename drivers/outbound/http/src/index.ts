export { HttpOutbound } from "./http-outbound.ts";
export { AddressPolicy } from "./upstream-address.ts";
export type { UpstreamConnectionsOptions as HttpOutboundOptions } from "./upstream-connections.ts";
