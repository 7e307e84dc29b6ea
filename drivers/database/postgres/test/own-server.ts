/** Starts the embedded server of a folder, prints its connection, and stops it when standard input closes. */
import { once } from "node:events";
import { EmbeddedPostgres } from "@appserver/database-postgres";
import { SystemClock, silentLogger } from "@appserver/kernel";

const [folder = ""] = process.argv.slice(2);
const server = new EmbeddedPostgres({ folder, logger: silentLogger, clock: new SystemClock() });
await server.start();
console.log(JSON.stringify(server.connection));
process.stdin.resume();
await once(process.stdin, "end");
await server.stop();
