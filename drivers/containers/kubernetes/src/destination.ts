import { types } from "@appserver/driver";

/** One address, or each of a network, at a port. */
export interface Destination {
  readonly network: string;
  readonly port: number;
}

/** `10.0.0.7:5432`, `10.0.0.0/24:5432`, `[fd00::7]:5432`. No names: the rules of a cluster have addresses. */
export const destination = types.scalar<Destination>(
  "an IP address or a network with a port, such as 10.0.0.7:5432, 10.0.0.0/24:5432 or [fd00::7]:5432; no name of a host",
  (text) => {
    const [, bracketed, plain = "", digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
    const network = bracketed ?? plain;
    const port = Number(digits);
    const isNetwork = "value" in types.network.read(network, noFile) && network.includes(":") === (bracketed !== undefined);
    return isNetwork && port >= 1 && port <= 65_535 ? { network, port } : undefined;
  },
);

function noFile(path: string): never {
  throw new Error(`a destination cannot be read from a file: ${path}`);
}
