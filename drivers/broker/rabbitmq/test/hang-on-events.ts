/** Consumes as configured, prints the id of every event it receives, and never acknowledges one. */
import { SystemClock, silentLogger } from "@appserver/kernel";
import { RabbitBroker } from "../src/rabbit-broker.ts";

const [url = "", options = ""] = process.argv.slice(2);
const broker = new RabbitBroker({ url, clock: new SystemClock(), logger: silentLogger, prefetch: 10, maxRetries: 5 });
await broker.start();
await broker.consume(JSON.parse(options), ({ event }) => {
  console.log(event.id);
  return new Promise(() => {});
});
console.log("consuming");
