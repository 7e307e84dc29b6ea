import { hostname } from "node:os";

/** The name of this process among those of the platform, on all machines. */
export const processName = `${hostname()}:${process.pid}`;
