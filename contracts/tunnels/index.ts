export {
  maxDataBytes,
  maxTunnelConnections,
  type TunnelConnection,
  TunnelConnections,
  windowBytes,
} from "./tunnel-connections.ts";
