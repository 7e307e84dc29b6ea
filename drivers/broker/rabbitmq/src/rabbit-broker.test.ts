import { spawn } from "node:child_process";
import { join } from "node:path";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { ensureRabbitMq } from "../../../../tools/services/rabbitmq.ts";
import { brokerSuite } from "../../broker.suite.ts";
import type { BrokerHarness } from "../../broker-fixture.ts";
import { RabbitBroker } from "./rabbit-broker.ts";

const server = await ensureRabbitMq();

async function createHarness(): Promise<BrokerHarness> {
  if ("unavailable" in server) throw new Error(server.unavailable);
  const { url, drop } = await server.createVirtualHost();
  return {
    ordersAcrossProcesses: false,
    open: async () => {
      const broker = new RabbitBroker({
        url,
        clock: new SystemClock(),
        logger: silentLogger,
        retryDelayMs: () => 20,
        stopTimeoutMs: 200,
      });
      await broker.start();
      return broker;
    },
    spawnHangingConsumer: (options) => {
      const script = join(import.meta.dirname, "..", "test", "hang-on-events.ts");
      return spawn(process.execPath, [script, url, JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit"] });
    },
    close: async () => {
      await drop();
      await server.stop();
    },
  };
}

brokerSuite("RabbitMQ", createHarness, "unavailable" in server && server.unavailable);
