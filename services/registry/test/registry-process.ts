import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SystemClock } from "@appserver/kernel";
import { createTestRegistry, serverOf } from "./test-registry.ts";

/** Serves the registry of a folder until it is killed. Prints its port. */
const server = serverOf(createTestRegistry({ folder: process.argv[2] ?? "", clock: new SystemClock() }), console.error);
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
